//! The claim: one conditional update, whose row count is used, committed before the handler runs.

use crate::facts::source::trace::{End, Inside, Runs, What};
use crate::model::queue::Promise;
use crate::model::schema::Dialect;

use super::answer::{Answer, kept, reason, unknown};
use super::attempt::{Attempt, Read, spawns};
use super::barrier::barrier;
use super::read::{Act, Shape, State};
use crate::model::evidence::Why;

/// The promises about the claim.
pub(super) fn answers(attempt: &Attempt<'_>) -> Vec<(Promise, Answer)> {
    vec![
        (Promise::AtomicClaim, atomic(attempt)),
        (Promise::ClaimCommittedFirst, committed(attempt)),
        (Promise::LostClaimIsBenign, benign(attempt)),
        (Promise::Heartbeat, heartbeat(attempt)),
        (Promise::EngineLocks, locks(attempt)),
        (Promise::NoBatchBarrier, barrier(attempt)),
    ]
}

fn atomic(attempt: &Attempt<'_>) -> Answer {
    let Some(claim) = attempt.claim() else {
        return no_claim(attempt);
    };
    let (Some(change), Some(run)) = (claim.change(), claim.run()) else {
        return no_claim(attempt);
    };
    let place = &claim.step.place;
    let other = |shape: Shape| shape.at(2, 3);
    let cases = [
        (
            Shape::new(State::Ready),
            true,
            "the claim never takes a row that waits",
        ),
        (
            Shape::new(State::Claimed).old(),
            true,
            "the claim never takes a row whose heartbeat stopped: it stays claimed for ever",
        ),
        (
            Shape::new(State::Claimed),
            false,
            "the claim takes a row that another worker holds: both run the handler",
        ),
        (
            Shape::new(State::Done).old(),
            false,
            "the claim takes a row that is done: a worker that read it before hands it on again",
        ),
        (
            Shape::new(State::Dead).old(),
            false,
            "the claim takes a row that was given up: a worker that read it before hands it on again",
        ),
        (
            other(Shape::new(State::Ready)),
            false,
            "the claim takes other rows than the one meant: they stay claimed, and nobody handles them",
        ),
    ];
    for (shape, must, harm) in cases {
        match attempt.reading.applies(change, run, &shape) {
            None => {
                return unknown(
                    place,
                    "which rows the claim takes is not known: a part of its condition is not read",
                    "write the condition over the id, the status and the heartbeat alone",
                );
            }
            Some(applies) if applies != must => return attempt.lacks(place, harm),
            Some(_) => {}
        }
    }
    if attempt.won(claim.at) {
        return kept(
            place,
            "one update takes a row that waits or is stale, and the handler runs only where it changed a row; \
             that the id given is the chosen row's is not read",
        );
    }
    attempt.lacks(
        place,
        "nothing asks whether the claim changed a row: two workers that chose the same row both run \
         the handler",
    )
}

fn no_claim(attempt: &Attempt<'_>) -> Answer {
    let mut before = attempt.before();
    let unknown_state =
        before.find(|read| read.change().is_some_and(|change| change.unknown_state));
    if let Some(read) = unknown_state {
        return unknown(
            &read.step.place,
            "the status that an update before the handler sets is not known",
            "give the status as a constant",
        );
    }
    match row_lock(attempt) {
        Some(read) => attempt.lacks(
            &read.step.place,
            "the row is only locked, and its status stays: once the lock is gone, nothing shows that \
             a worker holds it",
        ),
        None => attempt.lacks(
            attempt.place(),
            "no update moves the row to claimed before its handler runs: two workers that chose the \
             same row both run it",
        ),
    }
}

/// The query that locks the row.
fn row_lock<'t>(attempt: &Attempt<'t>) -> Option<&'t Read<'t>> {
    let mut before = attempt.before();
    before.find(|read| matches!(&read.act, Act::Selects(query) if query.locks.is_some()))
}

fn committed(attempt: &Attempt<'_>) -> Answer {
    let Some(claim) = attempt.claim() else {
        return match row_lock(attempt) {
            Some(read) => attempt.lacks(
                &read.step.place,
                "the claim is a lock of the handler's own transaction: a crash leaves no trace of it, \
                 and others cannot pass the row over",
            ),
            None => attempt.lacks(attempt.place(), "there is no claim that could be committed"),
        };
    };
    let place = &claim.step.place;
    match attempt.runs_on(claim) {
        Runs::Alone => kept(place, "the claim is a transaction of its own"),
        Runs::Within(tx) => match attempt.committed(tx) {
            Some(commit) => kept(&commit.step.place, "the claim is committed before the handler runs"),
            None => attempt.lacks(
                place,
                "the claim is committed only with the handler's work: until then others wait for the \
                 row, or do not see that it is taken",
            ),
        },
        Runs::Unknown => unknown(
            place,
            "what the claim runs on is not known: a connection, or a transaction that ends later",
            "hand the transaction or the connection down by a variable that the tree shows",
        ),
    }
}

