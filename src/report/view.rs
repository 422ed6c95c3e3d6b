//! The matrix sorted for a reader: what blocks, what is open, what is only worth knowing.

use std::collections::{HashMap, HashSet};

use crate::model::check::{Finding, Obligation, Subject};
use crate::model::consumer::{Consumer, ConsumerId, PathState};
use crate::model::effect::EffectId;
use crate::model::report::{Disposition, EffectRow, Report};

use super::standing::{Standing, finding_of};
use super::{account, words};

/// A report with its findings sorted by what they ask of the reader.
pub(crate) struct View<'r> {
    /// The report.
    pub(crate) report: &'r Report,
    /// What blocks the gate, by subject: effects in the order of the report, then the rest.
    pub(crate) blockers: Vec<Blocker<'r>>,
    /// Gate findings that a waiver covers.
    pub(crate) waived: Vec<Found<'r>>,
    /// Gate findings on effects outside the gate's scope, off the path, or accepted.
    pub(crate) outside: Vec<Found<'r>>,
    /// Findings that never hold the flag.
    pub(crate) advisory: Vec<Found<'r>>,
    /// Gate checks that could not be decided, in scope.
    pub(crate) open: Vec<&'r Obligation>,
    /// Unknown effects that no open obligation speaks of: nothing unknown goes unsaid.
    pub(crate) unsaid: Vec<&'r EffectRow>,
    effects: HashMap<&'r EffectId, &'r EffectRow>,
}

/// All that blocks the gate about one subject.
pub(crate) struct Blocker<'r> {
    /// The subject.
    pub(crate) subject: Subject,
    /// The effect, when the subject is one.
    pub(crate) effect: Option<&'r EffectRow>,
    /// Its findings; empty for an effect that is blocked by what hangs on it.
    pub(crate) findings: Vec<Found<'r>>,
}

/// A finding with the obligation it belongs to.
#[derive(Clone, Copy)]
pub(crate) struct Found<'r> {
    /// The obligation.
    pub(crate) obligation: &'r Obligation,
    /// The finding in it.
    pub(crate) finding: &'r Finding,
}

impl<'r> View<'r> {
    /// Sorts a report; linear but for one sort of the subjects that block.
    pub(crate) fn new(report: &'r Report) -> Self {
        let mut view = View {
            report,
            blockers: Vec::new(),
            waived: Vec::new(),
            outside: Vec::new(),
            advisory: Vec::new(),
            open: Vec::new(),
            unsaid: Vec::new(),
            effects: report
                .effects
                .iter()
                .map(|row| (&row.facts.effect.id, row))
                .collect(),
        };
        let mut positions = HashMap::new();
        // Effects first and in their order; an effect may be blocked without a finding of its own.
        for row in &report.effects {
            if row.disposition == Disposition::Blocked && !row.waived {
                let subject = Subject::Effect(row.facts.effect.id.clone());
                positions.insert(subject.clone(), view.blockers.len());
                view.blockers.push(Blocker {
                    subject,
                    effect: Some(row),
                    findings: Vec::new(),
                });
            }
        }
        for obligation in &report.obligations {
            view.sort_in(obligation, &mut positions);
        }
        // The clause says the order of thought: a guard, then how its conflict ends.
        for blocker in &mut view.blockers {
            let key =
                |found: &Found<'_>| (found.obligation.check.clause, found.obligation.check.id);
            blocker.findings.sort_by_key(key);
        }
        let said: HashSet<&Subject> = view.open.iter().map(|one| &one.subject).collect();
        let unknown = report.effects.iter().filter(|row| {
            row.disposition == Disposition::Unknown
                && !said.contains(&Subject::Effect(row.facts.effect.id.clone()))
        });
        view.unsaid = unknown.collect();
        view
    }

