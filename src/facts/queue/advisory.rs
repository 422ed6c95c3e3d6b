//! What is told of an attempt and holds no flag.

use crate::facts::source::trace::{Runs, What};
use crate::model::outbox::OutboxColumn;
use crate::model::queue::Promise;
use crate::sql::query::Term;

use super::answer::{Answer, kept, unknown};
use super::attempt::Attempt;
use super::outcome::{no_retry, retry, writes};
use super::read::{Act, Retries, Stamp};

/// The promises that are told only.
pub(super) fn answers(attempt: &Attempt<'_>) -> Vec<(Promise, Answer)> {
    vec![
        (Promise::EpochFence, epoch(attempt)),
        (Promise::RetryCountIsFresh, fresh(attempt)),
        (Promise::NoCallInsideClaim, inside(attempt)),
        (Promise::DatabaseTime, time(attempt)),
    ]
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
            Act::Updates(change) => matches!(change.stamp, Stamp::Process(_)),
            Act::Selects(_) => false,
            _ => continue,
        };
        let Some(run) = read.run() else { continue };
        let by_process = run
            .given
            .iter()
            .any(|given| matches!(given, Given::Now(_) | Given::OfClock(..)));
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
