//! Fields that synchronous flows of one object compute from each other: each save moves them on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::effect::{Effect, EffectKind};
use crate::model::value::{Root, Shape};

/// Which fields of an object feed on each other.
pub(super) struct Feedback {
    /// By object in lower case: a field to the fields it is computed from.
    reads: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
}

impl Feedback {
    /// Collects the sets that run inside saves.
    pub(super) fn new(effects: &[Box<Effect>]) -> Self {
        let mut reads: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
        for effect in effects {
            if effect.kind != EffectKind::RecordSet || !effect.path.is_on() {
                continue;
            }
            let object = reads
                .entry(effect.target.name().to_ascii_lowercase())
                .or_default();
            for write in &effect.writes {
                let fields = object.entry(write.field.to_ascii_lowercase()).or_default();
                let settles = matches!(write.value.shape, Shape::Normalises | Shape::Plain);
                for draw in &write.value.draws {
                    let Some(field) = draw
                        .field
                        .as_ref()
                        .filter(|field| field.root == Root::Written)
                    else {
                        continue;
                    };
                    // A normal form of itself stays where it is.
                    if !(settles && field.name.eq_ignore_ascii_case(&write.field)) {
                        fields.insert(field.name.to_ascii_lowercase());
                    }
                }
            }
        }
        Self { reads }
    }

    /// The first field of a set that is computed, over other fields, from itself; with those fields.
    pub(super) fn of(&self, effect: &Effect) -> Option<Arc<str>> {
        if effect.kind != EffectKind::RecordSet {
            return None;
        }
        let object = self.reads.get(&effect.target.name().to_ascii_lowercase())?;
        effect.writes.iter().find_map(|write| {
            let start = write.field.to_ascii_lowercase();
            let mut seen: BTreeSet<&str> = BTreeSet::new();
            let mut open: Vec<&str> = vec![&start];
            while let Some(field) = open.pop() {
                for next in object.get(field).into_iter().flatten() {
                    if *next == start {
                        let others: Vec<&str> = seen
                            .iter()
                            .copied()
                            .filter(|other| *other != start)
                            .collect();
                        return Some(if others.is_empty() {
                            format!("`{}` is computed from its own stored value", write.field)
                                .into()
                        } else {
                            format!(
                                "`{}` is computed from `{}`, and that from it",
                                write.field,
                                others.join("`, `")
                            )
                            .into()
                        });
                    }
                    if seen.insert(next) {
                        open.push(next);
                    }
                }
            }
            None
        })
    }
}
