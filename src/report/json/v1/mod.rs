//! Document `report`, version 1. Own types: the shape holds still while the model moves. Within
//! the version fields are only added.

mod consumer;
mod effect;
mod evidence;
mod gate;
mod guarantee;
mod inventory;
mod obligation;
mod place;
mod rows;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::report::{Disposition, FailOn, Report, TreeState};

use super::sealing::UNSEALED;

pub use consumer::{Consumer, Trigger};
pub use effect::{Assignment, Draw, Effect, Further, Hop};
pub use evidence::{Evidence, Input, ReadInput, Reason};
pub use gate::{ChangeToGo, Condition, Deferred, Met, Waiver};
pub use guarantee::Guarantee;
pub use inventory::{Inventory, UntakenEvent};
pub use obligation::{Change, Finding, Obligation, Step};
pub use place::Place;
pub use rows::Rows;

/// The report of one audit.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Document<'r> {
    /// Always `report`.
    #[schemars(extend("const" = "report"))]
    pub document: &'static str,
    /// Version of this shape, always 1.
    #[schemars(extend("const" = 1))]
    pub version: u32,
    /// The tool that wrote it.
    pub tool: Tool,
    /// `GO`, `HOLD` or `UNPROVEN`.
    #[schemars(extend("enum" = ["GO", "HOLD", "UNPROVEN"]))]
    pub verdict: &'static str,
    /// Exit status of the run: 0 GO, 1 HOLD, 3 UNPROVEN.
    pub exit_status: u8,
    /// The flag in question.
    pub flag: Option<&'r str>,
    /// What was audited, as the user named it.
    pub subject: &'r str,
    /// Names of the rule packs in use.
    pub packs: Vec<&'r str>,
    /// `tree` or `pre-flip`.
    #[schemars(extend("enum" = ["tree", "pre-flip"]))]
    pub stage: &'static str,
    /// Which verdicts fail the run: `hold` or `unproven`.
    #[schemars(extend("enum" = ["hold", "unproven"]))]
    pub fail_on: &'static str,
    /// The audited tree; null when it is not under version control.
    pub tree: Option<Tree<'r>>,
    /// Number of effects by disposition; the numbers add up to all effects.
    pub counts: BTreeMap<&'static str, usize>,
    /// The conditions in order.
    pub gate: Vec<Condition<'r>>,
    /// How much of the consumer map is known.
    pub inventory: Inventory<'r>,
    /// Every consumer, sorted by id.
    pub consumers: Rows<'r, Consumer<'static>>,
    /// Every effect, sorted by consumer and position.
    pub effects: Rows<'r, Effect<'static>>,
    /// Every check on every subject, sorted by subject and check.
    pub obligations: Rows<'r, Obligation<'static>>,
    /// Every observation that is cited.
    pub evidence: Rows<'r, Evidence<'static>>,
    /// What was read, and what was not.
    pub inputs: Vec<Input<'r>>,
    /// Changes that would turn the verdict to GO.
    pub changes_to_go: Rows<'r, ChangeToGo<'static>>,
    /// True if no smaller set of changes exists.
    pub changes_minimal: bool,
    /// Families of effects put off.
    pub deferred: Vec<Deferred<'r>>,
    /// What no condition removes.
    pub residuals: Vec<&'r str>,
    /// Guarantees, in the order declared.
    pub guarantees: Vec<Guarantee<'r>>,
    /// Waivers with what became of them.
    pub waivers: Vec<Waiver<'r>>,
    /// The day on which waivers were judged, `YYYY-MM-DD`; also that on which a database was read,
    /// unless another was asked for.
    pub as_of: &'r str,
    /// The last key: first 16 hex digits of SHA-256 over all that stands before it, white space
    /// between tokens left out, by which a change of this file shows.
    #[schemars(regex(pattern = "^[0-9a-f]{16}$"))]
    pub seal: &'static str,
}

/// The tool.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

impl Tool {
    pub(in crate::report) fn new(report: &Report) -> Self {
        Self {
            name: "outbox-audit",
            version: report.tool_version,
        }
    }
}

/// The audited tree.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Tree<'r> {
    /// Abbreviated commit.
    pub commit: &'r str,
    /// True if nothing differs from it.
    pub clean: bool,
}

impl<'r> Document<'r> {
    /// The document of a report; its long lists are made while they are written.
    pub fn new(report: &'r Report) -> Self {
        Self {
            document: "report",
            version: 1,
            tool: Tool::new(report),
            verdict: report.verdict.word(),
            exit_status: report.exit_status,
            flag: report.flag.as_deref(),
            subject: &report.subject,
            packs: report.packs.iter().map(|pack| &**pack).collect(),
            stage: report.stage.word(),
            fail_on: match report.fail_on {
                FailOn::Hold => "hold",
                FailOn::Unproven => "unproven",
            },
            tree: match &report.tree {
                TreeState::Commit { commit, clean, .. } => Some(Tree {
                    commit,
                    clean: *clean,
                }),
                TreeState::None => None,
            },
            counts: counts(report),
            gate: report.gate.iter().map(Condition::new).collect(),
            inventory: Inventory::new(report),
            consumers: Rows::new(report),
            effects: Rows::new(report),
            obligations: Rows::new(report),
            evidence: Rows::new(report),
            inputs: report.inputs.iter().map(Input::new).collect(),
            changes_to_go: Rows::new(report),
            changes_minimal: report.changes_minimal,
            deferred: report.deferred.iter().map(Deferred::new).collect(),
            residuals: report.residuals.iter().map(String::as_str).collect(),
            guarantees: report
                .guarantees
                .iter()
                .map(|one| Guarantee::new(one))
                .collect(),
            waivers: report.waivers.iter().map(Waiver::new).collect(),
            as_of: &report.as_of,
            seal: UNSEALED,
        }
    }
}

fn counts(report: &Report) -> BTreeMap<&'static str, usize> {
    [
        Disposition::Blocked,
        Disposition::Unknown,
        Disposition::Accepted,
        Disposition::Safe,
        Disposition::Deferred,
        Disposition::OffPath,
    ]
    .into_iter()
    .map(|disposition| (disposition.word(), report.count(disposition)))
    .collect()
}
