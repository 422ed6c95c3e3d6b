//! A database to read, and what reports call it.

use std::path::PathBuf;
use std::sync::Arc;

use super::Reading;
use super::states::{live_summary, nameless, not_given, other_engine};
use crate::input::config::database::DatabaseRef;
use crate::input::schema::{self, Live, Wanted};
use crate::model::digest::short_of_debug;
use crate::model::evidence::{InputKind, Reason};
use crate::model::inputs::{InputState, ReadInput};
use crate::model::schema::Dialect;

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

impl Reading<'_> {
    /// Reads the database that was named or found, and tells what became of it.
    pub(super) fn databases(&mut self, wanted: Wanted<'_>) -> (Option<Live>, InputState) {
        let mut state = self.state(InputKind::Database);
        let Some(database) = self.databases.first() else {
            if state.unknown.is_empty() {
                state.unknown.push(Arc::new(not_given(InputKind::Database)));
            }
            return (None, state);
        };
        let timeout = self.sources.limits.timeout;
        let result = match database {
            Database::Sqlite { path, name } => schema::read_sqlite_with(path, name, wanted),
            Database::Server { reference, name } => {
                schema::read_server_with(reference, name, timeout, wanted)
            }
        };
        match result {
            Ok(live) => {
                let schema = &live.schema;
                state.unknown.extend(nameless(Some(schema)));
                let engine = schema.dialect.map_or("database", Dialect::word);
                state.read.push(ReadInput {
                    name: Arc::clone(database.name()),
                    digest: Some(short_of_debug(&schema.tables).into()),
                    summary: live_summary(schema.tables.len(), engine, live.server.as_ref()),
                });
                (Some(live), state)
            }
            Err(reason) => {
                state.unknown.push(Arc::new(reason));
                (None, state)
            }
        }
    }

    /// That the engine which was named is not the one of the database that was read.
    pub(super) fn other_engine(&self, live: Option<Dialect>) -> Option<Arc<Reason>> {
        let (named, live) = (self.sources.dialect?, live?);
        let name = self.databases.first()?.name();
        (!named.is_kin_of(live)).then(|| Arc::new(other_engine(name, named, live)))
    }
}
