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
mod guarantees;
pub mod input;
mod keys;
pub mod model;
pub mod protocol;
pub mod report;
pub mod rules;
pub mod sql;
pub mod verdict;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use facts::{FactInput, outbox_names};
use input::gather::{Sources, ask_keys, gather, gather_with};
use model::evidence::{Fact, InputKind, Reason, Why};
use model::guarantee::Code;
use model::guard::KeyProposal;
use model::inputs::{InputState, Inputs, ReadInput};
use model::map::ConsumerMap;
use model::outbox::{Outbox, OutboxColumn, OutboxCutoffs, OutboxNames, OutboxStates};
use model::phase::Phase;
use model::place::Place;
use model::queue::Queue;
use model::report::{FailOn, Report, Stage};
use model::scope::Declarations;
use model::text::TextFile;
use rules::{GateOnlyIf, OutboxRule, Rules};
use sql::outbox::Question;
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
    /// Words of its status column, where the configuration gives them.
    pub outbox_states: OutboxStates,
    /// When a claim is stale and the like, where the configuration says so.
    pub outbox_cutoffs: OutboxCutoffs,
    /// Count among so many rows of the outbox only.
    pub outbox_sample: Option<u64>,
    /// Read payloads of the outbox out of the database, where it cannot compute their keys.
    pub outbox_stream: bool,
    /// Names of rule packs; empty to recognise them by what is read.
    pub packs: Vec<String>,
    /// Files and directories of rules.
    pub rules: Vec<PathBuf>,
    /// The configuration file: its name and digest.
    pub configuration: Option<ReadInput>,
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
    /// Told when a part of the audit begins.
    pub begins: fn(Phase),
}

/// Audits: reads, derives, decides, judges.
///
/// # Errors
/// If a rule pack cannot be used, or if `check_names` refuses a name that the configuration uses.
/// Whatever is wrong with an audited input is part of the report, not an error.
pub fn audit<E: From<rules::PackError>>(
    request: AuditRequest,
    check_names: impl FnOnce(&Inputs) -> Result<(), E>,
) -> Result<Report, E> {
    let mut sources = request.sources.clone();
    sources.outbox = outbox_to_count(&request);
    (request.begins)(Phase::Read);
    let (mut inputs, database) = gather_with(&sources);
    check_names(&inputs)?;
    (request.begins)(Phase::Map);
    let packs = packs_for(&request, Some(&inputs));
    let mut rules = rules::load(&packs, &request.rules)?;
    let outbox = names_of(&request, &rules);
    guarantees::settings(&mut inputs, &rules, &request);
    let (map, queue, code) = source_of(&mut inputs, &mut rules, &outbox, &request);
    if sources.outbox.as_ref() != Some(&outbox) {
        // Counted by names and words that do not hold here.
        inputs.backlog = None;
    }
    inputs
        .states
        .extend(bound_to(&request.configuration, &rules));
    let files = inputs.files.clone();
    let rows = guarantees::rows(&inputs, &rules, &request, database.as_ref());
    (request.begins)(Phase::Derive);
    let facts = facts::derive(FactInput {
        rows,
        inputs,
        rules: &rules,
        declarations: request.declarations.clone(),
        outbox,
        map,
        queue,
        code,
    });
    (request.begins)(Phase::Check);
    let mut obligations = checks::run_all(&facts);
    let proposed = keys::proposed(&facts, &obligations);
    (request.begins)(Phase::Ask);
    let told = ask_keys(&sources, database.as_ref(), &keys::questions(&proposed));
    let told = keys::told(&proposed, told);
    checks::tell_duplicates(&mut obligations, &told);
    (request.begins)(Phase::Judge);
    let question = question(&request, &rules, files);
    Ok(verdict::judge(facts, obligations, question))
}

/// What decides beside that which is audited: the configuration and the rules.
fn bound_to(configuration: &Option<ReadInput>, rules: &Rules) -> Vec<InputState> {
    let state = |kind, read: Vec<ReadInput>| InputState {
        kind,
        read,
        unknown: Vec::new(),
    };
    let packs = rules.digests.iter().map(|(name, digest)| ReadInput {
        name: Arc::clone(name),
        digest: Some(digest.as_str().into()),
        summary: "".into(),
    });
    let configured = configuration.iter().cloned().collect::<Vec<_>>();
    let mut states = vec![state(InputKind::Rules, packs.collect())];
    if !configured.is_empty() {
        states.push(state(InputKind::Configuration, configured));
    }
    states
}

