//! The savepoint between the claim and the handler, per class of error.

use crate::facts::source::trace::Runs;
use crate::model::evidence::Why;
use crate::model::queue::Promise;
use crate::model::schema::Dialect;

use super::answer::{Answer, kept, reason};
use super::attempt::{Attempt, Read};
use super::outcome::writes;
use super::read::Act;

/// Error numbers of a wait for a lock that timed out.
const TIMEOUTS: [&str; 4] = ["1205", "55P03", "3572", "57014"];
/// Error numbers of a deadlock, and of a conflict that ends the transaction.
const DEADLOCKS: [&str; 4] = ["1213", "40P01", "40001", "9007"];

/// The promises about the savepoint.
pub(super) fn answers(attempt: &Attempt<'_>) -> Vec<(Promise, Answer)> {
    vec![
        (Promise::SavepointOnError, savepoint(attempt)),
        (Promise::SavepointOnLockTimeout, on_timeout(attempt)),
        (Promise::DeadlockToldApart, deadlock(attempt)),
    ]
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

/// The name of the savepoint that a statement sets or goes back to.
fn name_of(read: &Read<'_>) -> Option<String> {
    let run = read.run()?;
    let text = run.sql.as_ref().unwrap_or(&run.shown);
    let word = text
        .trim()
        .trim_end_matches(';')
        .split_whitespace()
        .last()?;
    Some(word.trim_matches(['`', '"', '[', ']']).to_lowercase())
}

/// True if the worker speaks to MySQL, whatever engine the schema was read from: a copy of it may be kept
/// in another one.
fn speaks_mysql(attempt: &Attempt<'_>) -> bool {
    attempt.steps.iter().any(|read| {
        let sql = read.run().and_then(|run| run.sql.as_ref());
        sql.is_some_and(|sql| {
            let upper = sql.to_ascii_uppercase();
            upper.contains('`') || upper.contains("NOW(") || upper.contains("INTERVAL ")
        })
    })
}

/// Where the attempt goes back to it.
fn backs<'s, 't: 's>(attempt: &'s Attempt<'t>) -> impl Iterator<Item = &'t Read<'t>> + 's {
    let set = mark(attempt).and_then(name_of);
    attempt.after().filter(move |read| {
        matches!(read.act, Act::RollbackTo) && attempt.failing(read) && name_of(read) == set
    })
}

fn savepoint(attempt: &Attempt<'_>) -> Answer {
    let Some(mark) = mark(attempt) else {
        return attempt.lacks_transaction(
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
    let mut same = writes(attempt).filter(|read| {
        read.at > back.at && attempt.failing(read) && attempt.runs_on(read) == attempt.runs_on(back)
    });
    if let Some(read) = same.find(|read| attempt.runs_all_the_same(back.at, read)) {
        return attempt.lacks(
            &read.step.place,
            "the retry is written although the rollback to the savepoint failed: its error is dropped, \
             and the handler's half-done work is committed",
        );
    }
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
        return attempt.lacks_transaction(
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
        Some(Dialect::Sqlite) if speaks_mysql(attempt) => {}
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
