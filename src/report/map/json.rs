//! The map for programs.

use std::io::{self, Write};

use serde::Serialize;

use crate::model::effect::{Class, EffectKind};
use crate::model::map::{CallHop, ConsumerMap, MappedConsumer, MappedEffect, Unresolved};
use crate::model::place::Place;

#[derive(Serialize)]
struct Document<'a> {
    document: &'static str,
    version: u32,
    files: Files,
    consumers: Vec<Consumer<'a>>,
    unresolved: Vec<UnresolvedRow<'a>>,
    unknown: Vec<UnknownRow<'a>>,
}

#[derive(Serialize)]
struct Files {
    scanned: usize,
    parsed: usize,
}

#[derive(Serialize)]
struct Consumer<'a> {
    id: &'a str,
    language: &'static str,
    event: Option<&'a str>,
    registered_at: At<'a>,
    handler: Handler<'a>,
    rule: &'a str,
    confidence: &'static str,
    path: &'static str,
    effects: Vec<Effect<'a>>,
}

#[derive(Serialize)]
struct Handler<'a> {
    name: &'a str,
    #[serde(flatten)]
    at: At<'a>,
}

#[derive(Serialize)]
struct At<'a> {
    file: Option<&'a str>,
    line: Option<u32>,
}

#[derive(Serialize)]
struct Effect<'a> {
    id: &'a str,
    class: &'static str,
    kind: &'static str,
    target: &'a str,
    #[serde(flatten)]
    at: At<'a>,
    path: Vec<Hop<'a>>,
    rule: &'a str,
    confidence: &'static str,
}

#[derive(Serialize)]
struct Hop<'a> {
    function: &'a str,
    #[serde(flatten)]
    at: At<'a>,
}

#[derive(Serialize)]
struct UnresolvedRow<'a> {
    consumer: &'a str,
    call: &'a str,
    why: &'a str,
    #[serde(flatten)]
    at: At<'a>,
}

#[derive(Serialize)]
struct UnknownRow<'a> {
    reason: &'a str,
    next_step: &'a str,
    place: Option<String>,
}

/// Writes it.
///
/// # Errors
/// If `out` does.
pub fn write(map: &ConsumerMap, out: &mut dyn Write) -> io::Result<()> {
    let document = Document {
        document: "map",
        version: 1,
        files: Files {
            scanned: map.scanned,
            parsed: map.files,
        },
        consumers: map.consumers.iter().map(consumer).collect(),
        unresolved: map.unresolved.iter().map(unresolved).collect(),
        unknown: map
            .gaps
            .iter()
            .map(|gap| UnknownRow {
                reason: &gap.sentence,
                next_step: &gap.next_step,
                place: gap.place.as_ref().map(ToString::to_string),
            })
            .collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

fn consumer(consumer: &MappedConsumer) -> Consumer<'_> {
    Consumer {
        id: &consumer.id.0,
        language: consumer.language.word(),
        event: consumer.event.as_deref(),
        registered_at: at(&consumer.registered_at),
        handler: Handler {
            name: &consumer.handler,
            at: at(&consumer.handler_at),
        },
        rule: &consumer.rule,
        confidence: consumer.sureness.word(),
        // Source alone does not say which events the outbox delivers.
        path: "unknown",
        effects: consumer.effects.iter().map(effect).collect(),
    }
}

fn effect(effect: &MappedEffect) -> Effect<'_> {
    Effect {
        id: &effect.id,
        class: class(effect.kind).word(),
        kind: effect.kind.word(),
        target: &effect.target,
        at: at(&effect.place),
        path: effect.path.iter().map(hop).collect(),
        rule: &effect.rule,
        confidence: effect.sureness.word(),
    }
}

fn hop(hop: &CallHop) -> Hop<'_> {
    Hop {
        function: &hop.function,
        at: at(&hop.place),
    }
}

fn unresolved(unresolved: &Unresolved) -> UnresolvedRow<'_> {
    UnresolvedRow {
        consumer: &unresolved.consumer.0,
        call: &unresolved.call,
        why: &unresolved.why,
        at: at(&unresolved.place),
    }
}

fn at(place: &Place) -> At<'_> {
    match place.span() {
        Some(span) => At {
            file: Some(&span.file),
            line: Some(span.start.line),
        },
        None => At {
            file: None,
            line: None,
        },
    }
}

/// The class that a kind has before its values are judged; an update has none yet.
fn class(kind: EffectKind) -> Class {
    match kind {
        _ if kind.is_create() => Class::Create,
        _ if kind.is_external() => Class::External,
        EffectKind::Increment | EffectKind::Append | EffectKind::Toggle => Class::StateDependent,
        EffectKind::Recompute => Class::Derived,
        EffectKind::Delete => Class::Delete,
        _ => Class::Unknown,
    }
}
