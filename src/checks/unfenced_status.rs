//! A status written over any state.

use crate::model::check::{CheckInfo, Obligation, Weight};
use crate::model::facts::Facts;
use crate::model::queue::Promise;

use super::promises;

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "unfenced-status",
    clause: "queue",
    title: "a status written over any state",
    weight: Weight::Gate,
    decides_effect: false,
    page: include_str!("unfenced_status.md"),
};

/// Decides it for the queue, where its source was read.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    promises::decide(facts, &INFO, &[Promise::FencedStatus], out);
}
