//! The savepoint between the claim and the handler, per class of error.

use crate::facts::source::trace::Runs;
use crate::model::evidence::Why;
use crate::model::queue::Promise;
use crate::model::schema::Dialect;

use super::answer::{Answer, kept, reason, unknown};
use super::attempt::{Attempt, Read};
use super::classes::Class;
use super::outcome::writes;
use super::read::Act;

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
    if attempt.sometimes(&mark.step.within) {
        return unknown(
            &mark.step.place,
            "the savepoint is set where a condition holds, and whether it holds is not known",
            "set the savepoint in every attempt",
        );
    }
    match after(attempt, Class::Plain) {
        Way::Goes(_) => {}
        Way::Unknown(back) => return not_told(back),
        Way::Passes(back) => {
            return attempt.lacks(
                &back.step.place,
                "an error of the handler does not go back to the savepoint: only some others do",
            );
        }
    }
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

fn on_timeout(attempt: &Attempt<'_>) -> Answer {
    if mark(attempt).is_none() || backs(attempt).next().is_none() {
        return attempt.lacks_transaction(
            "after a wait for a lock that timed out nothing goes back to a savepoint: the handler's \
             half-done work is kept, or the retry is lost",
        );
    }
    match after(attempt, Class::Timeout) {
        Way::Goes(back) => kept(
            &back.step.place,
            "a wait for a lock that timed out goes back to the savepoint like other errors",
        ),
        Way::Unknown(back) => not_told(back),
        Way::Passes(back) => attempt.lacks(
            &back.step.place,
            "a wait for a lock that timed out does not go back to the savepoint, although the savepoint \
             is alive",
        ),
    }
}

/// What an error of one class does.
enum Way<'t> {
    /// It goes back to the savepoint.
    Goes(&'t Read<'t>),
    /// Whether it does is not known.
    Unknown(&'t Read<'t>),
    /// It passes the savepoint over.
    Passes(&'t Read<'t>),
}

fn after<'t>(attempt: &Attempt<'t>, class: Class) -> Way<'t> {
    let mut way = Way::Passes(attempt.hand);
    for back in backs(attempt) {
        let known = attempt.runs_after(class, back);
        let foreign = attempt.foreign(back).is_some();
        match known.filter(|runs| !*runs || !foreign) {
            Some(true) => return Way::Goes(back),
            None => way = Way::Unknown(back),
            Some(false) if matches!(way, Way::Passes(_)) => way = Way::Passes(back),
            Some(false) => {}
        }
    }
    way
}

fn not_told(back: &Read<'_>) -> Answer {
    unknown(
        &back.step.place,
        "which errors go back to the savepoint is not known",
        "tell errors apart by their numbers alone, compared with constants",
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
    match after(attempt, Class::Deadlock) {
        Way::Goes(back) => attempt.lacks(
            &back.step.place,
            "a deadlock has already ended the transaction: going back to the savepoint fails, and what is \
             written next stands alone",
        ),
        Way::Unknown(back) => not_told(back),
        Way::Passes(_) => kept(
            &first.step.place,
            "a deadlock does not go back to a savepoint that is gone",
        ),
    }
}
