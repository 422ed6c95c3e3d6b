//! What becomes of an attempt: the status at its end, and retries.

use crate::facts::source::trace::{End, Inside, Runs, What};
use crate::model::queue::Promise;

use super::answer::{Answer, kept, unknown, worse};
use super::attempt::{Attempt, Read};
use super::detached::detached;
use super::ids::of_another_row;
use super::joins::joins;
use super::read::{Retries, State};
use super::shape::Shape;

/// The promises about what becomes of an attempt.
pub(super) fn answers(attempt: &Attempt<'_>) -> Vec<(Promise, Answer)> {
    let dropped = done_after_error(attempt).map(|done| {
        let answer = attempt.lacks(
            &done.step.place,
            "the row is marked done although its handler failed: what failed is lost",
        );
        (Promise::ErrorsReachDispatcher, answer)
    });
    let all = vec![
        (Promise::RetryReturnsToReady, returns(attempt)),
        (Promise::RetryCounts, counts(attempt)),
        (Promise::RetriesAreBounded, bounded(attempt)),
        (Promise::TerminalStates, terminal(attempt)),
        (Promise::HandlerJoinsAttempt, joins(attempt)),
        (Promise::FencedStatus, fenced(attempt)),
        (Promise::DetachedBookkeeping, detached(attempt)),
    ];
    all.into_iter().chain(dropped).collect()
}

/// Where a row is marked done although its handler failed.
fn done_after_error<'t>(attempt: &Attempt<'t>) -> Option<&'t Read<'t>> {
    let mut done = writes(attempt).filter(|read| sets(read, State::Done) && !attempt.failing(read));
    done.find(|read| attempt.runs_all_the_same(attempt.hand.at, read))
}

/// Changes behind the hand-off that end or repeat an attempt.
pub(super) fn writes<'s, 't: 's>(
    attempt: &'s Attempt<'t>,
) -> impl Iterator<Item = &'t Read<'t>> + 's {
    attempt.after().filter(|read| {
        read.change().is_some_and(|change| {
            change.state.is_some_and(|state| state != State::Claimed)
                || change.unknown_state
                || change.retries.is_some()
        })
    })
}

pub(super) fn is_retry(read: &Read<'_>) -> bool {
    read.change().is_some_and(|change| {
        change.state == Some(State::Ready) || (change.state.is_none() && change.retries.is_some())
    })
}

fn sets(read: &Read<'_>, state: State) -> bool {
    read.change()
        .is_some_and(|change| change.state == Some(state))
}

pub(super) fn retry<'t>(attempt: &Attempt<'t>) -> Option<&'t Read<'t>> {
    writes(attempt).find(|read| is_retry(read) && attempt.failing(read))
}

pub(super) fn no_retry(attempt: &Attempt<'_>) -> Answer {
    attempt.lacks(
        attempt.place(),
        "nothing is written where the handler fails: the event stays as it is, and its retries are \
         never counted",
    )
}

fn returns(attempt: &Attempt<'_>) -> Answer {
    let Some(retry) = retry(attempt) else {
        return no_retry(attempt);
    };
    if let Some(done) = done_after_error(attempt) {
        return attempt.lacks(
            &done.step.place,
            "the row is marked done although its handler failed: the error is dropped on the way, and \
             the event is never retried",
        );
    }
    let ends = writes(attempt).find(|read| match attempt.runs_on(read) {
        Runs::Within(tx) => !attempt.steps.iter().any(|step| {
            matches!(step.step.what, What::Commit(Some(at)) if at == tx) && step.at > read.at
        }),
        _ => false,
    });
    if let Some(read) = ends {
        return attempt.lacks(
            &read.step.place,
            "the transaction in which the status is written is never committed: nothing of the attempt \
             stays",
        );
    }
    if sets(retry, State::Ready) {
        return kept(
            &retry.step.place,
            "a failed attempt returns the row to waiting",
        );
    }
    match attempt.claim() {
        None => kept(&retry.step.place, "the row never leaves waiting, so a failed attempt leaves it there"),
        Some(_) => attempt.lacks(
            &retry.step.place,
            "a failed attempt leaves the row claimed: it is taken up again only when its claim is stale",
        ),
    }
}

