//! Judges each effect: what its values draw from in the end, its guards, its class.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::model::conflict::ArmAction;
use crate::model::consumer::{Consumer, ConsumerId, PathState, Via};
use crate::model::effect::{Effect, EffectId, EffectKind, OnConflict};
use crate::model::facts::EffectFacts;
use crate::model::guard::CreateFacts;
use crate::model::scope::{Declarations, JudgedContract};
use crate::model::value::{Root, Value, ValueSource};
use crate::rules::PlatformRule;

use super::create::{CreateInput, create_facts};
use super::inside::resolve_written;
use super::judged::finish;
use super::path::{ByConsumer, Index};
use super::rewritten::{Later, Setters};
use super::rivals::Rivals;
use super::tables::Tables;

/// What judging looks at.
pub(super) struct Judging<'a> {
    pub(super) schema: Option<&'a Tables<'a>>,
    pub(super) platform: Option<&'a PlatformRule>,
    pub(super) declarations: &'a Declarations,
    pub(super) contracts: &'a [Arc<JudgedContract>],
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
    mut effects: Vec<Box<Effect>>,
    reached: &[ConsumerId],
) -> Vec<Box<EffectFacts>> {
    let mut creates: Vec<Option<Box<CreateFacts>>> = Vec::new();
    creates.resize_with(effects.len(), || None);
    let siblings = creates_by_table(&effects);
    let mut rivals = Rivals::default();
    let setters = Setters::new(&effects, &|effect| consumer(judging, &effect.consumer));
    let position: HashMap<EffectId, usize> = effects
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
        judge_creates(
            judging,
            &mut effects,
            &mut creates,
            members,
            &siblings,
            &setters,
            &mut rivals,
        );
    }
    // In a large system these are large, and done with.
    drop((setters, rivals, siblings));
    finish(judging, effects, creates, &position)
}

pub(super) fn consumer<'a>(judging: &Judging<'a>, id: &ConsumerId) -> Option<&'a Consumer> {
    judging
        .consumers
        .binary_search_by(|consumer| consumer.id.cmp(id))
        .ok()
        .and_then(|at| judging.consumers.get(at))
}

fn creates_by_table(effects: &[Box<Effect>]) -> BTreeMap<String, Vec<usize>> {
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

/// Judges the creates of one consumer in order, and carries what is known of a created row to the
/// steps that use it.
fn judge_creates(
    judging: &Judging<'_>,
    effects: &mut [Box<Effect>],
    creates: &mut [Option<Box<CreateFacts>>],
    members: &[usize],
    siblings: &BTreeMap<String, Vec<usize>>,
    setters: &Setters,
    rivals: &mut Rivals,
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
        let rewritten = |field: &str, later: Later| {
            setters.first(effect, field, later, effects, &|effect| {
                consumer(judging, &effect.consumer)
            })
        };
        let others: Vec<&Effect> = siblings
            .get(&effect.target.name().to_ascii_lowercase())
            .into_iter()
            .flatten()
            .filter(|other| *other != at)
            .filter_map(|other| effects.get(*other).map(Box::as_ref))
            .collect();
        let (mut facts, key) = create_facts(
            effect,
            CreateInput {
                schema: judging.schema,
                platform: judging.platform,
                declarations: judging.declarations,
                rewrites: &rewrites,
                rewritten: &rewritten,
                siblings: &others,
                used_by,
            },
        );
        if let Some(name) = &effect.result_name {
            // A plain insert makes a row or fails; it never finds one.
            let may_find = effect.on_conflict != OnConflict::Error;
            let open = may_find && facts.open_reason().is_some();
            // A plain insert that the key refuses ends the run: where later steps run, the row is
            // the first one.
            let refused = facts.guard().is_some() && !may_find;
            let guarded = (!open).then(|| facts.has_the_row() || refused);
            results.insert(Arc::clone(name), guarded);
        }
        let earlier = key
            .zip(consumer(judging, &effect.consumer))
            .and_then(|(key, consumer)| rivals.meet(*at, effect, &consumer.trigger, &key));
        if let Some(earlier) = earlier {
            facts.rival = effects.get(earlier).map(|other| other.id.clone());
            if let Some(Some(other)) = creates.get_mut(earlier) {
                other.rival.get_or_insert_with(|| effect.id.clone());
            }
        }
        if let Some(slot) = creates.get_mut(*at) {
            *slot = Some(Box::new(facts));
        }
    }
}

/// Steps behind a create that use the row it makes.
fn users_of(create: &Effect, effects: &[Box<Effect>], later: &[usize]) -> Vec<Arc<str>> {
    let Some(name) = &create.result_name else {
        return Vec::new();
    };
    later
        .iter()
        .filter_map(|at| effects.get(*at))
        .filter(|effect| {
            effect.values().flat_map(|value| &value.draws).any(|draw| {
                draw.field
                    .as_ref()
                    .is_some_and(|field| field.root == Root::Step && field.name == *name)
            })
        })
        .map(|effect| Arc::clone(&effect.id.0))
        .collect()
}

/// Calls `change` on every value of an effect.
pub(super) fn for_each_value(effect: &mut Effect, change: &mut dyn FnMut(&mut Value)) {
    for write in &mut effect.writes {
        change(&mut write.value);
    }
    if let OnConflict::Statement(said) = &mut effect.on_conflict {
        for arm in &mut said.arms {
            if let ArmAction::Update { set, .. } = &mut arm.action {
                for write in set {
                    change(&mut write.value);
                }
            }
        }
    }
    match &mut effect.rows {
        crate::model::effect::RowChoice::Named(value)
        | crate::model::effect::RowChoice::Search(value)
        | crate::model::effect::RowChoice::Where { value, .. } => change(value),
        _ => {}
    }
    let key = effect.idempotency_key.as_deref_mut();
    for value in effect.runs_if.iter_mut().chain(key) {
        change(value);
    }
}

/// The row of a guarded create is the same one on every delivery; any other is made anew; where
/// the guard is not known, neither is that.
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
                    let name = &field.name;
                    draw.note = Some(
                        format!("whether step `{name}` finds its row again is not known").into(),
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
    effects: &'a [Box<Effect>],
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
                    found.push((Arc::clone(&title), &**effect));
                }
            }
        }
    }
    found
}
