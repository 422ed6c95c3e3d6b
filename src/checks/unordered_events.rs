//! (created, id) orders two events of one record.

use std::sync::Arc;

use crate::model::check::{
    Change, CheckInfo, Finding, FurtherDelivery, Obligation, Outcome, Subject, Weight,
};
use crate::model::evidence::Fact;
use crate::model::facts::Facts;
use crate::model::outbox::{EventOrder, OutboxColumn};
use crate::model::place::Place;
use crate::model::schema::Dialect;

use super::{met, not_met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "unordered-events",
    clause: "queue",
    title: "events of one record without an order",
    weight: Weight::Gate,
    decides_effect: false,
    page: include_str!("unordered_events.md"),
};

/// Decides it for the queue, where an outbox is named.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    if facts.outbox.looked_for.is_empty() {
        return;
    }
    out.push(Obligation {
        subject: Subject::Queue,
        check: &INFO,
        outcome: outcome(facts),
        waiver: None,
    });
}

fn outcome(facts: &Facts) -> Outcome {
    let outbox = &facts.outbox;
    match &outbox.order {
        Fact::Unknown(reason) => Outcome::Unknown(Arc::clone(reason)),
        Fact::Absent(evidence) => met("events have no order to keep", vec![Arc::clone(evidence)]),
        Fact::Shown(EventOrder::Total(why), evidence) => {
            met(why.to_string(), vec![Arc::clone(evidence)])
        }
        Fact::Shown(EventOrder::Ties(why), evidence) => {
            let table = outbox.table.shown().cloned().unwrap_or_default();
            let created = outbox.columns.get(&OutboxColumn::Created);
            let name = created.map_or("created", |column| &*column.name);
            let place = created
                .map(|column| column.place.clone())
                .or_else(|| outbox.place.clone())
                .unwrap_or(Place::CommandLine);
            not_met(
                Finding::new(format!("{table}: {why}"), place)
                    .label("too coarse to order two saves of one record")
                    .further(FurtherDelivery::Overwrite)
                    .step(
                        "user",
                        "saves record R twice within one second: e1, then e2",
                    )
                    .step(
                        "A",
                        "takes e2 for the older one, because its random id sorts first",
                    )
                    .step(
                        "A",
                        "then handles e1 and writes the older values over the younger ones",
                    )
                    .cites([Arc::clone(evidence)])
                    .repair(vec![Change {
                        key: "event-order".into(),
                        title: format!(
                            "give {table}.{name} a microsecond stamp, or the table an id that grows"
                        ),
                        how: statement(outbox.dialect, &table, name),
                    }]),
            )
        }
    }
}

/// The statement that widens the stamp; SQLite has none, and keeps any precision that is written.
fn statement(dialect: Option<Dialect>, table: &str, column: &str) -> Option<String> {
    match dialect {
        Some(Dialect::Sqlite) => None,
        Some(Dialect::Postgres) => Some(format!(
            "ALTER TABLE {table} ALTER COLUMN {column} TYPE timestamptz(6);"
        )),
        Some(Dialect::Mysql | Dialect::Mariadb | Dialect::Tidb) | None => Some(format!(
            "ALTER TABLE {table} MODIFY COLUMN {column} DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6);"
        )),
    }
}
