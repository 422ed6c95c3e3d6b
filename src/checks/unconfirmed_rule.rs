//! What a pack says of its platform is shown by the source that was read.

use std::sync::Arc;

use crate::model::check::{CheckInfo, Obligation, Outcome, Subject, Weight};
use crate::model::facts::{Confirmation, Facts};

use super::met;

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "unconfirmed-rule",
    clause: "map",
    title: "a rule about the platform that its source does not show",
    weight: Weight::Gate,
    decides_effect: false,
    page: include_str!("unconfirmed_rule.md"),
};

/// Decides it for every rule that asks for a confirmation, where source was read. Without source the
/// conditions that need it are open already.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    out.extend(facts.confirmations.iter().map(|rule| Obligation {
        subject: Subject::Rule(Arc::clone(&rule.entry)),
        check: &INFO,
        outcome: outcome(rule),
        waiver: None,
    }));
}

fn outcome(rule: &Confirmation) -> Outcome {
    if !rule.is_used {
        return Outcome::NotApplicable("nothing on the path rests on it");
    }
    match &rule.shown {
        Ok(evidence) => met(rule.says.to_string(), evidence.clone()),
        Err(reason) => Outcome::Unknown(Arc::clone(reason)),
    }
}
