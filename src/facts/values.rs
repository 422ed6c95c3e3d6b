//! Every value of an effect: assignments, the row it names, conditions, the idempotency key.

use crate::model::effect::{Effect, RowChoice};
use crate::model::value::Value;

/// Every value of an effect.
pub(super) fn values_of(effect: &Effect) -> impl Iterator<Item = &Value> {
    let row = match &effect.rows {
        RowChoice::Named(value) | RowChoice::Search(value) => Some(value),
        _ => None,
    };
    effect
        .writes
        .iter()
        .map(|write| &write.value)
        .chain(row)
        .chain(&effect.runs_if)
        .chain(&effect.idempotency_key)
}

/// Calls `change` on every value of an effect.
pub(super) fn for_each_value(effect: &mut Effect, change: &mut dyn FnMut(&mut Value)) {
    for write in &mut effect.writes {
        change(&mut write.value);
    }
    match &mut effect.rows {
        RowChoice::Named(value) | RowChoice::Search(value) => change(value),
        _ => {}
    }
    for value in effect.runs_if.iter_mut().chain(&mut effect.idempotency_key) {
        change(value);
    }
}
