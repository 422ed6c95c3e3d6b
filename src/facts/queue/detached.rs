//! The retry that is written where the attempt's own transaction fails.

use crate::facts::source::trace::{Runs, What};

use super::answer::{Answer, kept, unknown};
use super::attempt::Attempt;
use super::beat;
use super::classes::Class;
use super::outcome::{is_retry, writes};

/// The promise that it is written, after every failure, and while the heartbeat runs.
pub(super) fn detached(attempt: &Attempt<'_>) -> Answer {
    let open = attempt.open();
    let Some(tx) = open else {
        return attempt.lacks_transaction(
            "there is no transaction of the attempt whose failure could be told apart",
        );
    };
    let none = "where the attempt's transaction itself fails, no other one writes the retry: the failure is \
                not counted, and the claim stays until it is stale";
    let others = writes(attempt).filter(|read| {
        let beside = match attempt.runs_on(read) {
            Runs::Alone => true,
            Runs::Within(own) => own != tx && own > attempt.hand.at,
            Runs::Unknown => false,
        };
        let mut commits = attempt.steps.iter().filter(|step| {
            matches!(step.step.what, What::Commit(Some(at)) if at == tx) && step.at < read.at
        });
        beside
            && is_retry(read)
            && attempt.failing_at_all(read)
            && !commits.any(|commit| attempt.unseen(commit.at, read.at).is_some())
    });
    let mut doubt = None;
    let mut narrow = None;
    for read in others {
        let place = &read.step.place;
        let mut ways = [Class::Plain, Class::Timeout, Class::Deadlock]
            .into_iter()
            .map(|class| attempt.runs_after(class, read));
        if ways.clone().any(|way| way == Some(false)) {
            narrow = narrow.or(Some(place));
            continue;
        }
        if ways.any(|way| way.is_none()) || attempt.foreign(read).is_some() {
            doubt = doubt.or(Some(place));
            continue;
        }
        if !beat::runs(attempt) {
            return attempt.lacks(
                place,
                "where the attempt's transaction fails, no heartbeat protects the claim until the retry is \
                 written",
            );
        }
        if let Some(signal) = beat::stopped_before(attempt, read) {
            return attempt.lacks(
                &signal.step.place,
                "the heartbeat is stopped before the failure is written: another worker may take the row \
                 over first, and the failure is not counted",
            );
        }
        return kept(
            place,
            "where the attempt's transaction fails, the retry is written in another one while the heartbeat \
             runs",
        );
    }
    match (doubt, narrow) {
        (Some(place), _) => unknown(
            place,
            "after which failures of the attempt's transaction the retry is written is not known",
            "ask for no error but that of a lost claim before it is written",
        ),
        (None, Some(place)) => attempt.lacks(
            place,
            "the retry is written after some failures of the attempt's transaction only: the others are not \
             counted, and the claim stays until it is stale",
        ),
        (None, None) => attempt.lacks(attempt.place(), none),
    }
}
