//! The neutral format as it is written; its JSON Schema is derived from these types.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::at::At;
use super::conflict::Conflict;
use super::constant::Constant;
use super::params::Params;
use crate::model::effect::EffectKind;

/// Consumers of a transactional outbox and what each leaves behind.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "outbox-audit flows")]
pub struct Document {
    /// Version of the format: 1.
    #[schemars(range(min = 1, max = 1))]
    pub version: At<u32>,
    /// Every consumer.
    pub consumers: Vec<At<Consumer>>,
}

/// Whatever the dispatcher runs for an event.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Consumer {
    /// Its name, stable between exports; without white space and `/`.
    pub id: At<String>,
    /// What a person calls it; its id by default.
    pub title: Option<String>,
    /// The event type that starts it.
    pub event: At<String>,
    /// The object or table whose events it takes.
    pub object: Option<String>,
    /// When it runs relative to the save; `after-commit` by default.
    pub trigger: Option<At<TriggerWord>>,
    /// Whether it runs at all; true by default.
    pub active: Option<At<bool>>,
    /// Why it is not active, and how that shows; needed with `active: false`.
    pub reason: Option<At<String>>,
    /// What decides whether it runs.
    #[serde(default)]
    pub conditions: Vec<At<Value>>,
    /// What it leaves behind, in the order of the run; `[]` for nothing.
    pub effects: Vec<At<Effect>>,
}

/// When a consumer runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TriggerWord {
    /// From the outbox, after the commit.
    AfterCommit,
    /// Inside the transaction that saves the object.
    InsideSave,
    /// On a schedule or by hand.
    Elsewhere,
}

/// One effect.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = [{"required": ["kind"]}, {"required": ["sql"]}]))]
pub struct Effect {
    /// Its name within the consumer; without white space and `/`.
    pub id: At<String>,
    /// What it does; a statement says it by itself.
    pub kind: Option<At<Kind>>,
    /// The statement it runs, in place of `kind`, `table`, `row`, `set` and `on_conflict`.
    pub sql: Option<At<String>>,
    /// What the placeholders of the statement stand for.
    pub params: Option<Params>,
    /// The table it writes; for kinds that write a row.
    pub table: Option<At<String>>,
    /// Where it goes; for kinds that leave the database.
    pub to: Option<At<String>>,
    /// Which row it touches; for kinds that change or delete rows.
    pub row: Option<At<Row>>,
    /// What it assigns, by column.
    #[serde(default)]
    pub set: Assignments,
    /// What happens when a unique key is taken; for kinds that make a row.
    pub on_conflict: Option<At<Conflict>>,
    /// What decides whether it happens.
    #[serde(default)]
    pub runs_if: Vec<At<Value>>,
    /// The key by which the other side recognises a repetition.
    pub idempotency_key: Option<At<Value>>,
    /// Numbers that a person sees and that it draws.
    #[serde(default)]
    pub numbers: Vec<At<Number>>,
    /// Events that it enqueues.
    #[serde(default)]
    pub enqueues: Vec<Enqueued>,
    /// How an error of it ends; `unknown` by default.
    pub errors: Option<ErrorWord>,
    /// The name under which later effects see its result.
    pub result: Option<At<String>>,
}

/// What an effect does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
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
}

/// Which row an effect touches.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Row {
    /// The row the event is about.
    Own,
    /// The row that this value names.
    Named(Box<At<Value>>),
    /// The rows that a search of live rows by this value finds.
    Search(Box<At<Value>>),
}

/// A value: exactly one source, or `all` for a computation over several.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Value {
    /// A literal.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Option<serde_json::Value>")]
    pub constant: Option<At<Constant>>,
    /// A path in the frozen payload of the event: `record.amount`, `prior.stage`, `user.id`.
    pub snapshot: Option<At<String>>,
    /// A clock, as the code reads it.
    pub clock: Option<At<String>>,
    /// A random source, salts included.
    pub random: Option<At<String>>,
    /// A sequence, counter or auto-number.
    pub sequence: Option<At<String>>,
    /// The present state of the database, as the code reads it.
    pub live: Option<At<String>>,
    /// The result of an earlier effect: `name.field`.
    pub result: Option<At<String>>,
    /// Environment or configuration of the deployment.
    pub deployment: Option<At<String>>,
    /// Time zone, collation, formatting rules.
    pub locale: Option<At<String>>,
    /// An answer from outside.
    pub external: Option<At<String>>,
    /// A computation over several values.
    pub all: Option<Vec<At<Value>>>,
    /// Whether it can be NULL; `maybe` by default for a snapshot, `never` for other sources.
    // Not `null`: many YAML readers take that key for nothing unless it stands in quotes.
    #[serde(alias = "null")]
    pub nulls: Option<NullWord>,
}

/// Whether a value can be NULL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NullWord {
    /// Never.
    Never,
    /// For some events.
    Maybe,
    /// Always.
    Always,
}

/// A number that a person sees.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Number {
    /// The column that takes it.
    pub column: String,
    /// When it is drawn.
    pub drawn: DrawnWord,
    /// Whether a rollback gives it back.
    pub rolls_back: bool,
}

/// When a number is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DrawnWord {
    /// Before the insert is tried.
    BeforeInsert,
    /// Once it is clear that no key is taken.
    AfterConflict,
}

/// An event that an effect enqueues.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Enqueued {
    /// Its type.
    pub event: String,
    /// The object it is about.
    pub object: String,
}

/// How an error of an effect ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorWord {
    /// It is logged, and the event is marked done.
    Swallowed,
    /// The event is retried.
    Retried,
    /// Not known.
    Unknown,
}

/// Columns and what they are set to, in the order written.
#[derive(Debug, Clone, Default)]
pub struct Assignments(pub Vec<(At<String>, At<Value>)>);

impl<'de> Deserialize<'de> for Assignments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AssignmentsVisitor;
        impl<'de> Visitor<'de> for AssignmentsVisitor {
            type Value = Assignments;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("columns with their values")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Assignments, A::Error> {
                let mut assignments = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    assignments.push(entry);
                }
                Ok(Assignments(assignments))
            }
        }
        deserializer.deserialize_map(AssignmentsVisitor)
    }
}

impl JsonSchema for Assignments {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Assignments".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        BTreeMap::<String, Value>::json_schema(generator)
    }
}

/// A key that is there counts, whatever its value: `constant: null` is a constant.
fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

impl Kind {
    /// The kind of the model.
    pub(super) fn model(self) -> EffectKind {
        match self {
            Kind::Insert => EffectKind::Insert,
            Kind::Upsert => EffectKind::Upsert,
            Kind::FindOrCreate => EffectKind::FindOrCreate,
            Kind::Update => EffectKind::Update,
            Kind::Increment => EffectKind::Increment,
            Kind::Append => EffectKind::Append,
            Kind::Toggle => EffectKind::Toggle,
            Kind::Recompute => EffectKind::Recompute,
            Kind::Delete => EffectKind::Delete,
            Kind::Mail => EffectKind::Mail,
            Kind::Http => EffectKind::Http,
            Kind::Publish => EffectKind::Publish,
            Kind::File => EffectKind::File,
            Kind::Process => EffectKind::Process,
        }
    }
}
