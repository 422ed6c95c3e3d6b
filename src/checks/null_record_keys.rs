//! No row that waits lacks a record key that its payload gives.

use std::sync::Arc;

use crate::model::check::{
    Change, CheckInfo, Finding, FurtherDelivery, Obligation, Outcome, Weight,
};
use crate::model::facts::Facts;

use super::backlog::{about, counted, example, place};
use super::{met, not_met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "null-record-keys",
    clause: "queue",
    title: "rows that wait without a record key",
    weight: Weight::Gate,
    decides_effect: false,
    page: include_str!("null_record_keys.md"),
};

/// Decides it for the backlog, where an outbox is named.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    about(facts, &INFO, outcome, out);
}

fn outcome(facts: &Facts) -> Outcome {
    let (keys, evidence) = match counted(facts) {
        Ok(counted) => counted,
        Err(outcome) => return outcome,
    };
    let missing = &keys.missing;
    if missing.rows == 0 {
        return met(
            format!(
                "none of {} rows that wait lacks a record key that its payload gives",
                keys.open
            ),
            vec![Arc::clone(evidence)],
        );
    }
    let (column, place) = place(facts);
    not_met(
        Finding::new(
            format!(
                "{column}: {} of {} rows that wait have no record key, though their payload gives one{}",
                missing.rows,
                keys.open,
                example(missing)
            ),
            place,
        )
        .label("NULL in rows that wait")
        .further(FurtherDelivery::Overwrite)
        .step("old", "waits without a key: an older change of record R")
        .step("A", "claims a younger change of R: no row with its key is older")
        .step("B", "claims the old row, and writes the older values over the younger ones")
        .cites([Arc::clone(evidence)])
        .repair(vec![Change {
            key: "record-key-backfill".into(),
            title: format!("fill the record key of {} rows that wait, once every writer fills it", missing.rows),
            how: Some("outbox-audit backfill    # prints the statements".to_owned()),
        }]),
    )
}
