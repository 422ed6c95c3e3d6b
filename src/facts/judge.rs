//! Judges each effect: what its values draw from in the end, its guards, its class.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::check::FurtherDelivery;
use crate::model::consumer::{Consumer, ConsumerId, PathState, Via};
use crate::model::effect::{Class, Effect, EffectId, EffectKind};
use crate::model::facts::{
    Cycle, CycleRest, EffectFacts, Further, Hanging, HangingKind, ScopeState,
};
use crate::model::guard::CreateFacts;
use crate::model::schema::Schema;
use crate::model::scope::{Contract, Declarations};
use crate::model::value::{Root, ValueSource};
use crate::rules::PlatformRule;

use super::class::{class_of, further_of};
use super::create::{CreateInput, create_facts};
use super::inside::resolve_written;
use super::later::LaterWrites;
use super::order::Writers;
use super::path::{ByConsumer, Index};
use super::values::{for_each_value, values_of};

/// What judging looks at.
pub(super) struct Judging<'a> {
    pub(super) schema: Option<&'a Schema>,
    pub(super) platform: Option<&'a PlatformRule>,
    pub(super) declarations: &'a Declarations,
    pub(super) consumers: &'a [Consumer],
    pub(super) groups: &'a ByConsumer,
    pub(super) index: &'a Index,
}

/// Only so many creates of the same table are compared when a key is proposed.
const MAX_SIBLINGS: usize = 16;

/// Judges every effect. Consumers that the outbox delivers to come first, then those that run
/// inside writes, in the order reached, so that what they draw from is judged before them.
pub(super) fn judge(
    judging: &Judging<'_>,
    mut effects: Vec<Effect>,
    reached: &[ConsumerId],
) -> Vec<EffectFacts> {
    let mut creates: Vec<Option<CreateFacts>> = Vec::new();
    creates.resize_with(effects.len(), || None);
    let known = Known {
        siblings: creates_by_table(&effects),
        later: LaterWrites::new(&effects),
    };
    let position: BTreeMap<EffectId, usize> = effects
        .iter()
        .enumerate()
        .map(|(at, effect)| (effect.id.clone(), at))
        .collect();
    let inside: std::collections::BTreeSet<&ConsumerId> = reached.iter().collect();
    let first = judging
        .consumers
        .iter()
        .map(|consumer| &consumer.id)
        .filter(|id| !inside.contains(id));
    for id in first.chain(reached) {
        let Some(members) = judging.groups.get(id) else {
            continue;
        };
        let consumer = consumer(judging, id);
        if let Some(PathState::On(Via::Writes(carriers))) = consumer.map(|consumer| &consumer.path)
        {
            let carriers: Vec<usize> = carriers
                .iter()
                .filter_map(|id| position.get(id).copied())
                .collect();
            resolve_written(judging, &mut effects, members, &carriers);
        }
        judge_creates(judging, &mut effects, &mut creates, members, &known);
    }
    finish(judging, effects, creates, &position)
}

fn consumer<'a>(judging: &Judging<'a>, id: &ConsumerId) -> Option<&'a Consumer> {
    judging
        .consumers
        .binary_search_by(|consumer| consumer.id.cmp(id))
        .ok()
        .and_then(|at| judging.consumers.get(at))
}

fn creates_by_table(effects: &[Effect]) -> BTreeMap<String, Vec<usize>> {
    let mut tables: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, effect) in effects.iter().enumerate() {
        if effect.kind.is_create() && effect.path.is_on() {
            let list = tables
                .entry(effect.target.name().to_ascii_lowercase())
                .or_default();
            if list.len() <= MAX_SIBLINGS {
                list.push(at);
            }
        }
    }
    tables
}

/// What is known of the effects before the first create is judged.
struct Known {
    /// Creates on the path, by table.
    siblings: BTreeMap<String, Vec<usize>>,
    /// What sets columns of rows afterwards.
    later: LaterWrites,
}

