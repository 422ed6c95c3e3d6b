//! Workers that wait for a batch, or order events in memory.

use crate::model::check::{CheckInfo, Obligation, Weight};
use crate::model::facts::Facts;
use crate::model::queue::Promise;

use super::promises;

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "batch-barrier",
    clause: "queue",
    title: "workers that wait for a batch, or order events in memory",
    weight: Weight::Gate,
    decides_effect: false,
    page: include_str!("batch_barrier.md"),
};

/// Decides it for the queue, where its source was read.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    promises::decide(facts, &INFO, &[Promise::NoBatchBarrier], out);
}
