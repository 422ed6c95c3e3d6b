//! outbox-audit: proves, or refuses to prove, that every consumer of an outbox survives redelivery.
//!
//! Data flows in a line: readers fill [`model::inputs::Inputs`], [`facts`] derives, [`checks`]
//! decide each obligation, [`verdict`] judges the gate, [`report`] renders. This file is the one
//! that knows them all.

pub mod checks;
pub mod cli;
pub mod command;
pub mod expr;
pub mod facts;
pub mod input;
pub mod model;
pub mod report;
pub mod rules;
pub mod sql;
pub mod verdict;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use facts::{FactInput, OutboxNames};
use input::gather::{Sources, gather};
use input::names::KnownNames;
use model::evidence::{InputKind, Reason};
use model::inputs::Inputs;
use model::outbox::OutboxColumn;
use model::place::Place;
use model::report::{FailOn, Report, Stage, TreeState};
use model::scope::Declarations;
use rules::{GateOnlyIf, Rules};
use verdict::{ConditionSpec, GateQuestion, OnlyIf};

/// What to audit, and how.
#[derive(Debug, Clone)]
pub struct AuditRequest {
    /// What to read.
    pub sources: Sources,
    /// What the configuration declares.
    pub declarations: Declarations,
    /// Name of the outbox table, where the configuration gives one.
    pub outbox_table: Option<Arc<str>>,
    /// Names of its columns, where the configuration gives them.
    pub outbox_columns: BTreeMap<OutboxColumn, Arc<str>>,
    /// Names of rule packs; empty to recognise them by what is read.
    pub packs: Vec<String>,
    /// Files and directories of rules.
    pub rules: Vec<PathBuf>,
    /// What was audited, as the user named it.
    pub subject: Arc<str>,
    /// Stage.
    pub stage: Stage,
    /// Which verdicts fail the run.
    pub fail_on: FailOn,
    /// The day waivers are compared with, `YYYY-MM-DD`.
    pub as_of: String,
    /// True if waivers are to be passed over.
    pub no_waivers: bool,
}

/// Audits: reads, derives, decides, judges.
///
/// # Errors
/// If a rule pack cannot be used, or if `check_names` refuses a name that the configuration uses.
/// Whatever is wrong with an audited input is part of the report, not an error.
pub fn audit<E: From<rules::PackError>>(
    request: AuditRequest,
    check_names: impl FnOnce(&KnownNames<'_>) -> Result<(), E>,
) -> Result<Report, E> {
    let inputs = gather(&request.sources);
    check_names(&KnownNames::of(&inputs))?;
    let packs = packs_for(&request.packs, &inputs);
    let rules = rules::load(&packs, &request.rules)?;
    let outbox = OutboxNames::new(
        &rules.outboxes,
        request.outbox_table.as_ref(),
        &request.outbox_columns,
    );
    let files = inputs.files.clone();
    let facts = facts::derive(FactInput {
        inputs,
        rules: &rules,
        declarations: request.declarations,
        outbox,
    });
    let obligations = checks::run_all(&facts);
    let question = GateQuestion {
        conditions: conditions(&rules),
        subject: request.subject,
        packs: rules.packs.clone(),
        stage: request.stage,
        fail_on: request.fail_on,
        as_of: request.as_of,
        no_waivers: request.no_waivers,
        tree: tree(&request.sources),
        files,
    };
    Ok(verdict::judge(facts, obligations, question))
}

/// The packs asked for; without any, the neutral one where consumers in the neutral format are all
/// that was given or found, even if they could not be read; else the platform's.
fn packs_for<'a>(asked: &'a [String], inputs: &Inputs) -> Vec<&'a str> {
    if !asked.is_empty() {
        return asked.iter().map(String::as_str).collect();
    }
    // YAML that is no text never came as far as its format.
    let is_yaml = |reason: &Reason| {
        let file = match &reason.place {
            Some(Place::Path(file)) => file,
            Some(Place::File(span)) => &span.file,
            _ => return false,
        };
        file.ends_with(".yaml") || file.ends_with(".yml")
    };
    let state = inputs.state(InputKind::Flows);
    let torn = state.is_some_and(|state| state.unknown.iter().any(|reason| is_yaml(reason)));
    if inputs.metadata.flows.is_empty() && (inputs.metadata.neutral || torn) {
        vec!["neutral"]
    } else {
        vec!["nexuscrm"]
    }
}

fn conditions(rules: &Rules) -> Vec<ConditionSpec> {
    rules
        .gate
        .iter()
        .map(|rule| ConditionSpec {
            id: Arc::clone(&rule.id),
            title: Arc::clone(&rule.title),
            checks: rule.checks.clone(),
            needs: rule.needs.clone(),
            only_if: rule.only_if.map(|GateOnlyIf::Outbox| OnlyIf::Outbox),
        })
        .collect()
}

fn tree(sources: &Sources) -> TreeState {
    input::git::tree_state(&sources.root)
}
