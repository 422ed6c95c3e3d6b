//! A failed attempt that is not counted, or never ends.

use crate::model::check::{CheckInfo, Obligation, Weight};
use crate::model::facts::Facts;
use crate::model::queue::Promise;

use super::promises;

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "lost-retry",
    clause: "queue",
    title: "a failed attempt that is not counted, or never ends",
    weight: Weight::Gate,
    decides_effect: false,
    page: include_str!("lost_retry.md"),
};

/// Decides it for the queue, where its source was read.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    promises::decide(
        facts,
        &INFO,
        &[
            Promise::RetryReturnsToReady,
            Promise::RetryCounts,
            Promise::RetriesAreBounded,
            Promise::TerminalStates,
        ],
        out,
    );
}
