//! Whether what handlers write is part of the attempt's transaction, handler by handler.

use crate::facts::source::trace::{ATTEMPT, HandlerSteps, Runs, Statement, What};
use crate::model::place::Place;

use super::answer::{Answer, kept, unknown, worse};
use super::attempt::Attempt;

/// The promise that handlers join the attempt.
pub(super) fn joins(attempt: &Attempt<'_>) -> Answer {
    let place = attempt.place();
    let What::HandOff { carries, lost, .. } = &attempt.hand.step.what else {
        return unknown(
            place,
            "the event is not handed off",
            "name the folder of the worker",
        );
    };
    let given = attempt
        .open()
        .is_some_and(|tx| carries.iter().any(|carried| carried.tx == tx));
    if !given {
        return attempt.lacks_transaction(
            "the handlers are not given the attempt's transaction: what they write stays where the \
             attempt is rolled back or its claim is lost, and is written again on the next delivery",
        );
    }
    if *lost {
        return attempt.lacks(
            place,
            "the attempt's transaction is put into the context, and nothing in the tree takes it out",
        );
    }
    let handlers = attempt.trace.handlers.iter();
    let answers = handlers.filter_map(|handler| past(attempt, handler));
    answers
        .reduce(worse)
        .unwrap_or_else(|| kept(place, "the handlers write in the attempt's transaction"))
}

/// What a handler writes beside the attempt's transaction; nothing if all is on it.
fn past(attempt: &Attempt<'_>, handler: &HandlerSteps) -> Option<Answer> {
    let title = &handler.title;
    let mut found: Option<Answer> = None;
    let mut note = |answer: Answer| {
        found = Some(match found.take() {
            Some(before) => worse(before, answer),
            None => answer,
        });
    };
    for step in &handler.steps {
        let What::Statement(run) = &step.what else {
            continue;
        };
        if !writes(run) {
            continue;
        }
        let place: &Place = &step.place;
        match run.on {
            Runs::Within(ATTEMPT) => {}
            Runs::Within(_) => note(attempt.lacks(
                place,
                &format!(
                    "`{title}` writes here in a transaction of its own: it stays where the attempt is rolled \
                     back or its claim is lost"
                ),
            )),
            Runs::Alone => note(attempt.lacks(
                place,
                &format!(
                    "`{title}` writes here outside the attempt's transaction: it stays where the attempt is \
                     rolled back or its claim is lost"
                ),
            )),
            Runs::Unknown => note(unknown(
                place,
                format!("whether `{title}` writes here in the attempt's transaction is not known"),
                "take the transaction out of the context, and hand it down by variables that the tree shows",
            )),
        }
    }
    if !handler.whole {
        note(unknown(
            &handler.place,
            format!("`{title}` is longer than is followed"),
            "split the program, or see by hand that it writes in the attempt's transaction",
        ));
    }
    found
}

/// True of a statement that changes rows, or of which that is not known.
fn writes(run: &Statement) -> bool {
    let text = run.sql.as_ref().unwrap_or(&run.shown).trim_start();
    let word = text.split(|c: char| !c.is_ascii_alphabetic()).next();
    let word = word.unwrap_or_default().to_ascii_uppercase();
    !matches!(
        &*word,
        "SELECT" | "SHOW" | "EXPLAIN" | "PRAGMA" | "SET" | "SAVEPOINT" | "ROLLBACK" | "RELEASE"
    )
}
