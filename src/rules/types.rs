//! The entries of a rule pack, as written in YAML. A rule is data: it says what a thing is.

use std::sync::Arc;

use serde::Deserialize;

use crate::model::evidence::InputKind;
use crate::model::outbox::{OutboxColumn, OutboxStates};
use crate::model::value::ValueSource;

/// `pack.yaml`: the head of a pack.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackHead {
    /// Name.
    pub pack: Arc<str>,
    /// Version of the pack's format.
    pub version: u32,
    /// One line.
    pub title: Arc<str>,
    /// Packs whose entries it builds on.
    #[serde(default)]
    pub uses: Vec<Arc<str>>,
    /// The conditions of the gate, in order.
    #[serde(default)]
    pub gate: Vec<GateRule>,
    /// Ambient inputs of every expression: residuals of the system, reported once.
    #[serde(default)]
    pub ambient: Vec<Arc<str>>,
    /// Residuals of the queue, reported once.
    #[serde(default)]
    pub residuals: Vec<Arc<str>>,
    /// The residual of writes that no event follows; where source was read, it names them instead.
    #[serde(default)]
    pub unqueued: Option<Arc<str>>,
    /// Families of effects put off, with the reason.
    #[serde(default)]
    pub deferred: Vec<DeferredRule>,
}

/// A condition of the gate.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateRule {
    /// Id.
    pub id: Arc<str>,
    /// Title.
    pub title: Arc<str>,
    /// Checks that decide it.
    #[serde(default)]
    pub checks: Vec<Arc<str>>,
    /// Inputs without which it is not shown.
    #[serde(default)]
    pub needs: Vec<InputKind>,
    /// Parts of the condition that no check decides yet: it is not shown, whatever was read.
    #[serde(default)]
    pub undecided: Vec<Arc<str>>,
    /// A condition that arises only if something of this kind is there.
    #[serde(default)]
    pub only_if: Option<GateOnlyIf>,
}

/// What must be there for a condition to arise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GateOnlyIf {
    /// An outbox table.
    Outbox,
}

/// A family of effects put off.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeferredRule {
    /// Name of the family.
    pub title: Arc<str>,
    /// Why it is put off.
    pub why: Arc<str>,
    /// Which facts show whether it is on the path.
    pub family: DeferredKind,
    /// For rows of the platform: the side writes that make them.
    #[serde(default)]
    pub entries: Vec<Arc<str>>,
}

/// The families the audit can look for on the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeferredKind {
    /// Effects that leave the database.
    External,
    /// Rows that the platform appends by itself, and creates on audit or grant tables.
    PlatformRows,
    /// Creates outside the named flows.
    OtherCreates,
    /// A mechanism that no input can show to be there or not.
    Mechanism,
}

/// `function.yaml`: what a function of an expression language draws from.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FunctionRule {
    /// Id.
    pub id: Arc<str>,
    /// Language.
    pub language: Arc<str>,
    /// Names, letter for letter.
    pub names: Vec<Arc<str>>,
    /// What it draws from beside its arguments; empty for a pure function.
    #[serde(default)]
    pub draws: Vec<ValueSource>,
    /// Why, where it is not plain.
    #[serde(default)]
    pub note: Option<Arc<str>>,
    /// True if it is called on a value: `now().Year()`.
    #[serde(default)]
    pub method: bool,
    /// True if the order of its result is not defined.
    #[serde(default)]
    pub unordered: bool,
    /// True if it defines the order of its argument anew.
    #[serde(default)]
    pub orders: bool,
    /// True if applying it twice is applying it once.
    #[serde(default)]
    pub idempotent: bool,
    /// True if it never gives nil.
    #[serde(default)]
    pub never_nil: bool,
    /// True if it gives nil only where one of its arguments is nil.
    #[serde(default)]
    pub passes_nil: bool,
    /// Its own examples, run by `rules test`.
    pub examples: Examples,
}

/// Examples of a rule.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Examples {
    /// Texts in which the rule must be found.
    #[serde(rename = "match")]
    pub matching: Vec<Arc<str>>,
    /// Texts in which it must not.
    pub no_match: Vec<Arc<str>>,
}

/// `name.yaml`: what a top-level name of an expression means.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NameRule {
    /// Id.
    pub id: Arc<str>,
    /// Language.
    pub language: Arc<str>,
    /// The name.
    pub name: Arc<str>,
    /// What it stands for.
    pub is: NameKind,
    /// Its own examples.
    pub examples: Examples,
}

/// What a top-level name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NameKind {
    /// The event's record.
    Record,
    /// The record before the change.
    Prior,
    /// The user in the payload.
    User,
    /// The environment of the deployment.
    Environment,
    /// Results of earlier steps.
    Results,
}

/// `outbox.yaml`: how an outbox table is spelled.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutboxRule {
    /// Id.
    pub id: Arc<str>,
    /// Table names.
    pub table: Vec<Arc<str>>,
    /// Column names by part.
    pub columns: Vec<OutboxColumnRule>,
    /// True if ids are drawn at random, so that they do not order events.
    pub random_ids: bool,
    /// Words of the status column.
    #[serde(default)]
    pub states: OutboxStates,
    /// Words in names of columns that do not belong to the repair.
    #[serde(default)]
    pub out_of_scope: Vec<Arc<str>>,
    /// A row that failed so often is given up.
    #[serde(default)]
    pub max_retries: Option<u64>,
    /// The payload path that names the object of the record.
    #[serde(default)]
    pub object_path: Option<Arc<str>>,
    /// Payload members that hold fields of the record.
    #[serde(default)]
    pub record_paths: Vec<Arc<str>>,
}

impl OutboxRule {
    /// Of tables of which nothing else is known.
    pub fn of_tables(table: Vec<Arc<str>>) -> Self {
        Self {
            id: "configuration".into(),
            table,
            columns: Vec::new(),
            random_ids: false,
            states: OutboxStates::default(),
            out_of_scope: Vec::new(),
            max_retries: None,
            object_path: None,
            record_paths: Vec::new(),
        }
    }
}

/// Names of one column.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutboxColumnRule {
    /// The part it plays.
    pub part: OutboxColumn,
    /// Names it goes by.
    pub names: Vec<Arc<str>>,
}
