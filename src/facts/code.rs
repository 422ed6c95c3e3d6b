//! Consumers that the source tree shows, as consumers of the audit with their effects.

mod confirm;
mod effect;
mod interpreter;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::consumer::{Consumer, ConsumerOrigin, OffPath, PathState, Phase, Trigger, Via};
use crate::model::effect::{Effect, OnError};
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::facts::SourceFacts;
use crate::model::map::{ConsumerMap, Delivery, MappedConsumer};
use crate::model::place::Place;
use crate::model::schema::{Dialect, Schema};
use crate::rules::{Rules, TriggerPhase};

pub(super) use confirm::{confirmations, settle_errors};

/// What consumers of the source are made from.
pub(super) struct CodeInput<'a> {
    /// The map of the tree.
    pub(super) map: &'a ConsumerMap,
    /// The rules in force.
    pub(super) rules: &'a Rules,
    /// The dialect of the database, where it is known.
    pub(super) dialect: Option<Dialect>,
    /// Schemas that were read.
    pub(super) schemas: &'a [&'a Schema],
    /// True if flow metadata was read: then it tells what the interpreter of flows does.
    pub(super) flows: bool,
}

/// Consumers and effects of the tree.
pub(super) fn consumers_of(input: &CodeInput<'_>) -> (Vec<Consumer>, Vec<Box<Effect>>) {
    let mut consumers = Vec::new();
    let mut effects = Vec::new();
    for mapped in &input.map.consumers {
        let consumer = consumer(input, mapped);
        let explained = interpreter::explained(input, mapped);
        let own = mapped
            .effects
            .iter()
            .filter(|effect| !effect.in_process && !explained.contains(&effect.id));
        let mut order = 0;
        for one in own {
            for mut effect in effect::effects_of(input, mapped, one, &consumer) {
                effect.order = order;
                order += 1;
                effects.push(Box::new(effect));
            }
        }
        consumers.push(consumer);
    }
    (consumers, effects)
}

fn consumer(input: &CodeInput<'_>, mapped: &MappedConsumer) -> Consumer {
    let phase = phase_of(input, mapped);
    Consumer {
        id: mapped.id.clone(),
        title: match &mapped.event {
            Some(event) => format!("{} on {event}", mapped.handler).into(),
            None => Arc::clone(&mapped.handler),
        },
        origin: ConsumerOrigin::Code,
        trigger: Trigger {
            event: mapped.event.clone(),
            object: None,
            word: mapped.event.clone().unwrap_or_default(),
            phase,
            conditions: Vec::new(),
        },
        path: path_of(mapped, phase),
        gaps: gaps_of(input, mapped),
        place: mapped.handler_at.clone(),
    }
}

/// What becomes of an error in a consumer, as far as its code shows it.
fn errors_of(mapped: &MappedConsumer) -> OnError {
    match (&mapped.drops_errors, &mapped.hands_errors_on) {
        (Some(_), _) => OnError::Swallowed,
        (None, Some(_)) => OnError::Retried,
        (None, None) => OnError::Unknown,
    }
}

fn phase_of(input: &CodeInput<'_>, mapped: &MappedConsumer) -> Phase {
    let event = mapped.event.as_deref();
    let mut rules = input.rules.triggers.iter();
    match rules.find(|rule| rule.event.is_some() && rule.event.as_deref() == event) {
        Some(rule) if rule.phase == TriggerPhase::InsideSave => Phase::InsideSave,
        _ => Phase::AfterCommit,
    }
}

