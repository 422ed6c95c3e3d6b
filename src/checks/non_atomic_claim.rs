//! A claim that two workers can win.

use crate::model::check::{CheckInfo, Obligation, Weight};
use crate::model::facts::Facts;
use crate::model::queue::Promise;

use super::promises;

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "non-atomic-claim",
    clause: "queue",
    title: "a claim that two workers can win",
    weight: Weight::Gate,
    decides_effect: false,
    page: include_str!("non_atomic_claim.md"),
};

/// Decides it for the queue, where its source was read.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    promises::decide(
        facts,
        &INFO,
        &[
            Promise::AtomicClaim,
            Promise::LostClaimIsBenign,
            Promise::EngineLocks,
        ],
        out,
    );
}
