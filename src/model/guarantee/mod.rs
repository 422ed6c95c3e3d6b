//! Guarantees: what a system promises about running things again, where each is enforced, and which
//! test would fail if it broke. Declared in the configuration or in a rule pack.

mod kind;
mod outline;
mod parameters;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

pub use kind::*;
pub use outline::*;
pub use parameters::*;

use super::place::Place;
use super::scope::ContractPart;

/// One guarantee.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Guarantee {
    /// Its name, kebab-case.
    pub id: Arc<str>,
    /// What holds, in one sentence.
    pub statement: Arc<str>,
    /// Where it is enforced.
    #[serde(default)]
    pub enforced_by: Vec<Enforcement>,
    /// The tests that would fail if it broke.
    #[serde(default)]
    pub proven_by: Vec<ProvenBy>,
    /// What is held against code, schema and rows.
    #[serde(default)]
    pub checks: Vec<Kind>,
    /// Where it is declared.
    #[serde(skip)]
    pub place: Option<Place>,
}

/// Something that enforces a guarantee.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Enforcement {
    /// A function, method or class: `services/ledger.py::post`, `services/queue.py::Store.add`.
    Code(Arc<str>),
    /// A migration by the stem of its file: `0013_intake_idempotency`.
    Migration(Arc<str>),
    /// An index or constraint by name, with its table in front where the name is not the only one.
    Index(Arc<str>),
}

/// The JSON Schema of `guarantee.yaml`: a list of guarantees.
pub fn json_schema() -> String {
    let schema = schemars::schema_for!(Vec<Guarantee>);
    format!("{schema:#}\n", schema = schema.as_value())
}

impl Enforcement {
    /// What kind of thing it is, for people.
    pub fn word(&self) -> &'static str {
        match self {
            Enforcement::Code(_) => "code",
            Enforcement::Migration(_) => "migration",
            Enforcement::Index(_) => "index",
        }
    }

    /// Its name as declared.
    pub fn name(&self) -> &Arc<str> {
        match self {
            Enforcement::Code(name) | Enforcement::Migration(name) | Enforcement::Index(name) => {
                name
            }
        }
    }
}

/// Tests that would fail if a guarantee broke.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProvenBy {
    /// The file of the tests, as far as its path tells it apart.
    pub suite: Arc<str>,
    /// One test of it by name; without one, all of them.
    #[serde(default)]
    pub test: Option<Arc<str>>,
    /// What it proves, for the table of tests.
    #[serde(default)]
    pub proves: Option<Arc<str>>,
}

impl ProvenBy {
    /// The suite, and the test where one is named.
    pub fn title(&self) -> String {
        match &self.test {
            Some(test) => format!("{}::{test}", self.suite),
            None => self.suite.to_string(),
        }
    }
}

/// A guarantee held against what was read.
#[derive(Debug, Clone)]
pub struct JudgedGuarantee {
    /// As declared.
    pub guarantee: Guarantee,
    /// What became of each thing that enforces it, in the order declared.
    pub enforced: Vec<ContractPart>,
    /// What became of each suite or test that proves it, in the order declared.
    pub proven: Vec<ContractPart>,
    /// What was found of each kind, in the order declared.
    pub kinds: Vec<JudgedKind>,
}

/// One check of a guarantee, held against what was read.
#[derive(Debug, Clone)]
pub struct JudgedKind {
    /// The kind's word.
    pub word: &'static str,
    /// Each thing it asks for.
    pub parts: Vec<ContractPart>,
    /// What would be done about a part that does not hold.
    pub repair: String,
}
