//! The outbox table and the promises of its queue: slots that inputs fill.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::backlog::Backlog;
use super::evidence::{Fact, Reason};
use super::place::Place;
use super::schema::{Column, Dialect, Schema, Table, TableKind};

/// The parts an outbox column can play.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum OutboxColumn {
    /// Primary key.
    Id,
    /// Event type.
    EventType,
    /// The frozen snapshot.
    Payload,
    /// Status.
    Status,
    /// Retries so far.
    RetryCount,
    /// Last error.
    ErrorMessage,
    /// When it was enqueued.
    Created,
    /// Heartbeat.
    Modified,
    /// When it was done.
    Processed,
    /// The key by which same-record events are ordered.
    RecordKey,
}

impl OutboxColumn {
    /// The key used in configuration and JSON.
    pub fn word(self) -> &'static str {
        match self {
            OutboxColumn::Id => "id",
            OutboxColumn::EventType => "event_type",
            OutboxColumn::Payload => "payload",
            OutboxColumn::Status => "status",
            OutboxColumn::RetryCount => "retry_count",
            OutboxColumn::ErrorMessage => "error_message",
            OutboxColumn::Created => "created",
            OutboxColumn::Modified => "modified",
            OutboxColumn::Processed => "processed",
            OutboxColumn::RecordKey => "record_key",
        }
    }
}

/// The parts of an outbox that a pack or a configuration names: what to look for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutboxNames {
    /// Table names to look for.
    pub tables: Vec<Arc<str>>,
    /// Column names by part.
    pub columns: BTreeMap<OutboxColumn, Vec<Arc<str>>>,
    /// True if ids are random.
    pub random_ids: bool,
    /// Words of the status column.
    pub states: OutboxStates,
    /// The payload path that names the object of the record.
    pub object_path: Option<Arc<str>>,
    /// Payload members that hold fields of the record.
    pub record_paths: Vec<Arc<str>>,
    /// Template of the record key.
    pub template: Option<Arc<str>>,
    /// When a claim is stale, a retry due, retries spent.
    pub cutoffs: OutboxCutoffs,
    /// Count among so many rows only, in the order of their ids.
    pub sample: Option<u64>,
    /// Read payloads out of the database, row by row, instead of asking it for their keys.
    pub stream: bool,
    /// Words in names of columns that belong to machinery which the pack puts off.
    pub out_of_scope: Vec<Arc<str>>,
}

/// The outbox table of one database, with all that statements about its rows need.
#[derive(Debug, Clone)]
pub struct OutboxShape {
    /// The engine.
    pub dialect: Dialect,
    /// Schema, where the engine has them.
    pub schema: Option<Arc<str>>,
    /// Name of the table.
    pub name: Arc<str>,
    /// What kind of relation it is.
    pub kind: TableKind,
    /// Columns by the part they play.
    pub columns: BTreeMap<OutboxColumn, Column>,
    /// Words of the status column.
    pub states: OutboxStates,
    /// Template of the record key.
    pub template: Option<Arc<str>>,
    /// When a claim is stale, a retry due, retries spent.
    pub cutoffs: OutboxCutoffs,
    /// Count among so many rows only, in the order of their ids.
    pub sample: Option<u64>,
    /// Read payloads out of the database, row by row, instead of asking it for their keys.
    pub stream: bool,
}

/// What workers go by: when a claim is stale, a retry due, retries spent, how they look for an event;
/// nothing where nothing is declared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutboxCutoffs {
    /// A claim whose heartbeat is older is taken over, in seconds.
    pub stale_seconds: Option<u64>,
    /// A row that failed is tried again so much later, in seconds.
    pub retry_seconds: Option<u64>,
    /// A row that failed so often is given up.
    pub max_retries: Option<u64>,
    /// The stamp since which every writer fills the record key.
    pub since: Option<Arc<str>>,
    /// The query by which they look for an event, one SELECT.
    pub eligible_query: Option<Arc<str>>,
}

