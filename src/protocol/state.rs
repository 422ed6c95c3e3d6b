//! A state of the model: what the tables hold, what each worker is at, what may still go wrong.

use serde::{Deserialize, Serialize};

use super::shape::{Limits, Protocol};
use crate::model::queue::Promise;

/// Status of an event's row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum Status {
    /// Not in the table yet.
    #[default]
    Absent,
    /// It waits.
    Pending,
    /// Claimed.
    Processing,
    /// Ended well.
    Processed,
    /// Given up.
    Failed,
}

/// Where a worker is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum At {
    /// Between two events.
    #[default]
    Idle,
    /// It has selected a candidate.
    Picked,
    /// Its claim is not committed, and it calls something outside meanwhile.
    Calling,
    /// The handler runs.
    Running,
    /// The handler has swallowed its error and come back.
    Returned,
    /// The attempt has failed; nothing of that is written yet.
    Failed,
    /// It has stopped for good.
    Stopped,
}

/// Why an attempt failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[repr(u8)]
pub enum Fault {
    /// The handler returned an error.
    #[default]
    Error,
    /// A write waited for a lock until the engine gave up.
    LockTimeout,
    /// The engine chose the attempt as the victim of a deadlock.
    Deadlock,
    /// The connection broke: the transaction is gone on every engine.
    Connection,
}

/// An event's row, and what its handler has left in the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Event {
    /// Status, committed.
    pub status: Status,
    /// Retry count, committed.
    pub count: u8,
    /// True if the last heartbeat is older than the stale cutoff.
    pub stale: bool,
    /// True if the last failure is younger than the retry cutoff.
    pub recent: bool,
    /// True if a failed attempt let the claim go and nothing was written of it.
    pub owed: bool,
    /// Failures that were written.
    pub recorded: u8,
    /// True if its created row is there.
    pub created: bool,
    /// True if its value has been set.
    pub set: bool,
}

/// A worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Worker {
    /// Where it is.
    pub at: At,
    /// Its event.
    pub event: u8,
    /// The retry count as it read it when it selected.
    pub count: u8,
    /// Its claim is the last one that was committed, or it is its own transaction's.
    pub holds: bool,
    /// How many of its handler's writes are done.
    pub wrote: u8,
    /// It stands still; so does its heartbeat.
    pub stalled: bool,
    /// It has stood still during this attempt.
    pub had_stalled: bool,
    /// It selected a row that had failed within the retry cutoff.
    pub early: bool,
    /// Its claim is not committed: the row is locked.
    pub open: bool,
    /// It waits for the others of its batch.
    pub barred: bool,
    /// Why its attempt failed.
    pub fault: Fault,
}

/// The producer of event 2, where a save and its event are not one transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum Producer {
    /// The save is still to come.
    Before,
    /// Saved; the event is not written yet.
    Saved,
    /// Saved and written.
    #[default]
    Done,
    /// It crashed in between.
    Gone,
}

/// A state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct State {
    /// Events, oldest first.
    pub events: [Event; 3],
    /// Workers.
    pub workers: [Worker; 3],
    /// Who wrote each record last: event plus one, 0 for nobody.
    pub values: [u8; 2],
    /// Stalls that may still happen.
    pub stalls: u8,
    /// Crashes that may still happen.
    pub crashes: u8,
    /// Faults that may still happen.
    pub faults: u8,
    /// The producer.
    pub producer: Producer,
    /// The rescuer: 0 has read nothing, 1 to 3 has read that event, 7 is done.
    pub rescuer: u8,
}

/// The record of an event: the first two share one.
pub fn record_of(event: usize) -> usize {
    usize::from(event == 2)
}

impl Status {
    /// True if the row is never selected again.
    #[inline]
    pub fn is_terminal(self) -> bool {
        matches!(self, Status::Processed | Status::Failed)
    }
}

impl Worker {
    /// True if it is in an attempt.
    #[inline]
    pub fn is_busy(&self) -> bool {
        !matches!(self.at, At::Idle | At::Picked | At::Stopped)
    }
}

impl State {
    /// The first state: every event waits, or event 2 is still to be saved.
    pub fn first(protocol: &Protocol) -> Self {
        let mut state = State {
            stalls: protocol.limits.stalls,
            crashes: protocol.limits.crashes,
            faults: protocol.limits.faults,
            ..State::default()
        };
        for event in &mut state.events[..usize::from(protocol.limits.events)] {
            event.status = Status::Pending;
        }
        if !protocol.keeps(Promise::EnqueueJoinsWrite) {
            state.events[1].status = Status::Absent;
            state.producer = Producer::Before;
        }
        state
    }

    /// True if every event whose save was committed has ended.
    pub fn is_done(&self, limits: &Limits) -> bool {
        let mut events = self.events[..usize::from(limits.events)].iter();
        events.all(|event| event.status.is_terminal() || event.status == Status::Absent)
            && matches!(self.producer, Producer::Before | Producer::Done)
    }
}
