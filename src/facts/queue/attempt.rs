//! One hand-off of an event to its handlers, with what comes before, beside and after it.

use crate::facts::source::trace::{Branch, End, Inside, Runs, Statement as Run, Step, Trace, What};
use crate::model::place::Place;
use crate::sql::query::Query;

use super::answer::{Answer, broken, unknown};
use super::eligible::looks_for_rows;
use super::read::{Act, Change, Reading};

/// A step with what its statement does.
#[derive(Debug)]
pub(super) struct Read<'t> {
    pub(super) at: usize,
    pub(super) step: &'t Step,
    pub(super) act: Act,
}

impl<'t> Read<'t> {
    pub(super) fn run(&self) -> Option<&'t Run> {
        match &self.step.what {
            What::Statement(run) => Some(run),
            _ => None,
        }
    }

    pub(super) fn change(&self) -> Option<&Change> {
        match &self.act {
            Act::Updates(change) => Some(change),
            _ => None,
        }
    }
}

/// One attempt.
#[derive(Debug)]
pub(super) struct Attempt<'t> {
    pub(super) trace: &'t Trace,
    pub(super) reading: Reading<'t>,
    /// The steps of this walk.
    pub(super) steps: &'t [Read<'t>],
    /// The hand-off.
    pub(super) hand: &'t Read<'t>,
}

