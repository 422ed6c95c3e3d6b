//! Handlers outside the attempt's transaction.

use crate::model::check::{CheckInfo, Obligation, Weight};
use crate::model::facts::Facts;
use crate::model::queue::Promise;

use super::promises;

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "detached-handler-writes",
    clause: "queue",
    title: "handlers outside the attempt's transaction",
    weight: Weight::Gate,
    decides_effect: false,
    page: include_str!("detached_handler_writes.md"),
};

/// Decides it for the queue, where its source was read.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    promises::decide(facts, &INFO, &[Promise::HandlerJoinsAttempt], out);
}
