//! Promises that are not about one attempt: the flag, and what else writes to the outbox.

use crate::facts::source::trace::{Given, Runs, Statement as Run, Trace};
use crate::model::evidence::Why;
use crate::model::map::{ConsumerMap, MappedConsumer};
use crate::model::place::Place;
use crate::model::queue::Promise;

use super::answer::{Answer, broken, kept, reason, unknown};
use super::attempt::Read;
use super::read::{Act, Reading, State};
use super::under_flag;

/// The promises about the whole.
pub(super) fn answers(
    trace: &Trace,
    map: &ConsumerMap,
    reading: Reading<'_>,
    steps: &[Read<'_>],
    flag: Option<&str>,
    chosen: bool,
    dispatcher: &Place,
) -> Vec<(Promise, Answer)> {
    vec![
        (
            Promise::FlagGuardsWorkers,
            guarded(trace, steps, flag, chosen, dispatcher),
        ),
        (Promise::EnqueueJoinsWrite, enqueues(map, dispatcher)),
        (
            Promise::RescuerComparesFirst,
            rescuer(trace, reading, steps, dispatcher),
        ),
        (Promise::ErrorsReachDispatcher, errors(map, dispatcher)),
    ]
}

/// Writes of records for which no function on the way inserts an event. That those which do insert one
/// do it in the same transaction is not read.
fn enqueues(map: &ConsumerMap, dispatcher: &Place) -> Answer {
    match map.unqueued.first() {
        Some(first) => broken(
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
        ),
        None => unknown(
            dispatcher,
            "every write of records that was found has an event; whether both are one transaction is \
             not read",
            "see that the insert into the outbox runs on the transaction of the write",
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

fn guarded(
    trace: &Trace,
    steps: &[Read<'_>],
    flag: Option<&str>,
    chosen: bool,
    dispatcher: &Place,
) -> Answer {
    let Some(flag) = flag else {
        return reason(
            Why::NotGiven,
            Some(dispatcher.clone()),
            "no flag is named in the configuration",
            "name it: gate.flag",
        );
    };
    if chosen {
        let place = steps
            .iter()
            .filter(|read| under_flag(trace, read.step) == Some(true))
            .find_map(|read| {
                read.step.within.iter().find_map(|inside| {
                    let (crate::facts::source::trace::Inside::Then(at)
                    | crate::facts::source::trace::Inside::Else(at)) = inside
                    else {
                        return None;
                    };
                    let branch = trace.branches.get(*at)?;
                    branch.flag?;
                    branch.place.clone()
                })
            });
        return kept(
            place.as_ref().unwrap_or(dispatcher),
            format!("{flag} chooses the pull workers"),
        );
    }
    match trace.flag_read.first() {
        None => broken(
            dispatcher,
            format!(
                "nothing in the tree reads {flag}: the workers run as they are, whatever it says"
            ),
        ),
        Some(place) => unknown(
            place,
            format!(
                "{flag} is read here, and what it chooses was not found on the way to the workers"
            ),
            "let one condition on the flag stand where the workers are started",
        ),
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
