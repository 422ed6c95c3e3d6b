//! Which on-path writes change a field of a row after it was created: a key that moves guards no
//! longer.

use std::collections::HashMap;
use std::sync::Arc;

use crate::model::consumer::{Consumer, ConsumerId, OffPath, PathState, Trigger};
use crate::model::effect::{Effect, EffectKind};
use crate::model::value::{Shape, Value};

/// A field of a created row that something writes again, with another value.
#[derive(Debug, Clone)]
pub(super) struct Rewritten {
    /// Position of the effect that does it.
    pub(super) at: usize,
    /// What a person calls the flow that does it.
    pub(super) flow: Arc<str>,
}

/// Which of the later writes count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Later {
    /// All of them.
    Any,
    /// Those of the create's own run, of its own event, or of each save.
    Following,
}

/// Sets by table and field, in lower case; so that a create looks only at what writes its key.
pub(super) struct Setters {
    by_table: HashMap<String, HashMap<String, FieldSets>>,
}

/// The sets of one field, as positions in order.
#[derive(Default)]
struct FieldSets {
    all: Vec<usize>,
    of_run: HashMap<ConsumerId, Vec<usize>>,
    /// By the event and the object, in lower case, of the consumer.
    of_event: HashMap<(Arc<str>, String), Vec<usize>>,
    in_memory: Vec<usize>,
}

impl Setters {
    /// Collects the sets that run: those on the path, and those that every save of the table runs.
    pub(super) fn new<'c>(
        effects: &[Box<Effect>],
        consumer_of: &dyn Fn(&Effect) -> Option<&'c Consumer>,
    ) -> Self {
        let mut by_table: HashMap<String, HashMap<String, FieldSets>> = HashMap::new();
        for (at, effect) in effects.iter().enumerate() {
            let consumer = consumer_of(effect).filter(|_| effect.kind.is_set());
            if !effect.kind.is_set() || !runs(effect, consumer) {
                continue;
            }
            let fields = by_table
                .entry(effect.target.name().to_ascii_lowercase())
                .or_default();
            let event = consumer.and_then(|consumer| event_of(&consumer.trigger));
            for write in &effect.writes {
                let sets = fields.entry(write.field.to_ascii_lowercase()).or_default();
                sets.all.push(at);
                let run = sets.of_run.entry(effect.consumer.clone());
                run.or_default().push(at);
                if let Some(event) = &event {
                    sets.of_event.entry(event.clone()).or_default().push(at);
                }
                if effect.kind == EffectKind::RecordSet {
                    sets.in_memory.push(at);
                }
            }
        }
        Self { by_table }
    }

    /// The first later write of a field of the created row, with a value that is not the create's
    /// own.
    pub(super) fn first<'c>(
        &self,
        create: &Effect,
        field: &str,
        later: Later,
        effects: &[Box<Effect>],
        consumer_of: &dyn Fn(&Effect) -> Option<&'c Consumer>,
    ) -> Option<Rewritten> {
        let sets = self
            .by_table
            .get(&create.target.name().to_ascii_lowercase())?
            .get(&field.to_ascii_lowercase())?;
        let moves = |at: &&usize| {
            let Some(set) = effects.get(**at) else {
                return false;
            };
            let event = consumer_of(set).and_then(|consumer| consumer.trigger.event.as_deref());
            let before_insert = create
                .runs_inside
                .iter()
                .any(|(name, _)| Some(&**name) == event);
            // What runs inside the insert is part of the row inserted.
            if set.kind == EffectKind::RecordSet && before_insert {
                return false;
            }
            let own_run = set.consumer == create.consumer;
            let mut writes = set.writes.iter();
            writes.any(|write| {
                write.field.eq_ignore_ascii_case(field)
                    && !is_same(create, &write.field, &write.value, own_run)
            })
        };
        let first = |list: Option<&Vec<usize>>| list.into_iter().flatten().find(moves).copied();
        let at = match later {
            Later::Any => first(Some(&sets.all)),
            Later::Following => {
                let own_event = create.enqueues.iter().filter_map(|(event, object)| {
                    let key = (Arc::clone(event), object.to_ascii_lowercase());
                    first(sets.of_event.get(&key))
                });
                own_event
                    .chain(first(sets.of_run.get(&create.consumer)))
                    .chain(first(Some(&sets.in_memory)))
                    .min()
            }
        }?;
        Some(Rewritten {
            at,
            flow: effects.get(at)?.owner().into(),
        })
    }
}

fn event_of(trigger: &Trigger) -> Option<(Arc<str>, String)> {
    let event = trigger.event.as_ref()?;
    Some((
        Arc::clone(event),
        trigger.object.as_ref()?.to_ascii_lowercase(),
    ))
}

fn runs(effect: &Effect, consumer: Option<&Consumer>) -> bool {
    let waits = |path: &PathState| {
        matches!(
            path,
            PathState::Off(OffPath {
                awaits_write: true,
                ..
            })
        )
    };
    effect.path.is_on()
        || (effect.kind == EffectKind::RecordSet
            && consumer.is_some_and(|consumer| waits(&consumer.path)))
}

/// True if a write leaves the field as the create set it.
fn is_same(create: &Effect, field: &str, value: &Value, own_run: bool) -> bool {
    if value.shape == Shape::Plain && value.reads(field) {
        return true;
    }
    create
        .writes
        .iter()
        .find(|write| write.field.eq_ignore_ascii_case(field))
        .is_some_and(|write| {
            let constant = value.constant.is_some() && value.constant == write.value.constant;
            constant || (own_run && value.is_stable() && value.text == write.value.text)
        })
}
