//! Which records have events that wait behind one that is slow to move.

use std::sync::Arc;

use crate::model::check::{CheckInfo, Finding, Obligation, Outcome, Severity, Weight};
use crate::model::facts::Facts;

use super::backlog::{about, asked, place, waiting};
use super::{met, not_met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "held-records",
    clause: "queue",
    title: "events that wait behind a stale claim of their record",
    weight: Weight::Advisory,
    decides_effect: false,
    page: include_str!("held_records.md"),
};

/// Decides it for the backlog, where an outbox is named.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    about(facts, &INFO, outcome, out);
}

fn outcome(facts: &Facts) -> Outcome {
    let (waiting, evidence) = match waiting(facts) {
        Ok(waiting) => waiting,
        Err(outcome) => return outcome,
    };
    let line = format!(
        "rows behind an older one of their record: {}, of {} records, at most {} in one queue",
        waiting.rows, waiting.keys, waiting.most
    );
    let (Some(held), Some(stale)) = (waiting.held, waiting.behind_stale) else {
        return asked(
            facts,
            true,
            &format!("{line}; how many behind a stale claim is not known"),
            "declare when a claim is stale under `outbox.stale_cutoff`, and the words of `outbox.states`",
        );
    };
    if held + stale == 0 {
        return met(
            format!("{line}; none behind a stale claim, or behind a row that nobody takes"),
            vec![Arc::clone(evidence)],
        );
    }
    let (column, place) = place(facts);
    not_met(
        Finding::new(
            format!("{column}: {line}; {stale} behind a stale claim, {held} behind a row that nobody takes"),
            place,
        )
        .severity(Severity::Warning)
        .label("queues that do not move")
        .note("a stale claim is retried before the events behind it, and a row that nobody takes holds them back for ever")
        .cites([Arc::clone(evidence)]),
    )
}
