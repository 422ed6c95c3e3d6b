//! Constraints by their name: keys, checks and PostgreSQL's NOT NULL, dropped and renamed.

use std::sync::Arc;

use crate::model::schema::Dialect;
use crate::sql::cursor::Stop;

use super::alter::Alter;
use super::catalog::{Relation, same_name};

/// `DROP CONSTRAINT name`. What is not found by its name is a foreign key or a constraint that no
/// text named: the engine generated the name, and its form says for what.
pub(super) fn drop(
    alter: &mut Alter<'_>,
    name: &str,
    if_exists: bool,
    at: Stop,
) -> Result<(), Stop> {
    let dialect = alter.dialect;
    let Some(relation) = alter.catalog.get_mut(&alter.table) else {
        return Ok(());
    };
    let is_it = |known: &str| same_name(dialect, known, name);
    let before = relation.keys.len() + relation.null_checks.len() + relation.not_nulls.len();
    relation.keys.retain(|key| !is_it(&key.name));
    relation
        .null_checks
        .retain(|(known, _)| !known.as_deref().is_some_and(is_it));
    let (gone, left) = std::mem::take(&mut relation.not_nulls)
        .into_iter()
        .partition(|(known, _)| is_it(known));
    relation.not_nulls = left;
    let after = relation.keys.len() + relation.null_checks.len() + relation.not_nulls.len();
    for (_, column) in gone {
        relax(relation, &column);
    }
    if after < before || generated(relation, name, dialect) || if_exists {
        return Ok(());
    }
    // A name of a key or of a NOT NULL that nothing here has: something was missed.
    match ["_key", "_pkey", "_excl", "_idx", "_not_null"]
        .iter()
        .any(|suffix| stem(name).ends_with(suffix))
    {
        true => Err(at),
        false => Ok(()),
    }
}

/// The name without the number that makes it another one.
fn stem(name: &str) -> &str {
    name.trim_end_matches(|last: char| last.is_ascii_digit())
}

/// Drops what the engine named by itself; true if the name is such a one and was found.
fn generated(relation: &mut Relation, name: &str, dialect: Dialect) -> bool {
    let stem = stem(name);
    if dialect != Dialect::Postgres {
        // MySQL counts the checks of a table, and so does MariaDB: which of them it is, is not kept.
        let lower = stem.to_ascii_lowercase();
        let counted = lower.ends_with("_chk_") || lower == "constraint_";
        if counted {
            relation.null_checks.retain(|(known, _)| known.is_some());
        }
        return counted;
    }
    let of = |column: &str, kind: &str| stem.ends_with(&format!("_{column}_{kind}"));
    let named = |kind: &str| {
        let columns = relation.table.columns.iter();
        let mut found = columns.filter(|column| of(&column.name, kind));
        found.next().map(|column| Arc::clone(&column.name))
    };
    if stem.ends_with("_not_null") {
        let Some(column) = named("not_null") else {
            return false;
        };
        relax(relation, &column);
        return true;
    }
    if !stem.ends_with("_check") {
        return false;
    }
    // A check of several columns is named after none of them.
    let of_one = named("check").is_some();
    relation
        .null_checks
        .retain(|(known, column)| known.is_some() || (of_one && !of(column, "check")));
    true
}

/// The column may hold NULL from here on, unless the primary key forbids it.
pub(super) fn relax(relation: &mut Relation, column: &str) {
    let in_primary = relation.keys.iter().any(|key| {
        key.is_primary()
            && key.parts.iter().any(|part| {
                part.column
                    .as_deref()
                    .is_some_and(|part| part.eq_ignore_ascii_case(column))
            })
    });
    if let Some(column) = relation.column_mut(column) {
        column.nullable = !in_primary;
    }
}

/// `RENAME CONSTRAINT from TO to`, and `RENAME INDEX` of MySQL.
pub(super) fn rename(relation: &mut Relation, from: &str, to: &Arc<str>, dialect: Dialect) {
    let is_it = |known: &str| same_name(dialect, known, from);
    for key in &mut relation.keys {
        if is_it(&key.name) {
            key.name = Arc::clone(to);
        }
    }
    for (known, _) in &mut relation.null_checks {
        if known.as_deref().is_some_and(is_it) {
            *known = Some(Arc::clone(to));
        }
    }
    for (known, _) in &mut relation.not_nulls {
        if is_it(known) {
            *known = Arc::clone(to);
        }
    }
    // One that the engine had named is found under its new name from here on.
    let found_by_form = |kind: &str, column: &str| {
        dialect == Dialect::Postgres && stem(from).ends_with(&format!("_{column}_{kind}"))
    };
    for (known, column) in &mut relation.null_checks {
        if known.is_none() && found_by_form("check", column) {
            *known = Some(Arc::clone(to));
        }
    }
    let strict = relation.table.columns.iter();
    let renamed = strict
        .filter(|column| !column.nullable && found_by_form("not_null", &column.name))
        .map(|column| (Arc::clone(to), Arc::clone(&column.name)));
    relation.not_nulls.extend(renamed);
}
