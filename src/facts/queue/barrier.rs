//! Rounds that wait for all that they started, and an order of events that one process keeps in memory.

use crate::facts::source::trace::{Inside, What};

use super::answer::{Answer, kept, unknown};
use super::attempt::{Attempt, deferred, spawns};
use super::read::Act;

/// The promise that no worker waits for a batch of others.
pub(super) fn barrier(attempt: &Attempt<'_>) -> Answer {
    let own = &attempt.hand.step.within;
    let loops: Vec<&Inside> = own
        .iter()
        .filter(|inside| matches!(inside, Inside::Loop(_)))
        .collect();
    for read in attempt.steps {
        match read.step.what {
            What::Hash if deferred(read) => {}
            What::Hash => {
                return attempt.lacks(
                    &read.step.place,
                    "a hash in memory decides which worker takes an event: a second process does not \
                     know of it, and events of one record run side by side",
                );
            }
            // A wait for workers that were started in the same round.
            What::Wait if !deferred(read) => {
                let same = read
                    .step
                    .within
                    .iter()
                    .any(|inside| loops.contains(&inside));
                let beside = spawns(own).any(|spawn| !read.step.within.contains(&spawn));
                if same && beside {
                    return attempt.lacks(
                        &read.step.place,
                        "each round waits until every event of its batch is handled: one slow handler \
                         holds up all others",
                    );
                }
            }
            _ => {}
        }
    }
    if !attempt.trace.whole {
        return attempt.lacks(attempt.place(), "");
    }
    let mut selects = attempt.before();
    let one_of_many = selects.any(|read| {
        matches!(read.act, Act::Selects(_))
            && spawns(own).any(|spawn| !read.step.within.contains(&spawn))
    });
    if one_of_many && attempt.trace.awaits(attempt.hand.at) {
        return unknown(
            attempt.place(),
            "each event is handled in a task of its own, and whether the round waits for all of them \
             is not read",
            "let each worker choose, claim and handle one event after another",
        );
    }
    kept(
        attempt.place(),
        "no worker waits for a batch of others, and no hash in memory orders events",
    )
}
