//! The actions of `ALTER TABLE` that speak of one column.

use std::sync::Arc;

use crate::model::schema::{Column, Dialect};
use crate::sql::cursor::{Cursor, Stop};

use super::alter::Alter;
use super::catalog::disagree;
use super::column::{ColumnDraft, Position, column, default};
use super::column_type::column_type;
use super::define::add_key;
use super::rename;
use super::type_names;

/// `ADD [COLUMN] …`.
pub(super) fn add(alter: &mut Alter<'_>, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    cursor.eat("COLUMN");
    let if_not_exists = cursor.eat_all(&["IF", "NOT", "EXISTS"]);
    if cursor.is_punct(b'(') {
        let mut inside = cursor.parens()?;
        loop {
            add_one(alter, &mut inside, if_not_exists)?;
            if inside.at_end() {
                return Ok(());
            }
            inside.expect_punct(b',')?;
        }
    }
    add_one(alter, cursor, if_not_exists)
}

fn add_one(
    alter: &mut Alter<'_>,
    cursor: &mut Cursor<'_>,
    if_not_exists: bool,
) -> Result<(), Stop> {
    let at = cursor.stop();
    let draft = column(cursor, alter.places)?;
    let Some(relation) = alter.catalog.get(&alter.table) else {
        return Ok(());
    };
    if relation.table.column(&draft.column.name).is_some() {
        return if if_not_exists { Ok(()) } else { Err(at) };
    }
    // SQLite refuses to add a column with a key of its own.
    if alter.dialect == Dialect::Sqlite && !draft.keys.is_empty() {
        return Err(at);
    }
    put(alter, draft, None);
    Ok(())
}

/// Puts a column into the table, in the place of another if it replaces one.
fn put(alter: &mut Alter<'_>, draft: ColumnDraft, replaces: Option<&str>) {
    alter.catalog.refresh();
    let Some(mut relation) = alter.catalog.take(&alter.table) else {
        return;
    };
    let name = draft.column.name.clone();
    let known = replaces.and_then(|replaced| {
        relation
            .table
            .columns
            .iter()
            .position(|column| column.name.eq_ignore_ascii_case(replaced))
    });
    let mut column = draft.column;
    relation
        .unknown
        .extend(type_names::settle(alter.catalog, &mut column));
    match known.and_then(|at| relation.table.columns.get_mut(at)) {
        Some(slot) => *slot = column,
        None => relation.table.columns.push(column),
    }
    if let Some(position) = draft.position {
        move_to(&mut relation.table.columns, &name, &position);
    }
    // A column of the primary key stays NOT NULL whatever its new definition leaves out.
    let in_primary = relation.keys.iter().any(|key| {
        key.is_primary()
            && key.parts.iter().any(|part| {
                part.column
                    .as_deref()
                    .is_some_and(|part| part.eq_ignore_ascii_case(&name))
            })
    });
    if in_primary && let Some(column) = relation.column_mut(&name) {
        column.nullable = false;
    }
    relation.table.foreign_keys.extend(draft.foreign_keys);
    relation.null_checks.extend(draft.null_checks);
    relation
        .not_nulls
        .extend(draft.not_null.map(|given| (given, name.clone())));
    for key in draft.keys {
        add_key(alter.catalog, &mut relation, key, false);
    }
    alter.catalog.insert(relation);
}

/// `FIRST` and `AFTER column`: the order decides where values go that an insert does not name.
fn move_to(columns: &mut Vec<Column>, name: &str, position: &Position) {
    let at = |columns: &[Column], name: &str| {
        let mut all = columns.iter();
        all.position(|column| column.name.eq_ignore_ascii_case(name))
    };
    let Some(from) = at(columns, name) else {
        return;
    };
    let column = columns.remove(from);
    let to = match position {
        Position::First => Some(0),
        Position::After(other) => at(columns, other).map(|at| at + 1),
    };
    columns.insert(to.unwrap_or(from), column);
}

