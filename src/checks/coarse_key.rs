//! C1, the opposite fault: a key that takes two different facts for one.

use crate::model::check::{
    CheckInfo, Finding, FurtherDelivery, Obligation, Outcome, Severity, Weight,
};
use crate::model::conflict::Otherwise;
use crate::model::effect::OnConflict;
use crate::model::facts::{EffectFacts, Facts};
use crate::model::guard::{CreateFacts, GuardDecision, Protection};

use super::{REFUSED, about, live_effects, met, not_met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "coarse-key",
    clause: "C1",
    title: "a key so coarse that it swallows a different effect",
    weight: Weight::Advisory,
    decides_effect: false,
    page: include_str!("coarse_key.md"),
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
            Some(guard) => outcome(effect, create, guard),
        };
        out.push(about(effect, &INFO, outcome));
    }
}

fn outcome(effect: &EffectFacts, create: &CreateFacts, guard: &GuardDecision) -> Outcome {
    if let Some(why) = &guard.coarse {
        return not_met(
            Finding::new(
                format!(
                    "{} {} may take two facts for one: {why}",
                    guard.enforcer, guard.key
                ),
                guard.evidence.place.clone(),
            )
            .label("two different values are equal here")
            .severity(Severity::Warning)
            .further(FurtherDelivery::Swallowed)
            .cites([guard.evidence.clone()]),
        );
    }
    if let OnConflict::Statement(said) = &effect.effect.on_conflict
        && said.arms.is_empty()
        && said.otherwise == Otherwise::LeavesOut
    {
        return not_met(
            Finding::new(
                format!(
                    "IGNORE swallows more than the conflict with {} {}: a row of {} that is cut or refused for another reason is lost without a word",
                    guard.enforcer,
                    guard.key,
                    effect.effect.target.name()
                ),
                said.place.clone(),
            )
            .label("every error of the row becomes a warning here")
            .severity(Severity::Warning)
            .further(FurtherDelivery::Swallowed)
            .cites([guard.evidence.clone()]),
        );
    }
    if let Some(rival) = &create.rival {
        return not_met(
            Finding::new(
                format!(
                    "{} {} is taken by {rival} too, for the same event",
                    guard.enforcer, guard.key
                ),
                effect.effect.place.clone(),
            )
            .label("one of the two rows is never made")
            .severity(Severity::Warning)
            .further(FurtherDelivery::Swallowed)
            .note("if both rows are meant, add a constant to each that tells them apart, and to the key")
            .cites([guard.evidence.clone()]),
        );
    }
    let other = create.decisions.iter().find(|decision| {
        decision.enforcer != guard.enforcer
            && matches!(decision.protection, Protection::Protects)
            && !covers(guard, decision)
    });
    match other {
        Some(other) => not_met(
            Finding::new(
                format!(
                    "a second key of {}, {} {}, can refuse a row that {} would let in",
                    effect.effect.target.name(),
                    other.enforcer,
                    other.key,
                    guard.enforcer
                ),
                other.evidence.place.clone(),
            )
            .label("this key can be taken by another event")
            .severity(Severity::Warning)
            .further(FurtherDelivery::Swallowed)
            .cites([other.evidence.clone()]),
        ),
        None => met(
            format!(
                "{} {} compares whole values exactly",
                guard.enforcer, guard.key
            ),
            vec![guard.evidence.clone()],
        ),
    }
}

/// True if the other key holds every column of the guard, so that it never refuses more.
fn covers(guard: &GuardDecision, other: &GuardDecision) -> bool {
    guard.columns.iter().all(|column| {
        other
            .columns
            .iter()
            .any(|name| name.eq_ignore_ascii_case(column))
    })
}
