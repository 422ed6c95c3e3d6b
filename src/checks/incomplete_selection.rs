//! Candidates that are not the rows to claim.

use crate::model::check::{CheckInfo, Obligation, Weight};
use crate::model::facts::Facts;
use crate::model::queue::Promise;

use super::promises;

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "incomplete-selection",
    clause: "queue",
    title: "candidates that are not the rows to claim",
    weight: Weight::Gate,
    decides_effect: false,
    page: include_str!("incomplete_selection.md"),
};

/// Decides it for the queue, where its source was read.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    promises::decide(
        facts,
        &INFO,
        &[
            Promise::SelectsReady,
            Promise::SelectsStale,
            Promise::WaitsForRetryCutoff,
            Promise::SkipsBehindOlder,
            Promise::TakesKeyless,
            Promise::OldestFirst,
        ],
        out,
    );
}
