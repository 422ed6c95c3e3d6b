//! How much of the consumer map is known.

use std::collections::HashSet;

use crate::model::consumer::{ConsumerId, PathState};
use crate::model::effect::Class;
use crate::model::facts::Facts;
use crate::model::report::Inventory;

/// Counts the consumers of which all is known: whether they run, and what each effect does.
pub(super) fn of(facts: &Facts) -> Inventory {
    let open: HashSet<&ConsumerId> = facts
        .effects
        .iter()
        .filter(|facts| {
            let unread = matches!(facts.effect.path, PathState::Unknown(_));
            unread || (facts.effect.path.is_on() && facts.class == Class::Unknown)
        })
        .map(|facts| &facts.effect.consumer)
        .collect();
    let unknown = facts.consumers.iter().filter(|consumer| {
        let gaps = consumer.path.may_be_on() && !consumer.gaps.is_empty();
        gaps || matches!(consumer.path, PathState::Unknown(_)) || open.contains(&consumer.id)
    });
    let unknown = unknown.count();
    Inventory {
        classified: facts.consumers.len() - unknown,
        unknown,
        source: facts.source.clone(),
    }
}
