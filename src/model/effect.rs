//! Effects: what a consumer leaves behind in the database or outside.

use std::fmt;
use std::sync::Arc;

use serde::Deserialize;

use super::conflict::ConflictStatement;
use super::consumer::{ConsumerId, PathState};
use super::evidence::{Evidence, Reason};
use super::place::Place;
pub use super::row_choice::{Consumed, RowChoice};
use super::value::Value;

/// Stable name of an effect: `flow:<flow>/<step>/<Kind>:<target>[#n]`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EffectId(pub Arc<str>);

impl fmt::Display for EffectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What an effect does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EffectKind {
    /// A plain insert.
    Insert,
    /// An insert that changes the row in its way.
    Upsert,
    /// A lookup, then an insert if nothing was found.
    FindOrCreate,
    /// An update that assigns.
    Update,
    /// An update that adds to the stored value.
    Increment,
    /// An update that extends the stored value.
    Append,
    /// An update that inverts the stored value.
    Toggle,
    /// A recomputation of a total from rows.
    Recompute,
    /// A delete.
    Delete,
    /// A change of the record being saved, in memory, inside the save.
    RecordSet,
    /// Mail.
    Mail,
    /// An HTTP call.
    Http,
    /// A message to another broker.
    Publish,
    /// A file.
    File,
    /// A process.
    Process,
    /// Something no rule describes.
    Unmapped,
}

impl EffectKind {
    /// True of a change of rows of a database.
    pub fn changes_rows(self) -> bool {
        matches!(
            self,
            EffectKind::Insert
                | EffectKind::Upsert
                | EffectKind::FindOrCreate
                | EffectKind::Update
                | EffectKind::Increment
                | EffectKind::Append
                | EffectKind::Toggle
                | EffectKind::Recompute
                | EffectKind::Delete
        )
    }
}

/// The class an effect belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Assigns values that are the same on every delivery to a row named by the snapshot.
    DeterministicSet,
    /// Makes a row.
    Create,
    /// Recomputes from rows.
    Derived,
    /// Removes a row.
    Delete,
    /// Depends on live state, a clock, chance or a sequence.
    StateDependent,
    /// Leaves the database.
    External,
    /// The outbox's own bookkeeping.
    QueueControl,
    /// Not known.
    Unknown,
}

impl EffectKind {
    /// The word used in JSON.
    pub fn word(self) -> &'static str {
        match self {
            EffectKind::Insert => "insert",
            EffectKind::Upsert => "upsert",
            EffectKind::FindOrCreate => "find-or-create",
            EffectKind::Update => "update",
            EffectKind::Increment => "increment",
            EffectKind::Append => "append",
            EffectKind::Toggle => "toggle",
            EffectKind::Recompute => "recompute",
            EffectKind::Delete => "delete",
            EffectKind::RecordSet => "record-set",
            EffectKind::Mail => "mail",
            EffectKind::Http => "http",
            EffectKind::Publish => "publish",
            EffectKind::File => "file",
            EffectKind::Process => "process",
            EffectKind::Unmapped => "unmapped",
        }
    }

    /// True of kinds that make a row.
    pub fn is_create(self) -> bool {
        matches!(
            self,
            EffectKind::Insert | EffectKind::Upsert | EffectKind::FindOrCreate
        )
    }

    /// True of kinds that leave the database.
    pub fn is_external(self) -> bool {
        matches!(
            self,
            EffectKind::Mail
                | EffectKind::Http
                | EffectKind::Publish
                | EffectKind::File
                | EffectKind::Process
        )
    }

    /// True of kinds that assign to an existing row.
    pub fn is_set(self) -> bool {
        matches!(
            self,
            EffectKind::Update
                | EffectKind::Increment
                | EffectKind::Append
                | EffectKind::Toggle
                | EffectKind::RecordSet
        )
    }
}

impl Class {
    /// The word used in reports and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Class::DeterministicSet => "deterministic-set",
            Class::Create => "create",
            Class::Derived => "derived",
            Class::Delete => "delete",
            Class::StateDependent => "state-dependent",
            Class::External => "external",
            Class::QueueControl => "queue-control",
            Class::Unknown => "unknown",
        }
    }
}

/// One effect of one consumer.
#[derive(Debug, Clone)]
pub struct Effect {
    /// Stable name.
    pub id: EffectId,
    /// Whose it is.
    pub consumer: ConsumerId,
    /// Position in the consumer's run, from 0.
    pub order: usize,
    /// What it does.
    pub kind: EffectKind,
    /// Table or object, address, or host it goes to, as far as it is constant.
    pub target: Target,
    /// Assignments, in the order written.
    pub writes: Vec<Assignment>,
    /// Which rows it touches.
    pub rows: RowChoice,
    /// What happens when a unique key is taken.
    pub on_conflict: OnConflict,
    /// Conditions that decide whether it happens, beside the consumer's own.
    pub runs_if: Vec<Value>,
    /// The key by which the other side recognises a repetition.
    pub idempotency_key: Option<Box<Value>>,
    /// Numbers that a person sees and that the write draws.
    pub numbers: Vec<NumberDraw>,
    /// Events that the write enqueues: (event type, object).
    pub enqueues: Vec<(Arc<str>, Arc<str>)>,
    /// The synchronous triggers that the write runs: (trigger event, object).
    pub runs_inside: Vec<(Arc<str>, Arc<str>)>,
    /// How an error of it ends.
    pub on_error: OnError,
    /// The name under which later steps see its result.
    pub result_name: Option<Arc<str>>,
    /// An update with equal values changes nothing and enqueues nothing.
    pub equal_update_is_no_op: bool,
    /// Whether it lies on the path; narrower than its consumer's, never wider.
    pub path: PathState,
    /// How it is reached from the consumer: named actions, composites, with their places.
    pub trail: Vec<Hop>,
    /// Rules of the platform model it rests on.
    pub by_rule: Vec<Arc<Evidence>>,
    /// Notes on values that are read as written although they look otherwise.
    pub notes: Vec<EffectNote>,
    /// Where it is written.
    pub place: Place,
}

