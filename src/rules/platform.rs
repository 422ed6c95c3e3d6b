//! `platform.yaml` and `trigger.yaml`: how the platform saves, names things and starts consumers.

use std::sync::Arc;

use serde::Deserialize;

use crate::model::value::ValueSource;

/// `platform.yaml`: how the platform saves and names things.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlatformRule {
    /// Id of the entry.
    pub id: Arc<str>,
    /// Statuses with which a flow runs, exactly as written.
    pub active: Vec<Arc<str>>,
    /// The flow type that runs steps.
    pub multistep: Arc<str>,
    /// Fields that name a record for ever.
    pub identity: Vec<Arc<str>>,
    /// Fields that every record has.
    pub system_fields: Vec<Arc<str>>,
    /// The field that marks a record as deleted.
    pub soft_delete: Vec<Arc<str>>,
    /// Fields that an insert fills by itself.
    pub generated: Vec<GeneratedRule>,
    /// Tables to which the platform appends rows of its own: a narrow key would refuse those.
    #[serde(default)]
    pub appends_to: Vec<Arc<str>>,
    /// Field types that hold an id and have no members.
    pub reference_types: Vec<Arc<str>>,
    /// Field types drawn from a counter.
    pub number_types: Vec<Arc<str>>,
    /// True if a counter is raised before the insert is tried.
    pub numbers_before_insert: bool,
    /// True if a rollback gives a counter value back.
    pub numbers_roll_back: bool,
    /// True if an update whose values all equal the stored ones returns early.
    pub equal_update_is_no_op: bool,
    /// Column types for which a stored and a new value print alike.
    pub prints_alike: Vec<Arc<str>>,
    /// What happens to an error of a flow.
    pub on_error: ErrorRule,
    /// The event that each kind of write enqueues.
    pub enqueues: Vec<EnqueueRule>,
    /// Rows that a save appends or recomputes by itself.
    pub side_writes: Vec<SideWriteRule>,
    /// How the find-or-create of the platform behaves.
    pub find_first: FindFirstRule,
}

/// The event that a kind of write enqueues.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnqueueRule {
    /// On which write.
    pub on: WriteKind,
    /// Which event.
    pub event: Arc<str>,
}

/// A field that an insert fills by itself.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneratedRule {
    /// Names it goes by.
    pub fields: Vec<Arc<str>>,
    /// Where its value comes from.
    pub draws: ValueSource,
    /// The value, when it is constant.
    #[serde(default)]
    pub constant: Option<Arc<str>>,
}

/// What happens to an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorRule {
    /// Logged, and the event is marked done.
    Swallowed,
    /// The event is retried.
    Retried,
}

/// Rows that a save appends or recomputes.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SideWriteRule {
    /// Id of the entry.
    pub id: Arc<str>,
    /// On which writes.
    pub on: Vec<WriteKind>,
    /// One sentence.
    pub says: Arc<str>,
}

/// Kinds of writes a rule can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WriteKind {
    /// An insert.
    Insert,
    /// An effective update.
    Update,
    /// A delete.
    Delete,
}

/// How the platform's find-or-create behaves.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindFirstRule {
    /// True if a violation of the key is caught and the existing row taken.
    pub retries: bool,
    /// True if the lookup also sees rows marked deleted.
    pub sees_deleted: bool,
}

/// `trigger.yaml`: what a trigger word means.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TriggerRule {
    /// Words, compared without regard to case unless `exact`.
    pub words: Vec<Arc<str>>,
    /// When it runs.
    pub phase: TriggerPhase,
    /// The event it takes.
    #[serde(default)]
    pub event: Option<Arc<str>>,
    /// The write it runs inside of.
    #[serde(default)]
    pub inside: Option<WriteKind>,
    /// For dormant words: what it would need to run.
    #[serde(default)]
    pub would_need: Option<Arc<str>>,
}

/// When a trigger runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TriggerPhase {
    /// From the outbox.
    AfterCommit,
    /// Inside the save.
    InsideSave,
    /// On a schedule, outside the outbox.
    Schedule,
    /// Stored and never run today.
    Dormant,
}
