//! What a database server says of itself.

use std::sync::Arc;

/// A server, as it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Version, as it prints it.
    pub version: Arc<str>,
    /// The isolation level that transactions have which ask for none.
    pub isolation: Arc<str>,
    /// The time zone of sessions which ask for none.
    pub time_zone: Arc<str>,
    /// True if it takes no writes, as replicas do.
    pub is_copy: bool,
}

impl Server {
    /// What it is: one that takes writes, or not.
    pub fn role(&self) -> &'static str {
        match self.is_copy {
            true => "replica",
            false => "primary",
        }
    }
}
