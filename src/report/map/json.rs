//! The map for programs: document `map`, version 1. Within the version fields are only added.

mod around;

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::effect::{Class, EffectKind};
use crate::model::map::{
    self as model, CallHop, ConsumerMap, Delivery, MappedConsumer, MappedDraw, MappedEffect,
    Unresolved,
};
use crate::model::place::Place;
use crate::model::redelivery::{self, GuardKind, NoteKind};

use crate::report::json::Covering;

use around::{Gap, Producer, UnresolvedCall};

/// The consumer map of a source tree.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MapDocument<'m> {
    /// Always `map`.
    #[schemars(extend("const" = "map"))]
    pub document: &'static str,
    /// Version of this shape, always 1.
    #[schemars(extend("const" = 1))]
    pub version: u32,
    /// How much of the tree was read.
    pub files: Files,
    /// Consumers, by place of registration.
    pub consumers: Vec<Consumer<'m>>,
    /// Calls that emit events, by place.
    pub producers: Vec<Producer<'m>>,
    /// Calls on the way from a handler that cannot be followed, and could reach an effect.
    pub unresolved: Vec<UnresolvedCall<'m>>,
    /// What of the tree could not be read.
    pub unknown: Vec<Gap<'m>>,
}

/// How much of a tree was read.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Files {
    /// Source files that were looked at.
    pub scanned: usize,
    /// Files of which a tree was made.
    pub parsed: usize,
    /// Tests, which no delivery runs: no tree was made of them.
    pub tests: usize,
}

/// A consumer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Consumer<'m> {
    /// `code:<language>:<handler>@<event>`.
    pub id: &'m str,
    /// `go`, `rust`.
    pub language: &'static str,
    /// The event; `$name` where only the name of a variable is known, null where nothing is.
    pub event: Option<&'m str>,
    /// The subscribing call.
    pub registered_at: At<'m>,
    /// The handler.
    pub handler: Handler<'m>,
    /// The rule that says that the call subscribes.
    pub rule: &'m str,
    /// `high`, `medium` or `low`: whether types decide it, one of several, or a name alone.
    #[schemars(extend("enum" = ["high", "medium", "low"]))]
    pub confidence: &'static str,
    /// Whether it lies on the outbox path: `on` where the dispatcher of the outbox hands events to it,
    /// `off` where it hands them elsewhere, `unknown` where the tree does not show it.
    #[schemars(extend("enum" = ["on", "off", "dormant", "unknown"]))]
    pub path: &'static str,
    /// What it can leave behind.
    pub effects: Vec<Effect<'m>>,
    /// Libraries outside the tree that it can call and that no rule describes.
    pub libraries: Vec<&'m str>,
}

/// The function that runs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Handler<'m> {
    /// Its name; `<function>.func` for a closure.
    pub name: &'m str,
    /// Where its name stands.
    #[serde(flatten)]
    pub at: At<'m>,
}

/// A line of a file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct At<'m> {
    /// Path from the root, with `/`.
    pub file: Option<&'m str>,
    /// Line, from 1.
    pub line: Option<u32>,
}

/// An effect.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Effect<'m> {
    /// `<consumer>/<function>/<Kind>:<target>`, with `#n` where that is not enough.
    pub id: &'m str,
    /// The class its kind has; `unknown` as long as its values are not judged.
    pub class: &'static str,
    /// What it does.
    pub kind: &'static str,
    /// Table, topic, address; `$name` where only the name of a variable is known.
    pub target: &'m str,
    /// The call.
    #[serde(flatten)]
    pub at: At<'m>,
    /// The calls that lead from the handler to it, in order.
    pub path: Vec<Hop<'m>>,
    /// Sources that differ between deliveries and reach what it is given.
    pub draws: Vec<Draw<'m>>,
    /// What keeps a further delivery from repeating it, the best first; empty if nothing was found.
    pub guards: Vec<Guard<'m>>,
    /// What is to be said about when it happens.
    pub notes: Vec<Note<'m>>,
    /// The key by which the other side recognises a repetition; null if the call is given none.
    pub idempotency_key: Option<Key<'m>>,
    /// The rule that says what the call does.
    pub rule: &'m str,
    /// The least sure step on the way.
    #[schemars(extend("enum" = ["high", "medium", "low"]))]
    pub confidence: &'static str,
}

/// A guard of an effect.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Guard<'m> {
    /// What it does.
    #[schemars(extend("enum" = words(GuardKind::ALL, GuardKind::word)))]
    pub kind: &'static str,
    /// What it is worth for this effect: `full` stops every further delivery, `partial` not for
    /// ever or not after every crash, `advisory` not one that runs beside, `none` stops nothing.
    #[schemars(extend("enum" = ["full", "partial", "advisory", "none"]))]
    pub worth: &'static str,
    /// True if every way to the effect passes it with the outcome "not done yet".
    pub dominates: bool,
    /// True if it and the effect are committed together.
    pub same_transaction: bool,
    /// Why it is worth that, in one sentence.
    pub why: &'static str,
    /// The call.
    #[serde(flatten)]
    pub at: At<'m>,
}