/// Judges the creates of one consumer in order, and carries what is known of a created row to the
/// steps that use it.
fn judge_creates(
    judging: &Judging<'_>,
    effects: &mut [Effect],
    creates: &mut [Option<CreateFacts>],
    members: &[usize],
    known: &Known,
) {
    let mut results: BTreeMap<Arc<str>, Option<bool>> = BTreeMap::new();
    for (place, at) in members.iter().enumerate() {
        if let Some(effect) = effects.get_mut(*at) {
            resolve_results(effect, &results);
        }
        let Some(effect) = effects.get(*at) else {
            continue;
        };
        if !effect.kind.is_create() {
            continue;
        }
        let used_by = users_of(
            effect,
            effects,
            members.get(place + 1..).unwrap_or_default(),
        );
        let rewrites = rewrites_of(judging, effects, effect);
        let others: Vec<&Effect> = known
            .siblings
            .get(&effect.target.name().to_ascii_lowercase())
            .into_iter()
            .flatten()
            .filter(|other| *other != at)
            .filter_map(|other| effects.get(*other))
            .collect();
        let facts = create_facts(
            effect,
            CreateInput {
                schema: judging.schema,
                platform: judging.platform,
                declarations: judging.declarations,
                rewrites: &rewrites,
                siblings: &others,
                used_by,
                later: &|column, inserted| {
                    known.later.of(effects, effect, &rewrites, column, inserted)
                },
            },
        );
        if let Some(name) = &effect.result_name {
            let guarded = (!facts.is_open()).then(|| facts.is_guarded());
            results.insert(Arc::clone(name), guarded);
        }
        if let Some(slot) = creates.get_mut(*at) {
            *slot = Some(facts);
        }
    }
}

/// Steps behind a create that use the row it makes.
fn users_of(create: &Effect, effects: &[Effect], later: &[usize]) -> Vec<Arc<str>> {
    let Some(name) = &create.result_name else {
        return Vec::new();
    };
    later
        .iter()
        .filter_map(|at| effects.get(*at))
        .filter(|effect| {
            values_of(effect)
                .flat_map(|value| &value.draws)
                .any(|draw| {
                    draw.field
                        .as_ref()
                        .is_some_and(|field| field.root == Root::Step && field.name == *name)
                })
        })
        .map(|effect| Arc::clone(&effect.id.0))
        .collect()
}

/// The row of a guarded create is the same one on every delivery; any other is made anew.
fn resolve_results(effect: &mut Effect, results: &BTreeMap<Arc<str>, Option<bool>>) {
    for_each_value(effect, &mut |value| {
        for draw in &mut value.draws {
            let Some(field) = draw.field.as_ref().filter(|field| field.root == Root::Step) else {
                continue;
            };
            match results.get(&field.name) {
                Some(Some(true)) => {
                    draw.source = ValueSource::Snapshot;
                    draw.note =
                        Some(format!("the row that step `{}` finds or creates", field.name).into());
                }
                Some(Some(false)) => {}
                Some(None) => {
                    draw.source = ValueSource::Unknown;
                    draw.note = Some(
                        format!(
                            "whether step `{}` finds its row again is not known",
                            field.name
                        )
                        .into(),
                    );
                }
                None => {
                    draw.source = ValueSource::Unknown;
                    draw.note = Some(format!("no earlier create is step `{}`", field.name).into());
                }
            }
        }
    });
}

/// Sets of the synchronous flows that run inside an insert.
fn rewrites_of<'a>(
    judging: &Judging<'_>,
    effects: &'a [Effect],
    create: &Effect,
) -> Vec<(Arc<str>, &'a Effect)> {
    let mut found = Vec::new();
    for (event, object) in &create.runs_inside {
        let Some(consumers) = judging.index.inside(event, object) else {
            continue;
        };
        for id in consumers.iter() {
            let title = consumer(judging, id)
                .map_or_else(|| Arc::clone(&id.0), |consumer| Arc::clone(&consumer.title));
            for at in judging.groups.get(id).into_iter().flatten() {
                if let Some(effect) = effects.get(*at)
                    && effect.kind == EffectKind::RecordSet
                    && effect.path.is_on()
                {
                    found.push((Arc::clone(&title), effect));
                }
            }
        }
    }
    found
}

