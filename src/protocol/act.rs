//! What a step is called.

use serde::{Deserialize, Serialize};

use super::state::Fault;

/// One step; its outcome is in the state behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Act {
    /// The user's save is committed, its event is not.
    Save,
    /// The event of the save is written.
    Enqueue,
    /// The producer crashes between save and event.
    ProducerCrashes,
    /// A worker selects an event.
    Select(u8, u8),
    /// It claims it, or loses it.
    Claim(u8),
    /// Its claim waits for the row's lock, and gives up.
    ClaimTimesOut(u8),
    /// It commits the claim that was open during a call.
    CommitClaim(u8),
    /// Its handler's next write.
    Write(u8),
    /// The write waits for a lock of another worker, and gives up.
    WriteTimesOut(u8),
    /// Its attempt fails.
    Fault(u8, Fault),
    /// Its handler gets an error, swallows it and returns.
    Swallow(u8),
    /// It writes the final status and commits.
    Finish(u8),
    /// It goes back to the savepoint, writes the retry and commits.
    RollBackAndRecord(u8),
    /// It writes the retry and commits, with all that the handler wrote.
    RecordWithWrites(u8),
    /// The attempt's transaction is gone: it writes the retry in another one.
    RecordDetached(u8),
    /// It lets the claim go, and writes nothing.
    LetGo(u8),
    /// It stands still.
    Stall(u8),
    /// It goes on.
    Wake(u8),
    /// It crashes; another one starts in its place.
    Crash(u8),
    /// The heartbeat of an event is older than the stale cutoff now.
    GoStale(u8),
    /// The last failure of an event is older than the retry cutoff now.
    PassRetryCutoff(u8),
    /// The rescuer reads a stale claim.
    RescuerReads(u8),
    /// The rescuer returns the row it has read.
    RescuerWrites(u8),
}

impl Act {
    /// True if it is nobody's duty: workers that go on never need it to get every event done.
    pub fn is_mishap(self) -> bool {
        matches!(
            self,
            Act::ProducerCrashes
                | Act::Fault(..)
                | Act::Swallow(_)
                | Act::Stall(_)
                | Act::Wake(_)
                | Act::Crash(_)
                | Act::RescuerReads(_)
                | Act::RescuerWrites(_)
        )
    }

    /// The worker who does it.
    pub fn worker(self) -> Option<u8> {
        match self {
            Act::Select(worker, _)
            | Act::Fault(worker, _)
            | Act::Claim(worker)
            | Act::ClaimTimesOut(worker)
            | Act::CommitClaim(worker)
            | Act::Write(worker)
            | Act::WriteTimesOut(worker)
            | Act::Swallow(worker)
            | Act::Finish(worker)
            | Act::RollBackAndRecord(worker)
            | Act::RecordWithWrites(worker)
            | Act::RecordDetached(worker)
            | Act::LetGo(worker)
            | Act::Stall(worker)
            | Act::Wake(worker)
            | Act::Crash(worker) => Some(worker),
            _ => None,
        }
    }
}
