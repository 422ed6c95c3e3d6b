//! A call outside while the claim is open.

use crate::model::check::{CheckInfo, Obligation, Weight};
use crate::model::facts::Facts;
use crate::model::queue::Promise;

use super::promises;

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "call-inside-claim",
    clause: "queue",
    title: "a call outside while the claim is open",
    weight: Weight::Advisory,
    decides_effect: false,
    page: include_str!("call_inside_claim.md"),
};

/// Decides it for the queue, where its source was read.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    promises::decide(facts, &INFO, &[Promise::NoCallInsideClaim], out);
}
