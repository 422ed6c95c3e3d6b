//! CHECK constraints, foreign keys and triggers of MySQL's family.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::schema::{DbTrigger, ForeignKey};
use crate::sql::nullness;

use super::super::known::place;
use super::super::row::Row;
use super::columns::unescaped;
use super::tables::Tables;

impl Tables<'_> {
    /// Columns that a CHECK keeps from being NULL.
    pub(super) fn checks(&mut self, rows: &[Row]) {
        let dialect = self.server.dialect;
        for row in rows {
            let columns = nullness::not_null_columns(&unescaped(row.text(1)), dialect);
            let Some(table) = self.get_mut(row.text(0)) else {
                continue;
            };
            for column in &mut table.columns {
                if columns
                    .iter()
                    .any(|name| name.eq_ignore_ascii_case(&column.name))
                {
                    column.nullable = false;
                }
            }
        }
    }

    /// Foreign keys: their columns in order, and what deleting the parent does.
    pub(super) fn foreign_keys(&mut self, columns: &[Row], rules: &[Row]) {
        let rules: BTreeMap<(&str, &str), &str> = rules
            .iter()
            .map(|row| ((row.text(0), row.text(1)), row.text(2)))
            .collect();
        let same =
            |one: &Row, other: &Row| one.text(0) == other.text(0) && one.text(1) == other.text(1);
        for rows in columns.chunk_by(same) {
            let Some(first) = rows.first() else {
                continue;
            };
            let (of, name) = (first.text(0), first.text(1));
            let place = place(&self.label, &format!("{of}.{name}"));
            if let Some(table) = self.get_mut(of) {
                table.foreign_keys.push(ForeignKey {
                    name: Some(name.into()),
                    to: Vec::new(),
                    columns: rows.iter().map(|row| row.text(2).into()).collect(),
                    references: first.text(3).into(),
                    on_delete_cascade: rules
                        .get(&(of, name))
                        .is_some_and(|rule| rule.eq_ignore_ascii_case("CASCADE")),
                    place,
                });
            }
        }
    }

    /// Triggers: one event each.
    pub(super) fn triggers(&mut self, rows: &[Row]) {
        for row in rows {
            let name: Arc<str> = row.text(1).into();
            let place = place(&self.label, &name);
            let is = |at: usize, word: &str| row.text(at).eq_ignore_ascii_case(word);
            if let Some(table) = self.get_mut(row.text(0)) {
                table.triggers.push(DbTrigger {
                    name,
                    before: is(2, "BEFORE"),
                    on_insert: is(3, "INSERT"),
                    on_update: is(3, "UPDATE"),
                    on_delete: is(3, "DELETE"),
                    sets: Vec::new(),
                    place,
                });
            }
        }
    }
}
