//! Reads the decisions of a report that was written before: document `report`, version 1.

use std::path::Path;

use serde::Deserialize;
use thiserror::Error;

use crate::input::files::{Limits, read_text};
use crate::model::decisions::{Decision, Decisions, Head, RecordedInput};
use crate::model::evidence::InputKind;
use crate::model::seal::is_sealed;

/// Why a report cannot be used.
#[derive(Debug, Error)]
pub enum ReportError {
    /// The file cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// It is no report.
    #[error(
        "{file} is no report of outbox-audit ({why}); write one with `outbox-audit check --output json={file}`"
    )]
    Foreign {
        /// As it was typed.
        file: String,
        /// What shows it.
        why: String,
    },
    /// It was written in a version of the document that is not known.
    #[error(
        "{file} is a report of version {version}, and this outbox-audit reads version 1; write it anew"
    )]
    Version {
        /// As it was typed.
        file: String,
        /// The version.
        version: u64,
    },
}

/// A report that was read.
#[derive(Debug)]
pub struct RecordedReport {
    /// What it decided.
    pub decisions: Decisions,
    /// True if its seal is that of all that it says.
    pub sealed: bool,
}

#[derive(Deserialize)]
struct Opening {
    document: Option<String>,
    version: Option<u64>,
}

#[derive(Deserialize)]
struct Document {
    tool: Tool,
    verdict: String,
    tree: Option<Tree>,
    gate: Vec<Condition>,
    inputs: Vec<Input>,
    obligations: Vec<Obligation>,
    seal: Option<String>,
}

#[derive(Deserialize)]
struct Tool {
    version: String,
}

#[derive(Deserialize)]
struct Tree {
    commit: String,
    clean: bool,
}

#[derive(Deserialize)]
struct Condition {
    id: String,
    state: String,
}

#[derive(Deserialize)]
struct Input {
    kind: String,
    read: Vec<Read>,
    unknown: Vec<Unknown>,
}

#[derive(Deserialize)]
struct Read {
    name: String,
    digest: Option<String>,
}

#[derive(Deserialize)]
struct Unknown {
    why: String,
}

#[derive(Deserialize)]
struct Obligation {
    subject: String,
    check: String,
    weight: String,
    outcome: String,
    waiver: Option<usize>,
}

/// Reads one; `shown` is how messages call it.
///
/// # Errors
/// If it is missing, too large, no report, or of another version.
pub fn read(path: &Path, shown: &str) -> Result<RecordedReport, ReportError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let loaded = read_text(path, folder, &Limits::default(), InputKind::Answers)
        .map_err(|reason| ReportError::Unreadable(reason.sentence.clone()))?;
    let text = loaded.file.text();
    let foreign = |why: String| ReportError::Foreign {
        file: shown.to_owned(),
        why,
    };
    let opening: Opening =
        serde_json::from_str(text).map_err(|error| foreign(error.to_string()))?;
    if opening.document.as_deref() != Some("report") {
        return Err(foreign("its `document` is not `report`".into()));
    }
    if let Some(version) = opening.version.filter(|version| *version != 1) {
        return Err(ReportError::Version {
            file: shown.to_owned(),
            version,
        });
    }
    let document: Document =
        serde_json::from_str(text).map_err(|error| foreign(error.to_string()))?;
    let seal = document.seal.as_deref();
    Ok(RecordedReport {
        sealed: seal.is_some_and(|seal| is_sealed(text, seal)),
        decisions: decisions(document),
    })
}

fn decisions(document: Document) -> Decisions {
    let (commit, clean) = match document.tree {
        Some(tree) => (Some(tree.commit), tree.clean),
        None => (None, false),
    };
    let inputs = document.inputs.into_iter().map(|input| RecordedInput {
        kind: input.kind,
        read: input
            .read
            .into_iter()
            .map(|read| (read.name, read.digest))
            .collect(),
        unknown: input.unknown.into_iter().map(|one| one.why).collect(),
    });
    let outcomes = document.obligations.into_iter().map(|one| Decision {
        gate: one.weight == "gate",
        subject: one.subject,
        check: one.check,
        outcome: one.outcome,
        waived: one.waiver.is_some(),
    });
    Decisions {
        head: Head {
            tool: document.tool.version,
            verdict: document.verdict,
            commit,
            clean,
            gate: document
                .gate
                .into_iter()
                .map(|one| (one.id, one.state))
                .collect(),
            inputs: inputs.collect(),
        },
        outcomes: outcomes.collect(),
    }
}
