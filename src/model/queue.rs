//! The promises of the queue: what the code of the dispatcher keeps, breaks, or does not show.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::evidence::Fact;
use super::place::Place;

/// One thing that redelivery by independent workers rests on.
///
/// Each is asked of the source of the dispatcher, statement by statement; [`Promise::gates`] tells
/// those that hold the flag from those that are told only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
}
