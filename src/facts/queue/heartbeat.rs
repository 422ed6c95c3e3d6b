//! The heartbeat: started before the handler and stopped behind it, moved often enough, and by a stamp
//! that is the present.

use crate::facts::source::trace::{Inside, Runs, What};
use crate::model::queue::Promise;

use super::answer::{Answer, kept, unknown};
use super::attempt::Attempt;
use super::beat::{Beat, beats, stopped_before};
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
