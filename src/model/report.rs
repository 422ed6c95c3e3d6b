//! The report as a value: every format renders this and nothing else.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::check::{Change, Obligation};
use super::consumer::Consumer;
use super::evidence::{Evidence, InputKind};
use super::facts::{DeferredFamily, EffectFacts, SourceFacts};
use super::guarantee::JudgedGuarantee;
use super::inputs::InputState;
use super::scope::Waiver;
use super::text::TextFile;

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Every condition is shown.
    Go,
    /// Something is shown unsafe.
    Hold,
    /// Nothing is shown unsafe, and something is not shown safe.
    Unproven,
}

impl Verdict {
    /// The word a person reads.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Go => "GO",
            Verdict::Hold => "HOLD",
            Verdict::Unproven => "UNPROVEN",
        }
    }
}

/// What is expected to be unread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// A pull request: no database, perhaps no test results.
    Tree,
    /// Before the flag flips.
    #[default]
    PreFlip,
}

impl Stage {
    /// The word used on the command line, in reports and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Stage::Tree => "tree",
            Stage::PreFlip => "pre-flip",
        }
    }
}

/// Which verdicts fail the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum FailOn {
    /// Only HOLD.
    Hold,
    /// HOLD and UNPROVEN.
    #[default]
    Unproven,
}

/// State of a condition of the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConditionState {
    /// Shown to hold.
    Met,
    /// Shown not to hold.
    NotMet,
    /// Not shown.
    NotShown,
    /// Nothing of the system falls under it.
    NotApplicable,
}

impl ConditionState {
    /// The word used in JSON.
    pub fn word(self) -> &'static str {
        match self {
            ConditionState::Met => "met",
            ConditionState::NotMet => "not-met",
            ConditionState::NotShown => "not-shown",
            ConditionState::NotApplicable => "not-applicable",
        }
    }
}

/// One condition of the gate.
#[derive(Debug)]
pub struct Condition {
    /// Id from the pack.
    pub id: Arc<str>,
    /// Title from the pack.
    pub title: Arc<str>,
    /// Where it stands.
    pub state: ConditionState,
    /// A few words: why.
    pub why: String,
    /// Inputs it needs.
    pub needs: Vec<InputKind>,
    /// Checks that decide it.
    pub checks: Vec<Arc<str>>,
    /// Findings under it that a waiver covers.
    pub waived: usize,
}

/// What became of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Disposition {
    /// Shown unsafe.
    Blocked,
    /// Not known.
    Unknown,
    /// A declared duplicate.
    Accepted,
    /// Shown safe.
    Safe,
    /// Outside the gate's scope.
    Deferred,
    /// Not on the path.
    OffPath,
}

impl Disposition {
    /// The word used in reports and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Disposition::Blocked => "blocked",
            Disposition::Unknown => "unknown",
            Disposition::Accepted => "accepted",
            Disposition::Safe => "safe",
            Disposition::Deferred => "deferred",
            Disposition::OffPath => "off-path",
        }
    }
}

/// One effect as judged.
#[derive(Debug)]
pub struct EffectRow {
    /// Its facts.
    pub facts: Box<EffectFacts>,
    /// What became of it.
    pub disposition: Disposition,
    /// True if all that blocks it is waived.
    pub waived: bool,
    /// One sentence: why.
    pub reason: String,
    /// The proof, for safe effects.
    pub proof: Option<String>,
    /// What to do, for effects that are not safe.
    pub required_action: Option<String>,
    /// Positions of its obligations in the report.
    pub obligations: Vec<usize>,
}

/// One change on the way to GO.
#[derive(Debug)]
pub struct ChangeToGo {
    /// The change.
    pub change: Change,
    /// Positions of the obligations it helps to meet; empty for inputs that are missing.
    pub meets: Vec<usize>,
    /// Conditions it serves, 1-based.
    pub conditions: Vec<usize>,
}

/// State of the audited tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeState {
    /// A commit.
    Commit {
        /// Abbreviated id.
        commit: String,
        /// The whole id.
        id: String,
        /// True if nothing differs from it.
        clean: bool,
    },
    /// Not under version control, or it could not be asked.
    None,
}

