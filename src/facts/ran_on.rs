//! Whether a result of a test is one of what is audited.
//!
//! A digest of what the test ran with decides before a commit, a commit before a time: a time tells
//! nothing of a tree that was changed since, and in a fresh clone files have none that counts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::DateTime;

use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::inputs::{InputState, Inputs};
use crate::model::tests::{Moment, SourceState, TestResults, TestRun};

/// A clock somewhere on earth is at most so far ahead of UTC, in seconds.
const AHEAD: i64 = 14 * 3_600;

/// And at most so far behind it.
const BEHIND: i64 = 12 * 3_600;

/// Two clocks that are set differ by less, in seconds.
const CLOCKS_DIFFER: i64 = 3_600;

const AGAIN: &str = "run the tests on the audited tree, and give their results";
const SAY: &str = "let the runner write a time with its zone, or set the property `redelivery.commit` to the commit \
                   that was tested, or `redelivery.digests` to the digests of what it ran with";

/// What is audited, as far as a result can name it.
#[derive(Debug, Default)]
pub(super) struct Audited {
    source: Option<SourceState>,
    /// When the results were read, in seconds since 1970; none if there is no clock.
    now: Option<i64>,
    /// Digests of what was read that tests run with, by kind.
    digests: BTreeMap<InputKind, BTreeSet<Arc<str>>>,
}

impl Audited {
    /// Of an audit.
    pub(super) fn of(results: &TestResults, inputs: &Inputs) -> Self {
        let of_tests = |state: &&InputState| {
            matches!(
                state.kind,
                InputKind::Source | InputKind::Flows | InputKind::Schema
            )
        };
        let mut digests: BTreeMap<InputKind, BTreeSet<Arc<str>>> = BTreeMap::new();
        for state in inputs.states.iter().filter(of_tests) {
            let read = state.read.iter().filter_map(|read| read.digest.clone());
            digests.entry(state.kind).or_default().extend(read);
        }
        digests.retain(|_, digests| !digests.is_empty());
        Self {
            source: results.source.clone(),
            now: results.read_at,
            digests,
        }
    }

    /// Why a result may be one of something else, or of no run at all.
    pub(super) fn doubt(&self, run: &TestRun) -> Option<Reason> {
        let told = |(why, sentence, next_step): Doubt| Reason {
            why,
            needs: Some(InputKind::Tests),
            sentence,
            place: Some(run.place.clone()),
            next_step: next_step.to_owned(),
        };
        let doubt = self.future(run).or_else(|| match run.digests.is_empty() {
            true => self.by_git(run),
            false => self.by_digests(run),
        });
        doubt.map(told)
    }

    /// A result from a time that has not come yet is not what a run left behind.
    fn future(&self, run: &TestRun) -> Option<Doubt> {
        let at = run.at?;
        let (earliest, _) = bounds(at);
        // A commit that is there was made before now, whatever the clock of this machine says.
        let known = self.source.as_ref().map(|source| source.head_at);
        let now = self.now.max(known)?;
        (earliest > now.saturating_add(CLOCKS_DIFFER)).then(|| {
            let day = DateTime::from_timestamp(at.seconds, 0).map_or_else(
                || "a far day".to_owned(),
                |time| time.date_naive().to_string(),
            );
            (
                Why::NotDecidable,
                format!(
                    "the result of `{}` is dated in the future ({day}): no run has left it behind",
                    run.id
                ),
                AGAIN,
            )
        })
    }

    fn by_digests(&self, run: &TestRun) -> Option<Doubt> {
        let known = |digest: &Arc<str>| {
            let mut kinds = self.digests.values();
            kinds.any(|digests| digests.iter().any(|one| same_digest(one, digest)))
        };
        if let Some(other) = run.digests.iter().find(|digest| !known(digest)) {
            return Some((
                Why::Stale,
                format!(
                    "`{}` ran with an input of digest {other}, and nothing that is audited has it",
                    run.id
                ),
                AGAIN,
            ));
        }
        let source = self.digests.get(&InputKind::Source)?;
        let named = |digest: &Arc<str>| run.digests.iter().any(|one| same_digest(digest, one));
        (!source.iter().all(named)).then(|| {
            (
                Why::NotDecidable,
                format!(
                    "`{}` names digests, and not that of the audited source",
                    run.id
                ),
                "name the digest of the source too, as the report has it",
            )
        })
    }

    fn by_git(&self, run: &TestRun) -> Option<Doubt> {
        let source = self.source.as_ref()?;
        if let Some(commit) = &run.commit {
            let mut known = [&source.commit, &source.changed_by].into_iter();
            let same = known.any(|known| commit.len() >= 7 && known.starts_with(&**commit));
            return match same {
                true => source.uncommitted.then(|| uncommitted(run)),
                false => Some((
                    Why::Stale,
                    format!(
                        "`{}` ran on commit {commit}, and the audited tree is at {}",
                        run.id,
                        source.commit.get(..12).unwrap_or(&source.commit)
                    ),
                    AGAIN,
                )),
            };
        }
        let Some(at) = run.at else {
            return Some((
                Why::NotDecidable,
                format!(
                    "the result of `{}` has neither a time nor a commit nor a digest: it may be of another source",
                    run.id
                ),
                SAY,
            ));
        };
        let (earliest, latest) = bounds(at);
        if latest < source.changed_at {
            return Some((
                Why::Stale,
                format!("`{}` ran before the audited source was committed", run.id),
                AGAIN,
            ));
        }
        if earliest < source.changed_at {
            return Some((
                Why::NotDecidable,
                format!(
                    "the time of `{}` names no zone: it may have run before the audited source was committed",
                    run.id
                ),
                SAY,
            ));
        }
        source.uncommitted.then(|| uncommitted(run))
    }
}

type Doubt = (Why, String, &'static str);

fn uncommitted(run: &TestRun) -> Doubt {
    (
        Why::NotDecidable,
        format!(
            "the audited tree has changes that are in no commit: whether `{}` ran with them is not known",
            run.id
        ),
        "commit them and run the tests again, or set the property `redelivery.digests` to the digests of what \
         they ran with",
    )
}

/// The earliest and the latest second that a time can mean.
fn bounds(at: Moment) -> (i64, i64) {
    match at.zoned {
        true => (at.seconds, at.seconds),
        false => (
            at.seconds.saturating_sub(AHEAD),
            at.seconds.saturating_add(BEHIND),
        ),
    }
}

/// Digests are shown by their beginnings.
fn same_digest(one: &str, other: &str) -> bool {
    let short = one.len().min(other.len());
    short >= 12 && one.get(..short) == other.get(..short)
}