/// Words of the status column, by what they mean.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OutboxStates {
    /// Waiting.
    pub ready: Vec<Arc<str>>,
    /// Being handled.
    pub claimed: Vec<Arc<str>>,
    /// Handled.
    pub done: Vec<Arc<str>>,
    /// Given up.
    pub dead: Vec<Arc<str>>,
}

impl OutboxNames {
    /// The outbox table of a schema.
    pub fn table<'s>(&self, schema: &'s Schema) -> Option<&'s Table> {
        self.tables.iter().find_map(|name| schema.table(name))
    }

    /// The columns of a table by the part they play.
    pub fn columns_of(&self, table: &Table) -> BTreeMap<OutboxColumn, Column> {
        self.columns
            .iter()
            .filter_map(|(part, list)| {
                let column = list.iter().find_map(|name| table.column(name))?;
                Some((*part, column.clone()))
            })
            .collect()
    }
}

impl OutboxNames {
    /// The outbox of a schema; none where it has no such table, or its engine is not known.
    pub fn shape(&self, schema: &Schema) -> Option<OutboxShape> {
        self.shape_in(schema, schema.dialect?)
    }

    /// The same, on an engine that the schema need not tell.
    pub fn shape_in(&self, schema: &Schema, dialect: Dialect) -> Option<OutboxShape> {
        let table = self.table(schema)?;
        Some(OutboxShape {
            dialect,
            schema: table.schema.clone(),
            name: Arc::clone(&table.name),
            kind: table.kind,
            columns: self.columns_of(table),
            states: self.states.clone(),
            template: self.template.clone(),
            cutoffs: self.cutoffs.clone(),
            sample: self.sample,
            stream: self.stream,
        })
    }
}

impl OutboxStates {
    /// Words after which a row is never claimed again.
    pub fn terminal(&self) -> Vec<&str> {
        let words = self.done.iter().chain(&self.dead);
        words.map(|word| &**word).collect()
    }
}

/// What is known of the outbox.
#[derive(Debug)]
pub struct Outbox {
    /// Name of the table.
    pub table: Fact<Arc<str>>,
    /// Columns by the part they play.
    pub columns: BTreeMap<OutboxColumn, Column>,
    /// Names that were looked for, by part.
    pub looked_for: BTreeMap<OutboxColumn, Vec<Arc<str>>>,
    /// The column that holds the record key.
    pub record_key: Fact<Column>,
    /// Whether (created, id) orders two events of one record.
    pub order: Fact<EventOrder>,
    /// Whether the type of the record key holds the longest key.
    pub key_room: Fact<KeyRoom>,
    /// The index by which an older row of the same key is found.
    pub lookup: Fact<Arc<str>>,
    /// The index by which rows that wait are found.
    pub selection: Fact<Arc<str>>,
    /// Indexes serve, and today's plan of the eligible query reads far more than the rows that wait: in
    /// words.
    pub neglected_index: Option<Arc<str>>,
    /// What moves the heartbeat on a write that does not name it.
    pub heartbeat_mover: Fact<Arc<str>>,
    /// Columns for machinery that the pack puts off; none where it puts none off.
    pub out_of_scope: Option<Vec<Column>>,
    /// The rows that wait, or why they were not counted.
    pub backlog: Result<Backlog, Arc<Reason>>,
    /// What statements about its rows need, where its table and its engine are known.
    pub shape: Option<OutboxShape>,
    /// The engine whose statements apply, where the schema tells it.
    pub dialect: Option<Dialect>,
    /// Template of the record key, from the configuration.
    pub template: Option<Arc<str>>,
    /// Where the table is defined.
    pub place: Option<Place>,
}

/// How long a key can be, against what the column holds, in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRoom {
    /// What the column holds; none if it has no bound.
    pub holds: Option<u32>,
    /// The longest key that the template can give; none where nothing bounds the column.
    pub longest: Option<u32>,
    /// How that is made up.
    pub because: Arc<str>,
}

/// Whether (created, id) is an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventOrder {
    /// It is: the stamp is fine enough, or the id breaks ties in order.
    Total(Arc<str>),
    /// It is not: why.
    Ties(Arc<str>),
}
