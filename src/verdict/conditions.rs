//! The conditions of the gate, each met, not met, not shown or not applicable.

use std::collections::HashSet;
use std::sync::Arc;

use rayon::prelude::*;

use crate::model::check::{Obligation, Outcome, Subject};
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::facts::Facts;
use crate::model::inputs::InputState;
use crate::model::report::{Condition, ConditionState};

use super::Scope;

/// A condition as a pack states it.
#[derive(Debug, Clone)]
pub struct ConditionSpec {
    /// Id.
    pub id: Arc<str>,
    /// Title.
    pub title: Arc<str>,
    /// Checks that decide it.
    pub checks: Vec<Arc<str>>,
    /// Inputs without which it is not shown.
    pub needs: Vec<InputKind>,
    /// Parts of it that no check decides: it is not shown.
    pub undecided: Vec<Arc<str>>,
    /// What must be there for it to arise.
    pub only_if: Option<OnlyIf>,
}

/// What must be there for a condition to arise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnlyIf {
    /// An outbox table is named.
    Outbox,
}

/// Judges every condition.
pub(super) fn judge(
    specs: &[ConditionSpec],
    obligations: &[Obligation],
    facts: &Facts,
    scope: &Scope,
) -> Vec<Condition> {
    specs
        .par_iter()
        .map(|spec| condition(spec, obligations, facts, scope))
        .collect()
}

fn condition(
    spec: &ConditionSpec,
    obligations: &[Obligation],
    facts: &Facts,
    scope: &Scope,
) -> Condition {
    let mine: Vec<&Obligation> = obligations
        .iter()
        .filter(|obligation| spec.checks.iter().any(|id| **id == *obligation.check.id))
        .filter(|obligation| scope.asks(obligation))
        .collect();
    let failing: Vec<&Obligation> = mine
        .iter()
        .copied()
        .filter(|obligation| obligation.holds_the_flag() && obligation.waiver.is_none())
        .filter(|obligation| !scope.is_uncertain(obligation))
        .collect();
    let waived = mine
        .iter()
        .filter(|obligation| obligation.holds_the_flag() || obligation.is_open())
        .filter(|obligation| obligation.waiver.is_some())
        .count();
    let open: Vec<&Obligation> = mine
        .iter()
        .copied()
        .filter(|obligation| {
            obligation.is_open() || (obligation.holds_the_flag() && scope.is_uncertain(obligation))
        })
        .filter(|obligation| obligation.waiver.is_none())
        .collect();
    let unread = unread(spec, &facts.inputs);
    let arises = match spec.only_if {
        Some(OnlyIf::Outbox) => !facts.outbox.looked_for.is_empty(),
        None => true,
    };
    let (state, why) = if !arises {
        (
            ConditionState::NotApplicable,
            "no outbox table is named".to_owned(),
        )
    } else if !failing.is_empty() {
        (ConditionState::NotMet, not_met_words(&failing))
    } else if !unread.is_empty() || !open.is_empty() || !spec.undecided.is_empty() {
        (
            ConditionState::NotShown,
            not_shown_words(&unread, &open, &spec.undecided),
        )
    } else if mine
        .iter()
        .all(|obligation| matches!(obligation.outcome, Outcome::NotApplicable(_)))
        && !spec.checks.is_empty()
    {
        (
            ConditionState::NotApplicable,
            "nothing on the path falls under it".to_owned(),
        )
    } else {
        (ConditionState::Met, String::new())
    };
    Condition {
        id: Arc::clone(&spec.id),
        title: Arc::clone(&spec.title),
        state,
        why,
        needs: spec.needs.clone(),
        checks: spec.checks.clone(),
        waived,
    }
}

/// Inputs a condition needs that were not read, or not wholly. A live database also tells the
/// schema.
pub(super) fn unread(spec: &ConditionSpec, inputs: &[InputState]) -> Vec<InputKind> {
    let read = |kind: InputKind| {
        inputs
            .iter()
            .any(|state| state.kind == kind && !state.read.is_empty() && state.unknown.is_empty())
    };
    let broken = |kind: InputKind| {
        inputs.iter().any(|state| {
            state.kind == kind
                && state
                    .unknown
                    .iter()
                    .any(|reason| reason.why != Why::NotGiven)
        })
    };
    spec.needs
        .iter()
        .copied()
        .filter(|kind| {
            let by_database = *kind == InputKind::Schema
                && read(InputKind::Database)
                && !broken(InputKind::Schema);
            !read(*kind) && !by_database
        })
        .collect()
}

fn not_met_words(failing: &[&Obligation]) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut subjects = HashSet::new();
    let mut promises = 0;
    for obligation in failing {
        match (&obligation.subject, &obligation.outcome) {
            (Subject::Effect(id), _) => {
                subjects.insert(id);
            }
            (Subject::Queue, Outcome::NotMet(finding)) if finding.label.is_empty() => {
                promises += 1;
            }
            (_, Outcome::NotMet(finding)) => words.push(finding.label.to_string()),
            _ => {}
        }
    }
    words.dedup();
    match promises {
        0 => {}
        1 => words.push("1 promise of the queue broken".to_owned()),
        many => words.push(format!("{many} promises of the queue broken")),
    }
    if !subjects.is_empty() {
        let count = subjects.len();
        let noun = if count == 1 { "effect" } else { "effects" };
        words.push(format!("{count} {noun} blocked"));
    }
    words.join("; ")
}

fn not_shown_words(unread: &[InputKind], open: &[&Obligation], undecided: &[Arc<str>]) -> String {
    let mut words: Vec<String> = Vec::new();
    if !unread.is_empty() {
        let names: Vec<&str> = unread.iter().map(|kind| input_name(*kind)).collect();
        words.push(format!("{} not read", names.join(", ")));
    }
    // What only the missing input leaves open is said with it.
    let for_want_of_it = |reason: &Reason| {
        reason.why == Why::NotGiven && reason.needs.is_some_and(|kind| unread.contains(&kind))
    };
    let open = open
        .iter()
        .filter(|one| !matches!(&one.outcome, Outcome::Unknown(reason) if for_want_of_it(reason)))
        .count();
    if open > 0 {
        words.push(format!("{open} unknown"));
    }
    // As long as the source is not read, that is what is missing.
    if unread.is_empty() && !undecided.is_empty() {
        words.push(format!("{}: not looked for yet", undecided.join(", ")));
    }
    words.join("; ")
}

/// An input as a person calls it.
pub(super) fn input_name(kind: InputKind) -> &'static str {
    match kind {
        InputKind::Tests => "test results",
        other => other.word(),
    }
}
