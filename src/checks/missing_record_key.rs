//! The outbox has the column that orders the events of one record.

use std::sync::Arc;

use crate::model::check::{
    Change, CheckInfo, Finding, FurtherDelivery, Obligation, Outcome, Subject, Weight,
};
use crate::model::evidence::Fact;
use crate::model::facts::Facts;
use crate::model::outbox::OutboxColumn;
use crate::model::place::Place;

use super::{met, not_met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "missing-record-key",
    clause: "queue",
    title: "an outbox without a record key",
    weight: Weight::Gate,
    decides_effect: false,
    page: include_str!("missing_record_key.md"),
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
    match &outbox.record_key {
        Fact::Shown(column, evidence) => met(
            format!(
                "the record key is column {} {}",
                column.name, column.data_type
            ),
            vec![Arc::clone(evidence)],
        ),
        Fact::Unknown(reason) => Outcome::Unknown(Arc::clone(reason)),
        Fact::Absent(evidence) => {
            let names = outbox
                .looked_for
                .get(&OutboxColumn::RecordKey)
                .map_or_else(String::new, |names| names.join(", "));
            let table = outbox.table.shown().cloned().unwrap_or_default();
            let spelled = names.rsplit(", ").next().unwrap_or("record_key").to_owned();
            not_met(
                Finding::new(
                    format!("{table} has no record-key column: nothing orders the events of one record"),
                    outbox.place.clone().unwrap_or(Place::CommandLine),
                )
                .label("no record-key column")
                .further(FurtherDelivery::Overwrite)
                .note(format!("looked for: {names}"))
                .step("A", "claims e1, an older change of record R, and stalls")
                .step("B", "claims e2, a younger change of R, writes, and marks it done")
                .step("A", "wakes and writes the older values over the younger ones")
                .cites([Arc::clone(evidence)])
                .repair(vec![Change {
                    key: "record-key".into(),
                    title: "add the record key, write it at enqueue, backfill the rows that wait, and index it".into(),
                    how: Some(format!("ALTER TABLE {table} ADD COLUMN {spelled} VARCHAR(255);")),
                }]),
            )
        }
    }
}
