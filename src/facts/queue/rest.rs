//! Promises that are not about one attempt: the flag, and what else writes to the outbox.

use crate::facts::source::trace::{Given, Joins, Runs, Statement as Run, Trace};
use crate::model::map::{ConsumerMap, MappedConsumer};
use crate::model::place::Place;
use crate::model::queue::Promise;

use super::answer::{Answer, broken, kept, unknown};
use super::attempt::Read;
use super::flag::Guard;
use super::read::{Act, Reading, State};

/// The promises about the whole.
pub(super) fn answers(
    trace: &Trace,
    map: &ConsumerMap,
    reading: Reading<'_>,
    steps: &[Read<'_>],
    guard: &Guard<'_>,
    dispatcher: &Place,
) -> Vec<(Promise, Answer)> {
    vec![
        (
            Promise::FlagGuardsWorkers,
            guard.answer(trace, steps, dispatcher),
        ),
        (Promise::EnqueueJoinsWrite, enqueues(trace, map, dispatcher)),
        (
            Promise::RescuerComparesFirst,
            rescuer(trace, reading, steps, dispatcher),
        ),
        (Promise::ErrorsReachDispatcher, errors(map, dispatcher)),
    ]
}

/// Writes of records for which no function on the way inserts an event, and inserts of events that are
/// no part of the transaction of a write.
fn enqueues(trace: &Trace, map: &ConsumerMap, dispatcher: &Place) -> Answer {
    if let Some(first) = map.unqueued.first() {
        return broken(
            &first.place,
            match &first.event {
                None => format!(
                    "`{}` writes rows and enqueues no event{}",
                    first.function,
                    and_more(map.unqueued.len())
                ),
                Some(event) => format!(
                    "`{}` publishes {event} past the outbox: a crash after the commit loses it{}",
                    first.function,
                    and_more(map.unqueued.len())
                ),
            },
        );
    }
    let apart = trace
        .enqueues
        .iter()
        .find_map(|enqueue| match &enqueue.joins {
            Joins::Apart(write) => Some((&enqueue.place, write)),
            _ => None,
        });
    if let Some((place, write)) = apart {
        return broken(
            place,
            format!(
                "the event is inserted in another transaction than the write at {write}: a crash \
                 between both loses it, or tells of a write that never was"
            ),
        );
    }
    let mut open = trace.enqueues.iter();
    if let Some(enqueue) = open.find(|enqueue| !matches!(enqueue.joins, Joins::With)) {
        let why = match enqueue.joins {
            Joins::NoWrite => "an event is inserted here, and no write beside it was found",
            _ => {
                "whether the event is inserted in the transaction of its write is not known: what one \
                 of both runs on is not"
            }
        };
        return unknown(
            &enqueue.place,
            why,
            "see that the insert into the outbox runs on the transaction of the write",
        );
    }
    match trace.enqueues.first() {
        Some(enqueue) => kept(
            &enqueue.place,
            "each event that the tree enqueues is inserted in the transaction of a write; whether \
             every write that needs an event has one is not read",
        ),
        None => unknown(
            dispatcher,
            "nothing in the tree inserts into the outbox: whoever writes and enqueues is not in the source",
            "name the folders of all services that write as source",
        ),
    }
}

/// Whether the errors of handlers come back: each hands them on, and so does the bus.
fn errors(map: &ConsumerMap, dispatcher: &Place) -> Answer {
    let lost = |consumer: &MappedConsumer| {
        let dropped = consumer.drops_errors.clone().map(|place| (place, true));
        dropped.or_else(|| consumer.loses_errors.clone())
    };
    let all = map.consumers.iter();
    let all = all.filter_map(|consumer| Some((&consumer.handler, lost(consumer)?)));
    let (dropped, doubtful): (Vec<_>, Vec<_>) = all.partition(|(_, (_, dropped))| *dropped);
    if let Some((handler, (place, _))) = dropped.first() {
        return broken(
            place,
            format!(
                "an error on the way of `{handler}` is dropped here: its event is marked done, and what failed \
                 is lost{}",
                and_more(dropped.len())
            ),
        );
    }
    if let Some((place, true)) = &map.bus_loses {
        return broken(
            place,
            "the error of a handler is dropped here: its event is marked done, and what failed is lost",
        );
    }
    let first = doubtful.first().map(|(_, (place, _))| place);
    let bus = map.bus_loses.as_ref().map(|(place, _)| place);
    if let Some(place) = first.or(bus) {
        return unknown(
            place,
            "whether the error of this call comes back to the dispatcher is not known",
            "return it from every function on the way",
        );
    }
    match (map.consumers.is_empty(), map.unresolved.is_empty()) {
        (true, _) => unknown(
            dispatcher,
            "no handler was found that could give an error back",
            "name the folder with the handlers as source",
        ),
        (false, false) => unknown(
            dispatcher,
            "no handler drops an error where it could be followed, and some calls could not",
            "see the calls that could not be followed: map",
        ),
        (false, true) => kept(
            dispatcher,
            "every error of a handler comes back to the dispatcher",
        ),
    }
}

/// ` (and 2 more)`.
fn and_more(all: usize) -> String {
    match all {
        0 | 1 => String::new(),
        many => format!(" (and {} more)", many - 1),
    }
}

/// Statements outside the workers that set a status.
fn rescuer(trace: &Trace, reading: Reading<'_>, steps: &[Read<'_>], dispatcher: &Place) -> Answer {
    let known: Vec<&Place> = steps.iter().map(|read| &read.step.place).collect();
    for (sql, place) in &trace.elsewhere {
        if known.contains(&place) {
            continue;
        }
        let run = Run {
            sql: Some(sql.clone()),
            shown: sql.clone(),
            on: Runs::Unknown,
            given: vec![Given::Other; 16],
            named: Vec::new(),
            built: None,
        };
        let Act::Updates(change) = reading.act(&run) else {
            continue;
        };
        if change.state != Some(State::Ready) && !change.unknown_state {
            continue;
        }
        let shape = super::shape::Shape::new(State::Claimed);
        match reading.applies(&change, &run, &shape) {
            Some(false) => {}
            Some(true) => {
                return broken(
                    place,
                    "rows are set back whatever their heartbeat says: a handler that runs is run a \
                     second time",
                );
            }
            None => {
                return unknown(
                    place,
                    "which rows are set back here is not known: a part of its condition is not read",
                    "write the condition over the id, the status and the heartbeat alone",
                );
            }
        }
    }
    kept(
        dispatcher,
        "nothing but the workers sets a status over a row that is held",
    )
}
