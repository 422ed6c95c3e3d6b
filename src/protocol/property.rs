//! The properties: asked of every write that becomes visible and of every event that is given up.
//! They know nothing of promises.

use super::shape::MAX_RETRIES;
use super::state::{Event, State, Status, record_of};
use crate::model::queue::Property;

/// A write of an event's handler becomes visible: 0 creates its row, unless the UNIQUE key finds it
/// there, 1 sets the record's value. What is as it was already is no write.
pub(super) fn show(state: &mut State, event: usize, write: u8) -> Option<Property> {
    let record = record_of(event);
    let value = event as u8 + 1;
    let is_new = match write {
        0 => !state.events[event].created,
        _ => state.values[record] != value,
    };
    match write {
        0 => state.events[event].created = true,
        _ => state.events[event].set = true,
    }
    if !is_new {
        return None;
    }
    if write > 0 {
        let before = std::mem::replace(&mut state.values[record], value);
        if before > value {
            return Some(Property::OlderAfterYounger);
        }
    }
    if state.events[event].status.is_terminal() {
        return Some(Property::WriteAfterEnd);
    }
    let mut older = state.events[..event].iter().enumerate();
    older
        .any(|(at, row)| {
            let is_open = matches!(row.status, Status::Pending | Status::Processing);
            record_of(at) == record && is_open && !(row.created && row.set)
        })
        .then_some(Property::YoungerBeforeOlder)
}

/// An event may have been given up; `in_one_fault` if this failure and the one before it are not a
/// retry cutoff apart, and the worker selected the event in between.
pub(super) fn of_giving_up(event: &Event, in_one_fault: bool) -> Option<Property> {
    if event.status != Status::Failed {
        return None;
    }
    if event.recorded < MAX_RETRIES {
        return Some(Property::GivenUpEarly);
    }
    if event.created != event.set {
        return Some(Property::GivenUpHalfDone);
    }
    in_one_fault.then_some(Property::RetriesInOneFault)
}
