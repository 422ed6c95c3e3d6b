//! The protocol that is searched: which promises it keeps, on which engine, within which bound.

use serde::{Deserialize, Serialize};

use crate::model::evidence::Fact;
use crate::model::queue::{Promise, Queue};

/// How an engine's transactions end on errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Engine {
    /// MySQL, MariaDB, TiDB: a lock timeout undoes its statement, a deadlock ends the transaction.
    MySql,
    /// PostgreSQL: after any error every statement is refused until `ROLLBACK TO` (25P02).
    Postgres,
}

/// How many of everything a run may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Workers, 1 to 3.
    pub workers: u8,
    /// Events, 1 to 3: the first two of one record, the third of another and without a record key.
    pub events: u8,
    /// Stalls, at most 3.
    pub stalls: u8,
    /// Crashes, at most 3.
    pub crashes: u8,
    /// Errors, lock timeouts, deadlocks and broken connections, at most 3.
    pub faults: u8,
    /// States after which the search gives up.
    pub states: u32,
}

impl Limits {
    /// Two workers, three events, and as many faults as it takes to pass the limit of retries.
    pub const DEFAULT: Limits = Limits {
        workers: 2,
        events: 3,
        stalls: 1,
        crashes: 1,
        faults: 3,
        states: 1_500_000,
    };
}

/// What the transitions are made from: a promise that is not kept lets its transitions do whatever
/// the promise forbids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Protocol {
    broken: u32,
    /// The engine.
    pub engine: Engine,
    /// The bound.
    pub limits: Limits,
}

/// An event is given up at its second failure: the smallest limit at which there are retries.
pub const MAX_RETRIES: u8 = 2;

fn bit(promise: Promise) -> u32 {
    1 << (promise as u32)
}

impl Protocol {
    /// Every promise is kept.
    pub fn kept(engine: Engine) -> Self {
        Self {
            broken: 0,
            engine,
            limits: Limits::DEFAULT,
        }
    }

    /// As found: what is shown broken is broken. What is not known counts as kept here, since harm
    /// must be shown from facts; ask [`Protocol::without`] what would go wrong if it were not.
    pub fn from(queue: &Queue, engine: Engine) -> Self {
        let broken = queue.promises.iter();
        broken
            .filter(|(_, fact)| matches!(fact, Fact::Absent(_)))
            .fold(Self::kept(engine), |it, (promise, _)| it.without(*promise))
    }

    /// The same with one promise broken.
    #[must_use]
    pub fn without(self, promise: Promise) -> Self {
        Self {
            broken: self.broken | bit(promise),
            ..self
        }
    }

    /// The same with one promise kept.
    #[must_use]
    pub fn with(self, promise: Promise) -> Self {
        Self {
            broken: self.broken & !bit(promise),
            ..self
        }
    }

    /// The same within another bound.
    #[must_use]
    pub fn within(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// True if it is kept.
    #[inline]
    pub fn keeps(&self, promise: Promise) -> bool {
        self.broken & bit(promise) == 0
    }
}
