//! The tests that would fail if a guarantee broke ran on this source and passed.

use std::sync::Arc;

use crate::model::check::{Change, CheckInfo, Obligation, Outcome, Weight};
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::facts::Facts;

use super::guarantees::{about, outcome};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "unproven-guarantee",
    clause: "guarantee",
    title: "a guarantee that no passing test would miss",
    weight: Weight::Gate,
    decides_effect: false,
    page: include_str!("unproven_guarantee.md"),
};

/// Decides it for every guarantee.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    for judged in &facts.guarantees {
        let id = &judged.guarantee.id;
        let outcome = match judged.proven.is_empty() {
            true => Outcome::Unknown(Arc::new(Reason {
                why: Why::NotResolved,
                needs: Some(InputKind::Tests),
                sentence: format!("the guarantee `{id}` names no test that would fail if it broke"),
                place: judged.guarantee.place.clone(),
                next_step: "add `proven_by` with the suite and its tests".to_owned(),
            })),
            false => outcome(&judged.proven, "its test failed", repair(id)),
        };
        out.push(about(id.to_string(), &INFO, outcome));
    }
}

fn repair(id: &str) -> Change {
    Change {
        key: format!("guarantee:{id}:proven"),
        title: format!("make the tests of `{id}` pass"),
        how: None,
    }
}
