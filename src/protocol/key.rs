//! A state as one number, for the set of states that were seen.
//!
//! States that differ only in what nothing will ask again have one number: names of workers that can
//! be exchanged, marks of a row that has ended, a retry count that was read and is not used.

use super::attempt::{Left, left_by};
use super::shape::{MAX_RETRIES, Protocol};
use super::state::{At, Event, Fault, State, Worker};
use crate::model::queue::Promise;

/// Which marks are asked again, by the promises.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keys {
    /// Nothing takes a row back that has ended.
    ends_are_final: bool,
    reads_count: bool,
    asks_early: bool,
    counts: bool,
    alike: bool,
    workers: usize,
    /// Which faults end in the same way: a number for each of [`Fault`].
    faults: [u8; 4],
}

impl Keys {
    /// What this protocol asks.
    pub(super) fn of(protocol: &Protocol) -> Self {
        let all = |promises: &[Promise]| promises.iter().all(|it| protocol.keeps(*it));
        let class = |fault: Fault| {
            let savepoint = match fault {
                Fault::LockTimeout => Promise::SavepointOnLockTimeout,
                _ => Promise::SavepointOnError,
            };
            let told = fault != Fault::Deadlock || protocol.keeps(Promise::DeadlockToldApart);
            match left_by(protocol, fault) {
                Left::Ended if told => 3,
                Left::Ended => 2,
                _ if protocol.keeps(savepoint) => 0,
                Left::Aborted => 2,
                Left::Alive => 1,
            }
        };
        Self {
            ends_are_final: all(&[
                Promise::AtomicClaim,
                Promise::EngineLocks,
                Promise::RescuerComparesFirst,
                Promise::FencedStatus,
            ]),
            reads_count: !protocol.keeps(Promise::RetryCountIsFresh),
            asks_early: !protocol.keeps(Promise::WaitsForRetryCutoff),
            counts: !all(&[Promise::RetryCounts, Promise::RetryCountIsFresh]),
            // Without the flag the last worker is of another kind.
            alike: protocol.keeps(Promise::FlagGuardsWorkers),
            workers: usize::from(protocol.limits.workers),
            faults: [
                Fault::Error,
                Fault::LockTimeout,
                Fault::Deadlock,
                Fault::Connection,
            ]
            .map(class),
        }
    }

    /// The state as one number.
    #[inline]
    pub(super) fn key(&self, state: &State) -> u128 {
        let mut bits = Bits { word: 0, used: 0 };
        for event in &state.events {
            self.event(event, &mut bits);
        }
        bits.put(state.values[0], 2);
        bits.put(state.values[1], 2);
        bits.put(state.stalls, 2);
        bits.put(state.crashes, 2);
        bits.put(state.faults, 2);
        bits.put(state.producer as u8, 2);
        bits.put(state.rescuer, 3);
        let mut words = state.workers.map(|worker| self.worker(&worker));
        if self.alike {
            words[..self.workers].sort_unstable_by(|a, b| b.cmp(a));
        }
        for word in words {
            bits.word |= word << bits.used;
            bits.used += WORKER_BITS;
        }
        bits.word
    }

    #[inline]
    fn event(&self, event: &Event, bits: &mut Bits) {
        bits.put(event.status as u8, 3);
        bits.flag(event.created);
        bits.flag(event.set);
        let over = self.ends_are_final && event.status.is_terminal();
        let over = |value: u8| if over { 0 } else { value };
        bits.put(if self.counts { over(event.count) } else { 0 }, 2);
        bits.put(over(event.recorded.min(MAX_RETRIES + 1)), 2);
        bits.put(over(event.stale.into()), 1);
        bits.put(over(event.recent.into()), 1);
        bits.put(over(event.owed.into()), 1);
    }

    #[inline]
    fn worker(&self, worker: &Worker) -> u128 {
        let mut bits = Bits { word: 0, used: 0 };
        bits.put(worker.at as u8, 3);
        bits.put(worker.event, 2);
        bits.put(if self.reads_count { worker.count } else { 0 }, 2);
        bits.put(worker.wrote, 2);
        bits.flag(worker.holds);
        bits.flag(worker.stalled);
        bits.flag(worker.had_stalled);
        bits.flag(worker.early && self.asks_early);
        bits.flag(worker.open);
        bits.flag(worker.barred);
        let is_failed = worker.at == At::Failed;
        bits.put(
            if is_failed {
                self.faults[worker.fault as usize]
            } else {
                0
            },
            2,
        );
        bits.word
    }
}

const WORKER_BITS: u32 = 17;

/// Writes numbers into a word, bit by bit.
struct Bits {
    word: u128,
    used: u32,
}

impl Bits {
    #[inline]
    fn put(&mut self, value: u8, bits: u32) {
        self.word |= u128::from(value) << self.used;
        self.used += bits;
    }

    #[inline]
    fn flag(&mut self, value: bool) {
        self.put(value.into(), 1);
    }
}