/// A key that the audit proposes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedKey {
    /// Its table and columns, for people.
    pub name: String,
    /// The question whether rows share it.
    pub question: Question,
    /// True if it is among the changes that lead to GO; false for one that could stand in place of
    /// another change.
    pub is_chosen: bool,
}

/// The keys that the audit proposes, in the order of their names.
///
/// # Errors
/// If a rule pack cannot be used.
pub fn proposed_keys(request: &AuditRequest) -> Result<Vec<ProposedKey>, rules::PackError> {
    let mut inputs = gather(&request.sources);
    let packs = packs_for(request, Some(&inputs));
    let mut rules = rules::load(&packs, &request.rules)?;
    let outbox = names_of(request, &rules);
    let (map, queue, code) = source_of(&mut inputs, &mut rules, &outbox, request);
    let facts = facts::derive(FactInput {
        rows: BTreeMap::new(),
        inputs,
        rules: &rules,
        declarations: request.declarations.clone(),
        outbox,
        map,
        queue,
        code,
    });
    let obligations = checks::run_all(&facts);
    let proposed = keys::proposed(&facts, &obligations);
    let report = verdict::judge(facts, obligations, question(request, &rules, Vec::new()));
    let chosen = |key: &KeyProposal| {
        let mut changes = report.changes.iter();
        changes.any(|change| change.change.key == key.change_key())
    };
    let questions = keys::questions(&proposed);
    Ok(proposed
        .iter()
        .zip(questions)
        .map(|(key, question)| ProposedKey {
            name: format!("{} ({})", key.table, key.columns.join(", ")),
            question,
            is_chosen: chosen(key),
        })
        .collect())
}

fn question(request: &AuditRequest, rules: &Rules, files: Vec<Arc<TextFile>>) -> GateQuestion {
    GateQuestion {
        conditions: conditions(request, rules),
        subject: Arc::clone(&request.subject),
        packs: rules.packs.clone(),
        stage: request.stage,
        fail_on: request.fail_on,
        as_of: request.as_of.clone(),
        no_waivers: request.no_waivers,
        tree: input::git::tree_state(&request.sources.root),
        path_in_repository: input::git::path_in_repository(&request.sources.root),
        files,
    }
}

/// Reads the schema and the live database, and tells what is known of the outbox; no flow is read
/// from a file, and nothing is judged.
///
/// # Errors
/// If a rule pack cannot be used.
pub fn outbox(mut request: AuditRequest) -> Result<Outbox, rules::PackError> {
    let packs: Vec<&str> = request.packs.iter().map(String::as_str).collect();
    rules::load(&packs, &request.rules)?;
    let names = outbox_to_count(&request);
    request.sources.outbox = names.clone();
    request.sources.flows.clear();
    request.sources.source.clear();
    request.sources.search = false;
    let mut inputs = gather(&request.sources);
    for schema in inputs.live.iter_mut().chain(&mut inputs.declared) {
        schema.dialect = schema.dialect.or(request.sources.dialect);
    }
    let counted = inputs.backlog.take();
    let database = inputs.state(InputKind::Database);
    let names = names.unwrap_or_default();
    let outbox = facts::outbox_of(&names, inputs.schema(), counted, database);
    // Statements of one engine for a database of another are no use to anybody.
    let other = database.and_then(|state| {
        let mut unknown = state.unknown.iter();
        unknown.find(|reason| reason.why == Why::Disagree)
    });
    Ok(match other {
        Some(reason) => Outbox {
            table: Fact::Unknown(Arc::clone(reason)),
            shape: None,
            backlog: Err(Arc::clone(reason)),
            ..outbox
        },
        None => outbox,
    })
}

/// The outbox whose rows are counted while the database is open: which packs are in force is known
/// only after reading where none is asked for, and then it is the one pack that names an outbox.
fn outbox_to_count(request: &AuditRequest) -> Option<OutboxNames> {
    let packs = packs_for(request, None);
    // What is wrong with a pack is told when it is loaded to be used.
    let rules = rules::load(&packs, &request.rules).ok()?;
    Some(names_of(request, &rules))
}

fn names_of(request: &AuditRequest, rules: &Rules) -> OutboxNames {
    let template = request.declarations.record_key_template.as_ref();
    let names = outbox_names(
        &rules.outboxes,
        request.outbox_table.as_ref(),
        &request.outbox_columns,
        &request.outbox_states,
        &request.outbox_cutoffs,
        template.map(|template| &template.value),
    );
    OutboxNames {
        sample: request.outbox_sample,
        stream: request.outbox_stream,
        ..names
    }
}

