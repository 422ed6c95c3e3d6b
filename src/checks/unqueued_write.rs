//! Writes that no event follows in their own transaction.

use crate::model::check::{CheckInfo, Obligation, Weight};
use crate::model::facts::Facts;
use crate::model::queue::Promise;

use super::promises;

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "unqueued-write",
    clause: "queue",
    title: "writes that no event follows in their own transaction",
    weight: Weight::Advisory,
    decides_effect: false,
    page: include_str!("unqueued_write.md"),
};

/// Decides it for the queue, where its source was read.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    promises::decide(facts, &INFO, &[Promise::EnqueueJoinsWrite], out);
}
