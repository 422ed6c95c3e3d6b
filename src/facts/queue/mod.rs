//! The promises of the queue, read from the source of its workers.
//!
//! What the workers do is walked in order (`super::source::trace`); the statements on the outbox are
//! asked which rows they take. Each promise is then kept, broken or not known, with its place. Nothing
//! is decided by a name: statements, transactions, row counts and threads decide.

mod advisory;
mod answer;
mod attempt;
mod barrier;
mod beat;
mod claim;
mod classes;
mod detached;
mod eligible;
mod flag;
mod harm;
mod heartbeat;
mod ids;
mod joins;
mod outcome;
mod read;
mod rest;
mod savepoint;
mod shape;
mod whole;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(super) use harm::harm_of;

use crate::model::evidence::{Reason, Why};
use crate::model::guarantee::Code;
use crate::model::map::ConsumerMap;
use crate::model::outbox::OutboxNames;
use crate::model::queue::{Promise, Queue};
use crate::model::schema::Dialect;
use crate::model::source::SourceTree;
use crate::rules::Rules;

use super::source::trace::{Inside, Step, Trace, Wanted, What};
use super::source::{map_and_trace, on_deep_stack};
use answer::{Answer, reason, worse};
use attempt::{Attempt, Read};
use read::{Act, Reading};

/// What the promises are read from.
#[derive(Debug, Clone, Copy)]
pub struct QueueInput<'a> {
    /// The source.
    pub tree: &'a SourceTree,
    /// What is known of libraries.
    pub rules: &'a Rules,
    /// Names of the outbox: its table, columns and states.
    pub outbox: &'a OutboxNames,
    /// The engine, where it is known.
    pub dialect: Option<Dialect>,
    /// Name of the setting that chooses the workers.
    pub flag: Option<&'a str>,
    /// Functions that guarantees name; none where nothing is guaranteed.
    pub named: Option<&'a BTreeSet<Arc<str>>>,
}

/// What the source shows.
#[derive(Debug)]
pub struct SourceRead {
    /// Its consumers.
    pub map: ConsumerMap,
    /// The queue, where an outbox is named.
    pub queue: Option<Queue>,
    /// What the functions that guarantees name do, where there are guarantees.
    pub code: Option<Code>,
}

/// A queue of which nothing is known, for one reason.
pub fn unread(why: Why, sentence: &str, next: &str) -> Queue {
    let all = Promise::ALL.into_iter();
    Queue {
        promises: all
            .map(|promise| (promise, reason(why, None, sentence, next)))
            .collect(),
        ..Queue::default()
    }
}

/// Maps the source and reads the promises, where deeply nested code does not end the program.
///
/// # Errors
/// If the analysis ends before it is done; of the queue nothing is known then ([`lost`]).
pub fn source_on_deep_stack(input: QueueInput<'_>) -> Result<SourceRead, Reason> {
    on_deep_stack(|| source(input))
}

/// A queue of which nothing is known, because its source could not be analysed.
pub fn lost(reason: &Arc<Reason>) -> Queue {
    let all = Promise::ALL.into_iter();
    Queue {
        promises: all
            .map(|promise| (promise, Answer::Unknown(Arc::clone(reason))))
            .collect(),
        ..Queue::default()
    }
}

/// Maps the source, and reads the promises of the queue where an outbox is named: one analysis of the
/// tree serves both.
pub fn source(input: QueueInput<'_>) -> SourceRead {
    let wanted = (!input.outbox.tables.is_empty()).then_some(Wanted {
        tables: &input.outbox.tables,
        flag: input.flag,
    });
    let read = map_and_trace(input.tree, input.rules, wanted, input.named);
    let queue = read.trace.map(|trace| queue(input, &trace, &read.map));
    SourceRead {
        map: read.map,
        queue,
        code: read.code,
    }
}

