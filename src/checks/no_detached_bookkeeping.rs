//! A failed transaction that nobody counts.

use crate::model::check::{CheckInfo, Obligation, Weight};
use crate::model::facts::Facts;
use crate::model::queue::Promise;

use super::promises;

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "no-detached-bookkeeping",
    clause: "queue",
    title: "a failed transaction that nobody counts",
    weight: Weight::Gate,
    decides_effect: false,
    page: include_str!("no_detached_bookkeeping.md"),
};

/// Decides it for the queue, where its source was read.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    promises::decide(facts, &INFO, &[Promise::DetachedBookkeeping], out);
}
