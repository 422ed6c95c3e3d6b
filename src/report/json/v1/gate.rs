//! The gate in the document: conditions, the way to GO, what is put off, waivers.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::place::Place;
use super::rows::Row;
use crate::model::evidence::InputKind;
use crate::model::facts::DeferredFamily;
use crate::model::report::{self as model, Report, WaiverRow};
use crate::report::words;

/// One condition of the gate.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Condition<'r> {
    /// Id from the pack.
    pub id: &'r str,
    /// Title from the pack.
    pub title: &'r str,
    /// `met`, `not-met`, `not-shown` or `not-applicable`.
    #[schemars(extend("enum" = ["met", "not-met", "not-shown", "not-applicable"]))]
    pub state: &'static str,
    /// A few words: why.
    pub why: &'r str,
    /// Inputs it needs.
    pub needs: Vec<&'static str>,
    /// Checks that decide it.
    pub checks: Vec<&'r str>,
    /// Findings under it that a waiver covers.
    pub waived: usize,
}

/// One change on the way to GO.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChangeToGo<'r> {
    /// Identity of the change, as in `repairs`.
    pub key: &'r str,
    /// What to do, in one line.
    pub title: &'r str,
    /// A statement or command that does it.
    pub how: Option<&'r str>,
    /// Obligations it helps to meet; empty for an input that is missing.
    pub meets: Vec<Met>,
    /// Conditions it serves, from 1.
    pub conditions: &'r [usize],
}

/// An obligation by its names.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Met {
    /// Of what.
    pub subject: String,
    /// Which check.
    pub check: &'static str,
}

/// A family of effects put off.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Deferred<'r> {
    /// Its name.
    pub title: &'r str,
    /// Why it is put off.
    pub why: &'r str,
    /// `yes`, `no` or `unknown`.
    #[schemars(extend("enum" = ["yes", "no", "unknown"]))]
    pub on_path_today: &'static str,
    /// Its effects or consumers on the path.
    pub on_path: Vec<&'r str>,
}

/// A waiver and what became of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Waiver<'r> {
    /// Check id.
    pub check: &'r str,
    /// Subject id.
    pub subject: &'r str,
    /// Why.
    pub reason: &'r str,
    /// Who answers for it.
    pub owner: &'r str,
    /// Last day it applies, `YYYY-MM-DD`.
    pub expires: &'r str,
    /// `applied`, `expired`, `unused`, `ignored` or `refused`.
    #[schemars(extend("enum" = ["applied", "expired", "unused", "ignored", "refused"]))]
    pub state: &'static str,
    /// Of an unused one: subjects that may have been meant.
    pub meant: Vec<&'r str>,
    /// Of a refused one: why it covers nothing.
    pub refused: Option<&'static str>,
    /// Where it is declared.
    pub place: Place<'r>,
}

impl<'r> Condition<'r> {
    pub(in crate::report) fn new(condition: &'r model::Condition) -> Self {
        Self {
            id: &condition.id,
            title: &condition.title,
            state: condition.state.word(),
            why: &condition.why,
            needs: condition
                .needs
                .iter()
                .copied()
                .map(InputKind::word)
                .collect(),
            checks: condition.checks.iter().map(|check| &**check).collect(),
            waived: condition.waived,
        }
    }
}

impl<'r> ChangeToGo<'r> {
    fn new(report: &'r Report, row: &'r model::ChangeToGo) -> Self {
        let met = row
            .meets
            .iter()
            .filter_map(|at| report.obligations.get(*at));
        Self {
            key: &row.change.key,
            title: &row.change.title,
            how: row.change.how.as_deref(),
            meets: met
                .map(|obligation| Met {
                    subject: obligation.subject.to_string(),
                    check: obligation.check.id,
                })
                .collect(),
            conditions: &row.conditions,
        }
    }
}

impl Row for ChangeToGo<'_> {
    fn write<S: Serializer>(report: &Report, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(
            report
                .changes
                .iter()
                .map(|row| ChangeToGo::new(report, row)),
        )
    }
}

impl<'r> Deferred<'r> {
    pub(super) fn new(family: &'r DeferredFamily) -> Self {
        Self {
            title: &family.title,
            why: &family.why,
            on_path_today: match words::on_path_today(family) {
                "yes" => "yes",
                "no" => "no",
                _ => "unknown",
            },
            on_path: family.on_path.iter().map(|one| &**one).collect(),
        }
    }
}

impl<'r> Waiver<'r> {
    pub(in crate::report) fn new(row: &'r WaiverRow) -> Self {
        let waiver = &row.waiver;
        Self {
            check: &waiver.check.value,
            subject: &waiver.subject.value,
            reason: &waiver.reason,
            owner: &waiver.owner,
            expires: &waiver.expires,
            state: words::waiver(row.state),
            refused: row.refused,
            meant: row.meant.iter().map(String::as_str).collect(),
            place: Place::new(&waiver.check.place),
        }
    }
}
