//! Observations, inputs and gaps in the document.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};

use super::place::Place;
use super::rows::Row;
use crate::model::digest::short_hex;
use crate::model::evidence::{self as model, ObservedBy};
use crate::model::inputs::{self, InputState};
use crate::model::report::Report;

/// One observation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Evidence<'r> {
    /// `e1`, `e2`, …
    #[schemars(regex(pattern = "^e[1-9][0-9]*$"))]
    pub id: String,
    /// Which input it was read from.
    pub input: &'static str,
    /// `text`, `catalog`, `query`, `answer`, `test-result`, `rule` or `declared`.
    #[schemars(extend("enum" = ["text", "catalog", "query", "answer", "test-result", "rule", "declared"]))]
    pub by: &'static str,
    /// Id of the query, of `query` and `answer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<&'r str>,
    /// `pack/entry`, of `rule`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Where it stands.
    pub place: Place<'r>,
    /// One sentence: what it says.
    pub says: &'r str,
}

/// One kind of input.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Input<'r> {
    /// `configuration`, `rules`, `flows`, `schema`, `database`, `source`, `tests` or `answers`.
    pub kind: &'static str,
    /// Digest of all that was read of it: that of the one file, or the first 16 hex digits of
    /// SHA-256 over each name, NUL, digest, NUL; null when nothing read has a digest.
    pub digest: Option<String>,
    /// What was read.
    pub read: Vec<ReadInput<'r>>,
    /// What was not, and why.
    pub unknown: Vec<Reason<'r>>,
}

/// One file, directory or database that was read.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReadInput<'r> {
    /// Relative path, or the name of the connection.
    pub name: &'r str,
    /// First 16 hex digits of the SHA-256 of its content; of a live database that of its catalog.
    pub digest: Option<&'r str>,
    /// What it held, in a few words.
    pub summary: &'r str,
}

/// Why something is not known.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Reason<'r> {
    /// `not-given`, `not-readable`, `not-parsed`, `not-resolved`, `not-decidable`,
    /// `not-mapped`, `stale` or `disagree`.
    pub why: &'static str,
    /// The input that would fill the gap.
    pub needs: Option<&'static str>,
    /// One sentence.
    pub sentence: &'r str,
    /// Where the gap shows.
    pub place: Option<Place<'r>>,
    /// What to do next.
    pub next_step: &'r str,
}

impl<'r> Evidence<'r> {
    fn new(position: usize, evidence: &'r model::Evidence) -> Self {
        let mut row = Self {
            id: format!("e{}", position + 1),
            input: evidence.input.word(),
            by: "",
            query: None,
            rule: None,
            place: Place::new(&evidence.place),
            says: &evidence.says,
        };
        row.by = match &evidence.by {
            ObservedBy::Text => "text",
            ObservedBy::Catalog => "catalog",
            ObservedBy::Query { id } => {
                row.query = Some(id);
                "query"
            }
            ObservedBy::Answer { id } => {
                row.query = Some(id);
                "answer"
            }
            ObservedBy::TestResult => "test-result",
            ObservedBy::Rule { pack, entry } => {
                row.rule = Some(format!("{pack}/{entry}"));
                "rule"
            }
            ObservedBy::Declared => "declared",
        };
        row
    }
}

impl Row for Evidence<'_> {
    fn write<S: Serializer>(report: &Report, serializer: S) -> Result<S::Ok, S::Error> {
        let numbered = report.evidence.iter().enumerate();
        serializer.collect_seq(numbered.map(|(at, one)| Evidence::new(at, one)))
    }
}

impl<'r> Input<'r> {
    pub(in crate::report) fn new(state: &'r InputState) -> Self {
        Self {
            kind: state.kind.word(),
            digest: digest(&state.read),
            read: state
                .read
                .iter()
                .map(|input| ReadInput {
                    name: &input.name,
                    digest: input.digest.as_deref(),
                    summary: &input.summary,
                })
                .collect(),
            unknown: state.unknown.iter().map(|one| Reason::new(one)).collect(),
        }
    }
}

fn digest(read: &[inputs::ReadInput]) -> Option<String> {
    let mut digests = read.iter().filter_map(|input| {
        let digest = input.digest.as_ref()?;
        Some((&input.name, digest))
    });
    let first = digests.next()?;
    let Some(second) = digests.next() else {
        return Some(first.1.to_string());
    };
    let mut hash = Sha256::new();
    for (name, digest) in [first, second].into_iter().chain(digests) {
        for part in [name, digest] {
            hash.update(part.as_bytes());
            hash.update(b"\0");
        }
    }
    Some(short_hex(&hash.finalize()))
}

impl<'r> Reason<'r> {
    pub(super) fn new(reason: &'r model::Reason) -> Self {
        Self {
            why: reason.why.word(),
            needs: reason.needs.map(model::InputKind::word),
            sentence: &reason.sentence,
            place: reason.place.as_ref().map(Place::new),
            next_step: &reason.next_step,
        }
    }
}
