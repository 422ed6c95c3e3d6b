//! The deferred inventory: which families of effects, put off by the pack, are on the path today.

use std::sync::Arc;

use crate::model::evidence::{InputKind, ObservedBy};
use crate::model::facts::{DeferredFamily, EffectFacts, ScopeState};
use crate::model::inputs::Inputs;
use crate::rules::{DeferredKind, DeferredRule, Rules};

/// At most so many members of a family are named.
const NAMED: usize = 5;

/// The families with their members on the path.
pub(super) fn families_of(
    rules: &Rules,
    effects: &[Box<EffectFacts>],
    inputs: &Inputs,
) -> Vec<DeferredFamily> {
    rules
        .deferred
        .iter()
        .map(|rule| family(rule, effects, inputs))
        .collect()
}

fn family(rule: &DeferredRule, effects: &[Box<EffectFacts>], inputs: &Inputs) -> DeferredFamily {
    let on_path = effects
        .iter()
        .map(Box::as_ref)
        .filter(|facts| facts.effect.path.is_on());
    let members: Vec<Arc<str>> = match rule.family {
        DeferredKind::External => on_path
            .filter(|facts| facts.effect.kind.is_external())
            .map(|facts| Arc::from(facts.effect.owner()))
            .collect(),
        DeferredKind::OtherCreates => on_path
            .filter(|facts| {
                facts.create.is_some() && matches!(facts.scope, ScopeState::Deferred(_))
            })
            .map(|facts| Arc::from(facts.effect.owner()))
            .collect(),
        DeferredKind::PlatformRows => platform_rows(on_path, &rule.entries),
        DeferredKind::Mechanism => Vec::new(),
    };
    let flows_unread = !inputs.was_read(InputKind::Flows);
    let source_unread = !inputs.was_read(InputKind::Source);
    DeferredFamily {
        title: Arc::clone(&rule.title),
        why: Arc::clone(&rule.why),
        unknown: match rule.family {
            DeferredKind::Mechanism => source_unread,
            _ => flows_unread,
        },
        on_path: cut(members),
    }
}

/// Rows the platform appends by itself, counted per rule.
fn platform_rows<'a>(
    on_path: impl Iterator<Item = &'a EffectFacts>,
    entries: &[Arc<str>],
) -> Vec<Arc<str>> {
    let count = on_path
        .filter(|facts| {
            facts
                .effect
                .by_rule
                .iter()
                .any(|evidence| {
                    matches!(&evidence.by, ObservedBy::Rule { entry, .. } if entries.contains(entry))
                })
        })
        .count();
    if count == 0 {
        Vec::new()
    } else {
        vec![format!("rows appended by {count} updates").into()]
    }
}

fn cut(mut members: Vec<Arc<str>>) -> Vec<Arc<str>> {
    members.dedup();
    let more = members.len().saturating_sub(NAMED);
    members.truncate(NAMED);
    if more > 0 {
        members.push(format!("{more} more").into());
    }
    members
}
