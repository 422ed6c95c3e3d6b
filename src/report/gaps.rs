//! Open obligations gathered by what would close them, so that one missing input is said once.

use std::collections::BTreeMap;

use crate::model::check::{Obligation, Outcome};
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
    /// The obligations, in the order of the report.
    pub(crate) obligations: Vec<&'r Obligation>,
}

/// What makes two gaps one. The sentence is absent where sentences differ by their subject only.
type Key<'r> = (
    Why,
    Option<InputKind>,
    &'r str,
    Option<&'r str>,
    Option<&'static str>,
);

/// Gathers open obligations: first those of one sentence, whatever the check; then, where a check
/// still says many different sentences with one next step, those.
pub(crate) fn gather<'r>(open: &[&'r Obligation]) -> Vec<Gap<'r>> {
    let by_sentence = group(open.iter().copied(), |_, reason| {
        let sentence = reason.sentence.as_str();
        (
            reason.why,
            reason.needs,
            reason.next_step.as_str(),
            Some(sentence),
            None,
        )
    });
    let (single, gathered): (Vec<_>, Vec<_>) = by_sentence
        .into_iter()
        .partition(|gap| gap.obligations.len() == 1);
    let by_check = group(
        single.into_iter().flat_map(|gap| gap.obligations),
        |check, reason| {
            (
                reason.why,
                reason.needs,
                reason.next_step.as_str(),
                None,
                Some(check),
            )
        },
    );
    let mut gaps = gathered;
    for gap in by_check {
        if gap.obligations.len() >= GATHERED_FROM {
            gaps.push(gap);
        } else {
            gaps.extend(gap.obligations.into_iter().filter_map(one));
        }
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

fn group<'r>(
    open: impl Iterator<Item = &'r Obligation>,
    key: impl Fn(&'static str, &'r Reason) -> Key<'r>,
) -> Vec<Gap<'r>> {
    let mut positions = BTreeMap::new();
    let mut gaps: Vec<Gap<'r>> = Vec::new();
    for obligation in open {
        let Some(reason) = reason_of(obligation) else {
            continue;
        };
        let at = *positions
            .entry(key(obligation.check.id, reason))
            .or_insert(gaps.len());
        match gaps.get_mut(at) {
            Some(gap) => {
                gap.same_sentence &= gap.reason.sentence == reason.sentence;
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
