//! A failed attempt without its savepoint.

use crate::model::check::{CheckInfo, Obligation, Weight};
use crate::model::facts::Facts;
use crate::model::queue::Promise;

use super::promises;

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "savepoint-lost",
    clause: "queue",
    title: "a failed attempt without its savepoint",
    weight: Weight::Gate,
    decides_effect: false,
    page: include_str!("savepoint_lost.md"),
};

/// Decides it for the queue, where its source was read.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    promises::decide(
        facts,
        &INFO,
        &[
            Promise::SavepointOnError,
            Promise::SavepointOnLockTimeout,
            Promise::DeadlockToldApart,
        ],
        out,
    );
}