impl<'t> Attempt<'t> {
    pub(super) fn place(&self) -> &'t Place {
        &self.hand.step.place
    }

    pub(super) fn branch(&self, at: usize) -> Option<&'t Branch> {
        self.trace.branches.get(at)
    }

    /// True of a step that can run in the same run as the hand-off, and in the same thread.
    fn in_line(&self, read: &Read<'_>) -> bool {
        self.compatible(read)
            && spawns(&read.step.within).all(|spawn| self.hand.step.within.contains(&spawn))
    }

    fn compatible(&self, read: &Read<'_>) -> bool {
        !apart(&read.step.within, &self.hand.step.within)
    }

    /// Steps before the hand-off, in its thread.
    pub(super) fn before(&self) -> impl DoubleEndedIterator<Item = &'t Read<'t>> {
        let steps = self.steps.iter();
        steps.filter(|read| read.at < self.hand.at && self.in_line(read))
    }

    /// Steps behind the hand-off, in its thread.
    pub(super) fn after(&self) -> impl Iterator<Item = &'t Read<'t>> {
        let steps = self.steps.iter();
        steps.filter(|read| read.at > self.hand.at && self.in_line(read))
    }

    /// Steps that run beside the hand-off.
    pub(super) fn beside(&self) -> impl Iterator<Item = &'t Read<'t>> {
        let steps = self.steps.iter();
        steps.filter(|read| {
            read.at < self.hand.at
                && self.compatible(read)
                && spawns(&read.step.within).any(|spawn| !self.hand.step.within.contains(&spawn))
        })
    }

    /// True of a step before the hand-off that may be passed over where that is not.
    pub(super) fn sometimes(&self, within: &[Inside]) -> bool {
        let own = &self.hand.step.within;
        within.iter().any(|inside| {
            matches!(inside, Inside::Then(_) | Inside::Else(_)) && !own.contains(inside)
        })
    }

    /// The updates by which the row may be claimed, the nearest to the hand-off first.
    pub(super) fn claims(&self) -> impl Iterator<Item = &'t Read<'t>> {
        self.before().rev().filter(|read| {
            read.change()
                .is_some_and(|change| change.state == Some(super::read::State::Claimed))
        })
    }

    /// The update by which the row is claimed.
    pub(super) fn claim(&self) -> Option<&'t Read<'t>> {
        self.claims().next()
    }

    /// The query for candidates.
    pub(super) fn selection(&self) -> Option<(&'t Read<'t>, &'t Run, &'t Query)> {
        self.before().find_map(|read| {
            let (Act::Selects(query), Some(run)) = (&read.act, read.run()) else {
                return None;
            };
            looks_for_rows(self.reading, run, query).then_some((read, run, &**query))
        })
    }

    /// True if the row count of a statement decides whether a step runs; with the arm it runs in.
    pub(super) fn counted(&self, statement: usize, read: &Read<'_>) -> bool {
        read.step.within.iter().any(|inside| {
            let (at, arm) = match inside {
                Inside::Then(at) => (*at, true),
                Inside::Else(at) => (*at, false),
                _ => return false,
            };
            let hit = self.branch(at).and_then(|branch| branch.hit);
            hit == Some((statement, arm))
        })
    }

    /// How functions end where a statement changed no row; none if nothing looks at its row count, and
    /// empty where they go on as if it had.
    pub(super) fn without_rows(&self, statement: usize) -> Option<Vec<End>> {
        let mut found = None;
        for branch in &self.trace.branches {
            let Some((at, hit)) = branch.hit else {
                continue;
            };
            if at == statement {
                let ends = branch.ends.iter().filter(|(arm, _)| *arm != hit);
                found
                    .get_or_insert_with(Vec::new)
                    .extend(ends.map(|(_, end)| *end));
            }
        }
        found
    }

    /// True if the hand-off runs only where a statement changed a row: its count is looked at, or no row
    /// is an error that is handed on.
    pub(super) fn won(&self, statement: usize) -> bool {
        let lost = self.hand.step.within.iter().any(|inside| {
            let (at, arm) = match inside {
                Inside::Then(at) => (*at, true),
                Inside::Else(at) => (*at, false),
                _ => return false,
            };
            let hit = self.branch(at).and_then(|branch| branch.hit);
            hit == Some((statement, !arm))
        });
        self.counted(statement, self.hand)
            || (!lost
                && self.without_rows(statement).is_some_and(|ends| {
                    !ends.is_empty() && ends.iter().all(|end| *end == End::Fails)
                })
                && self.only_behind(statement, self.hand)
                && self.drops(statement, self.hand.at).is_none())
    }

    /// A place between a statement and a later step where its error is looked at, and not handed on.
    pub(super) fn drops(&self, statement: usize, until: usize) -> Option<&'t Place> {
        let mut branches = self.trace.branches.iter();
        let dropping = branches.find(|branch| {
            let about = branch.about.iter();
            let ours = about
                .clone()
                .any(|(from, end)| (*from..*end).contains(&statement));
            let Some(arm) = branch.failed.filter(|_| ours && branch.hit.is_none()) else {
                return false;
            };
            let mut ends = branch.ends.iter().filter(|(of, _)| *of == arm).peekable();
            (statement + 1..=until).contains(&branch.at)
                && (ends.peek().is_none() || ends.any(|(_, end)| *end == End::Goes))
        });
        let unseen = || self.unseen(statement, until);
        dropping
            .and_then(|branch| branch.place.as_ref())
            .or_else(unseen)
    }

    /// A place between a step and a later one where its error is given to nobody.
    pub(super) fn unseen(&self, step: usize, until: usize) -> Option<&'t Place> {
        let mut dropped = self.trace.dropped.iter();
        let found = dropped.find(|((from, end), _)| (*from..*end).contains(&step) && *end <= until);
        found.map(|(_, place)| place)
    }

    /// True if a later step can run although an earlier one failed, because its error is dropped. Errors
    /// that are thrown pass everything over by themselves.
    pub(super) fn runs_all_the_same(&self, step: usize, later: &Read<'_>) -> bool {
        if !self.trace.by_value(self.hand.at) {
            return false;
        }
        let mut branches = self.trace.branches.iter().enumerate();
        !self.only_behind(step, later)
            || self.unseen(step, later.at).is_some()
            || branches.any(|(number, branch)| {
                let mut about = branch.about.iter();
                let ours = about.any(|(from, end)| (*from..*end).contains(&step));
                let Some(arm) = branch.failed.filter(|_| ours && branch.hit.is_none()) else {
                    return false;
                };
                let good = match arm {
                    true => Inside::Else(number),
                    false => Inside::Then(number),
                };
                let past = Inside::Past(number, !arm);
                let mut ends = branch.ends.iter().filter(|(of, _)| *of == arm).peekable();
                (step + 1..=later.at).contains(&branch.at)
                    && !later.step.within.contains(&good)
                    && !later.step.within.contains(&past)
                    && (ends.peek().is_none() || ends.any(|(_, end)| *end == End::Goes))
            })
    }

    /// True if a step is passed over where a statement fails.
    pub(super) fn only_behind(&self, statement: usize, read: &Read<'_>) -> bool {
        if !self.trace.by_value(self.hand.at) {
            return self.thrown_past(statement, read);
        }
        read.step.within.iter().any(|inside| {
            let (at, arm) = match inside {
                Inside::Then(at) => (*at, true),
                Inside::Else(at) => (*at, false),
                Inside::Past(at, arm) => (*at, *arm),
                _ => return false,
            };
            let Some(branch) = self.branch(at) else {
                return false;
            };
            let about = branch.about.iter();
            let ours = about
                .clone()
                .any(|(from, end)| (*from..*end).contains(&statement));
            let passed_over = branch.error.as_ref().is_some_and(|(_, truth)| {
                truth.none == arm && truth.coded != arm && truth.other != arm
            });
            (ours && passed_over) || branch.hit == Some((statement, arm))
        })
    }

    /// True if an error of a statement that is thrown passes a step over: nothing catches it before and
    /// goes on to the step.
    fn thrown_past(&self, statement: usize, read: &Read<'_>) -> bool {
        let mut branches = self.trace.branches.iter().enumerate();
        !branches.any(|(number, branch)| {
            let mut about = branch.about.iter();
            branch.caught
                && about.any(|(from, end)| (*from..*end).contains(&statement))
                && (statement + 1..=read.at).contains(&branch.at)
                && !read.step.within.contains(&Inside::Else(number))
        })
    }

    /// The transaction that is open where the event is handed off.
    pub(super) fn open(&self) -> Option<usize> {
        let mut open = Vec::new();
        for read in self.before() {
            match read.step.what {
                What::Begin => open.push(read.at),
                What::Commit(Some(tx)) if !deferred(read) => open.retain(|at| *at != tx),
                What::Rollback(Some(tx)) if !deferred(read) => open.retain(|at| *at != tx),
                _ => {}
            }
        }
        open.pop()
    }

    /// True if a transaction is committed before the hand-off.
    pub(super) fn committed(&self, tx: usize) -> Option<&'t Read<'t>> {
        let mut before = self.before();
        before.find(|read| {
            matches!(read.step.what, What::Commit(Some(at)) if at == tx) && !deferred(read)
        })
    }

    /// What it runs on.
    pub(super) fn runs_on(&self, read: &Read<'_>) -> Runs {
        read.run().map_or(Runs::Unknown, |run| run.on)
    }

    /// Statements on the way whose text is built at run time, or is not read.
    pub(super) fn unread(&self) -> Option<&'t Read<'t>> {
        let mut steps = self.steps.iter();
        steps.find(|read| matches!(read.act, Act::Unread(_)))
    }

    /// Broken for want of a transaction, unless connections may be in none although they look it.
    pub(super) fn lacks_transaction(&self, how: &str) -> Answer {
        match &self.trace.autocommit {
            Some(place) if self.trace.awaits(self.hand.at) => unknown(
                place,
                "some connections make every statement a transaction of its own, and which of them the \
                 worker uses is not known",
                "let the worker's engine or pool be one without autocommit",
            ),
            _ => self.lacks(self.place(), how),
        }
    }

    /// Broken, unless something on the way was not read: then it is not known.
    pub(super) fn lacks(&self, place: &Place, how: &str) -> Answer {
        if let Some(read) = self.unread()
            && let Act::Unread(text) = &read.act
        {
            let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let text: String = text.chars().take(60).collect();
            let built = read.run().and_then(|run| run.built.as_ref());
            return unknown(
                built.unwrap_or(&read.step.place),
                format!("the text of a statement is not known as a whole: {text}"),
                "write the statement as one text, or of constants",
            );
        }
        if !self.trace.whole {
            return unknown(
                place,
                "the worker is longer than is followed",
                "split the program, or name the folder of the worker as its source",
            );
        }
        broken(place, how)
    }
}

/// True of a step that runs when its function ends.
pub(super) fn deferred(read: &Read<'_>) -> bool {
    let mut within = read.step.within.iter();
    within.any(|inside| matches!(inside, Inside::Defer(_)))
}

/// What of the surroundings runs beside all else.
pub(super) fn spawns(within: &[Inside]) -> impl Iterator<Item = Inside> + '_ {
    let spawns = within.iter().copied();
    spawns.filter(|inside| matches!(inside, Inside::Spawn(_)))
}

/// True of two steps that no one run goes through.
pub(super) fn apart(one: &[Inside], two: &[Inside]) -> bool {
    one.iter().any(|inside| match inside {
        Inside::Then(at) => two.contains(&Inside::Else(*at)),
        Inside::Else(at) => two.contains(&Inside::Then(*at)),
        _ => false,
    })
}