/// The packs asked for; without any, the platform's where its metadata was read, and the neutral one
/// where consumers in the neutral format are all that was given or found, even if they could not be
/// read. Where neither was, the platform's, unless the outbox that is named is not the platform's.
/// Each language of the source that was read has a pack of its own.
fn packs_for<'a>(request: &'a AuditRequest, inputs: Option<&Inputs>) -> Vec<&'a str> {
    let mut packs = platform_packs(request, inputs);
    let tree = inputs.and_then(|inputs| inputs.source.as_ref());
    packs.extend(
        tree.iter()
            .flat_map(|tree| tree.languages.keys())
            .map(|it| it.word()),
    );
    packs
}

fn platform_packs<'a>(request: &'a AuditRequest, inputs: Option<&Inputs>) -> Vec<&'a str> {
    const PLATFORM: &str = "nexuscrm";
    if !request.packs.is_empty() {
        return request.packs.iter().map(String::as_str).collect();
    }
    if inputs.is_some_and(|inputs| !inputs.metadata.flows.is_empty()) {
        return vec![PLATFORM];
    }
    let neutral = inputs.is_some_and(|inputs| inputs.metadata.neutral || has_torn_yaml(inputs));
    let of_platform = |table: &Arc<str>| {
        let rules = rules::load(&[PLATFORM], &[]);
        rules.is_ok_and(|rules| {
            let mut names = rules.outboxes.iter().flat_map(|rule| &rule.table);
            names.any(|name| name.eq_ignore_ascii_case(table))
        })
    };
    let other = request
        .outbox_table
        .as_ref()
        .is_some_and(|table| !of_platform(table));
    match other || neutral {
        true => vec!["neutral"],
        false => vec![PLATFORM],
    }
}

/// True if flows were given or found as YAML that never came as far as its format.
fn has_torn_yaml(inputs: &Inputs) -> bool {
    let is_yaml = |reason: &Reason| {
        let file = match &reason.place {
            Some(Place::Path(file)) => file,
            Some(Place::File(span)) => &span.file,
            _ => return false,
        };
        file.ends_with(".yaml") || file.ends_with(".yml")
    };
    let state = inputs.state(InputKind::Flows);
    state.is_some_and(|state| state.unknown.iter().any(|reason| is_yaml(reason)))
}

/// The map of the source that was read, and what it shows of the queue. The tree is let go: its texts
/// stay, to be quoted.
fn source_of(
    inputs: &mut Inputs,
    rules: &mut Rules,
    outbox: &OutboxNames,
    request: &AuditRequest,
) -> (Option<ConsumerMap>, Option<Queue>, Option<Code>) {
    let Some(tree) = inputs.source.take() else {
        return (None, None, None);
    };
    let known = inputs.schema().and_then(|schema| schema.dialect);
    // The one that the configuration names is looked for too.
    rules
        .outboxes
        .push(OutboxRule::of_tables(outbox.tables.clone()));
    inputs.files.extend(tree.texts.iter().cloned());
    let named = guarantees::named(rules, request);
    let read = facts::queue::source_on_deep_stack(facts::queue::QueueInput {
        tree: &tree,
        rules,
        outbox,
        dialect: known.or(request.sources.dialect),
        flag: request.declarations.flag.as_deref(),
        named: named.as_ref(),
    });
    match read {
        Ok(read) => {
            facts::source::hold_tests(&mut inputs.tests, tree, rules, &read.map);
            (Some(read.map), read.queue, read.code)
        }
        Err(reason) => {
            let reason = Arc::new(reason);
            let mut states = inputs.states.iter_mut();
            if let Some(state) = states.find(|state| state.kind == InputKind::Source) {
                state.unknown.push(Arc::clone(&reason));
            }
            (None, Some(facts::queue::lost(&reason)), None)
        }
    }
}

/// The conditions of the pack; guarantees are asked for too, where none of them does.
fn conditions(request: &AuditRequest, rules: &Rules) -> Vec<ConditionSpec> {
    let mut all: Vec<ConditionSpec> = rules
        .gate
        .iter()
        .map(|rule| ConditionSpec {
            id: Arc::clone(&rule.id),
            title: Arc::clone(&rule.title),
            checks: rule.checks.clone(),
            needs: rule.needs.clone(),
            undecided: rule.undecided.clone(),
            only_if: rule.only_if.map(|GateOnlyIf::Outbox| OnlyIf::Outbox),
        })
        .collect();
    all.extend(guarantees::condition(request, rules, &all));
    all
}
