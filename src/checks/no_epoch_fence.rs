//! Status writes that do not know their own claim.

use crate::model::check::{CheckInfo, Obligation, Weight};
use crate::model::facts::Facts;
use crate::model::queue::Promise;

use super::promises;

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "no-epoch-fence",
    clause: "queue",
    title: "status writes that do not know their own claim",
    weight: Weight::Advisory,
    decides_effect: false,
    page: include_str!("no_epoch_fence.md"),
};

/// Decides it for the queue, where its source was read.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    promises::decide(facts, &INFO, &[Promise::EpochFence], out);
}
