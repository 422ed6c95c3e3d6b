//! The code consumer that runs the flows, and which of its effects the rules of the pack explain.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::effect::EffectKind;
use crate::model::map::{ConsumerMap, MappedConsumer, MappedEffect, WordBranch};
use crate::rules::{Becomes, ReachedRule, Rules};

use super::CodeInput;

/// True of a consumer that chooses by the action words of the pack.
pub(super) fn is_interpreter(map: &ConsumerMap, rules: &Rules, mapped: &MappedConsumer) -> bool {
    let Some(rule) = &rules.interpreter else {
        return false;
    };
    let words: BTreeSet<&str> = branches(map, mapped).map(|branch| &*branch.word).collect();
    words.len() >= rule.min_words
}

/// The branches that a consumer can come to.
pub(super) fn branches<'m>(
    map: &'m ConsumerMap,
    mapped: &'m MappedConsumer,
) -> impl Iterator<Item = &'m WordBranch> {
    mapped
        .branches
        .iter()
        .filter_map(|at| map.branches.get(*at))
}

/// Effects of the interpreter that flows tell, where flows were read: those that the code of an
/// action word reaches and that the rule of the word describes, and the rows that the pack says
/// are written beside.
pub(super) fn explained(input: &CodeInput<'_>, mapped: &MappedConsumer) -> BTreeSet<Arc<str>> {
    if !input.flows || !is_interpreter(input.map, input.rules, mapped) {
        return BTreeSet::new();
    }
    let beside = input.rules.interpreter.iter().flat_map(|rule| &rule.beside);
    let beside: Vec<&ReachedRule> = beside.collect();
    let inner: Vec<&WordBranch> = branches(input.map, mapped)
        .filter(|branch| !branch.passes_on)
        .collect();
    let is_explained = |effect: &MappedEffect| {
        let is_beside = beside.iter().any(|rule| fits(rule, effect, input.rules));
        is_beside
            || inner.iter().any(|branch| {
                does(input.rules, &branch.word, effect)
                    && branch.effects.iter().any(|other| is_same(other, effect))
            })
    };
    let effects = mapped.effects.iter();
    effects
        .filter(|effect| is_explained(effect))
        .map(|effect| Arc::clone(&effect.id))
        .collect()
}

/// The same call with the same outcome; of a table that is not known, each caller has another name.
fn is_same(one: &MappedEffect, other: &MappedEffect) -> bool {
    let unnamed = one.target.starts_with('$') && other.target.starts_with('$');
    one.place == other.place && one.kind == other.kind && (unnamed || one.target == other.target)
}

/// True if an effect is what a rule names.
pub(super) fn fits(rule: &ReachedRule, effect: &MappedEffect, rules: &Rules) -> bool {
    let is_kind = rule
        .kind
        .iter()
        .chain(&rule.kinds)
        .any(|kind| *kind == effect.kind);
    let is_target = |table: &Arc<str>| table.eq_ignore_ascii_case(&effect.target);
    let mut outboxes = rules.outboxes.iter().flat_map(|rule| &rule.table);
    is_kind
        && (rule.tables.is_empty() || rule.tables.iter().any(is_target))
        && (!rule.outbox || outboxes.any(is_target))
}

/// True if a rule for the word describes effects of that kind, on rows that the flow names: a table
/// that the code names itself is none of them.
fn does(rules: &Rules, word: &str, effect: &MappedEffect) -> bool {
    let by_flow = effect.target.starts_with('$');
    let mut actions = rules.actions.iter();
    actions.any(|rule| {
        let is_word = rule.words.iter().any(|it| it.eq_ignore_ascii_case(word));
        is_word
            && match rule.becomes {
                // What the row adds up to is written back to its parent.
                Becomes::Insert => {
                    by_flow && (effect.kind.is_create() || effect.kind == EffectKind::Update)
                }
                Becomes::UpdateOwn | Becomes::UpdateNamed => by_flow && effect.kind.is_set(),
                Becomes::Mail => effect.kind == EffectKind::Mail,
                Becomes::Http => effect.kind == EffectKind::Http,
                Becomes::FixedInserts => {
                    let mut tables = rule.inserts.iter().map(|row| &row.table);
                    effect.kind.is_create()
                        && tables.any(|table| table.eq_ignore_ascii_case(&effect.target))
                }
                Becomes::RecordSet
                | Becomes::NamedAction
                | Becomes::Composite
                | Becomes::Dormant => false,
            }
    })
}
