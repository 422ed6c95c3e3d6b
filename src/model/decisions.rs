//! What a report decided, and on what: enough to hold two reports against each other.

use super::check::Weight;
use super::report::{Report, TreeState};
use super::secret::without_url_secrets;

/// The decisions of one report.
#[derive(Debug, Clone, Default)]
pub struct Decisions {
    /// Verdict, gate, tree and inputs.
    pub head: Head,
    /// Every check on every subject, in the order of the report.
    pub outcomes: Vec<Decision>,
}

/// What stands above the matrix.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// Version of the tool.
    pub tool: String,
    /// `GO`, `HOLD` or `UNPROVEN`.
    pub verdict: String,
    /// Abbreviated commit, where there is one.
    pub commit: Option<String>,
    /// True if nothing differs from the commit.
    pub clean: bool,
    /// Ids of the conditions, each with its state.
    pub gate: Vec<(String, String)>,
    /// What was read.
    pub inputs: Vec<RecordedInput>,
}

/// One kind of input as a report recorded it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordedInput {
    /// The word of its kind.
    pub kind: String,
    /// Names of what was read, each with its digest; none of a live database.
    pub read: Vec<(String, Option<String>)>,
    /// Kinds of gaps, in order: why something of it was not read.
    pub unknown: Vec<String>,
}

/// One check on one subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Subject id.
    pub subject: String,
    /// Check id.
    pub check: String,
    /// True if it can decide the verdict.
    pub gate: bool,
    /// The word of its outcome.
    pub outcome: String,
    /// True if a waiver covers it.
    pub waived: bool,
}

impl Decisions {
    /// Those of a report in hand.
    pub fn of(report: &Report) -> Self {
        let outcomes = report.obligations.iter().map(|obligation| Decision {
            subject: without_url_secrets(&obligation.subject.to_string()).into_owned(),
            check: obligation.check.id.to_owned(),
            gate: obligation.check.weight == Weight::Gate,
            outcome: obligation.outcome.word().to_owned(),
            waived: obligation.waiver.is_some(),
        });
        Self {
            head: Head::of(report),
            outcomes: outcomes.collect(),
        }
    }
}

impl Head {
    /// That of a report in hand.
    pub fn of(report: &Report) -> Self {
        let (commit, clean) = match &report.tree {
            TreeState::Commit { commit, clean, .. } => (Some(commit.clone()), *clean),
            TreeState::None => (None, false),
        };
        let gate = report.gate.iter();
        let inputs = report.inputs.iter().map(|state| RecordedInput {
            kind: state.kind.word().to_owned(),
            read: state
                .read
                .iter()
                .map(|read| {
                    (
                        read.name.to_string(),
                        read.digest.as_deref().map(str::to_owned),
                    )
                })
                .collect(),
            unknown: state
                .unknown
                .iter()
                .map(|reason| reason.why.word().to_owned())
                .collect(),
        });
        Self {
            tool: report.tool_version.to_owned(),
            verdict: report.verdict.word().to_owned(),
            commit,
            clean,
            gate: gate
                .map(|one| (one.id.to_string(), one.state.word().to_owned()))
                .collect(),
            inputs: inputs.collect(),
        }
    }
}

/// What differs between an older and a newer report.
#[derive(Debug, Default)]
pub struct Comparison {
    /// The verdict before and after, where it differs.
    pub verdict: Option<(String, String)>,
    /// Conditions whose state differs: id, before, after.
    pub conditions: Vec<(String, String, String)>,
    /// Outcomes that differ, sorted by subject and check.
    pub turns: Vec<Turn>,
    /// One sentence for each input that differs.
    pub inputs: Vec<String>,
    /// Inputs that were read before, and not or not wholly now: nothing can be told without them.
    pub unread: Vec<String>,
    /// True if anything is worse than it was.
    pub worse: bool,
}

/// One check on one subject whose outcome differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Subject id.
    pub subject: String,
    /// Check id.
    pub check: String,
    /// The outcome before; none if it was not asked.
    pub before: Option<String>,
    /// The outcome now; none if it is no longer asked.
    pub after: Option<String>,
    /// True if it can decide the verdict.
    pub gate: bool,
}

impl Comparison {
    /// True if nothing was decided otherwise.
    pub fn decides_alike(&self) -> bool {
        self.verdict.is_none() && self.conditions.is_empty() && self.turns.is_empty()
    }
}
