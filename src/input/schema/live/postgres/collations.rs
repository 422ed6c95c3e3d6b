//! Collations: which take different values for equal, and which may have changed their order since
//! an index was built with them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::row::Row;

/// The collation that stands for the one of the database. Source: `pg_collation.dat`.
pub(super) const DEFAULT: i64 = 100;

/// Whether the order that indexes were built with is the one of today.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Both versions are known and equal, or the collation has none.
    Same,
    /// The versions differ.
    Changed,
    /// A version was not recorded.
    NotRecorded,
}

struct Collation {
    name: Arc<str>,
    deterministic: bool,
    order: Order,
}

/// All collations in use.
pub(super) struct Collations {
    by_oid: BTreeMap<i64, Collation>,
}

impl Collations {
    pub(super) fn new(rows: &[Row], of_database: &[Row]) -> Self {
        let mut by_oid: BTreeMap<i64, Collation> = rows
            .iter()
            .map(|row| {
                let collation = Collation {
                    name: row.text(2).into(),
                    deterministic: row.is(3),
                    order: order(row.maybe(4), row.maybe(5)),
                };
                (row.number(0), collation)
            })
            .collect();
        let of_database = of_database
            .first()
            .map_or(Order::Same, |row| order(row.maybe(0), row.maybe(1)));
        if let Some(default) = by_oid.get_mut(&DEFAULT) {
            default.order = of_database;
        }
        Self { by_oid }
    }

    /// The name, unless it is the database's own.
    pub(super) fn name(&self, oid: i64) -> Option<Arc<str>> {
        let collation = self.by_oid.get(&oid).filter(|_| oid != DEFAULT)?;
        Some(Arc::clone(&collation.name))
    }

    /// True if it takes different values for equal.
    pub(super) fn folds(&self, oid: i64) -> bool {
        self.by_oid
            .get(&oid)
            .is_some_and(|collation| !collation.deterministic)
    }

    /// Whether its order may have changed; an index without a collation has none to change.
    pub(super) fn order(&self, oid: i64) -> Order {
        self.by_oid
            .get(&oid)
            .map_or(Order::Same, |collation| collation.order)
    }
}

fn order(recorded: Option<&str>, now: Option<&str>) -> Order {
    match (recorded, now) {
        (Some(recorded), Some(now)) if recorded == now => Order::Same,
        (_, None) => Order::Same,
        (Some(_), Some(_)) => Order::Changed,
        (None, Some(_)) => Order::NotRecorded,
    }
}
