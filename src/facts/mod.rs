//! Derives facts from what was read: consumers and single effects, what they draw from, what
//! protects them, what hangs on them. Decides nothing about the gate.

#![allow(
    clippy::vec_box,
    reason = "an effect is large, and is moved from list to list by pointer"
)]

mod action;
mod again;
mod alternation;
mod arbiter;
mod class;
mod code;
mod conflict;
mod contracts;
mod create;
mod cycles;
mod draws;
mod drift;
mod environment;
mod examples;
mod external;
mod failing;
mod families;
mod feedback;
mod fields;
mod formula;
mod functions;
pub mod guarantees;
mod guard;
mod ids;
mod inserted;
mod inside;
mod judge;
mod judged;
mod limits;
mod locate;
mod mend;
mod misfit;
mod nested;
mod null_key;
mod order;
mod outbox;
mod path;
mod proposal;
pub mod queue;
mod ran_on;
mod redelivery;
mod rest;
mod rests_on;
mod rewritten;
mod rivals;
mod rows;
mod sequences;
mod shape;
pub mod source;
mod tables;
mod types;
mod unfold;
mod writes;

pub use examples::{ExampleFailure, examples};
pub use outbox::{outbox_names, outbox_of};

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::model::consumer::{Consumer, PathState, Phase};
use crate::model::digest::short;
use crate::model::effect::{Effect, EffectId, EffectKind, Target};
use crate::model::evidence::{InputKind, Why};
use crate::model::facts::{EffectFacts, Facts, SourceFacts};
use crate::model::guarantee::Code;
use crate::model::inputs::Inputs;
use crate::model::map::ConsumerMap;
use crate::model::outbox::OutboxNames;
use crate::model::queue::Queue;
use crate::model::schema::Schema;
use crate::model::scope::Declarations;
use crate::rules::Rules;

use code::CodeInput;
use fields::FieldCatalog;
use judge::Judging;
use misfit::misfit;
use path::Index;
use tables::Tables;
use unfold::UnfoldInput;

/// What facts are derived from.
pub struct FactInput<'a> {
    /// What was read. Flows and actions are let go once they are unfolded: in a large system they
    /// are most of it.
    pub inputs: Inputs,
    /// The rules in force.
    pub rules: &'a Rules,
    /// What the configuration declares.
    pub declarations: Declarations,
    /// Names of the outbox table and its columns.
    pub outbox: OutboxNames,
    /// The map of the source tree, where one was read.
    pub map: Option<ConsumerMap>,
    /// What the source shows of the queue, where it was read.
    pub queue: Option<Queue>,
    /// What the functions that guarantees name do, where source was read.
    pub code: Option<Code>,
    /// What rows of the database say of guarantees, by the digest of the question.
    pub rows: guarantees::Rows,
}

