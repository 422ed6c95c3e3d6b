//! Writes of one field whose order the record key does not decide.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::effect::{Effect, EffectId, RowChoice};
use crate::model::facts::Unordered;

/// At most so many other writers are named.
const NAMED: usize = 3;

/// On-path writers by object and field, in lower case.
pub(super) struct Writers {
    by_field: BTreeMap<(String, String), Field>,
}

#[derive(Default)]
struct Field {
    total: usize,
    first: Vec<EffectId>,
    /// Those of them that name a row other than the event's own.
    of_other_rows: Vec<EffectId>,
    other_rows: usize,
}

impl Writers {
    /// Collects the updates on the path.
    pub(super) fn new(effects: &[Box<Effect>]) -> Self {
        let mut by_field: BTreeMap<_, Field> = BTreeMap::new();
        for effect in effects.iter().filter(|effect| is_update(effect)) {
            for write in &effect.writes {
                let field = by_field.entry(key(effect, &write.field)).or_default();
                field.total += 1;
                let own = matches!(effect.rows, RowChoice::OwnRecord);
                field.other_rows += usize::from(!own);
                if !own && field.of_other_rows.len() <= NAMED {
                    field.of_other_rows.push(effect.id.clone());
                }
                if field.first.len() <= NAMED {
                    field.first.push(effect.id.clone());
                }
            }
        }
        Self { by_field }
    }

    /// Fields of an effect that others, or events of other records, write too.
    ///
    /// Writers of the event's own record are ordered by the record key; a write to another row is
    /// ordered with nothing.
    pub(super) fn of(&self, effect: &Effect) -> Vec<Unordered> {
        if !is_update(effect) {
            return Vec::new();
        }
        let own = matches!(effect.rows, RowChoice::OwnRecord);
        effect
            .writes
            .iter()
            .filter_map(|write| {
                let field = self.by_field.get(&key(effect, &write.field))?;
                // Writers of the own record are ordered among themselves: only the others count.
                let (first, total) = match own {
                    true => (&field.of_other_rows, field.other_rows),
                    false => (&field.first, field.total.saturating_sub(1)),
                };
                (!own || total > 0).then(|| Unordered {
                    field: Arc::clone(&write.field),
                    others: first
                        .iter()
                        .filter(|id| **id != effect.id)
                        .take(NAMED)
                        .cloned()
                        .collect(),
                    total,
                })
            })
            .collect()
    }
}

fn is_update(effect: &Effect) -> bool {
    effect.path.is_on()
        && effect.kind.is_set()
        && matches!(
            effect.rows,
            RowChoice::OwnRecord | RowChoice::Named(_) | RowChoice::Search(_)
        )
}

fn key(effect: &Effect, field: &str) -> (String, String) {
    (
        effect.target.name().to_ascii_lowercase(),
        field.to_ascii_lowercase(),
    )
}
