//! The rows that wait in the outbox, as the database counts them: numbers and ids, never a payload.

use std::sync::Arc;

use super::evidence::Fact;
use super::plan::Plan;
use super::server::Server;

/// What was counted among the rows that are not done.
#[derive(Debug, Clone)]
pub struct Backlog {
    /// Rows by status.
    pub statuses: Fact<Statuses>,
    /// Record keys against the template.
    pub keys: Fact<KeyCounts>,
    /// Rows behind an older one of the same record key.
    pub waiting: Fact<Waiting>,
    /// Claims, retries, and rows that nobody takes.
    pub claims: Fact<Claims>,
    /// Rows since the rollout without a key that their payload gives.
    pub writers: Fact<Rows>,
    /// Names of a payload that gives no record key, sorted; empty where every payload gives one.
    pub paths: Fact<Vec<Arc<str>>>,
    /// What the server says of itself; none for a file.
    pub server: Option<Server>,
    /// How the engine reads the outbox for the eligible query; none where no engine was asked.
    pub plan: Option<Fact<Plan>>,
}

/// Rows by status, the most frequent first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statuses {
    /// The database's clock when it counted, as it prints it.
    pub now: Arc<str>,
    /// One entry a status; at most [`Statuses::MOST`] of them.
    pub list: Vec<StatusRows>,
}

impl Statuses {
    /// So many statuses are told apart.
    pub const MOST: usize = 50;
}

/// The rows of one status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusRows {
    /// The word; none for NULL.
    pub status: Option<Arc<str>>,
    /// How many.
    pub rows: u64,
    /// When the oldest was enqueued, as the database prints it.
    pub oldest: Option<Arc<str>>,
    /// The oldest heartbeat.
    pub heartbeat: Option<Arc<str>>,
    /// The most retries of a row.
    pub retries: Option<u64>,
}

/// Record keys against the template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyCounts {
    /// Rows that are not done.
    pub open: u64,
    /// Without a key, though their payload gives one.
    pub missing: Rows,
    /// With another key than their payload gives.
    pub wrong: Rows,
    /// Whose payload gives no key, and that have none.
    pub keyless: Rows,
    /// Whose payload is no JSON.
    pub unparsed: Rows,
    /// Length of the longest key that a payload gives, in characters.
    pub longest: Option<u64>,
}

/// A number of rows, and the id of one of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows {
    /// How many.
    pub rows: u64,
    /// The id of one.
    pub example: Option<Arc<str>>,
}

/// Rows that wait behind an older row of the same record key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// How many rows.
    pub rows: u64,
    /// How many keys.
    pub keys: u64,
    /// The most rows of one key, the one in front included.
    pub most: u64,
    /// Rows behind one that no worker takes; none where that is not known.
    pub held: Option<u64>,
    /// Rows behind a stale claim; none where that is not known.
    pub behind_stale: Option<u64>,
}

/// Claims, retries, and rows that nobody takes. A count is absent where what it needs is not
/// declared, or the table has no such column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claims {
    /// Rows in no status that a worker claims or that is final.
    pub unclaimable: Rows,
    /// Rows that are claimed.
    pub claimed: Option<Rows>,
    /// Claimed rows whose heartbeat stopped, by whichever reading of its stamp gives fewer.
    pub stale: Option<Rows>,
    /// The same, by the other reading.
    pub stale_most: Option<Rows>,
    /// Claimed rows that have no heartbeat at all.
    pub silent: Option<Rows>,
    /// Rows that failed and whose retry is not due.
    pub retrying: Option<Rows>,
    /// Rows that failed as often as they may.
    pub spent: Option<Rows>,
    /// Rows with a stamp later than the database's clock.
    pub ahead: Option<Rows>,
}
