//! All that the readers report, gathered once and never changed.

use std::sync::Arc;

use super::backlog::Backlog;
use super::evidence::{InputKind, Reason};
use super::metadata::Metadata;
use super::schema::Schema;
use super::settings::Setting;
use super::source::SourceTree;
use super::tests::TestResults;
use super::text::TextFile;

/// Everything that was read.
#[derive(Debug, Default)]
pub struct Inputs {
    /// Flow metadata.
    pub metadata: Metadata,
    /// The schema as text declares it.
    pub declared: Option<Schema>,
    /// The schema as a live catalog shows it.
    pub live: Option<Schema>,
    /// What waits in the outbox, where a live database was read and has one.
    pub backlog: Option<Backlog>,
    /// Settings of deployments that guarantees name.
    pub settings: Vec<Setting>,
    /// Results of tests.
    pub tests: TestResults,
    /// The source tree, where one was read.
    pub source: Option<SourceTree>,
    /// What was given, what was read of it, what was not.
    pub states: Vec<InputState>,
    /// Text files, so that a report can quote a line.
    pub files: Vec<Arc<TextFile>>,
}

/// One kind of input: given or not, and what became of it.
#[derive(Debug, Clone)]
pub struct InputState {
    /// Which.
    pub kind: InputKind,
    /// What was read, by name with its digest; empty when nothing was.
    pub read: Vec<ReadInput>,
    /// What was given and could not be read, or not given at all.
    pub unknown: Vec<Arc<Reason>>,
}

/// One file, directory or database that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadInput {
    /// Relative path, or the name of the connection.
    pub name: Arc<str>,
    /// First 16 hex digits of the SHA-256 of its content; of a live database that of its catalog.
    pub digest: Option<Arc<str>>,
    /// A few words for the head of the report: `14 flows`, `61 tables (sqlite, live)`.
    pub summary: Arc<str>,
}

impl Inputs {
    /// The schema that counts for this audit: live where there is one.
    pub fn schema(&self) -> Option<&Schema> {
        self.live.as_ref().or(self.declared.as_ref())
    }

    /// The state of one kind of input.
    pub fn state(&self, kind: InputKind) -> Option<&InputState> {
        self.states.iter().find(|state| state.kind == kind)
    }

    /// True if something of that kind was read and nothing of it was left unread.
    pub fn was_read(&self, kind: InputKind) -> bool {
        self.state(kind)
            .is_some_and(|state| !state.read.is_empty() && state.unknown.is_empty())
    }
}
