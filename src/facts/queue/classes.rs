//! Errors of a handler by their classes, and what runs after which.

use std::sync::Arc;

use crate::facts::source::trace::{ANY_CODE, Branch, End, Inside, UNKNOWN_CODE};

use super::attempt::{Attempt, Read};

/// Classes of errors of a handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Its own.
    Plain,
    /// A wait for a lock that timed out.
    Timeout,
    /// A deadlock, or a conflict that ends the transaction.
    Deadlock,
}

impl Class {
    /// Numbers of engines, and the names that drivers give them.
    fn codes(self) -> &'static [&'static str] {
        match self {
            Class::Plain => &[],
            Class::Timeout => &["1205", "55P03", "3572", "57014"],
            Class::Deadlock => &["1213", "40P01", "40001", "9007"],
        }
    }
}

impl<'t> Attempt<'t> {
    /// The branches around a step in which an error that the hand-off gave is looked at, with true
    /// for the arm in which there is one.
    pub(super) fn errors(&self, read: &Read<'_>) -> Vec<(&'t Branch, bool)> {
        let own = &self.hand.step.within;
        let around = read
            .step
            .within
            .iter()
            .filter(|inside| !own.contains(inside));
        around
            .filter_map(|inside| {
                let (at, arm) = match inside {
                    Inside::Then(at) => (*at, true),
                    Inside::Else(at) => (*at, false),
                    _ => return None,
                };
                let branch = self.branch(at)?;
                let about = branch.about.iter();
                let ours = about
                    .clone()
                    .any(|(from, end)| (*from..*end).contains(&self.hand.at));
                let counts = branch.hit.is_some() || branch.flag.is_some();
                (ours && !counts).then_some((branch, arm))
            })
            .collect()
    }

    /// True of a step that runs where the hand-off failed.
    pub(super) fn failing(&self, read: &Read<'_>) -> bool {
        self.failing_at_all(read)
            && self.swallowed().is_none_or(|inner| {
                let before = self.branch(inner).is_some_and(|branch| read.at < branch.at);
                before || read.step.within.contains(&Inside::Then(inner))
            })
    }

    /// Where errors are thrown: the first that catches every error of the hand-off, and gives none on.
    fn swallowed(&self) -> Option<usize> {
        let hand = self.hand.at;
        let mut branches = self.trace.branches.iter();
        let inner = branches.position(|branch| {
            let mut about = branch.about.iter();
            branch.caught
                && branch.failed == Some(true)
                && about.any(|(from, end)| (*from..*end).contains(&hand))
        })?;
        let branch = self.branch(inner)?;
        let gives_on = branch.ends.contains(&(true, End::Fails));
        (!gives_on).then_some(inner)
    }

    /// True of a step that runs where the attempt failed: by the hand-off, or by what stands between it and whoever
    /// looks at the error.
    pub(super) fn failing_at_all(&self, read: &Read<'_>) -> bool {
        let errors = self.errors(read);
        errors.iter().any(|(branch, arm)| match branch.error {
            Some((_, truth)) => truth.is_failing(*arm),
            None => *arm && !branch.codes.is_empty(),
        })
    }

    /// Whether a step runs where the hand-off failed by an error of a class; none if that is not known.
    pub(super) fn runs_after(&self, class: Class, read: &Read<'_>) -> Option<bool> {
        let mut known = Some(true);
        for (branch, arm) in self.errors(read) {
            let holds = branch.error.as_ref().and_then(|(codes, truth)| {
                let one = |code: &Arc<str>| match &**code {
                    UNKNOWN_CODE => None,
                    ANY_CODE => Some(class != Class::Plain),
                    code => Some(class.codes().contains(&code)),
                };
                let named: Vec<Option<bool>> = codes.iter().map(one).collect();
                match (named.contains(&Some(true)), named.contains(&None)) {
                    (true, _) => Some(truth.coded),
                    (_, true) if truth.coded != truth.other => None,
                    _ => Some(truth.other),
                }
            });
            match holds {
                Some(holds) if holds != arm => return Some(false),
                Some(_) => {}
                None => known = None,
            }
        }
        known
    }

    /// A condition around a step that is about neither the hand-off nor what stands behind it.
    pub(super) fn foreign(&self, read: &Read<'_>) -> Option<&'t Branch> {
        let own = &self.hand.step.within;
        let around = read.step.within.iter();
        let mut around = around.filter(|inside| !own.contains(inside));
        around.find_map(|inside| {
            let (Inside::Then(at) | Inside::Else(at)) = inside else {
                return None;
            };
            let branch = self.branch(*at)?;
            let mut about = branch.about.iter();
            let told = branch.bound.is_some() || branch.hit.is_some() || branch.flag.is_some();
            let later = about.any(|(_, end)| *end > self.hand.at);
            (!told && !later).then_some(branch)
        })
    }
}
