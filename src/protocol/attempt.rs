//! The transitions of an attempt: the handler's writes, the final status, and every way in which it
//! fails.

use super::act::Act;
use super::property;
use super::shape::{Engine, MAX_RETRIES, Protocol};
use super::state::{At, Fault, State, Status, Worker, record_of};
use super::step::{Next, View};
use crate::model::queue::{Promise, Property};

/// What an engine leaves of the attempt's transaction after a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// All of it: the statement alone is undone.
    Alive,
    /// Every statement is refused until the rollback to the savepoint.
    Aborted,
    /// Nothing: it is rolled back, and so is the savepoint.
    Ended,
}

/// What is left of the attempt's transaction. Where the handler writes in transactions of its own,
/// only a broken connection touches it.
pub fn left_by(protocol: &Protocol, fault: Fault) -> Left {
    let joins = protocol.keeps(Promise::HandlerJoinsAttempt);
    match (fault, protocol.engine) {
        (Fault::Connection, _) => Left::Ended,
        (Fault::Error, _) => Left::Alive,
        _ if !joins => Left::Alive,
        (_, Engine::Postgres) => Left::Aborted,
        (Fault::LockTimeout, Engine::MySql) => Left::Alive,
        (Fault::Deadlock, Engine::MySql) => Left::Ended,
    }
}

/// A handler creates one row, behind a UNIQUE key, and then sets one value.
const WRITES: u8 = 2;

/// What a worker whose handler runs, or has come back, may do.
pub(super) fn run(view: &View<'_>, at: u8, into: &mut Vec<Next>) {
    let worker = view.of(at);
    let wrote = worker.wrote;
    if worker.at == At::Running && wrote < WRITES {
        into.push(write(view, at));
        if view.state.faults > 0 {
            let swallows = !view.keeps(Promise::ErrorsReachDispatcher);
            into.push(match swallows {
                true => swallow(view, at),
                false => fail(view, at, Fault::Error),
            });
            into.push(fail(view, at, Fault::LockTimeout));
            // There is no cycle without a lock that the attempt holds.
            if wrote > 0 && view.keeps(Promise::HandlerJoinsAttempt) {
                into.push(fail(view, at, Fault::Deadlock));
            }
        }
    } else if !view.row_is_locked(at, worker.event) {
        into.push(finish(view, at));
    }
    if view.state.faults > 0 {
        into.push(fail(view, at, Fault::Connection));
    }
}

fn write(view: &View<'_>, at: u8) -> Next {
    let worker = view.of(at);
    let event = usize::from(worker.event);
    let joins = view.keeps(Promise::HandlerJoinsAttempt);
    let is_locked = joins
        && view.others(at).any(|other| match worker.wrote {
            // A row that is there already is found, not waited for.
            0 => {
                other.wrote > 0 && other.event == worker.event && !view.state.events[event].created
            }
            _ => other.wrote > 1 && record_of(other.event.into()) == record_of(event),
        });
    if is_locked {
        let Next { mut state, .. } = fail(view, at, Fault::LockTimeout);
        state.faults = view.state.faults;
        return Next {
            act: Act::WriteTimesOut(at),
            state,
            harm: None,
        };
    }
    let mut state = *view.state;
    let mut harm = None;
    if !joins {
        harm = property::show(&mut state, event, worker.wrote);
    }
    state.workers[usize::from(at)].wrote += 1;
    Next {
        act: Act::Write(at),
        state,
        harm,
    }
}

fn swallow(view: &View<'_>, at: u8) -> Next {
    let mut state = *view.state;
    state.faults -= 1;
    state.workers[usize::from(at)].at = At::Returned;
    Next {
        act: Act::Swallow(at),
        state,
        harm: None,
    }
}

fn fail(view: &View<'_>, at: u8, fault: Fault) -> Next {
    let mut state = *view.state;
    state.faults = state.faults.saturating_sub(1);
    let worker = &mut state.workers[usize::from(at)];
    worker.at = At::Failed;
    worker.fault = fault;
    let left = left_by(view.protocol, fault);
    if left != Left::Alive {
        // PostgreSQL undoes what came after the savepoint at once, and gives its locks free.
        worker.wrote = 0;
    }
    if left == Left::Ended {
        // A claim that was part of the transaction is gone with it.
        worker.open = false;
    }
    Next {
        act: Act::Fault(at, fault),
        state,
        harm: None,
    }
}

/// True if a status write of this worker finds the row as it must be.
fn is_expected(view: &View<'_>, worker: &Worker) -> bool {
    let row = &view.state.events[usize::from(worker.event)];
    // A claim of its own transaction is seen by nobody else, and nobody else can have changed it.
    worker.open
        || !view.keeps(Promise::FencedStatus)
        || (row.status == Status::Processing && (!view.keeps(Promise::EpochFence) || worker.holds))
}

