//! Puts on the path what on-path writes run: synchronous flows, to the end.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::model::consumer::{
    Consumer, ConsumerId, ConsumerOrigin, OffPath, PathState, Phase, Via,
};
use crate::model::effect::{Effect, EffectId};
use crate::model::facts::{Hanging, HangingKind};

/// Consumers by the event and object that start them, without regard to case.
#[derive(Debug)]
pub(super) struct Index {
    after: ByEvent,
    inside: ByEvent,
}

/// Consumers by the object, and by its event, in lower case.
type ByEvent = HashMap<String, HashMap<String, Arc<[ConsumerId]>>>;

/// Effects of each consumer, as positions.
pub(super) type ByConsumer = HashMap<ConsumerId, Vec<usize>>;

/// Groups effects by consumer.
pub(super) fn by_consumer(effects: &[Box<Effect>]) -> ByConsumer {
    let mut groups = ByConsumer::new();
    for (at, effect) in effects.iter().enumerate() {
        groups.entry(effect.consumer.clone()).or_default().push(at);
    }
    groups
}

impl Index {
    /// Indexes the consumers that could run: switched-off ones run for no event.
    pub(super) fn new(consumers: &[Consumer]) -> Self {
        let mut after: BTreeMap<_, Vec<ConsumerId>> = BTreeMap::new();
        let mut inside: BTreeMap<_, Vec<ConsumerId>> = BTreeMap::new();
        for consumer in consumers {
            let (Some(event), Some(object)) = (&consumer.trigger.event, &consumer.trigger.object)
            else {
                continue;
            };
            let table = match consumer.trigger.phase {
                Phase::AfterCommit if consumer.path.may_be_on() => &mut after,
                Phase::InsideSave if waits_for_a_write(consumer) => &mut inside,
                _ => continue,
            };
            table
                .entry((lower(object), lower(event)))
                .or_default()
                .push(consumer.id.clone());
        }
        let share = |table: BTreeMap<(Cow<'_, str>, Cow<'_, str>), Vec<ConsumerId>>| {
            let mut shared = ByEvent::new();
            for ((object, event), ids) in table {
                let events = shared.entry(object.into_owned()).or_default();
                events.insert(event.into_owned(), ids.into());
            }
            shared
        };
        Self {
            after: share(after),
            inside: share(inside),
        }
    }

    /// Consumers the outbox delivers an event to.
    pub(super) fn after(&self, event: &str, object: &str) -> Option<&Arc<[ConsumerId]>> {
        self.after.get(&*lower(object))?.get(&*lower(event))
    }

    /// Consumers that run inside a write.
    pub(super) fn inside(&self, event: &str, object: &str) -> Option<&Arc<[ConsumerId]>> {
        self.inside.get(&*lower(object))?.get(&*lower(event))
    }

    /// What an effect sets off.
    pub(super) fn hanging(&self, effect: &Effect) -> Vec<Hanging> {
        let mut hangs = Vec::new();
        for (event, object) in &effect.runs_inside {
            if let Some(consumers) = self.inside(event, object) {
                hangs.push(Hanging {
                    what: HangingKind::InsideWrite(Arc::clone(consumers)),
                    place: effect.place.clone(),
                });
            }
        }
        for (event, object) in &effect.enqueues {
            if let Some(consumers) = self.after(event, object) {
                hangs.push(Hanging {
                    what: HangingKind::Cascade {
                        event: Arc::clone(event),
                        object: Arc::clone(object),
                        consumers: Arc::clone(consumers),
                    },
                    place: effect.place.clone(),
                });
            }
        }
        hangs
    }
}

/// Most names are in lower case already.
fn lower(name: &str) -> Cow<'_, str> {
    match name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => name.to_ascii_lowercase().into(),
        false => name.into(),
    }
}

/// True of a synchronous consumer that is off the path only because no write was found yet.
fn waits_for_a_write(consumer: &Consumer) -> bool {
    match &consumer.path {
        PathState::Off(off) => off.awaits_write,
        PathState::Unknown(_) => {
            consumer.origin == ConsumerOrigin::Declared
                && consumer.trigger.phase == Phase::InsideSave
        }
        _ => false,
    }
}

/// Resolves the synchronous consumers; gives the order in which they were reached.
pub(super) fn resolve(
    consumers: &mut [Consumer],
    effects: &mut [Box<Effect>],
    groups: &ByConsumer,
    index: &Index,
) -> Vec<ConsumerId> {
    for consumer in consumers
        .iter()
        .filter(|consumer| !waits_for_a_write(consumer))
    {
        narrow_all(consumer, effects, groups);
    }
    let mut carriers: BTreeMap<ConsumerId, Vec<EffectId>> = BTreeMap::new();
    let mut reached: Vec<ConsumerId> = Vec::new();
    let mut queue: Vec<usize> = consumers
        .iter()
        .filter(|consumer| consumer.path.is_on())
        .flat_map(|consumer| groups.get(&consumer.id).into_iter().flatten().copied())
        .collect();
    let mut next = 0;
    while let Some(effect) = queue.get(next).and_then(|at| effects.get(*at)) {
        next += 1;
        if !effect.path.is_on() {
            continue;
        }
        let id = effect.id.clone();
        for (event, object) in &effect.runs_inside {
            let Some(inside) = index.inside(event, object) else {
                continue;
            };
            for consumer in inside.iter() {
                let list = carriers.entry(consumer.clone()).or_default();
                if list.is_empty() {
                    reached.push(consumer.clone());
                    queue.extend(groups.get(consumer).into_iter().flatten());
                }
                list.push(id.clone());
            }
        }
    }
    for consumer in consumers.iter_mut() {
        if let Some(list) = carriers.remove(&consumer.id) {
            consumer.path = PathState::On(Via::Writes(list));
        } else if matches!(consumer.path, PathState::Unknown(_)) && waits_for_a_write(consumer) {
            consumer.path = PathState::Off(OffPath {
                why: "no write on the path runs it".into(),
                place: consumer.place.clone(),
                awaits_write: true,
                slip: false,
            });
        }
        narrow_all(consumer, effects, groups);
    }
    reached
}

fn narrow_all(consumer: &Consumer, effects: &mut [Box<Effect>], groups: &ByConsumer) {
    for at in groups.get(&consumer.id).into_iter().flatten() {
        if let Some(effect) = effects.get_mut(*at) {
            narrow(effect, &consumer.path);
        }
    }
}

/// An effect is on the path no more than its consumer is.
fn narrow(effect: &mut Effect, consumer: &PathState) {
    match (&effect.path, consumer) {
        // Dormant, unknown or off for a reason of its own, within a consumer that runs.
        (PathState::Dormant { .. } | PathState::Unknown(_), PathState::On(_)) => {}
        (PathState::Off(off), PathState::On(_)) if !off.awaits_write => {}
        _ => effect.path = consumer.clone(),
    }
}
