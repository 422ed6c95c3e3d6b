//! Redelivery-safe is not business-unique: two events for one business fact.

use crate::model::check::{
    CheckInfo, Finding, FurtherDelivery, Obligation, Outcome, Severity, Weight,
};
use crate::model::facts::Facts;
use crate::model::guard::{GuardDecision, Protection};

use super::{about, live_effects, met, not_met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "not-business-unique",
    clause: "C1",
    title: "safe against the same event, not against a second event for the same fact",
    weight: Weight::Advisory,
    decides_effect: false,
    page: include_str!("not_business_unique.md"),
};

/// Decides it for every guarded create on the path whose business key is declared.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    for effect in live_effects(facts) {
        let Some(create) = &effect.create else {
            continue;
        };
        let outcome = match create.guard() {
            None => Outcome::NotApplicable("no key protects the create"),
            Some(_) if create.natural_key.is_empty() => {
                Outcome::NotApplicable("no business key is declared for the object")
            }
            Some(guard) => {
                let is_within = |decision: &GuardDecision| {
                    matches!(decision.protection, Protection::Protects)
                        && decision.columns.iter().all(|column| {
                            create
                                .natural_key
                                .iter()
                                .any(|field| field.eq_ignore_ascii_case(column))
                        })
                };
                let business = create.decisions.iter().find(|other| is_within(other));
                let within = business.is_some();
                let guard = business.unwrap_or(guard);
                let key = create.natural_key.join(", ");
                if within {
                    met(
                        format!(
                            "{} {} is the business key ({key})",
                            guard.enforcer, guard.key
                        ),
                        vec![guard.evidence.clone()],
                    )
                } else {
                    not_met(
                        Finding::new(
                            format!(
                                "{} {} stops the same event, not a second event for the same ({key})",
                                guard.enforcer, guard.key
                            ),
                            guard.evidence.place.clone(),
                        )
                        .label("this is not the business key")
                        .severity(Severity::Note)
                        .further(FurtherDelivery::Duplicate)
                        .cites([guard.evidence.clone()]),
                    )
                }
            }
        };
        out.push(about(effect, &INFO, outcome));
    }
}
