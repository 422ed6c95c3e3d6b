//! No row that waits has another record key than its payload gives.

use std::sync::Arc;

use crate::model::check::{
    Change, CheckInfo, Finding, FurtherDelivery, Obligation, Outcome, Weight,
};
use crate::model::facts::Facts;

use super::backlog::{about, counted, example, place};
use super::{met, not_met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "wrong-record-keys",
    clause: "queue",
    title: "record keys that are not those of their payload",
    weight: Weight::Gate,
    decides_effect: false,
    page: include_str!("wrong_record_keys.md"),
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
    let wrong = &keys.wrong;
    if wrong.rows == 0 {
        return met(
            format!(
                "no record key among {} rows that wait differs from what its payload gives",
                keys.open
            ),
            vec![Arc::clone(evidence)],
        );
    }
    let (column, place) = place(facts);
    let template = facts.outbox.template.as_deref().unwrap_or_default();
    not_met(
        Finding::new(
            format!(
                "{column}: {} of {} rows that wait have another record key than {template} gives{}",
                wrong.rows,
                keys.open,
                example(wrong)
            ),
            place,
        )
        .label("not the key of its payload")
        .further(FurtherDelivery::Overwrite)
        .note("either the writers make the key in another way than the template says, or at some time they did")
        .note("a backfill with the template would put one record under two keys")
        .cites([Arc::clone(evidence)])
        .repair(vec![Change {
            key: "record-key-template".into(),
            title: "make template and writers agree; let rows with an older form of the key drain, or rewrite them".into(),
            how: None,
        }]),
    )
}
