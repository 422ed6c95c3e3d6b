//! The gate: from obligations to conditions, dispositions, the verdict and the way to GO.

mod changes;
mod compare;
mod conditions;
mod disposition;
mod inventory;
mod residuals;
mod smallest;
mod waivers;

pub use compare::compare;
pub use conditions::{ConditionSpec, OnlyIf};
pub use waivers::can_be_waived;

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use crate::model::check::{Obligation, Outcome, Subject};
use crate::model::consumer::PathState;
use crate::model::effect::EffectId;
use crate::model::evidence::{Evidence, Why};
use crate::model::facts::Facts;
use crate::model::report::{
    Condition, ConditionState, EffectRow, FailOn, Report, Stage, TreeState, Verdict,
};
use crate::model::text::TextFile;

/// What the gate is asked.
#[derive(Debug)]
pub struct GateQuestion {
    /// The conditions, in order.
    pub conditions: Vec<ConditionSpec>,
    /// What was audited, as the user named it.
    pub subject: Arc<str>,
    /// Pack names in use.
    pub packs: Vec<Arc<str>>,
    /// Stage.
    pub stage: Stage,
    /// Which verdicts fail the run.
    pub fail_on: FailOn,
    /// The day waivers are compared with, `YYYY-MM-DD`.
    pub as_of: String,
    /// True if waivers are to be passed over.
    pub no_waivers: bool,
    /// State of the audited tree.
    pub tree: TreeState,
    /// Path from the top of the repository to the audited directory.
    pub path_in_repository: String,
    /// Texts that were read, for quotes.
    pub files: Vec<Arc<TextFile>>,
}

/// Judges the gate.
pub fn judge(facts: Facts, mut obligations: Vec<Obligation>, question: GateQuestion) -> Report {
    let waivers = waivers::apply(
        &facts.declarations,
        &mut obligations,
        &question.as_of,
        question.no_waivers,
    );
    let scope = Scope::new(&facts);
    let gate = conditions::judge(&question.conditions, &obligations, &facts, &scope);
    let verdict = verdict_of(&gate, &facts);
    let (changes, changes_minimal) =
        changes::to_go(&question.conditions, &gate, &obligations, &facts, &scope);
    let by_subject = by_subject(&obligations);
    let residuals = residuals::of(&facts);
    let inventory = inventory::of(&facts);
    let evidence = cited(&obligations);
    let Facts {
        consumers,
        effects,
        inputs,
        deferred_families,
        declarations,
        guarantees,
        ..
    } = facts;
    let effects: Vec<EffectRow> = effects
        .into_par_iter()
        .map(|effect| disposition::row(effect, &by_subject, &obligations))
        .collect();
    Report {
        tool_version: env!("CARGO_PKG_VERSION"),
        exit_status: exit_status(verdict, question.fail_on),
        verdict,
        flag: declarations.flag,
        subject: question.subject,
        packs: question.packs,
        stage: question.stage,
        fail_on: question.fail_on,
        as_of: question.as_of,
        tree: question.tree,
        path_in_repository: question.path_in_repository,
        gate,
        consumers,
        effects,
        obligations,
        evidence,
        inputs,
        changes,
        changes_minimal,
        deferred: deferred_families,
        residuals,
        inventory,
        guarantees,
        waivers,
        files: question.files,
    }
}

/// Which subjects the gate asks about.
#[derive(Debug)]
struct Scope {
    /// Effects outside it.
    outside: HashSet<EffectId>,
    /// Effects of which it is not known whether they are on the path.
    uncertain: HashSet<EffectId>,
}

impl Scope {
    fn new(facts: &Facts) -> Self {
        Self {
            outside: facts
                .effects
                .iter()
                .filter(|effect| !effect.is_asked())
                .map(|effect| effect.effect.id.clone())
                .collect(),
            uncertain: facts
                .effects
                .iter()
                .filter(|effect| matches!(effect.effect.path, PathState::Unknown(_)))
                .map(|effect| effect.effect.id.clone())
                .collect(),
        }
    }

    /// True if a finding may speak of something that never happens: it holds nothing, and shows
    /// nothing either.
    fn is_uncertain(&self, obligation: &Obligation) -> bool {
        match &obligation.subject {
            Subject::Effect(id) => self.uncertain.contains(id),
            _ => false,
        }
    }

    /// True if the gate asks about the subject of an obligation.
    fn asks(&self, obligation: &Obligation) -> bool {
        match &obligation.subject {
            Subject::Effect(id) => !self.outside.contains(id),
            _ => true,
        }
    }
}

/// HOLD if a condition is shown not to hold; GO if every one is shown to hold; else UNPROVEN.
fn verdict_of(gate: &[Condition], facts: &Facts) -> Verdict {
    if gate
        .iter()
        .any(|condition| condition.state == ConditionState::NotMet)
    {
        return Verdict::Hold;
    }
    let shown = |condition: &Condition| {
        matches!(
            condition.state,
            ConditionState::Met | ConditionState::NotApplicable
        )
    };
    let something_met = gate
        .iter()
        .any(|condition| condition.state == ConditionState::Met);
    let all_read = facts.inputs.iter().all(|input| {
        input
            .unknown
            .iter()
            .all(|reason| reason.why == Why::NotGiven)
    });
    if gate.iter().all(shown) && something_met && all_read {
        Verdict::Go
    } else {
        Verdict::Unproven
    }
}

fn exit_status(verdict: Verdict, fail_on: FailOn) -> u8 {
    match (verdict, fail_on) {
        (Verdict::Go, _) | (Verdict::Unproven, FailOn::Hold) => 0,
        (Verdict::Hold, _) => 1,
        (Verdict::Unproven, FailOn::Unproven) => 3,
    }
}

/// Obligations are sorted by subject, so those of an effect stand together.
fn by_subject(obligations: &[Obligation]) -> HashMap<&EffectId, Range<usize>> {
    let mut index = HashMap::new();
    let mut start = 0;
    while let Some(first) = obligations.get(start) {
        let same = obligations
            .iter()
            .skip(start)
            .take_while(|other| other.subject == first.subject)
            .count();
        if let Subject::Effect(id) = &first.subject {
            index.insert(id, start..start + same);
        }
        start += same;
    }
    index
}

fn cited(obligations: &[Obligation]) -> Vec<Arc<Evidence>> {
    // The same observation is cited by many: told apart by address before it is compared.
    let mut seen: HashSet<*const Evidence> = HashSet::new();
    let mut all: Vec<&Arc<Evidence>> = obligations
        .iter()
        .flat_map(|obligation| match &obligation.outcome {
            Outcome::Met(proof) => proof.evidence.as_slice(),
            Outcome::NotMet(finding) => &finding.evidence,
            Outcome::Unknown(_) | Outcome::NotApplicable(_) => &[],
        })
        .filter(|evidence| seen.insert(Arc::as_ptr(evidence)))
        .collect();
    all.sort();
    all.dedup();
    all.into_iter().cloned().collect()
}
