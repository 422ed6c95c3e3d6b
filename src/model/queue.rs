//! The promises of the queue: what the code of the dispatcher keeps, breaks, or does not show.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::check::Step;
use super::evidence::Fact;
use super::place::Place;
use super::schema::Dialect;

/// One thing that redelivery by independent workers rests on.
///
/// Each is asked of the source of the dispatcher, statement by statement; [`Promise::gates`] tells
/// those that hold the flag from those that are told only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Promise {
    /// A flag of the configured name chooses the pull workers.
    FlagGuardsWorkers,
    /// Under the flag no worker waits for a batch of others, and no hash in memory orders events.
    NoBatchBarrier,
    /// Candidates are the rows that wait.
    SelectsReady,
    /// Candidates are also the claimed rows whose heartbeat is older than a cutoff.
    SelectsStale,
    /// A row that failed before waits for the retry cutoff.
    WaitsForRetryCutoff,
    /// A row is skipped while an older row of its key is not terminal.
    SkipsBehindOlder,
    /// A row without a key is still a candidate.
    TakesKeyless,
    /// Candidates come oldest first, by creation and id, a bounded number of them.
    OldestFirst,
    /// A row goes from waiting, or stale, to claimed by one conditional update whose row count is used.
    AtomicClaim,
    /// The claim is committed before the handler runs.
    ClaimCommittedFirst,
    /// A worker that loses a claim goes on with another row.
    LostClaimIsBenign,
    /// The heartbeat moves while the handler runs.
    Heartbeat,
    /// A failed attempt returns the row to waiting.
    RetryReturnsToReady,
    /// A failed attempt raises the retry count.
    RetryCounts,
    /// After so many retries the row is given up.
    RetriesAreBounded,
    /// Rows end in one of the terminal states.
    TerminalStates,
    /// What the handler writes is part of the attempt's transaction.
    HandlerJoinsAttempt,
    /// A status is written only over the state that is expected, and 0 rows rolls the attempt back.
    FencedStatus,
    /// After a handler's error the attempt is rolled back to a savepoint taken after the claim, and the
    /// retry is written before the attempt is released.
    SavepointOnError,
    /// The same after a wait for a lock that timed out.
    SavepointOnLockTimeout,
    /// A deadlock, which ends the transaction on MySQL and MariaDB, is told apart from errors that leave
    /// the savepoint alive.
    DeadlockToldApart,
    /// Where the attempt's transaction itself fails, the retry is written in another one while the
    /// heartbeat still protects the claim.
    DetachedBookkeeping,
    /// The engine gives the lock that the code asks for.
    EngineLocks,
    /// Status writes are compared with the claim's own stamp too.
    EpochFence,
    /// The retry count is raised in SQL, or read again after the claim.
    RetryCountIsFresh,
    /// Nothing outside the database is called inside the claim's transaction.
    NoCallInsideClaim,
    /// Every write path enqueues its event in its own transaction.
    EnqueueJoinsWrite,
    /// A rescuer writes only rows as it read them.
    RescuerComparesFirst,
    /// The stale cutoff is at least three heartbeats.
    CutoffOutlastsHeartbeats,
    /// Cutoffs and heartbeats are both in the database's time.
    DatabaseTime,
    /// An error of a handler reaches the dispatcher instead of being logged and dropped.
    ErrorsReachDispatcher,
}

impl Promise {
    /// All of them, in the order in which reports tell them.
    pub const ALL: [Promise; 31] = [
        Promise::FlagGuardsWorkers,
        Promise::NoBatchBarrier,
        Promise::SelectsReady,
        Promise::SelectsStale,
        Promise::WaitsForRetryCutoff,
        Promise::SkipsBehindOlder,
        Promise::TakesKeyless,
        Promise::OldestFirst,
        Promise::AtomicClaim,
        Promise::ClaimCommittedFirst,
        Promise::LostClaimIsBenign,
        Promise::Heartbeat,
        Promise::RetryReturnsToReady,
        Promise::RetryCounts,
        Promise::RetriesAreBounded,
        Promise::TerminalStates,
        Promise::HandlerJoinsAttempt,
        Promise::FencedStatus,
        Promise::SavepointOnError,
        Promise::SavepointOnLockTimeout,
        Promise::DeadlockToldApart,
        Promise::DetachedBookkeeping,
        Promise::EngineLocks,
        Promise::EpochFence,
        Promise::RetryCountIsFresh,
        Promise::NoCallInsideClaim,
        Promise::EnqueueJoinsWrite,
        Promise::RescuerComparesFirst,
        Promise::CutoffOutlastsHeartbeats,
        Promise::DatabaseTime,
        Promise::ErrorsReachDispatcher,
    ];

    /// True if a broken one holds the flag; false if it is told only.
    pub fn gates(self) -> bool {
        self < Promise::EpochFence
    }
}

/// What the source shows of the queue.
#[derive(Debug, Clone, Default)]
pub struct Queue {
    /// Per promise: kept (how, in one sentence), broken (the evidence says how), or not known.
    pub promises: BTreeMap<Promise, Fact<Arc<str>>>,
    /// The call that hands a claimed event to its handlers, where one was found.
    pub dispatcher: Option<Place>,
    /// The engine that its statements run on, where it is known.
    pub dialect: Option<Dialect>,
}

/// What goes wrong by the promises that are not kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueueHarm {
    /// By each promise that is broken, and by each that is not known if it were. Empty where no
    /// dispatcher was found.
    pub by_promise: BTreeMap<Promise, Search>,
    /// What is left where all are kept: the shortest run in which a worker takes an event over while
    /// its old holder wakes and goes on. Empty where no dispatcher was found.
    pub takeover: Vec<Step>,
    /// True if the engine is not known or has no model, and transactions end as MySQL's do.
    pub as_mysql: bool,
}

