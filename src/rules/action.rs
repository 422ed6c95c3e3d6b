//! `action.yaml`: what an action does at delivery.

use std::sync::Arc;

use serde::Deserialize;

use crate::model::value::ValueSource;

use super::platform::TriggerPhase;

/// `action.yaml`: what an action does at delivery.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActionRule {
    /// Id.
    pub id: Arc<str>,
    /// Words.
    pub words: Vec<Arc<str>>,
    /// How words are compared.
    #[serde(default)]
    pub case: WordCase,
    /// Where it may stand.
    pub from: Vec<ActionSite>,
    /// In which phase; every phase if empty.
    #[serde(default)]
    pub phase: Vec<TriggerPhase>,
    /// What it is.
    pub becomes: Becomes,
    /// Configuration key that names the object written.
    #[serde(default)]
    pub target: Option<Arc<str>>,
    /// Configuration key that names the row.
    #[serde(default)]
    pub row: Option<Arc<str>>,
    /// Configuration key that holds the assignments.
    #[serde(default)]
    pub writes: Option<Arc<str>>,
    /// How a value is told from a formula.
    #[serde(default)]
    pub formula: FormulaSyntax,
    /// Configuration keys whose values reach the outside.
    #[serde(default)]
    pub values: Vec<Arc<str>>,
    /// Keys without which it fails.
    #[serde(default)]
    pub required: Vec<Arc<str>>,
    /// Configuration key that turns a create into find-or-create.
    #[serde(default)]
    pub find_first: Option<Arc<str>>,
    /// Configuration key of a map that is sent as written.
    #[serde(default)]
    pub sent_as_written: Vec<Arc<str>>,
    /// Names, in those maps, that the other side takes for an idempotency key.
    #[serde(default)]
    pub idempotency_names: Vec<Arc<str>>,
    /// Keys seen in real metadata that are not read, with what follows.
    #[serde(default)]
    pub ignored: Vec<IgnoredKeyRule>,
    /// Rows it inserts by itself.
    #[serde(default)]
    pub inserts: Vec<FixedInsertRule>,
    /// For dormant words: what it would need to run.
    #[serde(default)]
    pub would_need: Option<Arc<str>>,
}

/// How words are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WordCase {
    /// Letter for letter.
    #[default]
    Exact,
    /// Without regard to case.
    Insensitive,
}

/// Where an action can stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ActionSite {
    /// The action of a flow.
    Flow,
    /// A step of a multistep flow.
    Step,
    /// An action run by id.
    Named,
    /// A step of a composite action.
    Composite,
}

/// What an action becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Becomes {
    /// An insert.
    Insert,
    /// An update of the row the event is about.
    UpdateOwn,
    /// An update of a named row.
    UpdateNamed,
    /// A change of the record being saved.
    RecordSet,
    /// Mail.
    Mail,
    /// An HTTP call.
    Http,
    /// The action that its configuration names.
    NamedAction,
    /// The steps in its configuration.
    Composite,
    /// Rows of the platform.
    FixedInserts,
    /// Nothing today.
    Dormant,
}

/// How a value is told from a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FormulaSyntax {
    /// No formulas: every value is a literal.
    #[default]
    None,
    /// The whole string is `{!…}`.
    Braces,
    /// The string begins with `=`.
    Equals,
}

/// A key that the platform does not read.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IgnoredKeyRule {
    /// The key.
    pub key: Arc<str>,
    /// What follows.
    pub says: Arc<str>,
}

/// A row that an action inserts by itself.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixedInsertRule {
    /// The table.
    pub table: Arc<str>,
    /// Only in multistep flows.
    #[serde(default)]
    pub only_multistep: bool,
    /// Columns and where their values come from.
    pub columns: Vec<FixedColumnRule>,
}

/// A column of such a row.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixedColumnRule {
    /// Column.
    pub column: Arc<str>,
    /// Where its value comes from.
    pub draws: ValueSource,
    /// In words, for reports.
    pub what: Arc<str>,
}