/// Reads the promises.
fn queue(input: QueueInput<'_>, trace: &Trace, map: &ConsumerMap) -> Queue {
    let reading = Reading {
        outbox: input.outbox,
        dialect: input.dialect,
    };
    let steps: Vec<Read<'_>> = trace
        .steps
        .iter()
        .enumerate()
        .map(|(at, step)| Read {
            at,
            step,
            act: match &step.what {
                What::Statement(run) => reading.act(run),
                _ => Act::Other,
            },
        })
        .collect();
    let mut hands: Vec<&Read<'_>> = steps.iter().filter(|read| is_hand(read.step)).collect();
    let flagged = |read: &&Read<'_>| under_flag(trace, read.step) == Some(true);
    let chosen = hands.iter().any(flagged);
    if chosen {
        hands.retain(|read| under_flag(trace, read.step) != Some(false));
    }
    let Some(first) = hands.first() else {
        return whole::no_dispatcher(trace, input.outbox);
    };
    let mut promises: BTreeMap<Promise, Answer> = BTreeMap::new();
    for hand in &hands {
        let own = walk_of(trace, &steps, hand);
        let kept: Vec<Read<'_>> = own
            .iter()
            .filter(|read| !chosen || under_flag(trace, read.step) != Some(false))
            .map(|read| Read {
                at: read.at,
                step: read.step,
                act: match &read.step.what {
                    What::Statement(run) => reading.act(run),
                    _ => Act::Other,
                },
            })
            .collect();
        let Some(hand) = kept.iter().find(|read| read.at == hand.at) else {
            continue;
        };
        let attempt = Attempt {
            trace,
            reading,
            steps: &kept,
            hand,
        };
        let found = selection(&attempt)
            .into_iter()
            .chain(claim::answers(&attempt))
            .chain(heartbeat::answers(&attempt))
            .chain(outcome::answers(&attempt))
            .chain(savepoint::answers(&attempt))
            .chain(advisory::answers(&attempt));
        for (promise, answer) in found {
            let answer = match hands.len() {
                1 => answer,
                _ => whole::of_one(answer, &hand.step.place),
            };
            let answer = match promises.remove(&promise) {
                Some(before) => worse(before, answer),
                None => answer,
            };
            promises.insert(promise, answer);
        }
    }
    if hands.len() > 1 {
        let places: Vec<_> = hands.iter().map(|hand| &hand.step.place).collect();
        for answer in promises.values_mut() {
            whole::of_all(answer, &places);
        }
    }
    let free = hands.iter().filter(|read| chosen && !flagged(read));
    let free: Vec<_> = free.map(|read| &read.step.place).collect();
    let rest = rest::answers(
        trace,
        map,
        reading,
        &steps,
        &flag::Guard {
            flag: input.flag,
            chosen,
            free: &free,
        },
        &first.step.place,
    );
    for (promise, answer) in rest {
        let answer = match promises.remove(&promise) {
            Some(before) => worse(before, answer),
            None => answer,
        };
        promises.insert(promise, answer);
    }
    let dispatcher = Some(first.step.place.clone());
    Queue {
        promises,
        dispatcher,
        dialect: input.dialect,
    }
}

fn is_hand(step: &Step) -> bool {
    matches!(step.what, What::HandOff { .. })
}

/// Whether a step runs only where the flag is set (true), only where it is not (false), or either way.
pub(super) fn under_flag(trace: &Trace, step: &Step) -> Option<bool> {
    step.within.iter().find_map(|inside| {
        let (at, arm) = match inside {
            Inside::Then(at) => (*at, true),
            Inside::Else(at) => (*at, false),
            _ => return None,
        };
        let set = trace.branches.get(at)?.flag?;
        Some(set == arm)
    })
}

/// The steps of the walk in which a step stands.
fn walk_of<'s, 't>(trace: &Trace, steps: &'s [Read<'t>], read: &Read<'_>) -> &'s [Read<'t>] {
    let from = trace.roots.iter().rev().find(|root| root.at <= read.at);
    let from = from.map_or(0, |root| root.at);
    let end = trace.roots.iter().find(|root| root.at > read.at);
    let end = end.map_or(steps.len(), |root| root.at);
    steps.get(from..end).unwrap_or(steps)
}

fn selection(attempt: &Attempt<'_>) -> Vec<(Promise, Answer)> {
    const ASKED: [Promise; 6] = [
        Promise::SelectsReady,
        Promise::SelectsStale,
        Promise::WaitsForRetryCutoff,
        Promise::SkipsBehindOlder,
        Promise::TakesKeyless,
        Promise::OldestFirst,
    ];
    if let Some((read, run, query)) = attempt.selection() {
        return eligible::answers(attempt.reading, read.step, run, query);
    }
    let answer = match attempt.unread() {
        Some(_) => attempt.lacks(attempt.place(), ""),
        None => answer::unknown(
            attempt.place(),
            "no query for candidates was found in front of the hand-off",
            "let the worker run one query over the outbox whose text the tree shows",
        ),
    };
    ASKED
        .into_iter()
        .map(|promise| (promise, answer.clone()))
        .collect()
}
