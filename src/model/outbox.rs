//! The outbox table and the promises of its queue: slots that inputs fill.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::evidence::Fact;
use super::place::Place;
use super::schema::{Column, Dialect};

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
    /// The engine whose statements apply, where the schema tells it.
    pub dialect: Option<Dialect>,
    /// Template of the record key, from the configuration.
    pub template: Option<Arc<str>>,
    /// Where the table is defined.
    pub place: Option<Place>,
}

/// Whether (created, id) is an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventOrder {
    /// It is: the stamp is fine enough, or the id breaks ties in order.
    Total(Arc<str>),
    /// It is not: why.
    Ties(Arc<str>),
}
