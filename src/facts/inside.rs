//! What a synchronous flow sees of the record that an on-path write is saving.

use crate::model::effect::{Effect, RowChoice};
use crate::model::value::{Draw, Root, Value, ValueSource};

use super::inserted::inserted_value;
use super::judge::{Judging, for_each_value};

/// With more writes than this the record is taken for live state.
const MAX_CARRIERS: usize = 64;

/// Replaces fields of the record being written by what the writes assign to them, where every write
/// assigns a value that is the same on every delivery. Anything else stays live state.
pub(super) fn resolve_written(
    judging: &Judging<'_>,
    effects: &mut [Box<Effect>],
    members: &[usize],
    carriers: &[usize],
) {
    if carriers.len() > MAX_CARRIERS {
        return;
    }
    let carriers: Vec<Box<Effect>> = carriers
        .iter()
        .filter_map(|at| effects.get(*at).cloned())
        .collect();
    for at in members {
        if let Some(effect) = effects.get_mut(*at) {
            for_each_value(effect, &mut |value| resolve(judging, value, &carriers));
        }
    }
}

fn resolve(judging: &Judging<'_>, value: &mut Value, carriers: &[Box<Effect>]) {
    for draw in &mut value.draws {
        let Some(field) = draw
            .field
            .as_ref()
            .filter(|field| field.root == Root::Written)
        else {
            continue;
        };
        let fixed = carriers
            .iter()
            .all(|carrier| fixes(judging, carrier, &field.name));
        if fixed && !carriers.is_empty() {
            draw.source = ValueSource::Snapshot;
            draw.note = Some("as the write on the path sets it".into());
        }
    }
}

/// True if a write gives the field the same value on every delivery.
fn fixes(judging: &Judging<'_>, carrier: &Effect, field: &str) -> bool {
    let stable = |draws: &[Draw]| draws.iter().all(|draw| draw.source.is_stable());
    if let Some(write) = carrier
        .writes
        .iter()
        .find(|write| write.field.eq_ignore_ascii_case(field))
    {
        return stable(&write.value.draws);
    }
    if carrier.kind.is_create() {
        let table = judging.schema.and_then(|schema| {
            let table = schema.table(carrier.target.name())?;
            Some((table, schema.dialect))
        });
        let value = inserted_value(carrier, field, table, judging.platform, &[]).value;
        return stable(&value.draws);
    }
    let identity = judging
        .platform
        .is_some_and(|platform| platform.identity.iter().any(|name| &**name == field));
    identity
        && match &carrier.rows {
            RowChoice::OwnRecord => true,
            RowChoice::Named(value) => stable(&value.draws),
            _ => false,
        }
}