/// What the queue owes to every event, whatever workers do and however they fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Property {
    /// No write of an older event of a record lands after one of a younger event.
    OlderAfterYounger,
    /// No write of a younger event of a record is visible before the older event has ended.
    YoungerBeforeOlder,
    /// No write of an event becomes visible after the event has ended.
    WriteAfterEnd,
    /// An event that is marked processed has all its effects.
    ProcessedWithoutEffects,
    /// An event that is given up has left nothing half done.
    GivenUpHalfDone,
    /// An event is given up only after its bounded retries.
    GivenUpEarly,
    /// A fault that passes within the retry cutoff does not use the retries up.
    RetriesInOneFault,
    /// An event fails no more often than the limit of retries says.
    RetriesUnbounded,
    /// The retry, or giving up, is written before another worker can claim the event.
    ReleasedBeforeRetry,
    /// Two workers that neither stalled nor crashed do not run one event at the same time.
    TwoHolders,
    /// A worker does not stop for good without a crash.
    WorkerStops,
    /// Every event whose save was committed ends, if some worker goes on.
    Stuck,
}

impl Property {
    /// True if rows are wrong, lost or left for ever; false if an effect is only repeated outside, or
    /// harm needs a further mishap.
    pub fn harms_rows(self) -> bool {
        !matches!(
            self,
            Property::ReleasedBeforeRetry | Property::TwoHolders | Property::WorkerStops
        )
    }

    /// One sentence: what fails, where it does not hold.
    pub fn failure(self) -> &'static str {
        match self {
            Property::OlderAfterYounger => {
                "a write of an older event lands after one of a younger event of the same record"
            }
            Property::YoungerBeforeOlder => {
                "a write of a younger event is visible before the older event of the same record has ended"
            }
            Property::WriteAfterEnd => {
                "a write of an event becomes visible after the event has ended"
            }
            Property::ProcessedWithoutEffects => {
                "an event is marked processed and its effects are not all there: they are lost"
            }
            Property::GivenUpHalfDone => {
                "an event is given up, and half of its effects stay in the tables"
            }
            Property::GivenUpEarly => "an event is given up before its retries are used up",
            Property::RetriesInOneFault => {
                "one fault that would have passed uses up all retries of an event"
            }
            Property::RetriesUnbounded => {
                "an event fails and is tried again more often than the limit of retries says"
            }
            Property::ReleasedBeforeRetry => {
                "another worker claims a failed event before its retry is written, so the failure does not count"
            }
            Property::TwoHolders => {
                "two workers run one event at the same time although neither stalled: what its handlers \
                 send outside the database is sent twice"
            }
            Property::WorkerStops => {
                "a worker stops for good because it lost a race: after enough races nobody works"
            }
            Property::Stuck => "an event never ends, whatever the workers that go on do",
        }
    }
}

/// How far a search went: what it says holds within this bound, and nothing is said beyond it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bound {
    /// Workers.
    pub workers: u8,
    /// Events.
    pub events: u8,
    /// Stalls, crashes and faults of handlers, each at most so often in one run.
    pub stalls: u8,
    /// Crashes of workers.
    pub crashes: u8,
    /// Errors, lock timeouts, deadlocks and broken connections.
    pub faults: u8,
    /// Steps of the longest run that was looked at.
    pub steps: u32,
    /// Different states that were looked at.
    pub states: u32,
    /// True if no state within these numbers was left out.
    pub whole: bool,
}

/// The shortest run that was found in which a property of the queue fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Harm {
    /// What fails.
    pub property: Property,
    /// The run, step by step.
    pub steps: Vec<Step>,
    /// What was supposed of the other promises.
    pub beside: Beside,
}

/// What a search supposes of the promises that it was not asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// All others are kept: the broken one does this alone.
    AllKept,
    /// The others are as they were found: the broken one does this together with them, and without
    /// it the run cannot happen.
    AsFound,
}

/// What a search for harm came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// The shortest run for each property that was found to fail: harm to the rows first, then the
    /// shorter first. Empty if there is no harm within the bound.
    pub harms: Vec<Harm>,
    /// True if the promise is not known to be broken: this is what would go wrong if it were.
    pub supposed: bool,
    /// How far was looked.
    pub bound: Bound,
}

impl Bound {
    /// The bound in words: `2 workers, 3 events, …`.
    pub fn to_text(&self) -> String {
        let Self {
            workers,
            events,
            stalls,
            crashes,
            faults,
            steps,
            states,
            whole,
        } = self;
        let all = if *whole { "all runs" } else { "runs" };
        let faults = match faults {
            0 => "no fault".to_owned(),
            1 => "1 fault".to_owned(),
            many => format!("{many} faults"),
        };
        format!(
            "{all} of {workers} workers and {events} events with at most {stalls} stall, {crashes} crash and \
             {faults}: {states} states, up to {steps} steps"
        )
    }
}

impl Search {
    /// One sentence: what fails, or that nothing does within the bound, said as exactly that.
    pub fn to_text(&self) -> String {
        let Some(harm) = self.harms.first() else {
            return format!("no harm within this bound: {}", self.bound.to_text());
        };
        let would = if self.supposed {
            "not known; if it were broken: "
        } else {
            ""
        };
        let with = match harm.beside {
            Beside::AllKept => "with all other promises kept",
            Beside::AsFound => "with the other promises as they were found",
        };
        format!("{would}{}, {with}", harm.property.failure())
    }
}