/// A note on an effect.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Note<'m> {
    /// What it is about.
    #[schemars(extend("enum" = words(NoteKind::ALL, NoteKind::word)))]
    pub kind: &'static str,
    /// What that means, in one sentence.
    pub sentence: &'static str,
    /// Where it can be seen.
    #[serde(flatten)]
    pub at: At<'m>,
}

/// An idempotency key.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Key<'m> {
    /// What it is made of: the part that differs most.
    #[schemars(extend("enum" = words(redelivery::KeySource::ALL, redelivery::KeySource::word)))]
    pub from: &'static str,
    /// What that is worth, in one sentence.
    pub sentence: &'static str,
    /// Where it is set.
    #[serde(flatten)]
    pub at: At<'m>,
}

/// The words of an enum, for the schema.
fn words<T: Copy>(all: &[T], word: fn(T) -> &'static str) -> Vec<&'static str> {
    all.iter().map(|one| word(*one)).collect()
}

/// A source that reaches an effect.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Draw<'m> {
    /// `clock`, `random`, `deployment`, …
    pub source: &'static str,
    /// The rule that says so, or the function of the SQL text.
    pub what: &'m str,
    /// The call.
    #[serde(flatten)]
    pub at: At<'m>,
}

/// A call on the way.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Hop<'m> {
    /// The function in which it stands.
    pub function: &'m str,
    /// The call.
    #[serde(flatten)]
    pub at: At<'m>,
}

/// Writes it.
///
/// # Errors
/// If `out` does.
pub fn write(map: &ConsumerMap, out: &mut dyn Write) -> io::Result<()> {
    let mut covering = Covering::new(out);
    serde_json::to_writer_pretty(&mut covering, &document(map))?;
    covering.write_all(b"\n")?;
    covering.flush()
}

fn document(map: &ConsumerMap) -> MapDocument<'_> {
    MapDocument {
        document: "map",
        version: 1,
        files: Files {
            scanned: map.scanned,
            parsed: map.files,
            tests: map.tests,
        },
        consumers: map.consumers.iter().map(consumer).collect(),
        producers: map.producers.iter().map(producer).collect(),
        unresolved: map.unresolved.iter().map(unresolved).collect(),
        unknown: map
            .gaps
            .iter()
            .map(|gap| Gap {
                reason: &gap.sentence,
                next_step: &gap.next_step,
                place: gap.place.as_ref().map(ToString::to_string),
            })
            .collect(),
    }
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
        path: match &consumer.delivery {
            Delivery::Outbox(_) => "on",
            Delivery::Elsewhere(_) => "off",
            Delivery::Unknown(_) => "unknown",
        },
        effects: consumer.effects.iter().map(effect).collect(),
        libraries: consumer.libraries.iter().map(|name| &**name).collect(),
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
        draws: effect.draws.iter().map(draw).collect(),
        guards: effect.guards.iter().map(guard).collect(),
        notes: effect.notes.iter().map(note).collect(),
        idempotency_key: effect.key.as_ref().map(key),
        rule: &effect.rule,
        confidence: effect.sureness.word(),
    }
}

fn guard(guard: &redelivery::Guard) -> Guard<'_> {
    Guard {
        kind: guard.kind.word(),
        worth: guard.worth.word(),
        dominates: guard.dominates,
        same_transaction: guard.same_transaction,
        why: guard.why,
        at: at(&guard.place),
    }
}

fn note(note: &redelivery::Note) -> Note<'_> {
    Note {
        kind: note.kind.word(),
        sentence: note.kind.sentence(),
        at: at(&note.place),
    }
}

fn key(key: &redelivery::IdempotencyKey) -> Key<'_> {
    Key {
        from: key.from.word(),
        sentence: key.from.sentence(),
        at: at(&key.place),
    }
}

fn draw(draw: &MappedDraw) -> Draw<'_> {
    Draw {
        source: draw.source.word(),
        what: &draw.what,
        at: at(&draw.place),
    }
}

fn hop(hop: &CallHop) -> Hop<'_> {
    Hop {
        function: &hop.function,
        at: at(&hop.place),
    }
}

fn producer(producer: &model::Producer) -> Producer<'_> {
    Producer {
        event: &producer.event,
        kind: producer.kind.word(),
        function: &producer.function,
        at: at(&producer.place),
        rule: &producer.rule,
        confidence: producer.sureness.word(),
    }
}

fn unresolved(unresolved: &Unresolved) -> UnresolvedCall<'_> {
    UnresolvedCall {
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
