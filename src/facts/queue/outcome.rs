//! What becomes of an attempt: the status at its end, retries, and the savepoint behind them.

use crate::facts::source::trace::{Runs, What};
use crate::model::outbox::OutboxColumn;
use crate::model::queue::Promise;
use crate::model::schema::Dialect;
use crate::sql::query::Term;

use super::answer::{Answer, kept, reason, unknown, worse};
use super::attempt::{Attempt, Read};
use super::read::{Act, Retries, Shape, State};
use crate::model::evidence::Why;

/// Error numbers of a wait for a lock that timed out.
const TIMEOUTS: [&str; 4] = ["1205", "55P03", "3572", "57014"];
/// Error numbers of a deadlock, and of a conflict that ends the transaction.
const DEADLOCKS: [&str; 4] = ["1213", "40P01", "40001", "9007"];

/// The promises about what becomes of an attempt.
pub(super) fn answers(attempt: &Attempt<'_>) -> Vec<(Promise, Answer)> {
    vec![
        (Promise::RetryReturnsToReady, returns(attempt)),
        (Promise::RetryCounts, counts(attempt)),
        (Promise::RetriesAreBounded, bounded(attempt)),
        (Promise::TerminalStates, terminal(attempt)),
        (Promise::HandlerJoinsAttempt, joins(attempt)),
        (Promise::FencedStatus, fenced(attempt)),
        (Promise::SavepointOnError, savepoint(attempt)),
        (Promise::SavepointOnLockTimeout, on_timeout(attempt)),
        (Promise::DeadlockToldApart, deadlock(attempt)),
        (Promise::DetachedBookkeeping, detached(attempt)),
        (Promise::EpochFence, epoch(attempt)),
        (Promise::RetryCountIsFresh, fresh(attempt)),
        (Promise::NoCallInsideClaim, inside(attempt)),
        (Promise::DatabaseTime, time(attempt)),
    ]
}

/// Changes behind the hand-off that end or repeat an attempt.
fn writes<'s, 't: 's>(attempt: &'s Attempt<'t>) -> impl Iterator<Item = &'t Read<'t>> + 's {
    attempt.after().filter(|read| {
        read.change().is_some_and(|change| {
            change.state.is_some_and(|state| state != State::Claimed)
                || change.unknown_state
                || change.retries.is_some()
        })
    })
}

fn is_retry(read: &Read<'_>) -> bool {
    read.change().is_some_and(|change| {
        change.state == Some(State::Ready) || (change.state.is_none() && change.retries.is_some())
    })
}

fn sets(read: &Read<'_>, state: State) -> bool {
    read.change()
        .is_some_and(|change| change.state == Some(state))
}

fn retry<'t>(attempt: &Attempt<'t>) -> Option<&'t Read<'t>> {
    writes(attempt).find(|read| is_retry(read) && attempt.failing(read))
}

