//! Errors of handlers that the dispatcher never sees.

use crate::model::check::{CheckInfo, Obligation, Weight};
use crate::model::facts::Facts;
use crate::model::queue::Promise;

use super::promises;

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "swallowed-error",
    clause: "queue",
    title: "errors of handlers that the dispatcher never sees",
    weight: Weight::Advisory,
    decides_effect: false,
    page: include_str!("swallowed_error.md"),
};

/// Decides it for the queue, where its source was read.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    promises::decide(facts, &INFO, &[Promise::ErrorsReachDispatcher], out);
}
