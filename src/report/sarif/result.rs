//! One finding as a result.

use serde::Serialize;

use super::flow::{CodeFlow, flows};
use super::location::{Location, logical};
use super::message::{Message, message, paragraphs};
use super::run::Context;
use crate::model::check::{Finding, FurtherDelivery, Obligation};
use crate::report::fingerprint::fingerprint;
use crate::report::standing::{Level, Standing};
use crate::report::view::Found;
use crate::report::visible;

/// Most places of evidence.
const RELATED: usize = 20;

/// The result.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Outcome<'c> {
    rule_id: &'static str,
    rule_index: usize,
    kind: &'static str,
    level: &'static str,
    message: Message,
    locations: [Location<'c>; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location<'c>>,
    partial_fingerprints: Fingerprints,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    code_flows: Vec<CodeFlow<'c>>,
    suppressions: Vec<Suppression>,
    properties: Properties,
}

/// The same name as everywhere. GitHub knows a result again by the first of the two alone.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Fingerprints {
    primary_location_line_hash: String,
    #[serde(rename = "outboxAudit/v1")]
    own: String,
}

#[derive(Serialize)]
struct Suppression {
    kind: &'static str,
    status: &'static str,
    justification: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Properties {
    clause: &'static str,
    standing: &'static str,
    confidence: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    further_delivery: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conditions: Vec<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    repairs: Vec<Vec<String>>,
}

impl<'c> Outcome<'c> {
    pub(super) fn new<'r: 'c>(
        context: &'c Context<'_, 'r>,
        found: Found<'r>,
        standing: Standing,
    ) -> Self {
        let Found {
            obligation,
            finding,
        } = found;
        let check = obligation.check;
        let anchor = context.anchors.of(obligation);
        let mut location = Location::physical(context, &anchor);
        location.logical_locations = logical(&obligation.subject, &finding.place);
        if !finding.label.is_empty() {
            location.message = Some(message(&finding.label));
        }
        let print = fingerprint(check.id, &obligation.subject.to_string());
        Self {
            rule_id: check.id,
            rule_index: context.rules.get(check.id).map_or(0, |rule| rule.0),
            kind: "fail",
            level: match standing.level(finding.severity) {
                Level::Error => "error",
                Level::Warning => "warning",
                Level::Note => "note",
            },
            message: paragraphs(text(finding).iter().map(String::as_str)),
            locations: [location],
            related_locations: related(context, finding),
            partial_fingerprints: Fingerprints {
                primary_location_line_hash: format!("{print}:1"),
                own: print,
            },
            code_flows: flows(context, &obligation.subject, finding, &anchor),
            suppressions: suppression(context, obligation, standing),
            properties: Properties {
                clause: check.clause,
                standing: standing.word(),
                confidence: finding.confidence.word(),
                further_delivery: finding.further_delivery.map(FurtherDelivery::word),
                conditions: context.view.conditions_of(check.id),
                notes: finding
                    .notes
                    .iter()
                    .map(|one| visible::sentence(one))
                    .collect(),
                repairs: finding
                    .repairs
                    .iter()
                    .map(|set| {
                        set.iter()
                            .map(|one| visible::sentence(&one.title))
                            .collect()
                    })
                    .collect(),
            },
        }
    }
}

/// The sentence, and the first way to mend it.
fn text(finding: &Finding) -> Vec<String> {
    let mut all = vec![finding.sentence.clone()];
    let first = finding.repairs.first().into_iter().flatten();
    all.extend(first.map(|change| format!("fix: {}", change.title)));
    all
}

fn related<'c>(context: &Context<'_, '_>, finding: &Finding) -> Vec<Location<'c>> {
    let cited = finding.evidence.iter().filter_map(|one| {
        let at = context.anchors.of_place(&one.place)?;
        Some(Location::physical(context, &at).says(&one.says))
    });
    let numbered = cited.take(RELATED).enumerate();
    numbered
        .map(|(at, location)| Location {
            id: Some(at + 1),
            ..location
        })
        .collect()
}

/// An empty list says that nothing suppresses the result.
fn suppression(
    context: &Context<'_, '_>,
    obligation: &Obligation,
    standing: Standing,
) -> Vec<Suppression> {
    let waivers = &context.view.report.waivers;
    let covering = obligation.waiver.and_then(|at| waivers.get(at as usize));
    let covering = covering.filter(|_| standing == Standing::Waived);
    let suppression = covering.map(|row| Suppression {
        kind: "external",
        status: "accepted",
        justification: visible::sentence(&format!(
            "{} ({}, until {})",
            row.waiver.reason, row.waiver.owner, row.waiver.expires
        )),
    });
    suppression.into_iter().collect()
}
