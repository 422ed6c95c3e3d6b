//! The configuration, checked and ready to use.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::database::DatabaseRef;
use crate::model::outbox::{OutboxColumn, OutboxCutoffs};
use crate::model::schema::Dialect;
use crate::model::scope::{Declarations, Declared};
use crate::model::text::TextFile;

/// All that a configuration file says.
#[derive(Debug)]
pub struct Config {
    /// Scope, keys, contracts, waivers, horizon.
    pub declarations: Declarations,
    /// The pack whose conditions the gate asks, when it is named.
    pub gate_pack: Option<Declared>,
    /// What to read.
    pub inputs: ConfiguredInputs,
    /// The outbox, where it differs from what a pack says.
    pub outbox: OutboxOverrides,
    /// Rule packs by name.
    pub packs: Vec<Declared>,
    /// Files and directories of rules.
    pub rules: Vec<ConfiguredPath>,
    /// Bounds on reading.
    pub limits: Limits,
    /// Its directory: names in reports are relative to it.
    pub base: PathBuf,
    /// The file itself, so that a report can quote it and take its digest.
    pub file: Arc<TextFile>,
}

/// A path of the configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfiguredPath {
    /// Relative to the configuration file's directory, with that directory in front.
    pub path: PathBuf,
    /// As written.
    pub declared: Declared,
}

/// A database of the configuration; never a URL.
#[derive(Debug, Clone)]
pub struct ConfiguredDatabase {
    /// `env:NAME`, or `sqlite:FILE` with the path resolved like every other.
    pub reference: DatabaseRef,
    /// As written: what reports call it.
    pub declared: Declared,
}

/// What to read.
#[derive(Debug, Default)]
pub struct ConfiguredInputs {
    /// Flow metadata.
    pub flows: Vec<ConfiguredPath>,
    /// Schema as text.
    pub schema: Vec<ConfiguredPath>,
    /// The engine that SQL text is written for.
    pub dialect: Option<Dialect>,
    /// A live database.
    pub database: Option<ConfiguredDatabase>,
    /// Source trees.
    pub source: Vec<ConfiguredPath>,
    /// Test results.
    pub tests: Vec<ConfiguredPath>,
    /// Answers to printed queries.
    pub answers: Option<ConfiguredPath>,
}

/// The outbox, where it differs from what a pack says.
#[derive(Debug, Default)]
pub struct OutboxOverrides {
    /// Name of the table.
    pub table: Option<Declared>,
    /// Names of columns by the part they play.
    pub columns: BTreeMap<OutboxColumn, Declared>,
    /// Words of the status column.
    pub states: OutboxStates,
    /// When a claim is stale, a retry due, retries spent, and since when keys are written.
    pub cutoffs: OutboxCutoffs,
}

/// Words of the status column; empty where the configuration says nothing.
#[derive(Debug, Default)]
pub struct OutboxStates {
    /// Waiting.
    pub ready: Vec<Declared>,
    /// Being handled.
    pub claimed: Vec<Declared>,
    /// Handled.
    pub done: Vec<Declared>,
    /// Given up.
    pub dead: Vec<Declared>,
}

/// Bounds on reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Largest file that is read, in bytes; at most 4 GiB less one byte.
    pub max_file_bytes: u64,
    /// Most files that are read of one kind of input.
    pub max_files: u64,
    /// Longest wait for one answer of a database, in seconds.
    pub timeout_seconds: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_file_bytes: 256 * 1024 * 1024,
            max_files: 100_000,
            timeout_seconds: 10,
        }
    }
}
