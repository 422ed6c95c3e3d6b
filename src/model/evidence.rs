//! What is known, how it is known, and why something is not known.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::place::Place;

/// A kind of input the audit can be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InputKind {
    /// The configuration file.
    Configuration,
    /// Rule packs.
    Rules,
    /// Flow metadata.
    Flows,
    /// Schema as text: SQL files, `system_tables.json`.
    Schema,
    /// A live database.
    Database,
    /// The source tree.
    Source,
    /// Results of redelivery tests.
    Tests,
    /// Answers to printed queries.
    Answers,
}

impl InputKind {
    /// The word used in reports and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            InputKind::Configuration => "configuration",
            InputKind::Rules => "rules",
            InputKind::Flows => "flows",
            InputKind::Schema => "schema",
            InputKind::Database => "database",
            InputKind::Source => "source",
            InputKind::Tests => "tests",
            InputKind::Answers => "answers",
        }
    }
}

/// A slot that an input may fill.
#[derive(Debug, Clone, PartialEq)]
pub enum Fact<T> {
    /// Shown by evidence.
    Shown(T, Arc<Evidence>),
    /// Looked for, and shown not to be there.
    Absent(Arc<Evidence>),
    /// Not known, and why.
    Unknown(Arc<Reason>),
}

impl<T> Fact<T> {
    /// The value, when it is shown.
    pub fn shown(&self) -> Option<&T> {
        match self {
            Fact::Shown(value, _) => Some(value),
            _ => None,
        }
    }
}

/// One observation with its place; what a proof is made of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Evidence {
    /// Which input it was read from.
    pub input: InputKind,
    /// How it was observed.
    pub by: ObservedBy,
    /// Where it stands.
    pub place: Place,
    /// One sentence: what it says.
    pub says: Arc<str>,
}

/// How something was observed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObservedBy {
    /// Read in a text: metadata, SQL, source.
    Text,
    /// Read in the catalog of a live database.
    Catalog,
    /// Counted by a query on a live database.
    Query {
        /// The query's id.
        id: Arc<str>,
    },
    /// Taken from an answers file.
    Answer {
        /// The query's id.
        id: Arc<str>,
    },
    /// A test result.
    TestResult,
    /// Known of the platform by a rule, to be confirmed by its source.
    Rule {
        /// Pack name.
        pack: Arc<str>,
        /// Entry id.
        entry: Arc<str>,
    },
    /// Declared by a person in the configuration.
    Declared,
}

/// Why something is not known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reason {
    /// The kind of gap.
    pub why: Why,
    /// The input that would fill it, when one would.
    pub needs: Option<InputKind>,
    /// One sentence with the names in it.
    pub sentence: String,
    /// Where the gap shows.
    pub place: Option<Place>,
    /// What to do next.
    pub next_step: String,
}

/// The kinds of gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// The input was not given.
    NotGiven,
    /// The input was given and could not be read.
    NotReadable,
    /// It was read and could not be parsed.
    NotParsed,
    /// A name in it leads nowhere that was read.
    NotResolved,
    /// It was read, and the question cannot be decided from it.
    NotDecidable,
    /// No rule says what it means.
    NotMapped,
    /// It speaks of another state of the tree or database.
    Stale,
    /// Two inputs contradict each other.
    Disagree,
}

impl Why {
    /// The word used in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Why::NotGiven => "not-given",
            Why::NotReadable => "not-readable",
            Why::NotParsed => "not-parsed",
            Why::NotResolved => "not-resolved",
            Why::NotDecidable => "not-decidable",
            Why::NotMapped => "not-mapped",
            Why::Stale => "stale",
            Why::Disagree => "disagree",
        }
    }
}