/// A waiver and what became of it.
#[derive(Debug)]
pub struct WaiverRow {
    /// As declared.
    pub waiver: Waiver,
    /// What became of it.
    pub state: WaiverState,
    /// Of one that covers nothing: the subjects that may have been meant.
    pub meant: Vec<String>,
    /// Of one that is refused: why it covers nothing.
    pub refused: Option<&'static str>,
}

/// What became of a waiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaiverState {
    /// It covers a finding.
    Applied,
    /// Its day is past.
    Expired,
    /// No finding matches it.
    Unused,
    /// `--no-waivers` was given.
    Ignored,
    /// It names something that cannot be waived: what is unknown, or a test that failed.
    Refused,
}

/// How much of the consumer map is known.
#[derive(Debug, Default)]
pub struct Inventory {
    /// Consumers of which all is known: whether they run, and every effect.
    pub classified: usize,
    /// Consumers of which something is not known.
    pub unknown: usize,
    /// What source shows beside the consumers; none where it was not read.
    pub source: Option<SourceFacts>,
}

/// The whole report.
#[derive(Debug)]
pub struct Report {
    /// Version of the tool.
    pub tool_version: &'static str,
    /// The answer.
    pub verdict: Verdict,
    /// Exit status that goes with it.
    pub exit_status: u8,
    /// The flag in question.
    pub flag: Option<Arc<str>>,
    /// What was audited, as the user named it.
    pub subject: Arc<str>,
    /// Pack names in use.
    pub packs: Vec<Arc<str>>,
    /// Stage.
    pub stage: Stage,
    /// Fail-on.
    pub fail_on: FailOn,
    /// The day waivers were compared with, `YYYY-MM-DD`.
    pub as_of: String,
    /// The audited tree.
    pub tree: TreeState,
    /// Path from the top of the repository to the directory from which files are named, with `/`
    /// at its end; empty at the top, and where there is no repository.
    pub path_in_repository: String,
    /// Conditions in order.
    pub gate: Vec<Condition>,
    /// Consumers, sorted by id.
    pub consumers: Vec<Consumer>,
    /// Effects, sorted by consumer and position.
    pub effects: Vec<EffectRow>,
    /// The whole matrix, sorted by subject and check.
    pub obligations: Vec<Obligation>,
    /// Every observation cited, sorted; its id is `e` and its position from 1.
    pub evidence: Vec<Arc<Evidence>>,
    /// What was read.
    pub inputs: Vec<InputState>,
    /// The smallest set of changes that would turn the verdict to GO.
    pub changes: Vec<ChangeToGo>,
    /// True if the set is shown to be smallest; false if the search was cut.
    pub changes_minimal: bool,
    /// Deferred inventory.
    pub deferred: Vec<DeferredFamily>,
    /// Residuals, once each.
    pub residuals: Vec<String>,
    /// How much of the consumer map is known.
    pub inventory: Inventory,
    /// Guarantees, in the order declared.
    pub guarantees: Vec<Arc<JudgedGuarantee>>,
    /// Waivers.
    pub waivers: Vec<WaiverRow>,
    /// Texts that were read, for quotes. They may hold secrets: a report shows only excerpts.
    pub files: Vec<Arc<TextFile>>,
}

impl Report {
    /// True if a waiver that applies covers the obligation.
    pub fn is_waived(&self, obligation: &Obligation) -> bool {
        obligation
            .waiver
            .and_then(|at| self.waivers.get(at as usize))
            .is_some_and(|row| row.state == WaiverState::Applied)
    }

    /// Number of findings that waivers cover.
    pub fn waived(&self) -> usize {
        let obligations = self.obligations.iter();
        obligations.filter(|one| self.is_waived(one)).count()
    }

    /// Number of effects with a disposition.
    pub fn count(&self, disposition: Disposition) -> usize {
        self.effects
            .iter()
            .filter(|row| row.disposition == disposition)
            .count()
    }
}