fn finish(
    judging: &Judging<'_>,
    effects: Vec<Effect>,
    mut creates: Vec<Option<CreateFacts>>,
    position: &BTreeMap<EffectId, usize>,
) -> Vec<EffectFacts> {
    let writers = Writers::new(&effects);
    let unordered: Vec<_> = effects.iter().map(|effect| writers.of(effect)).collect();
    let repeating: Vec<Vec<EffectId>> = effects
        .iter()
        .map(|effect| repeating_carriers(judging, effect, &effects, &creates, position))
        .collect();
    let details = unordered.into_iter().zip(repeating);
    effects
        .into_iter()
        .zip(details)
        .enumerate()
        .map(|(at, (effect, (unordered, repeating_carriers)))| {
            let create = creates.get_mut(at).and_then(Option::take);
            let consumer = consumer(judging, &effect.consumer);
            let conditions = consumer.map_or(&[][..], |consumer| &consumer.trigger.conditions);
            let class = class_of(&effect, conditions);
            EffectFacts {
                scope: scope_of(judging, class, consumer),
                further: further_of(&effect, class, create.as_ref()),
                hangs: hanging(judging, &effect),
                contract: contract_of(judging, consumer),
                unordered,
                repeating_carriers,
                create,
                class,
                effect,
            }
        })
        .collect()
}

/// A set that is part of a cycle without rest writes another value each round, whatever its
/// expression draws from.
pub(super) fn mark_restless(effects: &mut [EffectFacts], cycles: &[Cycle]) {
    let restless: std::collections::BTreeSet<&EffectId> = cycles
        .iter()
        .filter(|cycle| matches!(cycle.rests, CycleRest::Never(_)))
        .flat_map(|cycle| &cycle.effects)
        .collect();
    for facts in effects {
        if facts.effect.kind.is_set() && restless.contains(&facts.effect.id) {
            let word = Some(FurtherDelivery::Overwrite);
            facts.further = Further {
                sequential: word,
                concurrent: word,
                after_prefix: word,
                guard_lapsed: None,
            };
        }
    }
}

/// Carriers of a synchronous consumer that can run it again.
fn repeating_carriers(
    judging: &Judging<'_>,
    effect: &Effect,
    effects: &[Effect],
    creates: &[Option<CreateFacts>],
    position: &BTreeMap<EffectId, usize>,
) -> Vec<EffectId> {
    let Some(PathState::On(Via::Writes(carriers))) =
        consumer(judging, &effect.consumer).map(|consumer| &consumer.path)
    else {
        return Vec::new();
    };
    carriers
        .iter()
        .filter(|id| {
            let at = position.get(*id).copied().unwrap_or(usize::MAX);
            let create = effects
                .get(at)
                .is_some_and(|effect| effect.kind.is_create());
            let guarded = creates
                .get(at)
                .and_then(Option::as_ref)
                .is_some_and(CreateFacts::is_guarded);
            !(create && guarded)
        })
        .take(8)
        .cloned()
        .collect()
}

fn scope_of(judging: &Judging<'_>, class: Class, consumer: Option<&Consumer>) -> ScopeState {
    if matches!(
        class,
        Class::External | Class::StateDependent | Class::Unknown
    ) {
        return ScopeState::InScope;
    }
    let title = consumer.map_or("", |consumer| &*consumer.title);
    let declarations = judging.declarations;
    if let Some(deferred) = declarations
        .deferred
        .iter()
        .find(|deferred| &*deferred.flow.value == title)
    {
        return ScopeState::Deferred(
            format!("{} (owner: {})", deferred.reason, deferred.owner).into(),
        );
    }
    let named = declarations.named.is_empty()
        || declarations.named.iter().any(|name| &*name.value == title);
    if named {
        ScopeState::InScope
    } else {
        ScopeState::Deferred("outside the flows that the gate names".into())
    }
}

fn contract_of(judging: &Judging<'_>, consumer: Option<&Consumer>) -> Option<Contract> {
    let consumer = consumer?;
    judging
        .declarations
        .contracts
        .iter()
        .find(|contract| {
            contract.consumer.value == consumer.id.0 || contract.consumer.value == consumer.title
        })
        .cloned()
}

fn hanging(judging: &Judging<'_>, effect: &Effect) -> Vec<Hanging> {
    if !effect.path.is_on() {
        return Vec::new();
    }
    let mut hangs = judging.index.hanging(effect);
    let table = judging
        .schema
        .and_then(|schema| schema.table(effect.target.name()));
    for trigger in table.map_or(&[][..], |table| &table.triggers) {
        let fires = match effect.kind {
            kind if kind.is_create() => trigger.on_insert,
            EffectKind::Delete => trigger.on_delete,
            EffectKind::RecordSet => false,
            kind if kind.is_set() => trigger.on_update,
            _ => false,
        };
        if fires {
            hangs.push(Hanging {
                what: HangingKind::DatabaseTrigger(Arc::clone(&trigger.name)),
                place: trigger.place.clone(),
            });
        }
    }
    hangs
}
