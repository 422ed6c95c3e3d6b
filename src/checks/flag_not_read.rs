//! A flag that no worker asks.

use crate::model::check::{CheckInfo, Obligation, Weight};
use crate::model::facts::Facts;
use crate::model::queue::Promise;

use super::promises;

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "flag-not-read",
    clause: "queue",
    title: "a flag that no worker asks",
    weight: Weight::Gate,
    decides_effect: false,
    page: include_str!("flag_not_read.md"),
};

/// Decides it for the queue, where its source was read.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    promises::decide(facts, &INFO, &[Promise::FlagGuardsWorkers], out);
}