    fn sort_in(&mut self, obligation: &'r Obligation, positions: &mut HashMap<Subject, usize>) {
        let standing = self.standing(obligation);
        if standing == Standing::Open {
            self.open.push(obligation);
        }
        let Some(finding) = finding_of(obligation) else {
            return;
        };
        let found = Found {
            obligation,
            finding,
        };
        match standing {
            Standing::Advisory => self.advisory.push(found),
            Standing::Waived => self.waived.push(found),
            Standing::Outside => self.outside.push(found),
            _ => {
                let at = *positions
                    .entry(obligation.subject.clone())
                    .or_insert_with(|| self.blockers.len());
                if at == self.blockers.len() {
                    self.blockers.push(Blocker {
                        subject: obligation.subject.clone(),
                        effect: self.effect(&obligation.subject),
                        findings: Vec::new(),
                    });
                }
                if let Some(blocker) = self.blockers.get_mut(at) {
                    blocker.findings.push(found);
                }
            }
        }
    }

    /// The effect a subject is.
    pub(crate) fn effect(&self, subject: &Subject) -> Option<&'r EffectRow> {
        match subject {
            Subject::Effect(id) => self.effects.get(id).copied(),
            _ => None,
        }
    }

    /// Number of findings that block the gate.
    pub(crate) fn blocking_findings(&self) -> usize {
        self.blockers.iter().map(|one| one.findings.len()).sum()
    }

    /// False of effects that the gate does not ask for; a subject that is not known is asked for.
    pub(super) fn in_scope(&self, subject: &Subject) -> bool {
        self.effect(subject).is_none_or(|row| {
            !matches!(
                row.disposition,
                Disposition::Deferred | Disposition::OffPath | Disposition::Accepted
            )
        })
    }

    /// True of an effect that may not be on the path at all.
    pub(super) fn is_uncertain(&self, subject: &Subject) -> bool {
        self.effect(subject)
            .is_some_and(|row| matches!(row.facts.effect.path, PathState::Unknown(_)))
    }

    /// What a person calls the consumer of an effect.
    pub(crate) fn consumer_title(&self, row: &'r EffectRow) -> &'r str {
        let id = &row.facts.effect.consumer;
        account::consumer(self.report, id).map_or(&id.0, |one| &one.title)
    }

    pub(super) fn consumer(&self, id: &ConsumerId) -> Option<&'r Consumer> {
        account::consumer(self.report, id)
    }

    /// `Convert lead → create Opportunity`.
    pub(crate) fn effect_title(&self, row: &'r EffectRow) -> String {
        format!(
            "{} → {}",
            self.consumer_title(row),
            words::effect(&row.facts.effect)
        )
    }

    /// What a person calls a subject.
    pub(crate) fn subject_title(&self, subject: &Subject) -> String {
        match (subject, self.effect(subject)) {
            (_, Some(row)) => self.effect_title(row),
            (Subject::System, _) => "the system".to_owned(),
            (Subject::Queue, _) => "the queue".to_owned(),
            (Subject::Backlog, _) => "the backlog".to_owned(),
            (Subject::Input(kind), _) => format!("the input {}", kind.word()),
            (Subject::Consumer(id), _) => account::consumer(self.report, id)
                .map_or_else(|| id.to_string(), |one| one.title.to_string()),
            (Subject::Field(name), _) => format!("the field {name}"),
            (Subject::Contract(name), _) => format!("the contract {name}"),
            (Subject::Guarantee(name), _) => format!("the guarantee {name}"),
            (Subject::Rule(entry), _) => format!("the rule {entry}"),
            (Subject::Effect(id), None) => id.to_string(),
        }
    }

    /// The conditions that a check decides, 1-based.
    pub(crate) fn conditions_of(&self, check: &str) -> Vec<usize> {
        self.report
            .gate
            .iter()
            .enumerate()
            .filter(|(_, condition)| condition.checks.iter().any(|id| **id == *check))
            .map(|(at, _)| at + 1)
            .collect()
    }
}