impl Effect {
    /// What a person calls its consumer: the id without the word of its origin.
    pub fn owner(&self) -> &str {
        let id = &*self.consumer.0;
        id.split_once(':').map_or(id, |(_, name)| name)
    }

    /// Every value of it: assignments, the row it names, conditions, the idempotency key.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        let row = match &self.rows {
            RowChoice::Named(value) | RowChoice::Search(value) | RowChoice::Where { value, .. } => {
                Some(value)
            }
            _ => None,
        };
        self.writes
            .iter()
            .chain(self.on_conflict.set())
            .map(|write| &write.value)
            .chain(row.map(Box::as_ref))
            .chain(&self.runs_if)
            .chain(self.idempotency_key.as_deref())
    }

    /// Gives back the room that its lists do not use: a large system has many of them.
    pub fn shrink(&mut self) {
        self.writes.shrink_to_fit();
        self.runs_if.shrink_to_fit();
        self.by_rule.shrink_to_fit();
        self.trail.shrink_to_fit();
        self.enqueues.shrink_to_fit();
        self.runs_inside.shrink_to_fit();
        let row = match &mut self.rows {
            RowChoice::Named(value) | RowChoice::Search(value) => Some(value),
            _ => None,
        };
        let written = self.writes.iter_mut().map(|write| &mut write.value);
        for value in written.chain(&mut self.runs_if).chain(row.map(Box::as_mut)) {
            value.draws.shrink_to_fit();
        }
    }

    /// True if the platform writes every value of it and no flow can change how.
    pub fn is_platform_row(&self) -> bool {
        !self.writes.is_empty() && self.writes.iter().all(|write| write.by_platform)
    }
}

/// What an effect acts on.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// A table or object, by name.
    Object(Arc<str>),
    /// Somewhere outside, by a constant address with secrets removed, or by the word of its kind.
    Outside(Arc<str>),
    /// Not known.
    Unknown(Arc<str>),
}

impl Target {
    /// Its name.
    pub fn name(&self) -> &Arc<str> {
        match self {
            Target::Object(name) | Target::Outside(name) | Target::Unknown(name) => name,
        }
    }
}

/// One assignment.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// Column or field.
    pub field: Arc<str>,
    /// Where the field is named.
    pub place: Place,
    /// What it is set to.
    pub value: Value,
    /// True if the platform writes it and no flow does.
    pub by_platform: bool,
}

/// What an insert does when a unique key is taken.
#[derive(Debug, Clone, PartialEq)]
pub enum OnConflict {
    /// The statement fails.
    Error,
    /// The failure is taken for "already done"; on which constraint, when that is named.
    Caught {
        /// Constraint or key columns it is mapped for.
        constraint: Option<Arc<str>>,
        /// Where.
        place: Place,
    },
    /// Nothing is written, on a conflict with the key of these columns (all keys if empty).
    DoNothing(Vec<Arc<str>>),
    /// The row in the way is changed, on a conflict with the key of these columns.
    Update(Vec<Arc<str>>),
    /// The rows in the way are deleted.
    Replace,
    /// What a statement says, clause by clause.
    Statement(Box<ConflictStatement>),
    /// Looked up first by these fields; inserted if absent; on a violation of that key the
    /// existing row is taken.
    FindFirst {
        /// Fields of the lookup.
        fields: Vec<Arc<str>>,
        /// True if the violation of the key is caught and the row taken.
        retries: bool,
        /// True if the lookup sees rows that are marked deleted.
        sees_deleted: bool,
        /// Where.
        place: Place,
    },
    /// Not known.
    Unknown(Box<Reason>),
}

/// A number that a person sees.
#[derive(Debug, Clone)]
pub struct NumberDraw {
    /// Field that takes it.
    pub field: Arc<str>,
    /// True if it is drawn before the insert is tried.
    pub before_insert: bool,
    /// True if a rollback gives it back.
    pub rolls_back: bool,
    /// Where it is declared.
    pub place: Place,
}

/// How an error of an effect ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnError {
    /// Logged; the event is marked done: what did not happen is lost.
    Swallowed,
    /// The event is retried, and ends as failed.
    Retried,
    /// Not known.
    Unknown,
}

/// One hop from a consumer to an effect.
#[derive(Debug, Clone)]
pub struct Hop {
    /// What it is called.
    pub title: Arc<str>,
    /// Where.
    pub place: Place,
}

/// A remark on how the platform reads an effect's configuration.
#[derive(Debug, Clone)]
pub struct EffectNote {
    /// What kind of remark.
    pub kind: NoteKind,
    /// One sentence.
    pub sentence: Arc<str>,
    /// Where.
    pub place: Place,
}

/// Kinds of remarks on an effect's configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteKind {
    /// It fails on every delivery.
    AlwaysFails,
    /// A formula in a place where the platform evaluates none.
    LiteralFormula,
    /// A key of the configuration that the platform does not read.
    IgnoredKey,
    /// A condition that the platform never evaluates.
    IgnoredCondition,
}