/// Derives all facts. Linear in the number of effects and of the events they enqueue.
pub fn derive(input: FactInput<'_>) -> Facts {
    let FactInput {
        mut inputs,
        rules,
        declarations,
        outbox,
        map,
        queue,
        code,
        rows,
    } = input;
    let (mut consumers, mut effects) = gather(&inputs, rules);
    let mut source = map
        .as_ref()
        .map(|map| add_code(map, &mut inputs, rules, &mut consumers, &mut effects));
    if let Some(source) = source
        .as_mut()
        .filter(|_| !declarations.assertions.is_empty())
    {
        source.digests = digests(&inputs);
    }
    let unfolded = (
        std::mem::take(&mut inputs.metadata.flows),
        std::mem::take(&mut inputs.metadata.actions),
        std::mem::take(&mut inputs.metadata.declared),
    );
    let counted = inputs.backlog.take();
    let results = std::mem::take(&mut inputs.tests);
    let audited = ran_on::Audited::of(&results, &inputs);
    let schema = inputs.schema();
    // Letting go of so many small pieces takes a while too.
    let declared = inputs.declared.as_ref();
    let (tables, ()) = rayon::join(
        || schema.map(|schema| Tables::new(schema, declared)),
        || drop(unfolded),
    );
    consumers.sort_by(|a, b| a.id.cmp(&b.id));
    effects.sort_by(|a, b| (&a.consumer, a.order).cmp(&(&b.consumer, b.order)));
    rows::settle(&mut effects, tables.as_ref());
    sequences::note(&mut effects, tables.as_ref());
    let groups = path::by_consumer(&effects);
    let index = Index::new(&consumers);
    let reached = path::resolve(&mut consumers, &mut effects, &groups, &index);
    let contracts = contracts::judge(&contracts::ContractInput {
        declarations: &declarations,
        schema: tables.as_deref(),
        outbox: &outbox,
        map: map.as_ref(),
        results: &results,
        audited: &audited,
        tests: inputs.state(InputKind::Tests),
    });
    let guarantees = guarantees::judge(
        &guarantees::Context {
            code: code.as_ref(),
            schema: tables.as_deref(),
            rows: &rows,
            results: &results,
            audited: &audited,
            settings: &inputs.settings,
            states: &inputs.states,
        },
        &guarantees::declared(rules, &declarations),
    );
    let confirmations = map
        .as_ref()
        .map_or_else(Vec::new, |map| code::confirmations(map, rules, &effects));
    if let Some(map) = &map {
        code::settle_errors(map, rules, &mut effects);
    }
    let judging = Judging {
        contracts: &contracts,
        schema: tables.as_ref(),
        platform: rules.platform.as_ref().map(|(_, platform)| platform),
        declarations: &declarations,
        consumers: &consumers,
        groups: &groups,
        index: &index,
    };
    let judged = judge::judge(&judging, effects, &reached);
    let mut judged = judged;
    let cycles = cycles_of(&judging, &judged, rules);
    judged::mark_restless(&mut judged, &cycles);
    let touched: BTreeSet<Arc<str>> = judged
        .iter()
        .filter(|facts| facts.effect.path.may_be_on())
        .map(|facts| Arc::clone(facts.effect.target.name()))
        .chain(outbox.tables.iter().cloned())
        .collect();
    let queue = queue.unwrap_or_else(|| {
        queue::unread(
            Why::NotGiven,
            "the source is not read: what its workers do is not known",
            "name the source tree: --source, or inputs.source",
        )
    });
    let mut redelivery = redelivery::link(results, &audited, &declarations.tests);
    redelivery::note_strange(&mut redelivery, &consumers, &judged);
    Facts {
        redelivery,
        queue_harm: queue::harm_of(&queue),
        outbox: outbox_of(&outbox, schema, counted, inputs.state(InputKind::Database)),
        unique_flags: drift::unique_flags(&inputs.metadata, schema),
        drift: drift::drift_of(inputs.declared.as_ref(), inputs.live.as_ref(), &touched),
        deferred_families: families::families_of(rules, &judged, &inputs),
        ambient: rules.ambient.clone(),
        queue_residuals: rules
            .residuals
            .iter()
            .cloned()
            .chain(code::unqueued(map.as_ref(), rules))
            .collect(),
        confirmations,
        guarantees,
        queue,
        source,
        inputs: inputs.states,
        effects: judged,
        consumers,
        cycles,
        declarations,
    }
}

/// Digests of every text that was read, and of the tree as a whole.
fn digests(inputs: &Inputs) -> Vec<Arc<str>> {
    let texts = inputs.files.iter();
    let of_files = texts.map(|file| short(file.text().as_bytes()).into());
    let state = inputs.state(InputKind::Source);
    let of_tree = state.into_iter().flat_map(|state| &state.read);
    of_files
        .chain(of_tree.filter_map(|read| read.digest.clone()))
        .collect()
}

/// Adds the consumers of the source, and to its state what of it could not be read.
fn add_code(
    map: &ConsumerMap,
    inputs: &mut Inputs,
    rules: &Rules,
    consumers: &mut Vec<Consumer>,
    effects: &mut Vec<Box<Effect>>,
) -> SourceFacts {
    let mut states = inputs.states.iter_mut();
    if let Some(state) = states.find(|state| state.kind == InputKind::Source) {
        for gap in &map.gaps {
            if !state.unknown.iter().any(|known| **known == *gap) {
                state.unknown.push(Arc::new(gap.clone()));
            }
        }
    }
    let schemas: Vec<&Schema> = [inputs.declared.as_ref(), inputs.live.as_ref()]
        .into_iter()
        .flatten()
        .collect();
    let input = CodeInput {
        map,
        rules,
        dialect: inputs.schema().and_then(|schema| schema.dialect),
        schemas: &schemas,
        flows: !inputs.metadata.flows.is_empty(),
    };
    let (code, own) = code::consumers_of(&input);
    consumers.extend(code);
    effects.extend(own.into_iter().map(|mut effect| {
        if effect.path.may_be_on()
            && let Some(reason) = inputs.schema().and_then(|schema| misfit(&effect, schema))
        {
            effect.path = PathState::Unknown(Box::new(reason));
        }
        effect
    }));
    code::source_facts(&input, consumers)
}

