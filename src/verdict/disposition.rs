//! What became of each effect, read off its obligations.

use std::collections::HashMap;
use std::ops::Range;

use crate::model::check::{Obligation, Outcome, Weight};
use crate::model::consumer::PathState;
use crate::model::effect::{Class, EffectId};
use crate::model::facts::{EffectFacts, ScopeState};
use crate::model::report::{Disposition, EffectRow};
use crate::model::scope::ContractKind;

/// The row of an effect.
pub(super) fn row(
    mut facts: Box<EffectFacts>,
    by_subject: &HashMap<&EffectId, Range<usize>>,
    obligations: &[Obligation],
) -> EffectRow {
    let positions = by_subject
        .get(&facts.effect.id)
        .map_or_else(Vec::new, |range| range.clone().collect());
    let mine: Vec<&Obligation> = positions
        .iter()
        .filter_map(|at| obligations.get(*at))
        .filter(|obligation| obligation.check.weight == Weight::Gate)
        .filter(|obligation| obligation.check.decides_effect)
        .collect();
    let failing: Vec<&&Obligation> = mine
        .iter()
        .filter(|obligation| obligation.holds_the_flag())
        .collect();
    let open = mine.iter().find(|obligation| obligation.is_open());
    let disposition = match (&facts.effect.path, &facts.scope) {
        (PathState::Off(_) | PathState::Dormant { .. }, _) => Disposition::OffPath,
        (PathState::Unknown(_), _) => Disposition::Unknown,
        (PathState::On(_), ScopeState::Deferred(_)) => Disposition::Deferred,
        (PathState::On(_), ScopeState::InScope) => {
            if !failing.is_empty() {
                Disposition::Blocked
            } else if open.is_some() || facts.class == Class::Unknown {
                Disposition::Unknown
            } else if rests_on_acceptance(&facts) {
                Disposition::Accepted
            } else {
                Disposition::Safe
            }
        }
    };
    let reason = reason_of(&facts, disposition, &mine);
    let proof = (disposition == Disposition::Safe).then(|| proof_of(&mine));
    // No report shows what only the checks look at, and a large system has much of it.
    facts.create = None;
    facts.hangs = Vec::new();
    facts.unordered = Vec::new();
    facts.repeating_carriers = Vec::new();
    facts.rests_on = Vec::new();
    EffectRow {
        waived: !failing.is_empty() && failing.iter().all(|obligation| obligation.waiver.is_some()),
        required_action: action_of(disposition, &mine),
        disposition,
        reason,
        proof,
        obligations: positions,
        facts,
    }
}

/// True if the effect would repeat, and a declaration accepts that.
fn rests_on_acceptance(facts: &EffectFacts) -> bool {
    let accepted = facts
        .contract
        .as_ref()
        .is_some_and(|judged| judged.contract.kind == ContractKind::AcceptedDuplicate);
    let repeats = match facts.class {
        Class::External | Class::StateDependent => true,
        Class::Create => !facts
            .create
            .as_deref()
            .is_some_and(crate::model::guard::CreateFacts::is_guarded),
        _ => false,
    };
    accepted && repeats
}

fn reason_of(facts: &EffectFacts, disposition: Disposition, mine: &[&Obligation]) -> String {
    match (disposition, &facts.effect.path) {
        (Disposition::OffPath, PathState::Off(off)) => off.why.to_string(),
        (Disposition::OffPath, PathState::Dormant { would_need, .. }) => would_need.to_string(),
        (Disposition::Unknown, PathState::Unknown(reason)) => reason.sentence.clone(),
        (Disposition::Deferred, _) => match &facts.scope {
            ScopeState::Deferred(why) => why.to_string(),
            ScopeState::InScope => String::new(),
        },
        (Disposition::Blocked, _) => mine
            .iter()
            .filter(|obligation| obligation.holds_the_flag())
            .find_map(|obligation| match &obligation.outcome {
                Outcome::NotMet(finding) => Some(finding.sentence.clone()),
                _ => None,
            })
            .unwrap_or_default(),
        (Disposition::Unknown, _) => mine
            .iter()
            .find_map(|obligation| match &obligation.outcome {
                Outcome::Unknown(reason) => Some(reason.sentence.clone()),
                _ => None,
            })
            .unwrap_or_else(|| "no rule says what it does".to_owned()),
        _ => proof_of(mine),
    }
}

/// The sentences that carry the proof: what stands, without what does not arise.
fn proof_of(mine: &[&Obligation]) -> String {
    let sentences: Vec<&str> = mine
        .iter()
        .filter(|obligation| {
            // The condition and the row say little where the value or the key says it all.
            !matches!(obligation.check.clause, "S2" | "S4")
        })
        .filter_map(|obligation| match &obligation.outcome {
            Outcome::Met(proof) => Some(&*proof.sentence),
            _ => None,
        })
        .take(2)
        .collect();
    sentences.join("; ")
}

fn action_of(disposition: Disposition, mine: &[&Obligation]) -> Option<String> {
    match disposition {
        Disposition::Blocked => {
            let mut titles: Vec<&str> = Vec::new();
            for obligation in mine.iter().filter(|obligation| obligation.holds_the_flag()) {
                if let Outcome::NotMet(finding) = &obligation.outcome {
                    for change in finding.repairs.first().into_iter().flatten() {
                        if !titles.contains(&&*change.title) {
                            titles.push(&change.title);
                        }
                    }
                }
            }
            (!titles.is_empty()).then(|| titles.join("; "))
        }
        Disposition::Unknown => mine
            .iter()
            .find_map(|obligation| match &obligation.outcome {
                Outcome::Unknown(reason) => Some(reason.next_step.clone()),
                _ => None,
            }),
        _ => None,
    }
}