/// `DROP [COLUMN] …`.
pub(super) fn drop(alter: &mut Alter<'_>, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    cursor.eat("COLUMN");
    let if_exists = cursor.eat_all(&["IF", "EXISTS"]);
    let at = cursor.stop();
    let name = cursor.name()?;
    cursor.eat_any(&["CASCADE", "RESTRICT"]);
    let dialect = alter.dialect;
    let place = (alter.places)(at.start, at.end);
    let Some(relation) = alter.catalog.get_mut(&alter.table) else {
        return Ok(());
    };
    if relation.table.column(&name).is_none() {
        let open = if_exists || relation.table.columns.is_empty();
        return if open { Ok(()) } else { Err(at) };
    }
    let mentioned = relation.keys.iter().any(|key| key.mentions(&name));
    match dialect {
        // The whole index goes with any of its columns.
        Dialect::Postgres => relation.keys.retain(|key| !key.mentions(&name)),
        Dialect::Sqlite if mentioned => {
            let sentence = format!(
                "SQLite refuses to drop {name}, which an index of {} uses",
                relation.table.name
            );
            relation.unknown.push(disagree(sentence, place));
            return Ok(());
        }
        Dialect::Sqlite => {}
        Dialect::Mariadb | Dialect::Mysql | Dialect::Tidb => {
            let is_it = |part: &crate::model::schema::KeyPart| {
                part.column
                    .as_deref()
                    .is_some_and(|part| part.eq_ignore_ascii_case(&name))
            };
            let shrinks = relation.keys.iter().any(|key| {
                key.parts.len() > 1 && key.enforces.is_some() && key.parts.iter().any(is_it)
            });
            // MySQL shrinks the index; MariaDB refuses (error 1072).
            if shrinks && dialect == Dialect::Mariadb {
                let sentence = format!(
                    "MariaDB refuses to drop {name}, part of a unique key of {}",
                    relation.table.name
                );
                relation.unknown.push(disagree(sentence, place));
                return Ok(());
            }
            for key in &mut relation.keys {
                key.parts.retain(|part| !is_it(part));
            }
            relation.keys.retain(|key| !key.parts.is_empty());
        }
    }
    relation
        .table
        .columns
        .retain(|column| !column.name.eq_ignore_ascii_case(&name));
    relation
        .null_checks
        .retain(|(_, column)| !column.eq_ignore_ascii_case(&name));
    relation
        .not_nulls
        .retain(|(_, column)| !column.eq_ignore_ascii_case(&name));
    relation.table.foreign_keys.retain(|key| {
        !key.columns
            .iter()
            .any(|column| column.eq_ignore_ascii_case(&name))
    });
    Ok(())
}

/// `ALTER [COLUMN] …`, `MODIFY …`, `CHANGE …`.
pub(super) fn change(alter: &mut Alter<'_>, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    if alter.dialect == Dialect::Sqlite {
        return Err(cursor.stop());
    }
    let mysql = alter.dialect != Dialect::Postgres;
    if mysql && cursor.eat_any(&["MODIFY"]) {
        cursor.eat("COLUMN");
        cursor.eat_all(&["IF", "EXISTS"]);
        let draft = column(cursor, alter.places)?;
        let name = draft.column.name.clone();
        put(alter, draft, Some(&name));
        return Ok(());
    }
    if mysql && cursor.eat("CHANGE") {
        cursor.eat("COLUMN");
        cursor.eat_all(&["IF", "EXISTS"]);
        let from = cursor.name()?;
        let draft = column(cursor, alter.places)?;
        let to = draft.column.name.clone();
        let dialect = alter.dialect;
        if let Some(relation) = alter.catalog.get_mut(&alter.table) {
            rename::column(relation, &from, &to, dialect);
        }
        put(alter, draft, Some(&to));
        return Ok(());
    }
    cursor.expect("ALTER")?;
    if mysql && cursor.eat_any(&["INDEX", "KEY", "CHECK", "CONSTRAINT"]) {
        // Invisible and ignored indexes enforce all the same.
        cursor.skip_to(&[]);
        return Ok(());
    }
    if cursor.eat("CONSTRAINT") {
        return Err(cursor.stop());
    }
    cursor.eat("COLUMN");
    let name = cursor.name()?;
    alter_one(alter, cursor, &name)
}

fn alter_one(alter: &mut Alter<'_>, cursor: &mut Cursor<'_>, name: &Arc<str>) -> Result<(), Stop> {
    let start = cursor.stop();
    let Some(relation) = alter.catalog.get_mut(&alter.table) else {
        return Ok(());
    };
    let Some(column) = relation.column_mut(name) else {
        return Err(start);
    };
    if cursor.eat_all(&["SET", "NOT", "NULL"]) {
        column.nullable = false;
    } else if cursor.eat_all(&["DROP", "NOT", "NULL"]) {
        column.nullable = true;
        relation
            .not_nulls
            .retain(|(_, column)| !column.eq_ignore_ascii_case(name));
    } else if cursor.eat_all(&["SET", "DEFAULT"]) {
        let value = default(cursor)?;
        column.auto_number |= value.text.to_ascii_lowercase().starts_with("nextval(");
        column.default = Some(value);
    } else if cursor.eat_all(&["DROP", "DEFAULT"]) {
        column.default = None;
    } else if cursor.eat_all(&["DROP", "EXPRESSION"]) {
        cursor.eat_all(&["IF", "EXISTS"]);
        column.generated = None;
    } else if cursor.eat_all(&["SET", "EXPRESSION", "AS"]) {
        column.generated = Some(cursor.parens()?.plain());
    } else if cursor.eat_all(&["DROP", "IDENTITY"]) {
        cursor.eat_all(&["IF", "EXISTS"]);
        column.auto_number = false;
    } else if cursor.eat_all(&["ADD", "GENERATED"]) {
        column.auto_number = true;
        column.nullable = false;
        cursor.skip_to(&[]);
    } else if cursor.eat("TYPE") || cursor.eat_all(&["SET", "DATA", "TYPE"]) {
        column.data_type = column_type(cursor)?;
        if cursor.eat("COLLATE") {
            column.collation = Some(cursor.qualified()?.name);
        }
        if cursor.eat("USING") {
            cursor.skip_to(&[]);
        }
    } else if cursor.is_any(&["SET", "RESET", "RESTART", "OPTIONS"]) {
        // Statistics, storage, compression, visibility, options of a sequence.
        cursor.skip_to(&[]);
    } else {
        return Err(start);
    }
    Ok(())
}
