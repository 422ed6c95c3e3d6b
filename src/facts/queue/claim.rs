//! The claim: one conditional update of the chosen row, whose row count is used, committed before the
//! handler runs.

use crate::facts::source::trace::{End, Inside, Runs};
use crate::model::queue::Promise;
use crate::model::schema::Dialect;

use super::answer::{Answer, kept, reason, unknown, worse};
use super::attempt::{Attempt, Read};
use super::barrier::barrier;
use super::ids::of_another_row;
use super::read::{Act, Change, Stamp, State};
use super::shape::Shape;
use crate::model::evidence::Why;

/// The promises about the claim.
pub(super) fn answers(attempt: &Attempt<'_>) -> Vec<(Promise, Answer)> {
    vec![
        (Promise::AtomicClaim, atomic(attempt)),
        (Promise::ClaimCommittedFirst, committed(attempt)),
        (Promise::LostClaimIsBenign, benign(attempt)),
        (Promise::EngineLocks, locks(attempt)),
        (Promise::NoBatchBarrier, barrier(attempt)),
    ]
}

fn atomic(attempt: &Attempt<'_>) -> Answer {
    let answers = attempt.claims().map(|claim| atomic_one(attempt, claim));
    answers.reduce(worse).unwrap_or_else(|| no_claim(attempt))
}

fn atomic_one(attempt: &Attempt<'_>, claim: &Read<'_>) -> Answer {
    let (Some(change), Some(run)) = (claim.change(), claim.run()) else {
        return no_claim(attempt);
    };
    let place = &claim.step.place;
    let (older, younger) = (|shape: Shape| shape.at(1, 3), |shape: Shape| shape.at(3, 9));
    let others =
        "the claim takes other rows than the one meant: they stay claimed, and nobody handles them";
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
        (older(Shape::new(State::Ready)), false, others),
        (younger(Shape::new(State::Ready)), false, others),
        (older(Shape::new(State::Claimed).old()), false, others),
        (younger(Shape::new(State::Claimed).old()), false, others),
    ];
    for (shape, must, harm) in cases {
        match attempt.reading.applies(change, run, &shape) {
            None => {
                if let Some(answer @ Answer::Absent(_)) =
                    of_another_row(attempt, claim, "the claim")
                {
                    return answer;
                }
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
    let found = stamped(attempt, claim, change)
        .or_else(|| cutoffs(attempt, claim))
        .or_else(|| of_another_row(attempt, claim, "the claim"));
    if let Some(answer) = found {
        return answer;
    }
    if attempt.won(claim.at) {
        return kept(
            place,
            "one update takes the chosen row where it waits or is stale, and the handler runs only where it \
             changed a row",
        );
    }
    if attempt.claims().count() > 1 {
        return unknown(
            place,
            "which of several claims the handler rests on is not known",
            "let one update claim the row, whatever its id",
        );
    }
    attempt.lacks(
        place,
        "nothing asks whether the claim changed a row: two workers that chose the same row both run \
         the handler",
    )
}

/// Nothing if the claim moves the heartbeat: a row that waited long would be stale at once.
fn stamped(attempt: &Attempt<'_>, claim: &Read<'_>, change: &Change) -> Option<Answer> {
    let place = &claim.step.place;
    match change.stamp {
        Stamp::Database | Stamp::Process(_) => None,
        Stamp::Kept | Stamp::Stale => Some(attempt.lacks(
            place,
            "the claim does not move the stamp of the row: one that waited longer than the cutoff is \
             stale at once, and a second worker takes it over",
        )),
        Stamp::Unknown => Some(unknown(
            place,
            "which stamp the claim writes is not known",
            "let the claim write the database's time",
        )),
    }
}

/// Nothing if the claim calls stale what the query for candidates calls stale.
fn cutoffs(attempt: &Attempt<'_>, claim: &Read<'_>) -> Option<Answer> {
    /// So far may `<` and `<=` lie apart, in microseconds.
    const SAME: i64 = 1_000;
    let (_, run, query) = attempt.selection()?;
    let chosen = attempt.reading.chooses_at(query, run)?;
    let claimed = attempt.reading.changes_at(claim.change()?, claim.run()?);
    let place = &claim.step.place;
    let Some(claimed) = claimed else {
        return Some(unknown(
            place,
            "whether the claim has the cutoff of the query for candidates is not known",
            "write one constant into both",
        ));
    };
    if (chosen - claimed).abs() <= SAME {
        return None;
    }
    let (chosen_for, claimed_for) = (in_words(chosen), in_words(claimed));
    Some(attempt.lacks(
        place,
        &match claimed < chosen {
            true => format!(
                "the claim's cutoff is {claimed_for}, the query's {chosen_for}: a worker that chose the row \
                 before takes it from one that is alive"
            ),
            false => format!(
                "the claim's cutoff is {claimed_for}, the query's {chosen_for}: rows in between are chosen \
                 again and again, and nobody can claim them"
            ),
        },
    ))
}

/// Microseconds in words, as whole units.
pub(super) fn in_words(micros: i64) -> String {
    match micros {
        micros if micros % 60_000_000 == 0 => format!("{} min", micros / 60_000_000),
        micros if micros >= 1_000_000 => format!("{} s", micros / 1_000_000),
        micros => format!("{} ms", micros / 1_000),
    }
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
