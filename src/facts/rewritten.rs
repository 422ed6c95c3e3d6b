//! Which on-path writes change a field of a row after it was created: a key that moves guards no
//! longer.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::consumer::{Consumer, OffPath, PathState};
use crate::model::effect::{Effect, EffectKind};
use crate::model::value::{Shape, Value};

/// A field of a created row that something writes again, with another value.
#[derive(Debug, Clone)]
pub(super) struct Rewritten {
    /// What a person calls the flow that does it.
    pub(super) flow: Arc<str>,
    /// The field.
    pub(super) field: Arc<str>,
    /// True if it happens in the create's own run, on the create's own event, or at each save.
    pub(super) follows: bool,
}

/// Sets by the table they write, in lower case, as positions.
pub(super) struct Setters {
    by_table: BTreeMap<String, Vec<usize>>,
}

impl Setters {
    /// Collects the sets that run: those on the path, and those that every save of the table runs.
    pub(super) fn new<'c>(
        effects: &[Box<Effect>],
        consumer_of: &dyn Fn(&Effect) -> Option<&'c Consumer>,
    ) -> Self {
        let mut by_table: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, effect) in effects.iter().enumerate() {
            if !effect.kind.is_set() || !runs(effect, consumer_of(effect)) {
                continue;
            }
            by_table
                .entry(effect.target.name().to_ascii_lowercase())
                .or_default()
                .push(at);
        }
        Self { by_table }
    }

    /// What is written to the created row again, with a value that is not the create's own.
    pub(super) fn of<'c>(
        &self,
        create: &Effect,
        effects: &[Box<Effect>],
        consumer_of: &dyn Fn(&Effect) -> Option<&'c Consumer>,
    ) -> Vec<Rewritten> {
        let key = create.target.name().to_ascii_lowercase();
        let mut found = Vec::new();
        for at in self.by_table.get(&key).into_iter().flatten() {
            let Some(set) = effects.get(*at) else {
                continue;
            };
            let trigger = consumer_of(set).map(|consumer| &consumer.trigger);
            let event = trigger.and_then(|trigger| trigger.event.as_deref());
            let before_insert = create
                .runs_inside
                .iter()
                .any(|(name, _)| Some(&**name) == event);
            // What runs inside the insert is part of the row inserted.
            if set.kind == EffectKind::RecordSet && before_insert {
                continue;
            }
            let own_run = set.consumer == create.consumer;
            let own_event = create.enqueues.iter().any(|(name, object)| {
                Some(&**name) == event
                    && trigger
                        .and_then(|trigger| trigger.object.as_deref())
                        .is_some_and(|trigger| trigger.eq_ignore_ascii_case(object))
            });
            for write in &set.writes {
                if !is_same(create, &write.field, &write.value, own_run) {
                    found.push(Rewritten {
                        flow: set.owner().into(),
                        field: Arc::clone(&write.field),
                        follows: own_run || own_event || set.kind == EffectKind::RecordSet,
                    });
                }
            }
        }
        found
    }
}

fn runs(effect: &Effect, consumer: Option<&Consumer>) -> bool {
    let waits = |path: &PathState| {
        matches!(
            path,
            PathState::Off(OffPath {
                awaits_write: true,
                slip: false,
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
