//! `CREATE INDEX` and `DROP INDEX`.

use std::sync::Arc;

use crate::model::schema::{Dialect, EnforcerKind, Table};
use crate::sql::cursor::{Cursor, QualifiedName, Stop};

use super::Places;
use super::catalog::{Catalog, Key, disagree, not_parsed, same_name};
use super::constraint::key_options;
use super::define::{generated, refusal};
use super::parts::key_parts;

/// An index statement as the text says it.
struct IndexDraft {
    key: Key,
    schema: Option<Arc<str>>,
    table: QualifiedName,
    if_not_exists: bool,
    replace: bool,
}

/// Reads `CREATE … INDEX` behind the word INDEX; `start` is where the statement begins.
pub(super) fn create(
    catalog: &mut Catalog,
    cursor: &mut Cursor<'_>,
    places: Places<'_>,
    start: u32,
    unique: bool,
    replace: bool,
) -> Result<(), Stop> {
    let mut table = None;
    let read = read(cursor, places, start, unique, &mut table);
    match (read, table) {
        (Ok(mut draft), _) => {
            draft.replace = replace;
            apply(catalog, draft);
            Ok(())
        }
        // Its table is known by name: that one alone becomes unknown.
        (Err(stop), Some(table)) => {
            let sentence = format!("an index on {} is not understood", table.name);
            catalog.mark(&table, not_parsed(sentence, places(stop.start, stop.end)));
            Ok(())
        }
        (Err(stop), None) => Err(stop),
    }
}

fn read(
    cursor: &mut Cursor<'_>,
    places: Places<'_>,
    start: u32,
    unique: bool,
    named: &mut Option<QualifiedName>,
) -> Result<IndexDraft, Stop> {
    cursor.eat("CONCURRENTLY");
    let if_not_exists = cursor.eat_all(&["IF", "NOT", "EXISTS"]);
    let mut name = None;
    if !cursor.is("ON") {
        name = Some(cursor.qualified()?);
    }
    let place = places(start, cursor.end_of_last());
    if cursor.eat("USING") {
        cursor.name()?;
    }
    cursor.expect("ON")?;
    let at = cursor.stop();
    // `only` may be the table's name elsewhere.
    let only = cursor.is("ONLY") && !cursor.token_is_punct(1, b'(') && cursor.eat("ONLY");
    let mut table = cursor.qualified()?;
    let schema = name.as_ref().and_then(|name| name.schema.clone());
    if cursor.dialect == Dialect::Sqlite {
        table.schema = table.schema.or_else(|| schema.clone());
    }
    *named = Some(table.clone());
    if only && cursor.dialect != Dialect::Postgres {
        return Err(at);
    }
    if cursor.eat("USING") {
        cursor.name()?;
    }
    let mut key = Key::new(unique.then_some(EnforcerKind::UniqueIndex), place);
    key.only = only;
    key.parts = key_parts(cursor)?;
    key.name = name.map_or_else(|| Arc::from(""), |name| name.name);
    key_options(cursor, &mut key)?;
    if cursor.dialect == Dialect::Postgres && cursor.eat("TABLESPACE") {
        cursor.name()?;
    }
    if cursor.eat("WHERE") {
        let condition = *cursor;
        cursor.finish();
        key.predicate = Some(cursor.since(&condition).plain());
    }
    let mysql = !matches!(cursor.dialect, Dialect::Postgres | Dialect::Sqlite);
    while mysql && cursor.eat_any(&["ALGORITHM", "LOCK"]) {
        cursor.eat_punct(b'=');
        cursor.name()?;
    }
    if !cursor.at_end() {
        return Err(cursor.stop());
    }
    Ok(IndexDraft {
        key,
        schema,
        table,
        if_not_exists,
        replace: false,
    })
}

