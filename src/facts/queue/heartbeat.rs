//! The heartbeat: started before the handler and stopped behind it, moved often enough, and by a stamp
//! that is the present.

use crate::facts::source::trace::{Exit, Inside, Runs, What};
use crate::model::queue::Promise;

use super::answer::{Answer, kept, unknown};
use super::attempt::{Attempt, Read, apart, spawns};
use super::claim::in_words;
use super::ids::of_another_row;
use super::read::{Stamp, State};
use super::shape::Shape;

/// So many heartbeats must fit into the cutoff, so that one that is late does no harm.
const LEAST: i64 = 3;

/// The promises about the heartbeat.
pub(super) fn answers(attempt: &Attempt<'_>) -> Vec<(Promise, Answer)> {
    vec![
        (Promise::Heartbeat, heartbeat(attempt)),
        (Promise::CutoffOutlastsHeartbeats, outlasts(attempt)),
    ]
}

/// True of an update that moves a stamp and leaves the status.
fn beats(read: &Read<'_>) -> bool {
    read.change()
        .is_some_and(|change| change.stamp != Stamp::Kept && change.state.is_none())
}

/// A heartbeat in a thread beside the handler.
struct Beat<'t> {
    read: &'t Read<'t>,
    /// What the thread is.
    thread: Vec<Inside>,
    /// The loops in it, around the update.
    loops: Vec<Inside>,
}

impl<'t> Beat<'t> {
    fn of(attempt: &Attempt<'t>) -> Option<Self> {
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
    fn waits_for(&self, attempt: &Attempt<'_>) -> Vec<usize> {
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
    fn waits(&self, attempt: &Attempt<'_>) -> Vec<Option<i64>> {
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
    fn interval(&self, attempt: &Attempt<'_>) -> Option<i64> {
        let waits = self.waits(attempt);
        let sum = waits
            .into_iter()
            .try_fold(0_i64, |sum, wait| sum.checked_add(wait?))?;
        (sum > 0).then_some(sum / 1_000)
    }

    /// A signal in the handler's own thread that ends this one, after it was started.
    fn stopped<'s>(&'s self, attempt: &'s Attempt<'t>) -> impl Iterator<Item = &'t Read<'t>> + 's {
        let signals = self.waits_for(attempt);
        let mut in_line: Vec<_> = attempt.before().chain(attempt.after()).collect();
        in_line.sort_by_key(|read| read.at);
        in_line.into_iter().filter(move |read| {
            matches!(read.step.what, What::Signal(number) if signals.contains(&number))
                && read.at > self.read.at
        })
    }

    /// Ways out of its loop.
    fn exits<'s>(&'s self, attempt: &'s Attempt<'t>) -> impl Iterator<Item = &'t Exit> + 's {
        let exits = attempt.trace.exits.iter();
        exits.filter(|exit| self.in_loop(&exit.within))
    }

