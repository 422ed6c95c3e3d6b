//! What keeps columns from being NULL beside NOT NULL, foreign keys, triggers.

use std::sync::Arc;

use crate::model::schema::{DbTrigger, Dialect, ForeignKey};
use crate::sql::nullness;

use super::super::known::place;
use super::super::row::{Row, numbers};
use super::collations::Collations;
use super::tables::Tables;

/// Bits of `pg_trigger.tgtype`. Source: `catalog/pg_trigger.h`.
const ROW: i64 = 1;
const BEFORE: i64 = 1 << 1;
const INSERT: i64 = 1 << 2;
const DELETE: i64 = 1 << 3;
const UPDATE: i64 = 1 << 4;
const INSTEAD: i64 = 1 << 6;

impl Tables {
    /// Checks that refuse NULL, and foreign keys. A check that is NOT VALID was not asked of old
    /// rows; it is asked of every new one.
    pub(super) fn checks(&mut self, rows: &[Row]) {
        for row in rows {
            match (row.text(2), row.number(1)) {
                ("c", 0) => self.check(row),
                ("c", domain) => {
                    let columns = nullness::not_null_columns(row.text(4), Dialect::Postgres);
                    if columns
                        .iter()
                        .any(|name| name.eq_ignore_ascii_case("VALUE"))
                    {
                        self.strict_domain(domain);
                    }
                }
                _ => self.foreign_key(row),
            }
        }
    }

    fn check(&mut self, row: &Row) {
        let columns = nullness::not_null_columns(row.text(4), Dialect::Postgres);
        let Some(relation) = self.get_mut(row.number(0)) else {
            return;
        };
        for column in &mut relation.table.columns {
            if columns.iter().any(|name| **name == *column.name) {
                column.nullable = false;
            }
        }
    }

    fn foreign_key(&mut self, row: &Row) {
        let references: Arc<str> = self
            .get(row.number(6))
            .map_or_else(|| Arc::from("?"), |parent| Arc::clone(&parent.table.name));
        let label = Arc::clone(&self.label);
        let Some(relation) = self.get_mut(row.number(0)) else {
            return;
        };
        let columns = numbers(row.text(5))
            .into_iter()
            .filter_map(|number| {
                relation
                    .column(number)
                    .map(|column| Arc::clone(&column.name))
            })
            .collect();
        relation.table.foreign_keys.push(ForeignKey {
            name: Some(row.text(3).into()),
            to: Vec::new(),
            columns,
            references,
            on_delete_cascade: row.text(7) == "c",
            place: place(&label, row.text(3)),
        });
    }

    /// Names the collations that columns say beside their type.
    pub(super) fn collations(&mut self, columns: &[Row], collations: &Collations) {
        for row in columns.iter().filter(|row| row.maybe(9).is_some()) {
            let Some(name) = collations.name(row.number(9)) else {
                continue;
            };
            let Some(relation) = self.get_mut(row.number(0)) else {
                continue;
            };
            let at = relation.positions.get(&row.number(1)).copied();
            let column = at.and_then(|at| relation.table.columns.get_mut(at));
            if let Some(column) = column {
                column.collation = Some(name);
            }
        }
    }

    /// Triggers. An insert into a partitioned table also fires those of the partition it lands in.
    pub(super) fn triggers(&mut self, rows: &[Row]) {
        for row in rows {
            let kind = row.number(2);
            let name: Arc<str> = row.text(1).into();
            let trigger = DbTrigger {
                sets: Vec::new(),
                place: place(&self.label, &name),
                name,
                // Only a trigger for each row can change the row before it is written.
                before: kind & INSTEAD != 0 || (kind & BEFORE != 0 && kind & ROW != 0),
                on_insert: kind & INSERT != 0,
                on_update: kind & UPDATE != 0,
                on_delete: kind & DELETE != 0,
            };
            let mut at = Some(row.number(0));
            while let Some(oid) = at {
                let Some(relation) = self.get_mut(oid) else {
                    break;
                };
                let triggers = &mut relation.table.triggers;
                if !triggers.iter().any(|known| known.name == trigger.name) {
                    triggers.push(trigger.clone());
                }
                at = relation
                    .parents
                    .first()
                    .copied()
                    .filter(|_| relation.is_partition);
            }
        }
    }
}
