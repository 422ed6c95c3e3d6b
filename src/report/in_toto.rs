//! An in-toto statement (v1): the verdict, bound to the JSON report and through it to every input.
//!
//! It is not signed here. Its first subject is the report as `--output json=FILE` of the same run
//! writes it, byte for byte; a clean commit is the second.

use std::collections::BTreeMap;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::report::{Report, TreeState};

use super::headline;
use super::json::{Covering, digest};
use super::v1::{Condition, Input, Tool, Waiver};
use super::view::View;

/// Names the shape of the predicate; a change that is more than an addition changes the number.
pub const PREDICATE: &str = "urn:outbox-audit:verdict:v1";

/// The statement.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Statement<'r> {
    /// Always `https://in-toto.io/Statement/v1`.
    #[serde(rename = "_type")]
    #[schemars(extend("const" = "https://in-toto.io/Statement/v1"))]
    pub kind: &'static str,
    /// What the verdict is about.
    pub subject: Vec<Subject<'r>>,
    /// Always `urn:outbox-audit:verdict:v1`.
    #[serde(rename = "predicateType")]
    #[schemars(extend("const" = "urn:outbox-audit:verdict:v1"))]
    pub predicate_type: &'static str,
    /// The verdict.
    pub predicate: Predicate<'r>,
}

/// Something with a digest.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Subject<'r> {
    /// `outbox-audit-report.json`, or what was audited as the user named it.
    pub name: &'r str,
    /// `sha256` of the report, or `gitCommit` of a tree that is clean; whole, in hex.
    pub digest: BTreeMap<&'static str, String>,
}

/// The verdict and what it rests on.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Predicate<'r> {
    /// The tool.
    pub tool: Tool,
    /// `GO`, `HOLD` or `UNPROVEN`.
    #[schemars(extend("enum" = ["GO", "HOLD", "UNPROVEN"]))]
    pub verdict: &'static str,
    /// The same in one sentence.
    pub says: String,
    /// The flag in question.
    pub flag: Option<&'r str>,
    /// `tree` or `pre-flip`.
    #[schemars(extend("enum" = ["tree", "pre-flip"]))]
    pub stage: &'static str,
    /// The day on which waivers were judged, `YYYY-MM-DD`.
    pub as_of: &'r str,
    /// The seal of the report.
    #[schemars(regex(pattern = "^[0-9a-f]{16}$"))]
    pub seal: String,
    /// The conditions in order.
    pub gate: Vec<Condition<'r>>,
    /// Number of findings that hold the flag.
    pub blocking: usize,
    /// Number of obligations that the gate asks and that are not known.
    pub open: usize,
    /// What was read, with digests, and what was not.
    pub inputs: Vec<Input<'r>>,
    /// Waivers with what became of them.
    pub waivers: Vec<Waiver<'r>>,
}

/// Writes the statement with a line end behind it.
///
/// # Errors
/// Whatever `out` returns.
pub(super) fn write_to(report: &Report, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let mut covered = Covering::new(io::BufWriter::new(out));
    serde_json::to_writer_pretty(&mut covered, &statement(report)?)?;
    covered.write_all(b"\n")?;
    covered.flush()
}

fn statement(report: &Report) -> io::Result<Statement<'_>> {
    let (sha256, seal) = digest(report)?;
    let view = View::new(report);
    let mut subject = vec![Subject {
        name: "outbox-audit-report.json",
        digest: BTreeMap::from([("sha256", sha256)]),
    }];
    if let TreeState::Commit {
        id, clean: true, ..
    } = &report.tree
    {
        subject.push(Subject {
            name: &report.subject,
            digest: BTreeMap::from([("gitCommit", id.clone())]),
        });
    }
    Ok(Statement {
        kind: "https://in-toto.io/Statement/v1",
        subject,
        predicate_type: PREDICATE,
        predicate: Predicate {
            tool: Tool::new(report),
            verdict: report.verdict.word(),
            says: format!(
                "{}: {}",
                headline::verdict(report),
                headline::conditions(report)
            ),
            flag: report.flag.as_deref(),
            stage: report.stage.word(),
            as_of: &report.as_of,
            seal,
            gate: report.gate.iter().map(Condition::new).collect(),
            blocking: view.blocking_findings(),
            open: view.open.len() + view.unsaid.len(),
            inputs: report.inputs.iter().map(Input::new).collect(),
            waivers: report.waivers.iter().map(Waiver::new).collect(),
        },
    })
}
