//! One run: the tool with its checks, the verdict, what was not known, and the findings.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::MOST;
use super::location::Location;
use super::message::{Message, message, paragraphs};
use super::result::Outcome;
use super::rule::{Rule, rule};
use crate::model::check::CheckInfo;
use crate::report::anchor::Anchors;
use crate::report::excerpt::Texts;
use crate::report::view::View;
use crate::report::{gaps, headline, visible, words};

/// What every part of the run is made from.
pub(super) struct Context<'v, 'r> {
    pub(super) view: &'v View<'r>,
    pub(super) anchors: Anchors<'v, 'r>,
    pub(super) texts: Texts<'r>,
    /// Checks by id, with their positions among the rules.
    pub(super) rules: BTreeMap<&'static str, (usize, &'static CheckInfo)>,
}

impl<'v, 'r> Context<'v, 'r> {
    pub(super) fn new(view: &'v View<'r>) -> Self {
        let mut rules = BTreeMap::new();
        for obligation in &view.report.obligations {
            rules.insert(obligation.check.id, (0, obligation.check));
        }
        for (at, rule) in rules.values_mut().enumerate() {
            rule.0 = at;
        }
        Self {
            view,
            anchors: Anchors::new(view),
            texts: Texts::new(view.report),
            rules,
        }
    }
}

/// The run.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Run<'c> {
    tool: Tool,
    invocations: [Invocation<'c>; 1],
    column_kind: &'static str,
    results: Results<'c>,
    properties: Properties<'c>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    semantic_version: &'static str,
    short_description: Message,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation<'c> {
    execution_successful: bool,
    exit_code: u8,
    exit_code_description: String,
    tool_execution_notifications: Notifications<'c>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Properties<'c> {
    verdict: &'static str,
    flag: Option<&'c str>,
    stage: &'static str,
    conditions: BTreeMap<&'c str, &'static str>,
    findings: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Notification<'c> {
    level: &'static str,
    message: Message,
    #[serde(skip_serializing_if = "Option::is_none")]
    associated_rule: Option<Reference>,
    locations: Vec<Location<'c>>,
}

#[derive(Serialize)]
struct Reference {
    id: &'static str,
    index: usize,
}

/// The findings, made one by one while they are written.
struct Results<'c>(&'c Context<'c, 'c>);

/// What is not known, likewise.
struct Notifications<'c>(&'c Context<'c, 'c>);

impl<'c> Run<'c> {
    pub(super) fn new(context: &'c Context<'c, 'c>) -> Self {
        let report = context.view.report;
        let verdict = format!(
            "{}: {}",
            headline::verdict(report),
            headline::conditions(report)
        );
        Self {
            tool: Tool {
                driver: Driver {
                    name: "outbox-audit",
                    semantic_version: report.tool_version,
                    short_description: message(
                        "proves, or refuses to prove, that every consumer of a transactional outbox survives redelivery",
                    ),
                    rules: context
                        .rules
                        .values()
                        .map(|(_, check)| rule(check))
                        .collect(),
                },
            },
            invocations: [Invocation {
                execution_successful: true,
                exit_code: report.exit_status,
                exit_code_description: visible::sentence(&verdict),
                tool_execution_notifications: Notifications(context),
            }],
            column_kind: "unicodeCodePoints",
            results: Results(context),
            properties: Properties {
                verdict: report.verdict.word(),
                flag: report.flag.as_deref(),
                stage: report.stage.word(),
                conditions: report
                    .gate
                    .iter()
                    .map(|one| (&*one.id, one.state.word()))
                    .collect(),
                findings: context.view.found().count(),
            },
        }
    }
}

impl Serialize for Results<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Results(context) = self;
        serializer.collect_seq(
            context
                .view
                .found()
                .take(MOST)
                .map(|(found, standing)| Outcome::new(context, found, standing)),
        )
    }
}

impl Serialize for Notifications<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Notifications(context) = self;
        let view = context.view;
        let left_out = context.view.found().count().saturating_sub(MOST);
        let cut = (left_out > 0).then(|| Notification {
            level: "error",
            message: message(&format!(
                "{} left out: GitHub takes no more; the JSON report holds all",
                words::many(left_out, "more finding")
            )),
            associated_rule: None,
            locations: Vec::new(),
        });
        let open = view.open.iter().filter_map(|obligation| {
            let reason = gaps::reason_of(obligation)?;
            let rule = context.rules.get(obligation.check.id)?;
            Some(Notification {
                level: "warning",
                message: paragraphs([
                    &*format!(
                        "not known of {}: {}",
                        view.subject_title(&obligation.subject),
                        reason.sentence
                    ),
                    &*format!("next: {}", reason.next_step),
                ]),
                associated_rule: Some(Reference {
                    id: obligation.check.id,
                    index: rule.0,
                }),
                locations: vec![Location::physical(context, &context.anchors.of(obligation))],
            })
        });
        let unsaid = view.unsaid.iter().map(|row| {
            let at = context.anchors.of_place(&row.facts.effect.place);
            Notification {
                level: "warning",
                message: message(&format!(
                    "not known of {}: {}",
                    view.effect_title(row),
                    row.reason
                )),
                associated_rule: None,
                locations: at
                    .iter()
                    .map(|at| Location::physical(context, at))
                    .collect(),
            }
        });
        serializer.collect_seq(cut.into_iter().chain(open.chain(unsaid).take(MOST)))
    }
}
