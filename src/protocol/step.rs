//! The transitions: what each party may do next in a state. What a promise forbids is possible where
//! it is broken; whether that does harm is for the properties to say.

use super::act::Act;
use super::attempt;
use super::shape::Protocol;
use super::state::{At, Event, State, Status, Worker, record_of};
use crate::model::queue::{Promise, Property};

/// A step, the state behind it, and the property that fails in it.
#[derive(Debug, Clone, Copy)]
pub struct Next {
    /// The step.
    pub act: Act,
    /// Where it leads.
    pub state: State,
    /// What fails by it.
    pub harm: Option<Property>,
}

/// All that may happen next, workers in order.
pub fn successors(protocol: &Protocol, state: &State, into: &mut Vec<Next>) {
    into.clear();
    let view = View { protocol, state };
    view.producer(into);
    for worker in 0..protocol.limits.workers {
        view.worker(worker, into);
    }
    view.time(into);
    view.rescuer(into);
}

/// A state and the protocol that goes on from it.
pub(super) struct View<'a> {
    pub(super) protocol: &'a Protocol,
    pub(super) state: &'a State,
}

impl View<'_> {
    pub(super) fn keeps(&self, promise: Promise) -> bool {
        self.protocol.keeps(promise)
    }

    pub(super) fn of(&self, worker: u8) -> &Worker {
        &self.state.workers[usize::from(worker)]
    }

    /// The event that a worker is at.
    pub(super) fn event(&self, worker: u8) -> &Event {
        &self.state.events[usize::from(self.of(worker).event)]
    }

    pub(super) fn others(&self, worker: u8) -> impl Iterator<Item = &Worker> {
        let all = self.state.workers.iter().enumerate();
        all.filter(move |(at, _)| *at != usize::from(worker))
            .map(|(_, other)| other)
    }

    /// True if another worker's open claim locks the event's row.
    pub(super) fn row_is_locked(&self, worker: u8, event: u8) -> bool {
        self.others(worker)
            .any(|other| other.open && other.event == event)
    }

    fn worker(&self, at: u8, into: &mut Vec<Next>) {
        let worker = self.of(at);
        if worker.stalled {
            into.push(self.wake(at));
        } else {
            match worker.at {
                At::Idle if !worker.barred => self.select(at, into),
                At::Picked => into.push(self.claim(at)),
                At::Calling => into.push(self.end_call(at)),
                At::Running | At::Returned => attempt::run(self, at, into),
                At::Failed => attempt::end_failed(self, at, into),
                At::Idle | At::Stopped => {}
            }
            if worker.is_busy() && self.state.stalls > 0 {
                let mut state = *self.state;
                state.stalls -= 1;
                let stalling = &mut state.workers[usize::from(at)];
                stalling.stalled = true;
                stalling.had_stalled = true;
                into.push(Next {
                    act: Act::Stall(at),
                    state,
                    harm: None,
                });
            }
        }
        if worker.is_busy() && self.state.crashes > 0 {
            into.push(self.crash(at));
        }
    }

    /// Its own claim, or any claim of that row where nothing tells them apart.
    pub(super) fn moves_heartbeat(&self, worker: &Worker) -> bool {
        let running = matches!(worker.at, At::Running | At::Returned | At::Failed);
        running
            && !worker.stalled
            && !worker.open
            && (!self.keeps(Promise::EpochFence) || worker.holds)
    }

    fn wake(&self, at: u8) -> Next {
        let mut state = *self.state;
        let worker = &mut state.workers[usize::from(at)];
        worker.stalled = false;
        let view = View {
            protocol: self.protocol,
            state: &state,
        };
        let is_locked = view.row_is_locked(at, view.of(at).event);
        if view.moves_heartbeat(view.of(at)) && !is_locked {
            let event = usize::from(view.of(at).event);
            state.events[event].stale &= state.events[event].status != Status::Processing;
        }
        Next {
            act: Act::Wake(at),
            state,
            harm: None,
        }
    }

    fn crash(&self, at: u8) -> Next {
        let mut state = *self.state;
        state.crashes -= 1;
        self.leave(&mut state, at);
        Next {
            act: Act::Crash(at),
            state,
            harm: None,
        }
    }

    /// The worker is done with its attempt.
    pub(super) fn leave(&self, state: &mut State, at: u8) {
        state.workers[usize::from(at)] = Worker {
            barred: !self.keeps(Promise::NoBatchBarrier),
            ..Worker::default()
        };
        if state.workers.iter().all(|worker| !worker.is_busy()) {
            for worker in &mut state.workers {
                worker.barred = false;
            }
        }
    }

    fn select(&self, at: u8, into: &mut Vec<Next>) {
        // The old dispatcher orders events by a hash in its own memory, which no other one sees.
        let is_old =
            !self.keeps(Promise::FlagGuardsWorkers) && at + 1 == self.protocol.limits.workers;
        let skips = self.keeps(Promise::SkipsBehindOlder) && !is_old;
        for number in 0..self.protocol.limits.events {
            let index = usize::from(number);
            let event = &self.state.events[index];
            let waits = self.keeps(Promise::WaitsForRetryCutoff) && event.count > 0 && event.recent;
            let is_candidate = match event.status {
                Status::Pending => self.keeps(Promise::SelectsReady) && !waits,
                Status::Processing => self.keeps(Promise::SelectsStale) && event.stale,
                _ => false,
            };
            let has_key = record_of(index) == 0;
            let waits_for_older = skips && has_key && self.older_is_open(index);
            if !is_candidate || waits_for_older || (!has_key && !self.keeps(Promise::TakesKeyless))
            {
                continue;
            }
            let mut state = *self.state;
            state.workers[usize::from(at)] = Worker {
                at: At::Picked,
                event: number,
                count: event.count,
                early: event.status == Status::Pending && event.recent,
                ..*self.of(at)
            };
            into.push(Next {
                act: Act::Select(at, number),
                state,
                harm: None,
            });
            if self.keeps(Promise::OldestFirst) {
                return;
            }
        }
    }

    /// True if an older event of the record is in the table and has not ended.
    pub(super) fn older_is_open(&self, event: usize) -> bool {
        self.state.events[..event]
            .iter()
            .enumerate()
            .any(|(older, row)| {
                record_of(older) == record_of(event)
                    && !row.status.is_terminal()
                    && row.status != Status::Absent
            })
    }

    fn claim(&self, at: u8) -> Next {
        let worker = *self.of(at);
        let row = *self.event(at);
        let mut state = *self.state;
        let next = |act, state, harm| Next { act, state, harm };
        if self.row_is_locked(at, worker.event) {
            self.leave(&mut state, at);
            return next(Act::ClaimTimesOut(at), state, None);
        }
        let is_free =
            row.status == Status::Pending || (row.status == Status::Processing && row.stale);
        if self.keeps(Promise::AtomicClaim) && self.keeps(Promise::EngineLocks) && !is_free {
            self.leave(&mut state, at);
            if !self.keeps(Promise::LostClaimIsBenign) {
                state.workers[usize::from(at)].at = At::Stopped;
                return next(Act::Claim(at), state, Some(Property::WorkerStops));
            }
            return next(Act::Claim(at), state, None);
        }
        let mut harm = None;
        for other in self.others(at) {
            if other.is_busy() && other.event == worker.event && !other.had_stalled {
                let unwritten = other.at == At::Failed && other.holds;
                harm = Some(match unwritten {
                    true => Property::ReleasedBeforeRetry,
                    false => Property::TwoHolders,
                });
            }
        }
        if row.owed {
            harm = Some(Property::ReleasedBeforeRetry);
        }
        let joins_attempt = !self.keeps(Promise::ClaimCommittedFirst);
        let calls = !joins_attempt && !self.keeps(Promise::NoCallInsideClaim);
        let claiming = &mut state.workers[usize::from(at)];
        claiming.at = if calls { At::Calling } else { At::Running };
        claiming.holds = true;
        claiming.open = joins_attempt || calls;
        if !claiming.open {
            commit_claim(&mut state, at);
        }
        next(Act::Claim(at), state, harm)
    }

    fn end_call(&self, at: u8) -> Next {
        let mut state = *self.state;
        state.workers[usize::from(at)].at = At::Running;
        commit_claim(&mut state, at);
        Next {
            act: Act::CommitClaim(at),
            state,
            harm: None,
        }
    }
}

/// The claim is in the table now, with a stamp of its own: older claims of the row hold it no more.
fn commit_claim(state: &mut State, at: u8) {
    let number = state.workers[usize::from(at)].event;
    for worker in &mut state.workers {
        worker.holds &= worker.event != number;
    }
    let worker = &mut state.workers[usize::from(at)];
    worker.holds = true;
    worker.open = false;
    let event = &mut state.events[usize::from(number)];
    event.status = Status::Processing;
    event.stale = false;
}