    /// A way out that an error of the update itself takes, and that ends nothing else.
    fn ends_by_error(&self, attempt: &Attempt<'t>) -> Option<&'t Exit> {
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

fn heartbeat(attempt: &Attempt<'_>) -> Answer {
    let Some(beat) = Beat::of(attempt) else {
        // What a macro or a library runs side by side is gone through one after the other.
        let mut behind = attempt.steps.iter();
        if let Some(beat) = behind.find(|read| read.at > attempt.hand.at && beats(read))
            && attempt.trace.awaits(attempt.hand.at)
        {
            return unknown(
                &beat.step.place,
                "the heartbeat is moved here, and whether that runs beside the handler is not known",
                "start a task or thread for the heartbeat before the handler is called",
            );
        }
        return attempt.lacks(
            attempt.place(),
            "nothing moves the heartbeat while the handler runs: a handler that takes longer than the \
             cutoff is run a second time beside the first",
        );
    };
    let place = &beat.read.step.place;
    let waits = beat.waits(attempt);
    if beat.loops.is_empty() || waits.is_empty() {
        return attempt.lacks(
            place,
            "the heartbeat is moved once and not again and again: a long handler looks dead all the same",
        );
    }
    let found = moves(attempt, &beat)
        .or_else(|| holds(attempt, &beat))
        .or_else(|| lives(attempt, &beat))
        .or_else(|| of_another_row(attempt, beat.read, "the heartbeat"))
        .or_else(|| in_time(attempt, &beat));
    found.unwrap_or_else(|| {
        kept(
            place,
            "the heartbeat moves again and again in a thread beside the handler, until the attempt has ended",
        )
    })
}

/// Nothing if what it writes is the present of every round.
fn moves(attempt: &Attempt<'_>, beat: &Beat<'_>) -> Option<Answer> {
    let place = &beat.read.step.place;
    match &beat.read.change()?.stamp {
        Stamp::Database => None,
        Stamp::Process(loops) => {
            let mut own = beat.loops.iter();
            let each = own.all(|inside| matches!(inside, Inside::Loop(at) if loops.contains(at)));
            (!each).then(|| {
                attempt.lacks(
                    place,
                    "the heartbeat writes a time that was read once, before its loop: it moves once, and \
                     a long handler looks dead all the same",
                )
            })
        }
        Stamp::Kept | Stamp::Stale => Some(attempt.lacks(
            place,
            "the heartbeat writes a stamp that is not the present: a long handler looks dead all the same",
        )),
        Stamp::Unknown => Some(unknown(
            place,
            "which stamp the heartbeat writes is not known",
            "let the heartbeat write the database's time",
        )),
    }
}

/// Nothing if it moves the claimed row, in view of others.
fn holds(attempt: &Attempt<'_>, beat: &Beat<'_>) -> Option<Answer> {
    let place = &beat.read.step.place;
    let held = |shape: Shape| {
        let (change, run) = (beat.read.change()?, beat.read.run()?);
        attempt.reading.applies(change, run, &shape)
    };
    let claimed = || Shape::new(State::Claimed);
    match (held(claimed()), held(claimed().old())) {
        (Some(true), Some(true))
            if [3, 9]
                .map(|id| held(claimed().at(2, id)))
                .contains(&Some(true)) =>
        {
            return Some(attempt.lacks(
                place,
                "the heartbeat moves other rows than the one that is handled: a claim of a worker that died \
                 looks alive",
            ));
        }
        (Some(true), Some(true)) => {}
        (Some(false), _) => {
            return Some(attempt.lacks(
                place,
                "the heartbeat is never moved: its condition does not fit a claimed row",
            ));
        }
        _ => {
            return Some(unknown(
                place,
                "which rows the heartbeat moves is not known: a part of its condition is not read",
                "write the condition over the id and the status alone",
            ));
        }
    }
    match attempt.runs_on(beat.read) {
        Runs::Within(tx) if Some(tx) == attempt.open() => Some(attempt.lacks(
            place,
            "the heartbeat is written in the attempt's transaction: no other worker sees it before the \
             commit",
        )),
        _ => None,
    }
}

/// Nothing if it goes on until the attempt has ended, and then ends.
fn lives(attempt: &Attempt<'_>, beat: &Beat<'_>) -> Option<Answer> {
    let place = &beat.read.step.place;
    let hand = attempt.hand;
    let started = beat.read.step.within.iter();
    let started: Vec<Inside> = started
        .copied()
        .take_while(|inside| !beat.thread.contains(inside))
        .collect();
    if attempt.sometimes(&started) {
        return Some(attempt.lacks(
            place,
            "the heartbeat is started where a condition holds, and the handler runs all the same",
        ));
    }
    if let Some(signal) = stopped_before(attempt, hand) {
        return Some(attempt.lacks(
            &signal.step.place,
            "the heartbeat is stopped before the handler runs: a handler that takes longer than the cutoff \
             is run a second time beside the first",
        ));
    }
    let signals = beat.waits_for(attempt);
    let with_hand = match &hand.step.what {
        What::HandOff { ends, .. } => ends.as_slice(),
        _ => &[],
    };
    let mut timed = attempt.trace.timed.iter();
    if timed.any(|number| signals.contains(number) && !with_hand.contains(number)) {
        return Some(attempt.lacks(
            place,
            "the heartbeat ends by itself after a while, and the handler does not",
        ));
    }
    if let Some(exit) = beat.ends_by_error(attempt) {
        return Some(attempt.lacks(
            &exit.place,
            "an error of the heartbeat ends it, and the handler goes on: after one broken connection the \
             claim looks dead",
        ));
    }
    let mut exits = beat.exits(attempt);
    let always = exits.find(|exit| {
        let outer = beat.read.step.within.iter();
        let around: Vec<&Inside> = outer.collect();
        exit.at > beat.read.at && exit.within.iter().all(|inside| around.contains(&inside))
    });
    if let Some(exit) = always {
        return Some(attempt.lacks(
            &exit.place,
            "the heartbeat is moved once and not again and again: its loop ends in its first round",
        ));
    }
    if beat.stopped(attempt).any(|signal| signal.at > hand.at) {
        return None;
    }
    if beat.exits(attempt).next().is_none() {
        return Some(attempt.lacks(
            place,
            "nothing stops the heartbeat when the attempt has ended: the next holder of the row may die, \
             and looks alive all the same",
        ));
    }
    Some(unknown(
        place,
        "what stops the heartbeat when the attempt has ended is not known",
        "stop it by a channel or a context that the attempt closes, or by stopping its ticker",
    ))
}

/// The cutoff after which the row is taken over, in microseconds: of the query and of the claim.
fn cutoff(attempt: &Attempt<'_>) -> Option<i64> {
    let (_, run, query) = attempt.selection()?;
    attempt.reading.chooses_at(query, run)
}

/// Nothing if it comes before the cutoff.
fn in_time(attempt: &Attempt<'_>, beat: &Beat<'_>) -> Option<Answer> {
    let place = &beat.read.step.place;
    let (interval, cutoff) = match measured(attempt, beat) {
        Ok(both) => both,
        Err(unknown) => return Some(unknown),
    };
    (interval >= cutoff).then(|| {
        attempt.lacks(
            place,
            &format!(
                "the heartbeat moves every {}, and the cutoff is {}: a handler that takes longer is run a \
                 second time beside the first",
                in_words(interval),
                in_words(cutoff)
            ),
        )
    })
}

fn measured(attempt: &Attempt<'_>, beat: &Beat<'_>) -> Result<(i64, i64), Answer> {
    let place = &beat.read.step.place;
    let interval = beat.interval(attempt).ok_or_else(|| {
        unknown(
            place,
            "how often the heartbeat moves is not known",
            "give its interval as a constant span of time",
        )
    })?;
    let cutoff = cutoff(attempt).ok_or_else(|| {
        unknown(
            place,
            "after how long a claim is stale is not known",
            "give the cutoff of the query for candidates as a constant span of time",
        )
    })?;
    Ok((interval, cutoff))
}

fn outlasts(attempt: &Attempt<'_>) -> Answer {
    let Some(beat) = Beat::of(attempt) else {
        return unknown(
            attempt.place(),
            "there is no heartbeat with which the cutoff could be compared",
            "move the heartbeat in a thread beside the handler",
        );
    };
    let place = &beat.read.step.place;
    let (interval, cutoff) = match measured(attempt, &beat) {
        Ok(both) => both,
        Err(unknown) => return unknown,
    };
    let (every, after) = (in_words(interval), in_words(cutoff));
    match cutoff / interval {
        count if count >= LEAST => kept(
            place,
            format!("a claim is stale after {after}, and the heartbeat moves every {every}"),
        ),
        _ => attempt.lacks(
            place,
            &format!(
                "a claim is stale after {after}, and the heartbeat moves every {every}: one that is late lets \
                 a second worker take over a claim that is alive"
            ),
        ),
    }
}