fn path_of(mapped: &MappedConsumer, phase: Phase) -> PathState {
    match (&mapped.delivery, phase) {
        (Delivery::Outbox(_), Phase::InsideSave) => PathState::On(Via::Writes(Vec::new())),
        (Delivery::Outbox(_), _) => PathState::On(Via::Delivery),
        (Delivery::Elsewhere(why), _) => PathState::Off(OffPath {
            why: Arc::clone(why),
            place: mapped.registered_at.clone(),
            awaits_write: false,
            slip: false,
        }),
        (Delivery::Unknown(why), _) => PathState::Unknown(Box::new(Reason {
            why: Why::NotResolved,
            needs: Some(InputKind::Source),
            sentence: format!(
                "whether the outbox delivers to `{}` is not known: {why}",
                mapped.handler
            ),
            place: Some(mapped.registered_at.clone()),
            next_step:
                "give the source of the dispatcher too (--source), or name the table of the \
                        outbox (`outbox.table`)"
                    .into(),
        })),
    }
}

/// Calls that could do anything, and libraries that no rule describes.
fn gaps_of(input: &CodeInput<'_>, mapped: &MappedConsumer) -> Vec<Reason> {
    let lost = input.map.unresolved.iter();
    let calls = lost
        .filter(|lost| lost.consumer == mapped.id)
        .map(|lost| Reason {
            why: Why::NotResolved,
            needs: Some(InputKind::Source),
            sentence: format!(
                "`{}` reaches a call that cannot be followed, `{}`: {}",
                mapped.handler, lost.call, lost.why
            ),
            place: Some(lost.place.clone()),
            next_step: "call a function that the tree shows, or describe the call in a rule file \
                        (--rules)"
                .into(),
        });
    let libraries = mapped.libraries.iter().map(|library| Reason {
        why: Why::NotMapped,
        needs: None,
        sentence: format!(
            "`{}` calls {library}, and no rule says what that leaves behind",
            mapped.handler
        ),
        place: Some(mapped.handler_at.clone()),
        next_step:
            "describe its calls in a rule file (--rules), or name it under `library` as one \
                    that leaves nothing behind"
                .into(),
    });
    calls.chain(libraries).collect()
}

/// Events that the tree emits and that none of these consumers takes.
pub(super) fn source_facts(input: &CodeInput<'_>, consumers: &[Consumer]) -> SourceFacts {
    let taken: BTreeSet<&str> = consumers
        .iter()
        .filter_map(|consumer| consumer.trigger.event.as_deref())
        .collect();
    let outboxes = input.rules.outboxes.iter().flat_map(|rule| &rule.table);
    let outboxes: Vec<&Arc<str>> = outboxes.collect();
    let is_event = |event: &str| {
        !event.contains(['$', '?', '|'])
            && !outboxes.iter().any(|it| it.eq_ignore_ascii_case(event))
    };
    let mut untaken: Vec<(Arc<str>, Place)> = input
        .map
        .producers
        .iter()
        .filter(|producer| is_event(&producer.event) && !taken.contains(&*producer.event))
        .map(|producer| (Arc::clone(&producer.event), producer.place.clone()))
        .collect();
    untaken.sort();
    untaken.dedup_by(|one, other| one.0 == other.0);
    SourceFacts {
        untaken,
        ..SourceFacts::default()
    }
}

/// What source shows of writes that no event follows; the sentence of the pack where it shows none
/// of the outbox either.
pub(super) fn unqueued(map: Option<&ConsumerMap>, rules: &Rules) -> Vec<Arc<str>> {
    let shown = map.filter(|map| {
        let mut consumers = map.consumers.iter();
        consumers.any(|one| matches!(one.delivery, Delivery::Outbox(_)))
    });
    let Some(map) = shown else {
        return rules.unqueued.iter().cloned().collect();
    };
    map.unqueued
        .iter()
        .map(|write| match &write.event {
            Some(event) => format!(
                "`{}` publishes {event} past the outbox at {}: a crash loses it, and nothing orders it \
                 with the events of the outbox.",
                write.function, write.place
            ),
            None => format!(
                "`{}` writes rows and enqueues no event at {}: no consumer sees them, and nothing \
                 orders them with any event.",
                write.function, write.place
            ),
        })
        .map(Arc::from)
        .collect()
}
