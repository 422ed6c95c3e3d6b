//! The plan of the eligible query, as the engine's planner tells it. Nothing is run for it.

use std::sync::Arc;

/// What the planner makes of the query by which workers look for an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Which indexes can serve, whatever the planner prefers for the rows that are there today.
    pub probed: Reads,
    /// How that was asked, in a few words.
    pub how: &'static str,
    /// What it would do today.
    pub today: Reads,
    /// True if it sorts what it found.
    pub sorts: bool,
    /// What the whole costs, in the planner's own unit.
    pub cost: Option<Arc<str>>,
    /// Rows of the table, as the engine estimates them.
    pub table_rows: Option<u64>,
}

/// The two times that the query reads the outbox; neither list is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reads {
    /// For rows that can be claimed.
    pub selection: Vec<Access>,
    /// For an older row of the same record key.
    pub lookup: Vec<Access>,
}

/// One access to the table; a table in several parts has one for each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// Indexes of which one is enough; none for a scan of the whole.
    pub any: Vec<IndexUse>,
    /// The index that the plan reads; none if it reads the whole table.
    pub reads: Option<Arc<str>>,
    /// Rows that the planner expects.
    pub rows: Option<u64>,
}

/// An index in a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexUse {
    /// Its name.
    pub index: Arc<str>,
    /// Columns that bound what is read of it; none where the engine says only that it can be used.
    pub by: Option<Vec<Arc<str>>>,
    /// True if a column in front of these can be skipped.
    pub skips: bool,
}
