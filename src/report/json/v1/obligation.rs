//! Obligations and findings in the document.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::evidence::Reason;
use super::place::Place;
use super::rows::Row;
use crate::model::check::{self as model, FurtherDelivery, Outcome};
use crate::model::evidence::Evidence;
use crate::model::report::Report;
use crate::report::fingerprint::fingerprint;

/// One check on one subject. Exactly one of `finding`, `reason`, `evidence` and
/// `not_applicable` is present, as `outcome` says.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Obligation<'r> {
    /// Of what.
    pub subject: String,
    /// Which check.
    pub check: &'static str,
    /// Clause it belongs to: `S1`, `C2`, `queue`.
    pub clause: &'static str,
    /// `gate` or `advisory`.
    #[schemars(extend("enum" = ["gate", "advisory"]))]
    pub weight: &'static str,
    /// `met`, `not-met`, `unknown` or `not-applicable`.
    #[schemars(extend("enum" = ["met", "not-met", "unknown", "not-applicable"]))]
    pub outcome: &'static str,
    /// Of `not-met`: what was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finding: Option<Finding<'r>>,
    /// Of `unknown`: why, and the next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason<'r>>,
    /// Of `met`: one sentence, the proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<&'r str>,
    /// Of `met`: ids of the evidence that the proof cites.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Vec<String>>,
    /// Of `not-applicable`: why it does not arise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_applicable: Option<&'static str>,
    /// Position in `waivers`, from 0, of the waiver that names it.
    pub waiver: Option<usize>,
}

/// Something shown not to hold.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Finding<'r> {
    /// First 16 hex digits of SHA-256 over `1`, NUL, check id, NUL, subject id.
    #[schemars(regex(pattern = "^[0-9a-f]{16}$"))]
    pub fingerprint: String,
    /// `error`, `warning` or `note`.
    #[schemars(extend("enum" = ["error", "warning", "note"]))]
    pub severity: &'static str,
    /// `high`, `medium` or `low`.
    #[schemars(extend("enum" = ["high", "medium", "low"]))]
    pub confidence: &'static str,
    /// One sentence.
    pub sentence: &'r str,
    /// A few words that belong to the place.
    pub label: &'r str,
    /// Primary location.
    pub place: Place<'r>,
    /// What a further delivery does.
    pub further_delivery: Option<&'static str>,
    /// Facts that help to act.
    pub notes: Vec<&'r str>,
    /// The harm, step by step.
    pub interleaving: Vec<Step<'r>>,
    /// Sets of changes; any one of them would meet the obligation.
    pub repairs: Vec<Vec<Change<'r>>>,
    /// Ids of the evidence it rests on.
    pub evidence: Vec<String>,
}

/// One step of an interleaving.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Step<'r> {
    /// Who.
    pub actor: &'static str,
    /// What happens.
    pub does: &'r str,
}

/// One change to the system.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Change<'r> {
    /// Identity: findings that ask for the same change share it.
    pub key: &'r str,
    /// What to do, in one line.
    pub title: &'r str,
    /// A statement or command that does it.
    pub how: Option<&'r str>,
}

/// Ids of observations: `e` and the position in the report, from 1.
struct EvidenceIds<'r>(BTreeMap<&'r Evidence, usize>);

impl<'r> EvidenceIds<'r> {
    fn new(report: &'r Report) -> Self {
        let numbered = report.evidence.iter().enumerate();
        Self(numbered.map(|(at, one)| (&**one, at + 1)).collect())
    }

    fn of(&self, cited: &[Arc<Evidence>]) -> Vec<String> {
        let positions = cited.iter().filter_map(|one| self.0.get(&**one));
        positions.map(|at| format!("e{at}")).collect()
    }
}

impl<'r> Obligation<'r> {
    fn new(obligation: &'r model::Obligation, ids: &EvidenceIds<'_>) -> Self {
        let subject = obligation.subject.to_string();
        let mut row = Obligation {
            check: obligation.check.id,
            clause: obligation.check.clause,
            weight: obligation.check.weight.word(),
            outcome: obligation.outcome.word(),
            finding: None,
            reason: None,
            proof: None,
            evidence: None,
            not_applicable: None,
            waiver: obligation.waiver.map(|at| at as usize),
            subject,
        };
        match &obligation.outcome {
            Outcome::Met(proof) => {
                row.proof = Some(&proof.sentence);
                row.evidence = Some(ids.of(&proof.evidence));
            }
            Outcome::NotMet(finding) => {
                let print = fingerprint(row.check, &row.subject);
                row.finding = Some(Finding::new(finding, print, ids));
            }
            Outcome::Unknown(reason) => row.reason = Some(Reason::new(reason)),
            Outcome::NotApplicable(why) => row.not_applicable = Some(why),
        }
        row
    }
}

impl Row for Obligation<'_> {
    fn write<S: Serializer>(report: &Report, serializer: S) -> Result<S::Ok, S::Error> {
        let ids = EvidenceIds::new(report);
        serializer.collect_seq(
            report
                .obligations
                .iter()
                .map(|one| Obligation::new(one, &ids)),
        )
    }
}

impl<'r> Finding<'r> {
    fn new(finding: &'r model::Finding, fingerprint: String, ids: &EvidenceIds<'_>) -> Self {
        Self {
            fingerprint,
            severity: finding.severity.word(),
            confidence: finding.confidence.word(),
            sentence: &finding.sentence,
            label: &finding.label,
            place: Place::new(&finding.place),
            further_delivery: finding.further_delivery.map(FurtherDelivery::word),
            notes: finding.notes.iter().map(String::as_str).collect(),
            interleaving: finding
                .interleaving
                .iter()
                .map(|step| Step {
                    actor: step.actor,
                    does: &step.does,
                })
                .collect(),
            repairs: finding
                .repairs
                .iter()
                .map(|set| set.iter().map(Change::new).collect())
                .collect(),
            evidence: ids.of(&finding.evidence),
        }
    }
}

impl<'r> Change<'r> {
    fn new(change: &'r model::Change) -> Self {
        Self {
            key: &change.key,
            title: &change.title,
            how: change.how.as_deref(),
        }
    }
}
