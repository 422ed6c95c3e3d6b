//! Every other statement: settings that decide how names resolve, transactions, code that may run
//! statements of its own.

use crate::model::place::Place;
use crate::model::schema::Dialect;
use crate::sql::cursor::{Cursor, QualifiedName, Stop};
use crate::sql::lexer::TokenKind;

use super::Places;
use super::catalog::{Catalog, disagree, not_parsed};
use super::code::block;
use super::settings::{select, setting};
use super::{alter, composite, domain, rename};

/// Statements that define nothing, whatever follows.
const HARMLESS: [&str; 40] = [
    "WITH",
    "ATTACH",
    "DETACH",
    "DEALLOCATE",
    "DECLARE",
    "FETCH",
    "CLOSE",
    "DISCARD",
    "SECURITY",
    "REFRESH",
    "CLUSTER",
    "COPY",
    "UNLISTEN",
    "HANDLER",
    "KILL",
    "PURGE",
    "CHANGE",
    "STOP",
    "INSTALL",
    "UNINSTALL",
    "XA",
    "TABLE",
    "SAVEPOINT",
    "RELEASE",
    "PREPARE",
    "USE",
    "SET",
    "IMPORT",
    "BINLOG",
    "CACHE",
    "CHECK",
    "CHECKSUM",
    "REPAIR",
    "HELP",
    "GO",
    "PRINT",
    "RESIGNAL",
    "MOVE",
    "REASSIGN",
    "REPACK",
];

pub(super) fn statement(
    catalog: &mut Catalog,
    cursor: &mut Cursor<'_>,
    places: Places<'_>,
) -> Result<(), Stop> {
    let head = cursor.stop();
    let place = || places(head.start, head.end);
    if cursor.is_any(&["BEGIN", "START"]) {
        catalog.begin();
    } else if cursor.is_any(&["COMMIT", "END"]) {
        catalog.commit();
    } else if cursor.is_any(&["ROLLBACK", "ABORT"]) {
        rolled_back(catalog, cursor, &place());
    } else if cursor.eat_all(&["USE"]) {
        catalog.path.set(vec![cursor.name()?], false);
    } else if cursor.is("SET") {
        setting(catalog, cursor, &place());
    } else if cursor.is("RESET") {
        if cursor.token_is(cursor.ahead(1), "SEARCH_PATH")
            || cursor.token_is(cursor.ahead(1), "ALL")
        {
            catalog.path.reset();
        }
    } else if cursor.is("SELECT") {
        select(catalog, cursor, &place())?;
    } else if cursor.is("PRAGMA") {
        let writable = cursor.token_is(cursor.ahead(1), "WRITABLE_SCHEMA");
        let off = cursor
            .ahead(3)
            .map(|value| cursor.source(value).to_ascii_lowercase());
        if writable && !matches!(off.as_deref(), Some("0" | "off" | "reset" | "false" | "no")) {
            let sentence =
                "from here on statements may write to the engine's own catalog".to_owned();
            catalog.mark_all(not_parsed(sentence, place()));
        }
    } else if cursor.is("DO") {
        while let Some(token) = cursor.peek() {
            if token.kind == TokenKind::String {
                block(catalog, cursor.source(token), &place());
            }
            cursor.step();
        }
    } else if cursor.is("CALL") {
        if catalog.routines_define {
            let sentence = "the routine that is called may change tables".to_owned();
            catalog.mark_all(not_parsed(sentence, place()));
        }
    } else if catalog.dialect == Dialect::Postgres && cursor.is("EXECUTE") {
        // What is prepared there is a query or moves data.
    } else if cursor.is_any(&["EXECUTE", "EXEC"]) {
        let sentence = "a statement made at run time is executed".to_owned();
        catalog.mark_all(not_parsed(sentence, place()));
    } else if !cursor.is_any(&HARMLESS) && !opens_query(*cursor) {
        return Err(cursor.stop());
    }
    Ok(())
}

/// `(SELECT …) UNION …`.
fn opens_query(mut cursor: Cursor<'_>) -> bool {
    let parenthesis = cursor.is_punct(b'(');
    while cursor.eat_punct(b'(') {}
    parenthesis && cursor.is_any(&["SELECT", "VALUES", "WITH", "TABLE"])
}

fn rolled_back(catalog: &mut Catalog, cursor: &mut Cursor<'_>, place: &Place) {
    cursor.step();
    cursor.eat_any(&["WORK", "TRANSACTION"]);
    if !cursor.is("TO") {
        catalog.roll_back();
        if cursor.eat_all(&["AND", "CHAIN"]) {
            catalog.begin();
        }
        return;
    }
    // What was done before the savepoint stays; which part that is, is not kept.
    for key in catalog.touched() {
        if let Some(relation) = catalog.relations.get_mut(&key) {
            let sentence = format!(
                "a transaction that changes {} is rolled back in part",
                relation.table.name
            );
            relation.unknown.push(disagree(sentence, place.clone()));
        }
    }
}

