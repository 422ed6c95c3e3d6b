//! Creates that put the same key in for one event: one of their rows is never made.

use std::collections::HashMap;
use std::sync::Arc;

use crate::model::consumer::Trigger;
use crate::model::effect::Effect;
use crate::model::value::Value;

use super::inserted::Inserted;

/// The first create of each key, event and set of conditions, as a position.
#[derive(Debug, Default)]
pub(super) struct Rivals {
    first: HashMap<String, usize>,
}

impl Rivals {
    /// The earlier create that the same event runs, under the same conditions, with the same key.
    pub(super) fn meet(
        &mut self,
        at: usize,
        effect: &Effect,
        trigger: &Trigger,
        key: &str,
    ) -> Option<usize> {
        let (event, object) = (trigger.event.as_ref()?, trigger.object.as_ref()?);
        let mut told = format!(
            "{}\0{event}\0{}\0{:?}\0{key}",
            effect.target.name().to_ascii_lowercase(),
            object.to_ascii_lowercase(),
            trigger.phase,
        );
        for condition in trigger.conditions.iter().chain(&effect.runs_if) {
            told.push('\0');
            told.push_str(&condition.text);
        }
        let first = *self.first.entry(told).or_insert(at);
        (first != at).then_some(first)
    }
}

/// The key of a create with the values it puts in, as they are written; none if one of them is not
/// the same each time, or a synchronous flow may change it.
pub(super) fn key_text(columns: &[Arc<str>], row: &dyn Fn(&str) -> Inserted) -> Option<String> {
    let mut parts = Vec::new();
    for column in columns {
        let inserted = row(column);
        if inserted.rewritten_by.is_some() || !inserted.value.is_stable() {
            return None;
        }
        let name = column.to_ascii_lowercase();
        parts.push(format!("{name}={}", written(&inserted.value)));
    }
    parts.sort();
    Some(parts.join("\0"))
}

/// A constant and an expression of the same letters are two values.
fn written(value: &Value) -> String {
    match &value.constant {
        Some(constant) => format!("{constant:?}"),
        None => format!("`{}`", value.text),
    }
}
