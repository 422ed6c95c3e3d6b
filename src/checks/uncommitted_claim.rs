//! A claim that is committed only with the work.

use crate::model::check::{CheckInfo, Obligation, Weight};
use crate::model::facts::Facts;
use crate::model::queue::Promise;

use super::promises;

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "uncommitted-claim",
    clause: "queue",
    title: "a claim that is committed only with the work",
    weight: Weight::Gate,
    decides_effect: false,
    page: include_str!("uncommitted_claim.md"),
};

/// Decides it for the queue, where its source was read.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    promises::decide(facts, &INFO, &[Promise::ClaimCommittedFirst], out);
}
