//! Cutoffs made of a server's own clock.

use crate::model::check::{CheckInfo, Obligation, Weight};
use crate::model::facts::Facts;
use crate::model::queue::Promise;

use super::promises;

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "process-clock",
    clause: "queue",
    title: "cutoffs made of a server's own clock",
    weight: Weight::Advisory,
    decides_effect: false,
    page: include_str!("process_clock.md"),
};

/// Decides it for the queue, where its source was read.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    promises::decide(facts, &INFO, &[Promise::DatabaseTime], out);
}
