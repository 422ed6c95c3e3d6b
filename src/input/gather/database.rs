//! A database to read, and what reports call it.

use std::path::PathBuf;
use std::sync::Arc;

use crate::input::config::database::DatabaseRef;

/// A database to read.
#[derive(Debug, Clone)]
pub enum Database {
    /// An SQLite file.
    Sqlite {
        /// Where it lies.
        path: PathBuf,
        /// How reports call it.
        name: Arc<str>,
    },
    /// A server, or whatever an environment variable names.
    Server {
        /// What was given; it shows no URL.
        reference: DatabaseRef,
        /// How reports call it; never a URL.
        name: Arc<str>,
    },
}

impl Database {
    pub(super) fn name(&self) -> &Arc<str> {
        match self {
            Database::Sqlite { name, .. } | Database::Server { name, .. } => name,
        }
    }
}
