//! The thread of the heartbeat: what it moves, how often, and what ends it.

use crate::facts::source::trace::{Exit, Inside, What};

use super::attempt::{Attempt, Read, apart, spawns};
use super::read::Stamp;

/// True of an update that moves a stamp and leaves the status.
pub(super) fn beats(read: &Read<'_>) -> bool {
    read.change()
        .is_some_and(|change| change.stamp != Stamp::Kept && change.state.is_none())
}

/// A heartbeat in a thread beside the handler.
pub(super) struct Beat<'t> {
    pub(super) read: &'t Read<'t>,
    /// What the thread is.
    pub(super) thread: Vec<Inside>,
    /// The loops in it, around the update.
    pub(super) loops: Vec<Inside>,
}

impl<'t> Beat<'t> {
    pub(super) fn of(attempt: &Attempt<'t>) -> Option<Self> {
        let mut beside = attempt.beside();
        let read = beside.find(|read| beats(read))?;
        let own = &attempt.hand.step.within;
        let thread: Vec<Inside> = spawns(&read.step.within)
            .filter(|spawn| !own.contains(spawn))
            .collect();
        let within = read.step.within.iter().copied();
        let inner = within.skip_while(|inside| !thread.contains(inside));
        let loops = inner.filter(|inside| matches!(inside, Inside::Loop(_)));
        Some(Self {
            read,
            loops: loops.collect(),
            thread,
        })
    }

    fn in_thread(&self, within: &[Inside]) -> bool {
        within.iter().any(|inside| self.thread.contains(inside))
    }

    fn in_loop(&self, within: &[Inside]) -> bool {
        within.iter().any(|inside| self.loops.contains(inside))
    }

    /// The signals that end the thread: those that it looks at, and its own.
    pub(super) fn waits_for(&self, attempt: &Attempt<'_>) -> Vec<usize> {
        let steps = attempt.steps.iter();
        let own = steps.filter(|read| self.in_thread(&read.step.within));
        own.filter_map(|read| match &read.step.what {
            What::Receive(numbers) => Some(numbers.clone()),
            _ => None,
        })
        .flatten()
        .chain(self.thread.iter().filter_map(|inside| match inside {
            // A task or thread that is ended from outside.
            Inside::Spawn(number) => Some(*number),
            _ => None,
        }))
        .collect()
    }

    /// How long the thread waits between two heartbeats, in nanoseconds, each wait by itself.
    pub(super) fn waits(&self, attempt: &Attempt<'_>) -> Vec<Option<i64>> {
        let received = self.waits_for(attempt);
        let steps = attempt.steps.iter();
        steps
            .filter_map(|read| match read.step.what {
                What::Tick { nanos, number } => {
                    let counts = self.in_loop(&read.step.within) || received.contains(&number);
                    counts.then_some(nanos)
                }
                _ => None,
            })
            .collect()
    }

    /// The time between two heartbeats, in microseconds.
    pub(super) fn interval(&self, attempt: &Attempt<'_>) -> Option<i64> {
        let waits = self.waits(attempt);
        let sum = waits
            .into_iter()
            .try_fold(0_i64, |sum, wait| sum.checked_add(wait?))?;
        (sum > 0).then_some(sum / 1_000)
    }

    /// A signal in the handler's own thread that ends this one, after it was started.
    pub(super) fn stopped<'s>(
        &'s self,
        attempt: &'s Attempt<'t>,
    ) -> impl Iterator<Item = &'t Read<'t>> + 's {
        let signals = self.waits_for(attempt);
        let mut in_line: Vec<_> = attempt.before().chain(attempt.after()).collect();
        in_line.sort_by_key(|read| read.at);
        in_line.into_iter().filter(move |read| {
            matches!(read.step.what, What::Signal(number) if signals.contains(&number))
                && read.at > self.read.at
        })
    }

    /// Ways out of its loop.
    pub(super) fn exits<'s>(
        &'s self,
        attempt: &'s Attempt<'t>,
    ) -> impl Iterator<Item = &'t Exit> + 's {
        let exits = attempt.trace.exits.iter();
        exits.filter(|exit| self.in_loop(&exit.within))
    }

    /// A way out that an error of the update itself takes, and that ends nothing else.
    pub(super) fn ends_by_error(&self, attempt: &Attempt<'t>) -> Option<&'t Exit> {
        self.exits(attempt).find(|exit| {
            exit.within.iter().any(|inside| {
                let (at, arm) = match inside {
                    Inside::Then(at) => (*at, true),
                    Inside::Else(at) => (*at, false),
                    _ => return false,
                };
                let Some(branch) = attempt.branch(at) else {
                    return false;
                };
                let mut about = branch.about.iter();
                let ours = about.any(|(from, end)| (*from..*end).contains(&self.read.at));
                let taken = branch
                    .error
                    .as_ref()
                    .is_some_and(|(_, truth)| truth.is_failing(arm) && truth.other == arm);
                let tells = attempt.steps.iter().any(|read| {
                    matches!(read.step.what, What::Signal(_)) && read.step.within.contains(inside)
                });
                ours && taken && branch.hit.is_none() && !tells
            })
        })
    }
}

/// The signal by which the heartbeat is stopped before a step runs.
pub(super) fn stopped_before<'t>(attempt: &Attempt<'t>, step: &Read<'_>) -> Option<&'t Read<'t>> {
    let beat = Beat::of(attempt)?;
    beat.stopped(attempt)
        .find(|signal| signal.at < step.at && !apart(&signal.step.within, &step.step.within))
}

/// True if a heartbeat runs beside the handler at all.
pub(super) fn runs(attempt: &Attempt<'_>) -> bool {
    Beat::of(attempt).is_some()
}
