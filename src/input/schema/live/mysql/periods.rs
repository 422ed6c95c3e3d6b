//! MariaDB's WITHOUT OVERLAPS: its catalog shows a plain key over the two ends of the period. Only
//! the statement that would make the table says more, and it is asked for where a key may be one.

use std::sync::Arc;

use crate::model::evidence::{InputKind, ObservedBy};
use crate::model::schema::{Dialect, Enforcer, Table};
use crate::sql::ddl::Replay;

use super::super::known::place;
use super::tables::Tables;

/// Tables with a key whose last two parts can be the ends of a period.
pub(super) fn candidates(tables: &Tables<'_>) -> Vec<Arc<str>> {
    if tables.server.dialect != Dialect::Mariadb {
        return Vec::new();
    }
    tables
        .tables
        .iter()
        .filter(|table| table.enforcers.iter().any(|key| may_be_period(table, key)))
        .map(|table| Arc::clone(&table.name))
        .collect()
}

fn may_be_period(table: &Table, key: &Enforcer) -> bool {
    let ends = key.parts.iter().rev().take(2);
    let kinds: Vec<&str> = ends
        .filter_map(|part| table.column(part.column.as_deref()?))
        .filter(|column| !column.nullable)
        .map(|column| &*column.data_type)
        .filter(|kind| {
            ["date", "datetime", "timestamp"]
                .iter()
                .any(|word| kind.starts_with(word))
        })
        .collect();
    matches!(kinds.as_slice(), [one, other] if one == other)
}

/// Takes the parts of such keys from the statement.
pub(super) fn apply(tables: &mut Tables<'_>, name: &str, statement: &str) {
    let label = Arc::clone(&tables.label);
    let mut replay = Replay::new(Dialect::Mariadb);
    replay.read(statement, &|_, _| place(&label, name));
    let read = replay.finish(InputKind::Database, ObservedBy::Catalog);
    let Some(written) = read.tables.iter().find(|table| &*table.name == name) else {
        return;
    };
    let Some(table) = tables.get_mut(name) else {
        return;
    };
    for key in &mut table.enforcers {
        let period = written.enforcers.iter().find(|other| {
            other.name == key.name
                && other.parts.iter().any(|part| {
                    part.expression
                        .as_ref()
                        .is_some_and(|text| text.ends_with("WITHOUT OVERLAPS"))
                })
        });
        if let Some(period) = period {
            key.parts.clone_from(&period.parts);
        }
    }
}