fn no_retry(attempt: &Attempt<'_>) -> Answer {
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
    let bound = dead.step.within.iter().find_map(|inside| {
        let (crate::facts::source::trace::Inside::Then(at)
        | crate::facts::source::trace::Inside::Else(at)) = inside
        else {
            return None;
        };
        attempt.branch(*at)?.bound.clone()
    });
    match bound {
        Some(bound) => kept(
            &dead.step.place,
            format!("the row is given up after {bound} retries"),
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

fn joins(attempt: &Attempt<'_>) -> Answer {
    let What::HandOff { carries, lost } = &attempt.hand.step.what else {
        return no_retry(attempt);
    };
    let place = attempt.place();
    let open = attempt.open();
    match open {
        Some(tx) if carries.contains(&tx) && !lost => {
            kept(place, "the handlers are given the attempt's transaction")
        }
        Some(tx) if carries.contains(&tx) => attempt.lacks(
            place,
            "the attempt's transaction is put into the context, and nothing in the tree takes it out",
        ),
        _ => attempt.lacks(
            place,
            "the handlers are not given the attempt's transaction: what they write stays where the \
             attempt is rolled back or its claim is lost, and is written again on the next delivery",
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
        let one = if others.contains(&Some(true)) {
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
        } else if attempt.looked_at(read.at) {
            kept(
                place,
                "a status is written only over the claimed row, and 0 rows is looked at",
            )
        } else {
            attempt.lacks(
                place,
                "nothing asks whether a status was written: a worker whose claim was taken over commits \
                 its handler's work all the same",
            )
        };
        answer = Some(match answer {
            Some(before) => worse(before, one),
            None => one,
        });
    }
    answer.unwrap_or_else(|| no_retry(attempt))
}

/// The savepoint before the hand-off, in the transaction that is open there.
fn mark<'t>(attempt: &Attempt<'t>) -> Option<&'t Read<'t>> {
    let open = attempt.open();
    let mut before = attempt.before();
    before.find(|read| {
        matches!(read.act, Act::Savepoint)
            && match attempt.runs_on(read) {
                Runs::Within(tx) => Some(tx) == open,
                _ => false,
            }
    })
}

/// Where the attempt goes back to it.
fn backs<'s, 't: 's>(attempt: &'s Attempt<'t>) -> impl Iterator<Item = &'t Read<'t>> + 's {
    attempt
        .after()
        .filter(|read| matches!(read.act, Act::RollbackTo) && attempt.failing(read))
}

fn savepoint(attempt: &Attempt<'_>) -> Answer {
    let Some(mark) = mark(attempt) else {
        return attempt.lacks(
            attempt.place(),
            "no savepoint stands behind the claim: where the handler fails, its half-done work is \
             committed with the retry, or the retry is rolled back with it",
        );
    };
    let Some(back) = backs(attempt).next() else {
        return attempt.lacks(
            &mark.step.place,
            "nothing goes back to the savepoint where the handler fails: its half-done work is \
             committed with the retry",
        );
    };
    let written = writes(attempt).any(|read| read.at > back.at && attempt.failing(read));
    match written {
        true => kept(
            &back.step.place,
            "where the handler fails, its work is rolled back to the savepoint and the retry is written",
        ),
        false => attempt.lacks(
            &back.step.place,
            "behind the rollback to the savepoint no retry is written",
        ),
    }
}

/// Whether the way to a rollback goes through one of these errors, or leaves them out.
fn told(attempt: &Attempt<'_>, read: &Read<'_>, codes: &[&str]) -> Option<bool> {
    attempt.errors(read).iter().rev().find_map(|(branch, arm)| {
        let named = branch.codes.iter().any(|code| codes.contains(&&**code));
        named.then_some(*arm)
    })
}

fn on_timeout(attempt: &Attempt<'_>) -> Answer {
    if mark(attempt).is_none() || backs(attempt).next().is_none() {
        return attempt.lacks(
            attempt.place(),
            "after a wait for a lock that timed out nothing goes back to a savepoint: the handler's \
             half-done work is kept, or the retry is lost",
        );
    }
    let mut left_out = None;
    for back in backs(attempt) {
        match told(attempt, back, &TIMEOUTS) {
            Some(false) => left_out = Some(back),
            Some(true) | None => {
                let errors = attempt.errors(back);
                let narrowed = errors.iter().any(|(branch, arm)| {
                    *arm && !branch.codes.is_empty()
                        && !branch.codes.iter().any(|code| TIMEOUTS.contains(&&**code))
                });
                if !narrowed {
                    return kept(
                        &back.step.place,
                        "a wait for a lock that timed out goes back to the savepoint like other errors",
                    );
                }
            }
        }
    }
    let place = left_out.map_or(attempt.place(), |back| &back.step.place);
    attempt.lacks(
        place,
        "a wait for a lock that timed out does not go back to the savepoint, although the savepoint \
         is alive",
    )
}

fn deadlock(attempt: &Attempt<'_>) -> Answer {
    let place = attempt.place();
    match attempt.reading.dialect {
        Some(Dialect::Postgres | Dialect::Sqlite) => {
            return kept(
                place,
                "on this engine a savepoint is alive after a deadlock",
            );
        }
        Some(_) => {}
        None => {
            return reason(
                Why::NotGiven,
                Some(place.clone()),
                "whether a deadlock ends the transaction is not known: the engine is not",
                "give the schema with its dialect, or the database",
            );
        }
    }
    let Some(first) = backs(attempt).next() else {
        return attempt.lacks(
            place,
            "a deadlock is not told apart from errors that leave the transaction alive",
        );
    };
    for back in backs(attempt) {
        let apart = told(attempt, back, &DEADLOCKS) == Some(false)
            || attempt.errors(back).iter().any(|(branch, arm)| {
                *arm && branch.codes.iter().any(|code| TIMEOUTS.contains(&&**code))
            });
        if !apart {
            return attempt.lacks(
                &back.step.place,
                "a deadlock has already ended the transaction: going back to the savepoint fails, and \
                 what is written next stands alone",
            );
        }
    }
    kept(
        &first.step.place,
        "a deadlock does not go back to a savepoint that is gone",
    )
}

fn detached(attempt: &Attempt<'_>) -> Answer {
    let open = attempt.open();
    let Some(tx) = open else {
        return attempt.lacks(
            attempt.place(),
            "there is no transaction of the attempt whose failure could be told apart",
        );
    };
    let other = writes(attempt).find(|read| {
        let apart = match attempt.runs_on(read) {
            Runs::Alone => true,
            Runs::Within(own) => own != tx && own > attempt.hand.at,
            Runs::Unknown => false,
        };
        apart && is_retry(read) && attempt.failing(read)
    });
    match other {
        Some(read) => kept(
            &read.step.place,
            "where the attempt's transaction fails, the retry is written in another one",
        ),
        None => attempt.lacks(
            attempt.place(),
            "where the attempt's transaction itself fails, no other one writes the retry: the failure \
             is not counted, and the claim stays until it is stale",
        ),
    }
}

fn epoch(attempt: &Attempt<'_>) -> Answer {
    let mut last = None;
    for read in writes(attempt) {
        let Some(change) = read.change() else {
            continue;
        };
        let compares = match &change.only_if {
            Ok(Some(term)) => names_stamp(attempt, term),
            _ => false,
        };
        if !compares {
            return attempt.lacks(
                &read.step.place,
                "a status write does not ask for the claim's own stamp: a worker that wakes after its \
                 claim was taken over cannot be told from the new holder",
            );
        }
        last = Some(read);
    }
    match last {
        Some(read) => kept(
            &read.step.place,
            "status writes ask for the claim's own stamp",
        ),
        None => no_retry(attempt),
    }
}

fn names_stamp(attempt: &Attempt<'_>, term: &Term) -> bool {
    let stamp = |term: &Term| match term {
        Term::Column(_, name) => matches!(
            attempt.reading.part(name),
            Some(OutboxColumn::Modified | OutboxColumn::RetryCount)
        ),
        _ => false,
    };
    match term {
        Term::And(left, right) => names_stamp(attempt, left) || names_stamp(attempt, right),
        Term::Compare(crate::sql::query::Comparison::Equal, left, right) => {
            stamp(left) || stamp(right)
        }
        _ => false,
    }
}

fn fresh(attempt: &Attempt<'_>) -> Answer {
    let Some(retry) = retry(attempt) else {
        return no_retry(attempt);
    };
    match retry.change().and_then(|change| change.retries) {
        Some(Retries::InSql) => kept(&retry.step.place, "the retry count is raised in SQL"),
        Some(Retries::FromBefore) => attempt.lacks(
            &retry.step.place,
            "the retry count was read before the claim: two attempts may write the same number, and \
             one of them is not counted",
        ),
        Some(Retries::Unknown) => unknown(
            &retry.step.place,
            "which retry count is written is not known",
            "raise it in SQL: retry_count = retry_count + 1",
        ),
        None => attempt.lacks(&retry.step.place, "the retry count is not raised"),
    }
}

fn inside(attempt: &Attempt<'_>) -> Answer {
    let claim = attempt.claim();
    let Some(claim) = claim else {
        return match attempt.open() {
            Some(_) => attempt.lacks(
                attempt.place(),
                "the handlers run while the claim's lock is held: a slow call outside holds it as long",
            ),
            None => attempt.lacks(attempt.place(), "there is no claim"),
        };
    };
    let outside = match attempt.runs_on(claim) {
        Runs::Alone => None,
        Runs::Within(tx) => {
            let Some(commit) = attempt.committed(tx) else {
                return attempt.lacks(
                    &claim.step.place,
                    "the handlers run inside the claim's transaction: a slow call outside holds its \
                     locks as long",
                );
            };
            let mut between = attempt.before();
            between.find(|read| {
                (claim.at..commit.at).contains(&read.at) && matches!(read.step.what, What::Outside)
            })
        }
        Runs::Unknown => {
            return unknown(
                &claim.step.place,
                "where the claim's transaction ends is not known",
                "hand the transaction down by a variable that the tree shows",
            );
        }
    };
    match outside {
        None => kept(
            &claim.step.place,
            "nothing outside the database is called before the claim is committed",
        ),
        Some(read) => attempt.lacks(
            &read.step.place,
            "something outside the database is called before the claim is committed",
        ),
    }
}

fn time(attempt: &Attempt<'_>) -> Answer {
    use crate::facts::source::trace::Given;
    let mut seen = None;
    for read in attempt.steps {
        let beats = match &read.act {
            Act::Updates(change) => change.beats == Some(true),
            Act::Selects(_) => false,
            _ => continue,
        };
        let Some(run) = read.run() else { continue };
        let by_process = run
            .given
            .iter()
            .any(|given| matches!(given, Given::Now | Given::OfClock));
        if beats || by_process {
            return attempt.lacks(
                &read.step.place,
                "a cutoff or heartbeat is made of the process's clock: a server whose clock is ahead \
                 takes over claims that are alive",
            );
        }
        seen = seen.or(Some(read));
    }
    match seen {
        Some(read) => kept(
            &read.step.place,
            "cutoffs and heartbeats are in the database's time",
        ),
        None => no_retry(attempt),
    }
}
