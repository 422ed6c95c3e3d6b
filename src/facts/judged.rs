//! Puts together what was found about each effect: class, scope, what it sets off.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use rayon::prelude::*;

use crate::model::check::FurtherDelivery;
use crate::model::consumer::{Consumer, ConsumerOrigin, PathState, Via};
use crate::model::effect::{Class, Effect, EffectId, EffectKind, Target};
use crate::model::facts::{
    Cycle, CycleRest, EffectFacts, Further, Hanging, HangingKind, ScopeState,
};
use crate::model::guard::CreateFacts;
use crate::model::scope::JudgedContract;

use super::class::{class_of, further_of};
use super::feedback::Feedback;
use super::judge::{Judging, consumer};
use super::order::Writers;
use super::rests_on;

pub(super) fn finish(
    judging: &Judging<'_>,
    effects: Vec<Box<Effect>>,
    creates: Vec<Option<Box<CreateFacts>>>,
    position: &HashMap<EffectId, usize>,
) -> Vec<Box<EffectFacts>> {
    let writers = Writers::new(&effects);
    let feedback = Feedback::new(&effects);
    let repeating: Vec<Vec<EffectId>> = effects
        .par_iter()
        .map(|effect| repeating_carriers(judging, effect, &effects, &creates, position))
        .collect();
    let guards = rests_on::guards(judging, &effects, &creates, position);
    effects
        .into_par_iter()
        .zip(creates)
        .zip(repeating)
        .zip(guards)
        .map(|(((effect, create), repeating_carriers), rests_on)| {
            let consumer = consumer(judging, &effect.consumer);
            let conditions = consumer.map_or(&[][..], |consumer| &consumer.trigger.conditions);
            let class = class_of(&effect, conditions);
            Box::new(EffectFacts {
                scope: scope_of(judging, class, consumer),
                declared: consumer
                    .is_some_and(|consumer| consumer.origin == ConsumerOrigin::Declared),
                further: further_of(&effect, class, create.as_deref()),
                hangs: hanging(judging, &effect),
                contract: contract_of(judging, consumer),
                unordered: writers.of(&effect),
                repeating_carriers,
                feedback: feedback.of(&effect),
                rests_on,
                create,
                class,
                effect,
            })
        })
        .collect()
}

/// A set that is part of a cycle without rest writes another value each round, whatever its
/// expression draws from.
pub(super) fn mark_restless(effects: &mut [Box<EffectFacts>], cycles: &[Cycle]) {
    let restless: BTreeSet<&EffectId> = cycles
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
    effects: &[Box<Effect>],
    creates: &[Option<Box<CreateFacts>>],
    position: &HashMap<EffectId, usize>,
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
                .and_then(Option::as_deref)
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

fn contract_of(judging: &Judging<'_>, consumer: Option<&Consumer>) -> Option<Arc<JudgedContract>> {
    let consumer = consumer?;
    let of_it = |judged: &&Arc<JudgedContract>| {
        let name = &judged.contract.consumer.value;
        *name == consumer.id.0 || *name == consumer.title
    };
    let mut all = judging.contracts.iter().filter(of_it);
    let first = all.next()?;
    let rivals: Vec<_> = all
        .map(|other| (other.contract.kind, other.contract.consumer.place.clone()))
        .collect();
    if rivals.is_empty() {
        return Some(Arc::clone(first));
    }
    let contract = JudgedContract {
        rivals,
        ..JudgedContract::clone(first)
    };
    Some(Arc::new(contract))
}

fn hanging(judging: &Judging<'_>, effect: &Effect) -> Vec<Hanging> {
    if !effect.path.is_on() {
        return Vec::new();
    }
    let mut hangs = judging.index.hanging(effect);
    let table = judging
        .schema
        .and_then(|schema| schema.table(effect.target.name()));
    let stored = matches!(effect.target, Target::Object(_))
        && effect.kind != EffectKind::RecordSet
        && (effect.kind.is_create() || effect.kind.is_set() || effect.kind == EffectKind::Delete);
    if stored && table.is_none() {
        hangs.push(Hanging {
            what: HangingKind::UnreadTable,
            place: effect.place.clone(),
        });
    }
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
