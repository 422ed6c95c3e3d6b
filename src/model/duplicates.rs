//! Rows that a proposed UNIQUE index would refuse today, as the database counts them.

use std::sync::Arc;

/// What stands in the way of a proposed index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Duplicates {
    /// Groups of rows that share a key.
    pub groups: u64,
    /// Rows in these groups.
    pub rows: u64,
    /// The first and the last id of the first group.
    pub example: Option<Arc<str>>,
    /// Rows with NULL in the key: they never collide.
    pub nulls: u64,
}
