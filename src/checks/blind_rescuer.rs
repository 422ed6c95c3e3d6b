//! Rows set back without a look at their heartbeat.

use crate::model::check::{CheckInfo, Obligation, Weight};
use crate::model::facts::Facts;
use crate::model::queue::Promise;

use super::promises;

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "blind-rescuer",
    clause: "queue",
    title: "rows set back without a look at their heartbeat",
    weight: Weight::Advisory,
    decides_effect: false,
    page: include_str!("blind_rescuer.md"),
};

/// Decides it for the queue, where its source was read.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    promises::decide(facts, &INFO, &[Promise::RescuerComparesFirst], out);
}