fn counts(attempt: &Attempt<'_>) -> Answer {
    let Some(retry) = retry(attempt) else {
        return no_retry(attempt);
    };
    match retry.change().and_then(|change| change.retries) {
        Some(Retries::InSql) => kept(
            &retry.step.place,
            "a failed attempt raises the retry count in SQL",
        ),
        Some(Retries::FromBefore) => kept(
            &retry.step.place,
            "a failed attempt writes the retry count that was read, and one more",
        ),
        Some(Retries::Unknown) => unknown(
            &retry.step.place,
            "which retry count a failed attempt writes is not known",
            "raise it in SQL: retry_count = retry_count + 1",
        ),
        None => attempt.lacks(
            &retry.step.place,
            "a failed attempt does not raise the retry count: the event is retried for ever",
        ),
    }
}

fn bounded(attempt: &Attempt<'_>) -> Answer {
    let dead = writes(attempt).find(|read| sets(read, State::Dead) && attempt.failing(read));
    let Some(dead) = dead else {
        if let Some(read) = writes(attempt).find(|read| {
            attempt.failing(read) && read.change().is_some_and(|change| change.unknown_state)
        }) {
            return unknown(
                &read.step.place,
                "the status that a failed attempt writes is not known",
                "give the status as a constant",
            );
        }
        return attempt.lacks(
            attempt.place(),
            "no failed attempt gives the row up: an event whose handler always fails is retried for \
             ever, and all later events of its record wait",
        );
    };
    let own = &attempt.hand.step.within;
    let around = dead.step.within.iter().rev();
    let mut around = around.filter(|inside| !own.contains(inside));
    let bound = around.find_map(|inside| {
        let (at, arm) = match inside {
            Inside::Then(at) => (*at, true),
            Inside::Else(at) => (*at, false),
            _ => return None,
        };
        let (bound, above) = attempt.branch(at)?.bound.clone()?;
        Some((bound, above == arm))
    });
    let number = bound
        .as_ref()
        .and_then(|(bound, _)| bound.parse::<i64>().ok());
    match bound {
        Some((_, false)) => attempt.lacks(
            &dead.step.place,
            "the row is given up while its retries are few, and not once they are many",
        ),
        Some((bound, true)) if number.is_none_or(|number| number > 0) => kept(
            &dead.step.place,
            format!("the row is given up where a number is not below {bound}"),
        ),
        Some(_) => attempt.lacks(
            &dead.step.place,
            "the row is given up at its first failure: no retry is left to it",
        ),
        None => unknown(
            &dead.step.place,
            "after how many retries the row is given up is not known",
            "compare the retry count with a constant before the row is given up",
        ),
    }
}

fn terminal(attempt: &Attempt<'_>) -> Answer {
    let done = writes(attempt).find(|read| sets(read, State::Done) && !attempt.failing(read));
    let dead = writes(attempt).find(|read| sets(read, State::Dead));
    match (done, dead) {
        (Some(done), Some(_)) => kept(&done.step.place, "rows end as done or as given up"),
        (None, _) => attempt.lacks(
            attempt.place(),
            "no row is ever marked done behind its handler: every event is handed on again",
        ),
        (Some(done), None) => attempt.lacks(
            &done.step.place,
            "no row is ever given up: an event whose handler always fails never ends",
        ),
    }
}