fn apply(catalog: &mut Catalog, draft: IndexDraft) {
    let IndexDraft {
        mut key,
        schema,
        table,
        if_not_exists,
        replace,
    } = draft;
    let dialect = catalog.dialect;
    catalog.refresh();
    let Some(relation) = catalog.get(&table) else {
        let sentence = format!(
            "an index on {} is made, and no statement read before it makes the table",
            table.name
        );
        catalog.mark(&table, not_parsed(sentence, key.place.clone()));
        return;
    };
    if key.name.is_empty() {
        key.name = generated(catalog, relation, &key);
    }
    let name = QualifiedName {
        schema: match dialect {
            Dialect::Postgres => relation.table.schema.clone(),
            _ => schema,
        },
        name: key.name.clone(),
    };
    let own = match dialect {
        Dialect::Postgres | Dialect::Sqlite => None,
        _ => Some(table.clone()),
    };
    let holder = catalog.owner_of_index(&name).filter(|_| own.is_none());
    let known = own.or(holder).and_then(|holder| {
        let found = catalog.get(&holder)?;
        found
            .keys
            .iter()
            .find(|known| !known.rowid && same_name(dialect, &known.name, &key.name))
            .map(|known| {
                (
                    same_relation(&found.table, &relation.table),
                    is_same_index(known, &key),
                )
            })
    });
    let is_relation =
        matches!(dialect, Dialect::Postgres | Dialect::Sqlite) && catalog.get(&name).is_some();
    if known.is_some() && replace {
        if let Some(relation) = catalog.get_mut(&table) {
            relation
                .keys
                .retain(|known| !same_name(dialect, &known.name, &key.name));
        }
    } else if known.is_some() || is_relation {
        // The engine keeps the first one, whatever it is.
        if !if_not_exists && known != Some((true, true)) {
            let sentence = format!(
                "the index {} on {} is made although its name is taken",
                key.name, table.name
            );
            catalog.mark(&table, disagree(sentence, key.place.clone()));
        }
        return;
    }
    if let Some(reason) = catalog
        .get(&table)
        .and_then(|relation| refusal(relation, &key))
    {
        catalog.mark(&table, reason);
    }
    catalog.add_index(&table, key);
}

fn same_relation(one: &Table, other: &Table) -> bool {
    one.schema == other.schema && one.name == other.name
}

fn is_same_index(one: &Key, other: &Key) -> bool {
    one.enforces == other.enforces
        && one.parts == other.parts
        && one.predicate == other.predicate
        && one.include == other.include
        && one.nulls_not_distinct == other.nulls_not_distinct
}

/// Reads `DROP INDEX` behind the word INDEX.
pub(super) fn drop(
    catalog: &mut Catalog,
    cursor: &mut Cursor<'_>,
    places: Places<'_>,
    start: u32,
) -> Result<(), Stop> {
    cursor.eat("CONCURRENTLY");
    let if_exists = cursor.eat_all(&["IF", "EXISTS"]);
    catalog.refresh();
    loop {
        let name = cursor.qualified()?;
        let owner = match cursor.eat("ON") {
            true => Some(cursor.qualified()?),
            false => catalog.owner_of_index(&name),
        };
        let place = places(start, cursor.end_of_last());
        let dialect = catalog.dialect;
        let mut found = false;
        if let Some(relation) = owner.as_ref().and_then(|owner| catalog.get_mut(owner)) {
            let before = relation.keys.len();
            relation
                .keys
                .retain(|key| key.rowid || !same_name(dialect, &key.name, &name.name));
            found = relation.keys.len() < before;
        }
        catalog.refresh();
        if !found && !if_exists {
            let sentence = format!(
                "the index {} is dropped, and no statement read before it makes it",
                name.name
            );
            match owner {
                Some(owner) => catalog.mark(&owner, disagree(sentence, place)),
                None => catalog.mark_all(disagree(sentence, place)),
            }
        }
        if !cursor.eat_punct(b',') {
            break;
        }
    }
    cursor.eat_any(&["CASCADE", "RESTRICT"]);
    let mysql = !matches!(cursor.dialect, Dialect::Postgres | Dialect::Sqlite);
    while mysql && cursor.eat_any(&["ALGORITHM", "LOCK"]) {
        cursor.eat_punct(b'=');
        cursor.name()?;
    }
    if cursor.at_end() {
        Ok(())
    } else {
        Err(cursor.stop())
    }
}