/// Consumers and effects of every metadata format, unfolded.
fn gather(inputs: &Inputs, rules: &Rules) -> (Vec<Consumer>, Vec<Box<Effect>>) {
    let mut consumers = Vec::new();
    let mut effects = Vec::new();
    if let Some((pack, platform)) = &rules.platform {
        let fields = FieldCatalog::new(&inputs.metadata, inputs.schema(), Some(platform));
        (consumers, effects) = unfold::unfold(&UnfoldInput {
            rules,
            platform,
            pack,
            fields: &fields,
            files: inputs
                .files
                .iter()
                .map(|file| (Arc::clone(&file.path), Arc::clone(file)))
                .collect(),
            actions: inputs
                .metadata
                .actions
                .iter()
                .map(|action| (Arc::clone(&action.id), action))
                .collect(),
            metadata: &inputs.metadata,
        });
    }
    let inside: Vec<(&Arc<str>, &Arc<str>)> = inputs
        .metadata
        .declared
        .iter()
        .map(|declared| &declared.consumer.trigger)
        .filter(|trigger| trigger.phase == Phase::InsideSave)
        .filter_map(|trigger| Some((trigger.event.as_ref()?, trigger.object.as_ref()?)))
        .collect();
    for declared in &inputs.metadata.declared {
        consumers.push(declared.consumer.clone());
        for effect in &declared.effects {
            let mut effect = effect.clone();
            if let Target::Object(table) = &effect.target {
                // A declared write runs every synchronous consumer of its table.
                for (event, object) in &inside {
                    if object.eq_ignore_ascii_case(table) {
                        effect
                            .runs_inside
                            .push((Arc::clone(event), Arc::clone(object)));
                    }
                }
            }
            if let Some(reason) = inputs.schema().and_then(|schema| misfit(&effect, schema)) {
                effect.path = PathState::Unknown(Box::new(reason));
            }
            effects.push(Box::new(effect));
        }
    }
    (consumers, effects)
}

fn cycles_of(
    judging: &Judging<'_>,
    judged: &[Box<EffectFacts>],
    rules: &Rules,
) -> Vec<crate::model::facts::Cycle> {
    let guarded: HashMap<&EffectId, bool> = judged
        .iter()
        .filter_map(|facts| Some((&facts.effect.id, facts.create.as_ref()?.is_guarded())))
        .collect();
    let is_guarded = |id: &EffectId| guarded.get(id).copied().unwrap_or(false);
    let mut in_memory: BTreeMap<String, Vec<&Effect>> = BTreeMap::new();
    for facts in judged {
        if facts.effect.kind == EffectKind::RecordSet && facts.effect.path.is_on() {
            in_memory
                .entry(facts.effect.target.name().to_ascii_lowercase())
                .or_default()
                .push(&facts.effect);
        }
    }
    let steps: rest::Steps<'_> = judged
        .iter()
        .filter_map(|facts| {
            let name = facts.effect.result_name.as_ref()?;
            Some(((&facts.effect.consumer, name), &*facts.effect))
        })
        .collect();
    let columns = rest::Columns {
        in_memory: &in_memory,
        steps: &steps,
        schema: judging.schema,
        prints_alike: rules
            .platform
            .as_ref()
            .map_or(&[][..], |(_, platform)| &platform.prints_alike),
    };
    let effects: Vec<&Effect> = judged.iter().map(|facts| &*facts.effect).collect();
    cycles::cycles_of(
        &effects,
        judging.consumers,
        judging.groups,
        judging.index,
        &is_guarded,
        &columns,
    )
}