fn benign(attempt: &Attempt<'_>) -> Answer {
    let claim = attempt.claim().or_else(|| row_lock(attempt));
    let Some(claim) = claim else {
        return attempt.lacks(attempt.place(), "there is no claim that could be lost");
    };
    let place = &claim.step.place;
    let mut loops = claim
        .step
        .within
        .iter()
        .rev()
        .filter_map(|inside| match inside {
            Inside::Loop(number) => Some(*number),
            _ => None,
        });
    let Some(inner) = loops.next() else {
        return unknown(
            place,
            "no loop around the claim was found",
            "see that whoever calls the worker calls it again",
        );
    };
    let mut selects = attempt
        .before()
        .filter(|read| matches!(read.act, Act::Selects(_)));
    let chooses = selects.any(|read| read.step.within.contains(&Inside::Loop(inner)));
    if !attempt.trace.each.contains(&inner) && !chooses {
        return attempt.lacks(
            place,
            "a worker that loses a claim tries the same row again and again, and works on no other",
        );
    }
    // The error of a lost claim, and whoever leaves the loop of the worker because of it.
    let fails = attempt.without_rows(claim.at);
    if fails.is_some_and(|ends| ends.contains(&End::Fails)) {
        // The loop of the worker is the first behind the place where it was started.
        let outermost = claim
            .step
            .within
            .iter()
            .fold(None, |found, inside| match inside {
                Inside::Spawn(_) => None,
                Inside::Loop(number) => found.or(Some(*number)),
                _ => found,
            });
        let stops = attempt.trace.branches.iter().position(|branch| {
            let about = branch.about.iter();
            let ours = about
                .clone()
                .any(|(from, end)| (*from..*end).contains(&claim.at));
            let leaves = branch
                .ends
                .iter()
                .any(|(arm, _)| branch.failed == Some(*arm));
            ours && leaves && branch.hit.is_none() && branch.inside == outermost
        });
        // Another condition may have told a lost claim apart before.
        let before = attempt.trace.branches.iter().take(stops.unwrap_or(0));
        let told = before.clone().any(|branch| {
            let mut about = branch.about.iter();
            about.any(|(from, end)| (*from..*end).contains(&claim.at))
                && branch.failed.is_none()
                && branch.hit.is_none()
                && branch.inside == outermost
        });
        if stops.is_some() && told {
            return unknown(
                place,
                "whether an error that stands for a lost claim ends the worker is not known",
                "let a lost claim be a result of its own, and no error",
            );
        }
        if stops.is_some() {
            return attempt.lacks(
                place,
                "a lost claim is an error that ends the worker: after enough races nobody works",
            );
        }
    }
    kept(
        place,
        "a worker that loses a claim goes on with the next row",
    )
}

fn heartbeat(attempt: &Attempt<'_>) -> Answer {
    let beats = |read: &&Read<'_>| {
        read.change()
            .is_some_and(|change| change.beats.is_some() && change.state.is_none())
    };
    let mut beside = attempt.beside().filter(beats);
    let Some(beat) = beside.next() else {
        // What a macro or a library runs side by side is gone through one after the other.
        let mut others = attempt.steps.iter().filter(beats);
        if let Some(beat) = others.find(|read| read.at > attempt.hand.at)
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
    let place = &beat.step.place;
    let thread: Vec<Inside> = spawns(&beat.step.within).collect();
    let repeats = beat.step.within.iter().any(|inside| {
        matches!(inside, Inside::Loop(_)) && !attempt.hand.step.within.contains(inside)
    });
    let ticks = attempt.beside().any(|read| {
        matches!(read.step.what, What::Tick)
            && spawns(&read.step.within).any(|spawn| thread.contains(&spawn))
    }) || attempt
        .before()
        .any(|read| matches!(read.step.what, What::Tick));
    if !repeats || !ticks {
        return attempt.lacks(
            place,
            "the heartbeat is moved once and not again and again: a long handler looks dead all the same",
        );
    }
    let held = |state: State, old: bool| {
        let (change, run) = (beat.change()?, beat.run()?);
        let shape = Shape::new(state);
        let shape = if old { shape.old() } else { shape };
        attempt.reading.applies(change, run, &shape)
    };
    match (held(State::Claimed, false), held(State::Claimed, true)) {
        (Some(true), Some(true)) => {}
        (Some(false), _) => {
            return attempt.lacks(
                place,
                "the heartbeat is never moved: its condition does not fit a claimed row",
            );
        }
        _ => {
            return unknown(
                place,
                "which rows the heartbeat moves is not known: a part of its condition is not read",
                "write the condition over the id and the status alone",
            );
        }
    }
    match attempt.runs_on(beat) {
        Runs::Within(tx) if Some(tx) == attempt.open() => attempt.lacks(
            place,
            "the heartbeat is written in the attempt's transaction: no other worker sees it before \
             the commit",
        ),
        _ => kept(
            place,
            "the heartbeat moves again and again in a thread beside the handler; its interval, and when \
             it is stopped, are not read",
        ),
    }
}

fn locks(attempt: &Attempt<'_>) -> Answer {
    if let Some(claim) = attempt.claim()
        && attempt.won(claim.at)
    {
        return kept(
            &claim.step.place,
            "the claim rests on a conditional update, which every engine does atomically",
        );
    }
    let Some(lock) = row_lock(attempt) else {
        return attempt.lacks(
            attempt.place(),
            "no lock of the engine stands behind the claim",
        );
    };
    let place = &lock.step.place;
    match attempt.reading.dialect {
        Some(Dialect::Tidb) => attempt.lacks(
            place,
            "TiDB runs FOR UPDATE SKIP LOCKED as a plain read: two workers get the same row, and both \
             run its handler",
        ),
        Some(Dialect::Sqlite) => attempt.lacks(place, "SQLite has no locks of rows"),
        Some(_) => kept(place, "the engine gives the lock of the row that the query asks for"),
        None => reason(
            Why::NotGiven,
            Some(place.clone()),
            "the claim rests on a lock of the row, and which engine runs it is not known",
            "give the schema with its dialect, or the database",
        ),
    }
}
