//! A retry count that was read before the claim.

use crate::model::check::{CheckInfo, Obligation, Weight};
use crate::model::facts::Facts;
use crate::model::queue::Promise;

use super::promises;

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "stale-retry-count",
    clause: "queue",
    title: "a retry count that was read before the claim",
    weight: Weight::Advisory,
    decides_effect: false,
    page: include_str!("stale_retry_count.md"),
};

/// Decides it for the queue, where its source was read.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    promises::decide(facts, &INFO, &[Promise::RetryCountIsFresh], out);
}
