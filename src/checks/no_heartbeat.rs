//! A claim that looks dead while its handler runs.

use crate::model::check::{CheckInfo, Obligation, Weight};
use crate::model::facts::Facts;
use crate::model::queue::Promise;

use super::promises;

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "no-heartbeat",
    clause: "queue",
    title: "a claim that looks dead while its handler runs",
    weight: Weight::Gate,
    decides_effect: false,
    page: include_str!("no_heartbeat.md"),
};

/// Decides it for the queue, where its source was read.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    promises::decide(facts, &INFO, &[Promise::Heartbeat], out);
}
