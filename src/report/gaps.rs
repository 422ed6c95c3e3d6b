//! Open obligations gathered by what would close them, so that one missing input is said once.

use std::collections::{BTreeMap, HashSet};

use crate::model::check::{Obligation, Outcome, Subject};
use crate::model::evidence::{InputKind, Reason, Why};

/// Sentences of one check with one next step are gathered from this many on.
const GATHERED_FROM: usize = 4;

/// Open obligations that one thing would close.
pub(crate) struct Gap<'r> {
    /// The reason of the first.
    pub(crate) reason: &'r Reason,
    /// True if every obligation has that same sentence.
    pub(crate) same_sentence: bool,
    /// The checks left open, sorted, each once.
    pub(crate) checks: Vec<&'static str>,
    /// The obligations, those of one sentence side by side.
    pub(crate) obligations: Vec<&'r Obligation>,
}

impl<'r> Gap<'r> {
    /// How many subjects it leaves open.
    pub(crate) fn subjects(&self) -> usize {
        let subjects: HashSet<&Subject> = self.obligations.iter().map(|one| &one.subject).collect();
        subjects.len()
    }

    /// Its sentences, each once.
    pub(crate) fn sentences(&self) -> Vec<&'r str> {
        let reasons = self.obligations.iter().filter_map(|one| reason_of(one));
        let mut sentences: Vec<&str> = reasons.map(|reason| reason.sentence.as_str()).collect();
        sentences.dedup();
        sentences
    }
}

/// What makes open obligations one gap: why, what is needed, what to do, and the sentence.
type Key<'r> = (Why, Option<InputKind>, &'r str, &'r str);

/// What makes gaps of different sentences one: the same, with the checks in place of the sentence.
type Kin<'r> = (Why, Option<InputKind>, &'r str, Vec<&'static str>);

/// Gathers open obligations: first those of one sentence, whatever the check; then, where the same
/// checks still say many different sentences with one next step, those.
pub(crate) fn gather<'r>(open: &[&'r Obligation]) -> Vec<Gap<'r>> {
    let mut positions: BTreeMap<Kin<'r>, usize> = BTreeMap::new();
    let mut kin: Vec<Vec<Gap<'r>>> = Vec::new();
    for gap in by_sentence(open) {
        let reason = gap.reason;
        let next = reason.next_step.as_str();
        // What was not given leaves open whatever needs it, one cause for all checks.
        let checks = match reason.why {
            Why::NotGiven => Vec::new(),
            _ => gap.checks.clone(),
        };
        let key = (reason.why, reason.needs, next, checks);
        let at = *positions.entry(key).or_insert(kin.len());
        match kin.get_mut(at) {
            Some(group) => group.push(gap),
            None => kin.push(vec![gap]),
        }
    }
    let mut gaps = Vec::new();
    for mut group in kin {
        if group.len() < GATHERED_FROM {
            gaps.append(&mut group);
            continue;
        }
        let whole = group.into_iter().reduce(|mut all, gap| {
            all.same_sentence = false;
            all.checks.extend(gap.checks);
            all.obligations.extend(gap.obligations);
            all
        });
        gaps.extend(whole.map(|mut gap| {
            gap.checks.sort_unstable();
            gap.checks.dedup();
            gap
        }));
    }
    // The widest gap first: closing it shows the most.
    gaps.sort_by_key(|gap| std::cmp::Reverse(gap.obligations.len()));
    gaps
}

fn one(obligation: &Obligation) -> Option<Gap<'_>> {
    let reason = reason_of(obligation)?;
    Some(Gap {
        reason,
        same_sentence: true,
        checks: vec![obligation.check.id],
        obligations: vec![obligation],
    })
}

/// The reason of an open obligation.
pub(crate) fn reason_of(obligation: &Obligation) -> Option<&Reason> {
    match &obligation.outcome {
        Outcome::Unknown(reason) => Some(reason),
        _ => None,
    }
}

fn by_sentence<'r>(open: &[&'r Obligation]) -> Vec<Gap<'r>> {
    let mut positions: BTreeMap<Key<'r>, usize> = BTreeMap::new();
    let mut gaps: Vec<Gap<'r>> = Vec::new();
    for obligation in open.iter().copied() {
        let Some(reason) = reason_of(obligation) else {
            continue;
        };
        let (next, sentence) = (reason.next_step.as_str(), reason.sentence.as_str());
        let at = *positions
            .entry((reason.why, reason.needs, next, sentence))
            .or_insert(gaps.len());
        match gaps.get_mut(at) {
            Some(gap) => {
                if let Err(place) = gap.checks.binary_search(&obligation.check.id) {
                    gap.checks.insert(place, obligation.check.id);
                }
                gap.obligations.push(obligation);
            }
            None => gaps.extend(one(obligation)),
        }
    }
    gaps
}