/// Reads `ALTER` of anything but a column.
pub(super) fn alter(
    catalog: &mut Catalog,
    cursor: &mut Cursor<'_>,
    places: Places<'_>,
) -> Result<(), Stop> {
    let foreign = cursor.is("FOREIGN") && cursor.token_is(cursor.ahead(1), "TABLE");
    if foreign || cursor.eat_any(&["ONLINE", "IGNORE"]) {
        cursor.eat("FOREIGN");
    }
    if cursor.eat("TABLE") {
        return alter::alter_table(catalog, cursor, places);
    }
    if cursor.eat("INDEX") {
        return alter_index(catalog, cursor);
    }
    if cursor.eat("DOMAIN") {
        return domain::alter(catalog, cursor, places);
    }
    if catalog.dialect == Dialect::Postgres && cursor.eat("TYPE") {
        return composite::alter(catalog, cursor, places);
    }
    if cursor.eat("SCHEMA") {
        let from = cursor.name()?;
        if cursor.eat_all(&["RENAME", "TO"]) {
            let to = cursor.name()?;
            let tables: Vec<QualifiedName> = catalog
                .relations
                .values()
                .filter(|relation| relation.table.schema.as_ref() == Some(&from))
                .map(|relation| QualifiedName {
                    schema: Some(from.clone()),
                    name: relation.table.name.clone(),
                })
                .collect();
            for table in tables {
                let renamed = QualifiedName {
                    schema: Some(to.clone()),
                    name: table.name.clone(),
                };
                rename::table(catalog, &table, renamed);
            }
        }
        return Ok(());
    }
    const OTHERS: [&str; 32] = [
        "SEQUENCE",
        "TYPE",
        "EXTENSION",
        "ROLE",
        "USER",
        "POLICY",
        "AGGREGATE",
        "OPERATOR",
        "COLLATION",
        "SERVER",
        "PUBLICATION",
        "SUBSCRIPTION",
        "DATABASE",
        "EVENT",
        "LANGUAGE",
        "CONVERSION",
        "STATISTICS",
        "TABLESPACE",
        "TEXT",
        "FUNCTION",
        "PROCEDURE",
        "VIEW",
        "MATERIALIZED",
        "TRIGGER",
        "DEFAULT",
        "SYSTEM",
        "GROUP",
        "RULE",
        "FOREIGN",
        "LARGE",
        "ROUTINE",
        "PROPERTY",
    ];
    const BEFORE_VIEW: [&str; 3] = ["ALGORITHM", "DEFINER", "SQL"];
    match cursor.is_any(&OTHERS) || cursor.is_any(&BEFORE_VIEW) {
        true => Ok(()),
        false => Err(cursor.stop()),
    }
}

fn alter_index(catalog: &mut Catalog, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    let if_exists = cursor.eat_all(&["IF", "EXISTS"]);
    let at = cursor.stop();
    let name = cursor.qualified()?;
    if cursor.eat_all(&["ATTACH", "PARTITION"]) {
        let key = catalog.key(&name);
        *catalog.attached.entry(key).or_insert(0) += 1;
        return Ok(());
    }
    if cursor.eat_all(&["RENAME", "TO"]) {
        let to = cursor.name()?;
        catalog.refresh();
        let Some(owner) = catalog.owner_of_index(&name) else {
            return if if_exists { Ok(()) } else { Err(at) };
        };
        if let Some(relation) = catalog.get_mut(&owner) {
            for key in &mut relation.keys {
                if key.name == name.name {
                    key.name = to.clone();
                }
            }
        }
    }
    Ok(())
}

/// `RENAME TABLE a TO b, c TO d` of MySQL.
pub(super) fn rename_tables(catalog: &mut Catalog, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    if !cursor.eat_any(&["TABLE", "TABLES"]) {
        return cursor.expect("USER");
    }
    cursor.eat_all(&["IF", "EXISTS"]);
    loop {
        let at = cursor.stop();
        let from = cursor.qualified()?;
        cursor.expect("TO")?;
        let to = cursor.qualified()?;
        if catalog.get(&from).is_none() {
            return Err(at);
        }
        rename::table(catalog, &from, to);
        if !cursor.eat_punct(b',') {
            return Ok(());
        }
    }
}

/// A rule on INSERT decides by itself what an insert does.
pub(super) fn rule(
    catalog: &mut Catalog,
    cursor: &mut Cursor<'_>,
    places: Places<'_>,
) -> Result<(), Stop> {
    let at = cursor.stop();
    let name = cursor.name()?;
    let mut insert = false;
    while !cursor.at_end() {
        insert |= cursor.is("INSERT");
        if cursor.eat("TO") {
            let table = cursor.qualified()?;
            if insert {
                let sentence = format!(
                    "the rule {name} decides what an insert into {} does",
                    table.name
                );
                catalog.mark(&table, not_parsed(sentence, places(at.start, at.end)));
            }
            return Ok(());
        }
        cursor.step();
    }
    Err(at)
}
