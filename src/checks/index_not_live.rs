//! C1: an index that a text declares is shown only by a live catalog.

use std::sync::Arc;

use crate::model::check::{CheckInfo, Obligation, Outcome, Weight};
use crate::model::evidence::Reason;
use crate::model::facts::Facts;

use super::{REFUSED, about, live_effects, met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "index-not-live",
    clause: "C1",
    title: "an index that no live database was seen to have",
    weight: Weight::Gate,
    decides_effect: false,
    page: include_str!("index_not_live.md"),
};

/// Decides it for every guarded create on the path.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    for effect in live_effects(facts) {
        let Some(create) = &effect.create else {
            continue;
        };
        let outcome = match create.guard() {
            _ if create.refused.is_some() => Outcome::NotApplicable(REFUSED),
            None => Outcome::NotApplicable("no key protects the create"),
            Some(guard) => match &guard.live {
                Ok(()) => met(
                    format!("the catalog shows {} {}", guard.enforcer, guard.key),
                    vec![guard.evidence.clone()],
                ),
                Err(reason) => Outcome::Unknown(match &guard.beside {
                    Some(beside) => Arc::new(open(beside, reason)),
                    None => reason.clone(),
                }),
            },
        };
        out.push(about(effect, &INFO, outcome));
    }
}

/// A key of a text is not shown, and of a text with an open statement less than that: one reason for
/// all of its keys, at that statement.
fn open(beside: &Reason, not_shown: &Reason) -> Reason {
    Reason {
        sentence: format!(
            "the keys that a text declares may be dropped or altered by a statement of it: {}",
            beside.sentence
        ),
        place: beside.place.clone(),
        ..not_shown.clone()
    }
}