fn finish(view: &View<'_>, at: u8) -> Next {
    let worker = *view.of(at);
    let mut state = *view.state;
    let mut harm = None;
    if is_expected(view, &worker) {
        if view.keeps(Promise::HandlerJoinsAttempt) {
            harm = show_all(&mut state, &worker);
        }
        let event = &mut state.events[usize::from(worker.event)];
        event.status = match view.keeps(Promise::TerminalStates) {
            true => Status::Processed,
            false => Status::Processing,
        };
        event.stale = false;
        if harm.is_none() && event.status == Status::Processed && !(event.created && event.set) {
            harm = Some(Property::ProcessedWithoutEffects);
        }
    }
    view.leave(&mut state, at);
    Next {
        act: Act::Finish(at),
        state,
        harm,
    }
}

/// The commit of what the attempt wrote.
fn show_all(state: &mut State, worker: &Worker) -> Option<Property> {
    let mut harm = None;
    for write in 0..worker.wrote {
        harm = harm.or(property::show(state, worker.event.into(), write));
    }
    harm
}

/// What a worker whose attempt has failed may do.
pub(super) fn end_failed(view: &View<'_>, at: u8, into: &mut Vec<Next>) {
    let worker = view.of(at);
    if view.row_is_locked(at, worker.event) {
        return;
    }
    let savepoint = match worker.fault {
        Fault::LockTimeout => Promise::SavepointOnLockTimeout,
        _ => Promise::SavepointOnError,
    };
    match left_by(view.protocol, worker.fault) {
        Left::Ended => {
            // `ROLLBACK TO` fails where the savepoint is gone, and the bookkeeping with it.
            let told_apart =
                worker.fault != Fault::Deadlock || view.keeps(Promise::DeadlockToldApart);
            if told_apart && view.keeps(Promise::DetachedBookkeeping) {
                record(view, at, Act::RecordDetached(at), into);
            } else {
                into.push(let_go(view, at));
            }
        }
        Left::Alive | Left::Aborted if view.keeps(savepoint) => {
            record(view, at, Act::RollBackAndRecord(at), into);
        }
        // Nothing says what happens instead: the retry may be written beside the handler's writes,
        // or the whole transaction is rolled back and nothing is written.
        Left::Alive => {
            record(view, at, Act::RecordWithWrites(at), into);
            into.push(let_go(view, at));
        }
        // The retry is refused too.
        Left::Aborted => into.push(let_go(view, at)),
    }
}

fn let_go(view: &View<'_>, at: u8) -> Next {
    let worker = *view.of(at);
    let mut state = *view.state;
    let event = &mut state.events[usize::from(worker.event)];
    if worker.holds && !event.status.is_terminal() {
        event.owed = true;
    }
    view.leave(&mut state, at);
    Next {
        act: Act::LetGo(at),
        state,
        harm: None,
    }
}

/// Writes the retry, or gives up: one state for each that the promises leave open.
fn record(view: &View<'_>, at: u8, act: Act, into: &mut Vec<Next>) {
    let worker = *view.of(at);
    let mut state = *view.state;
    if !is_expected(view, &worker) {
        let event = &mut state.events[usize::from(worker.event)];
        // Its own claim came back to waiting with the transaction that held it.
        let own = worker.holds && !worker.had_stalled;
        if own && event.status == Status::Pending {
            event.owed = true;
        }
        view.leave(&mut state, at);
        into.push(Next {
            act,
            state,
            harm: None,
        });
        return;
    }
    let mut harm = None;
    let joins = view.keeps(Promise::HandlerJoinsAttempt);
    if joins && matches!(act, Act::RecordWithWrites(_)) {
        harm = show_all(&mut state, &worker);
    }
    let event = &mut state.events[usize::from(worker.event)];
    let was_recent = event.recent;
    let count = match view.keeps(Promise::RetryCountIsFresh) {
        true => event.count,
        false => worker.count,
    };
    event.count = match view.keeps(Promise::RetryCounts) {
        true => (count + 1).min(3),
        false => event.count,
    };
    event.recorded = (event.recorded + 1).min(3);
    event.recent = true;
    event.stale = false;
    event.owed = false;
    if event.recorded > MAX_RETRIES {
        harm = harm.or(Some(Property::RetriesUnbounded));
    }
    let gives_up = event.count >= MAX_RETRIES && view.keeps(Promise::RetriesAreBounded);
    let statuses: &[Status] = if gives_up {
        match view.keeps(Promise::TerminalStates) {
            true => &[Status::Failed],
            false => &[Status::Pending],
        }
    } else if view.keeps(Promise::RetryReturnsToReady) {
        &[Status::Pending]
    } else {
        // Where the row goes instead is not said.
        &[Status::Processing, Status::Failed]
    };
    let number = usize::from(worker.event);
    view.leave(&mut state, at);
    for status in statuses {
        let mut state = state;
        state.events[number].status = *status;
        let of_end = property::of_giving_up(&state.events[number], was_recent && worker.early);
        into.push(Next {
            act,
            state,
            harm: harm.or(of_end),
        });
    }
}