fn fenced(attempt: &Attempt<'_>) -> Answer {
    let mut answer: Option<Answer> = None;
    for read in writes(attempt) {
        let (Some(change), Some(run)) = (read.change(), read.run()) else {
            continue;
        };
        let place = &read.step.place;
        let own = attempt
            .reading
            .applies(change, run, &Shape::new(State::Claimed));
        let others: Vec<Option<bool>> = [State::Ready, State::Done, State::Dead]
            .into_iter()
            .map(|state| attempt.reading.applies(change, run, &Shape::new(state)))
            .collect();
        let others_too = [3, 9].map(|id| {
            let another = Shape::new(State::Claimed).at(2, id);
            attempt.reading.applies(change, run, &another)
        });
        let one = if others_too.contains(&Some(true)) {
            attempt.lacks(
                place,
                "a status is written over other rows than the one that is handled: what other workers hold \
                 ends with it",
            )
        } else if others.contains(&Some(true)) {
            attempt.lacks(
                place,
                "a status is written whatever state the row is in: a worker whose claim was taken over \
                 writes over the state that the new holder left",
            )
        } else if own.is_none() || others.contains(&None) {
            unknown(
                place,
                "over which states a status is written is not known: a part of its condition is not read",
                "write the condition over the id and the status alone",
            )
        } else if own == Some(false) {
            attempt.lacks(
                place,
                "a status is never written: its condition does not fit a claimed row",
            )
        } else {
            refused(attempt, read)
        };
        let one = match of_another_row(attempt, read, "a status write") {
            Some(row) => worse(one, row),
            None => one,
        };
        answer = Some(match answer {
            Some(before) => worse(before, one),
            None => one,
        });
    }
    answer.unwrap_or_else(|| no_retry(attempt))
}

/// What becomes of an attempt whose status write changed no row.
fn refused(attempt: &Attempt<'_>, read: &Read<'_>) -> Answer {
    let place = &read.step.place;
    let Some(ends) = attempt.without_rows(read.at) else {
        return attempt.lacks(
            place,
            "nothing asks whether a status was written: a worker whose claim was taken over commits \
             its handler's work all the same",
        );
    };
    let done = sets(read, State::Done) && attempt.open().is_some();
    if done && attempt.runs_on(read) == Runs::Alone {
        return attempt.lacks(
            place,
            "the row is marked done outside the attempt's transaction: where that is rolled back, the \
             handler's work is lost",
        );
    }
    if done && attempt.runs_on(read) == Runs::Unknown {
        return unknown(
            place,
            "whether the row is marked done in the attempt's transaction is not known",
            "hand the transaction down by a variable that the tree shows",
        );
    }
    if let Runs::Within(tx) = attempt.runs_on(read)
        && done
        && attempt.open() != Some(tx)
    {
        return attempt.lacks(
            place,
            "the row is marked done in another transaction than the attempt's: where that is rolled back, \
             the handler's work is lost",
        );
    }
    let Runs::Within(tx) = attempt.runs_on(read) else {
        return kept(
            place,
            "a status is written only over the claimed row, and 0 rows is looked at",
        );
    };
    let goes_on = "where a status write changed no row the attempt is committed all the same: a worker \
                   whose claim was taken over keeps its handler's work";
    if ends.is_empty() || ends.contains(&End::Goes) {
        return attempt.lacks(place, goes_on);
    }
    if ends.contains(&End::Unknown) {
        return unknown(
            place,
            "whether a status write that changed no row rolls the attempt back is not known",
            "give an error where it changed no row, and roll back on every error",
        );
    }
    // A library that runs the transaction commits where it was begun, and not after an error.
    let begun = attempt.steps.iter().find(|step| step.at == tx);
    let mut commits = attempt.steps.iter().filter(|step| {
        matches!(step.step.what, What::Commit(Some(at)) if at == tx)
            && step.at > read.at
            && begun.is_none_or(|begun| begun.step.place != step.step.place)
    });
    let bad = commits.find_map(|commit| match attempt.only_behind(read.at, commit) {
        true => attempt.drops(read.at, commit.at),
        false => Some(&commit.step.place),
    });
    match bad {
        Some(bad) => attempt.lacks(bad, goes_on),
        None => kept(
            place,
            "a status is written only over the claimed row, and 0 rows rolls the attempt back",
        ),
    }
}
