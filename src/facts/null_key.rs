//! A key column that refuses NULL and gets nothing else: no such insert ever writes its row.

use std::sync::Arc;

use crate::model::conflict::Otherwise;
use crate::model::effect::{Effect, OnConflict};
use crate::model::guard::{GuardDecision, Refused};
use crate::model::schema::{Column, Dialect, Table};
use crate::model::value::Nullness;

use super::inserted::Inserted;

/// Why no delivery writes the row, if the columns of its key show it.
pub(super) fn refused(
    effect: &Effect,
    dialect: Option<Dialect>,
    table: &Table,
    guard: &GuardDecision,
    row: &dyn Fn(&str) -> Inserted,
) -> Option<Refused> {
    let dialect = dialect?;
    let ignored = ignored(&effect.on_conflict, dialect);
    // SQLite leaves the row out without a word.
    let lost = ignored && dialect == Dialect::Sqlite;
    if ignored && !lost {
        return None;
    }
    let mysql = !matches!(dialect, Dialect::Postgres | Dialect::Sqlite);
    let columns = guard.columns.iter().filter_map(|name| table.column(name));
    let column = columns
        .filter(|column| !column.nullable && !column.auto_number && column.generated.is_none())
        .filter(|column| !mysql || !fills_itself(column))
        .find(|column| row(&column.name).value.null == Nullness::Always)?;
    let name = &column.name;
    let assigned = effect
        .writes
        .iter()
        .any(|write| write.field.eq_ignore_ascii_case(name));
    let what = match (assigned, &column.default) {
        (true, _) => format!("`{name}` is NOT NULL, and NULL is assigned to it"),
        (false, Some(_)) => format!("`{name}` is NOT NULL, and its default is NULL"),
        (false, None) => format!("`{name}` is NOT NULL, has no default, and is not assigned"),
    };
    let how = match dialect {
        _ if lost => "",
        Dialect::Postgres => " (23502)",
        Dialect::Sqlite => " (NOT NULL constraint failed)",
        _ if assigned => " (1048)",
        _ => " (1364 in strict mode; without it every event gets the same empty value)",
    };
    let who = match lost {
        true => "IGNORE leaves the row out",
        false => "the engine refuses the row",
    };
    Some(Refused {
        why: format!("{who} on every delivery, the first included: {what}{how}").into(),
        lost,
        column: Some((Arc::clone(name), row(name).value.text)),
    })
}

/// True if the verb turns the error into a warning: MySQL then stores an empty value, SQLite nothing.
fn ignored(on_conflict: &OnConflict, dialect: Dialect) -> bool {
    match on_conflict {
        OnConflict::Statement(said) => {
            said.otherwise == Otherwise::LeavesOut && dialect != Dialect::Postgres
        }
        // Declared, it is the IGNORE of these engines.
        OnConflict::DoNothing(_) => !matches!(dialect, Dialect::Postgres | Dialect::Sqlite),
        _ => false,
    }
}

/// MySQL gives the first member of an ENUM.
fn fills_itself(column: &Column) -> bool {
    let kind = column.data_type.trim_start().to_ascii_lowercase();
    kind.starts_with("enum")
}
