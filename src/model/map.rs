//! The consumer map: who runs for which event, what that can leave behind, and by which calls.

use std::sync::Arc;

use super::consumer::ConsumerId;
use super::effect::EffectKind;
use super::place::{Place, Pos};
use super::redelivery::{Guard, IdempotencyKey, Note};
use super::source::Language;
use super::value::ValueSource;

/// The map of a source tree.
#[derive(Debug, Clone, Default)]
pub struct ConsumerMap {
    /// Consumers, sorted by place of registration, then event.
    pub consumers: Vec<MappedConsumer>,
    /// Calls that emit events, sorted by place.
    pub producers: Vec<Producer>,
    /// Calls on the way from a handler that lead nowhere the tree shows, and could do anything.
    pub unresolved: Vec<Unresolved>,
    /// Where code of a consumer chooses by a word that a rule pack describes, by word and place.
    pub branches: Vec<WordBranch>,
    /// Writes of rows that no event of the outbox follows, by place.
    pub unqueued: Vec<UnqueuedWrite>,
    /// Where a bus of the tree may lose the error of a handler; true if it is given to nobody there.
    pub bus_loses: Option<(Place, bool)>,
    /// Files of which a tree was made.
    pub files: usize,
    /// Files that were looked at.
    pub scanned: usize,
    /// Tests among them, of which none was made.
    pub tests: usize,
    /// Every function of the tree, sorted by file, then position.
    pub functions: Vec<FunctionSpan>,
    /// What of the tree could not be read.
    pub gaps: Vec<super::evidence::Reason>,
}

/// Where a function stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FunctionSpan {
    /// Its file.
    pub file: Arc<str>,
    /// Position of its name.
    pub at: Pos,
    /// Position just behind its body.
    pub end: Pos,
    /// What a person calls it.
    pub title: Arc<str>,
}

/// How sure a step of the analysis is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sureness {
    /// It rests on a name alone.
    Low,
    /// It rests on a convention of the language, or on one of several implementations.
    Medium,
    /// Types and imports decide it.
    High,
}

impl Sureness {
    /// The word used in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Sureness::Low => "low",
            Sureness::Medium => "medium",
            Sureness::High => "high",
        }
    }
}

/// A consumer found in source.
#[derive(Debug, Clone)]
pub struct MappedConsumer {
    /// Stable name: `code:<language>:<handler>@<event>`.
    pub id: ConsumerId,
    /// Language.
    pub language: Language,
    /// The event, as far as it is known; none if it is not.
    pub event: Option<Arc<str>>,
    /// The subscribing call.
    pub registered_at: Place,
    /// Name of the handler.
    pub handler: Arc<str>,
    /// Where its name stands; for a closure, where it begins.
    pub handler_at: Place,
    /// The rule that says that the call subscribes.
    pub rule: Arc<str>,
    /// How sure it is that this is a subscription.
    pub sureness: Sureness,
    /// What it can leave behind, in the order of the calls.
    pub effects: Vec<MappedEffect>,
    /// Libraries outside the tree that it can call and that no rule describes, sorted: what those
    /// calls leave behind is not known.
    pub libraries: Vec<Arc<str>>,
    /// Whether the dispatcher of the outbox hands events to it.
    pub delivery: Delivery,
    /// Positions in [`ConsumerMap::branches`] of those that it can come to.
    pub branches: Vec<usize>,
    /// Where an error of a call on the way is dropped, so that the caller sees none.
    pub drops_errors: Option<Place>,
    /// Where the errors of every call on the way are handed on to whoever delivers the event; none
    /// if the source does not show it of each.
    pub hands_errors_on: Option<Place>,
    /// Where an error on the way may be lost; true if it is given to nobody there. None too where the
    /// language throws errors.
    pub loses_errors: Option<(Place, bool)>,
}

/// Who hands events to a consumer.
#[derive(Debug, Clone, PartialEq)]
pub enum Delivery {
    /// The dispatcher of the outbox: the call with which it does.
    Outbox(Place),
    /// Not the dispatcher of the outbox.
    Elsewhere(Arc<str>),
    /// The tree does not show it.
    Unknown(Arc<str>),
}

/// A place where code chooses by a word, and what it does for that word.
#[derive(Debug, Clone)]
pub struct WordBranch {
    /// The word, as the rule pack writes it.
    pub word: Arc<str>,
    /// The function in which it is compared.
    pub function: Arc<str>,
    /// The comparison.
    pub place: Place,
    /// True if what it runs compares with the same word again: that one tells what happens.
    pub passes_on: bool,
    /// What it can leave behind.
    pub effects: Vec<MappedEffect>,
    /// True if it comes to a call that cannot be followed.
    pub has_gaps: bool,
    /// Names of idempotency keys that the code it runs writes itself, with their places.
    pub key_names: Vec<(Arc<str>, Place)>,
    /// Where an insert that a key refuses ends in the row that a lookup finds.
    pub takes_row: Option<Place>,
    /// Where an update is left out because no value differs.
    pub skips_equal: Option<Place>,
}

/// Rows that a part of the program writes without an event of the outbox.
#[derive(Debug, Clone, PartialEq)]
pub struct UnqueuedWrite {
    /// The function.
    pub function: Arc<str>,
    /// The event that it publishes past the outbox; none if it publishes none.
    pub event: Option<Arc<str>>,
    /// The write, or the call that publishes.
    pub place: Place,
}

/// An effect that a handler can reach.
#[derive(Debug, Clone)]
pub struct MappedEffect {
    /// Stable name.
    pub id: Arc<str>,
    /// What it does.
    pub kind: EffectKind,
    /// What it acts on, as far as it is constant.
    pub target: Arc<str>,
    /// Where the call stands.
    pub place: Place,
    /// The calls from the handler to it, in order.
    pub path: Vec<CallHop>,
    /// The least sure step.
    pub sureness: Sureness,
    /// Sources that differ between deliveries and reach what it is given, by place.
    pub draws: Vec<MappedDraw>,
    /// What keeps a further delivery from repeating it, the best first.
    pub guards: Vec<Guard>,
    /// What is to be said about when it happens, by place.
    pub notes: Vec<Note>,
    /// The key by which the other side of an external call recognises a repetition.
    pub key: Option<IdempotencyKey>,
    /// The rule that says what the call does.
    pub rule: Arc<str>,
    /// The SQL text, where there is one; a name of it that is not known begins with
    /// [`HOLE`].
    pub sql: Option<Arc<str>>,
    /// True of an event that is handed on within the process: its handlers are consumers of their
    /// own.
    pub in_process: bool,
}

/// How a name in SQL begins that stands for a value which is not known.
pub const HOLE: &str = "hole_of_";

/// A source that reaches an effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedDraw {
    /// What it is.
    pub source: ValueSource,
    /// The rule that says so, or the function of the SQL text.
    pub what: Arc<str>,
    /// The call.
    pub place: Place,
}

/// A call on the way to an effect.
#[derive(Debug, Clone, PartialEq)]
pub struct CallHop {
    /// The function in which the call stands.
    pub function: Arc<str>,
    /// The call.
    pub place: Place,
}

/// A call that emits an event: to a broker, to a bus of the tree, or by a row of an outbox.
#[derive(Debug, Clone)]
pub struct Producer {
    /// The event, topic or table, as far as it is known.
    pub event: Arc<str>,
    /// `publish`, or what it does to the outbox table.
    pub kind: EffectKind,
    /// The function in which the call stands.
    pub function: Arc<str>,
    /// The call.
    pub place: Place,
    /// The rule that says that it emits.
    pub rule: Arc<str>,
    /// How sure it is.
    pub sureness: Sureness,
}

/// A call that cannot be followed.
#[derive(Debug, Clone)]
pub struct Unresolved {
    /// Whose handler can reach it.
    pub consumer: ConsumerId,
    /// What is called, as written.
    pub call: Arc<str>,
    /// Why it cannot be followed.
    pub why: Arc<str>,
    /// Where it stands.
    pub place: Place,
}

impl ConsumerMap {
    /// The function in which a place lies.
    pub fn function_at(&self, place: &Place) -> Option<&str> {
        let span = place.span()?;
        let from = (&*span.file, span.start);
        let behind = |one: &FunctionSpan| (&*one.file, one.at) <= from;
        let before = self.functions.partition_point(behind);
        let last = self.functions.get(before.checked_sub(1)?)?;
        let holds = last.file == span.file && span.start < last.end;
        holds.then_some(&*last.title)
    }

    /// Keeps what touches one of these files: the subscription, the handler, an effect, or a call on
    /// the way to one.
    pub fn keep(&mut self, touches: impl Fn(&str) -> bool) {
        let in_files = |place: &Place| place.span().is_some_and(|span| touches(&span.file));
        self.consumers.retain(|consumer| {
            let mut effects = consumer.effects.iter();
            in_files(&consumer.registered_at)
                || in_files(&consumer.handler_at)
                || effects.any(|effect| {
                    in_files(&effect.place) || effect.path.iter().any(|hop| in_files(&hop.place))
                })
        });
        self.producers.retain(|producer| in_files(&producer.place));
        let kept: std::collections::BTreeSet<&ConsumerId> =
            self.consumers.iter().map(|consumer| &consumer.id).collect();
        self.unresolved
            .retain(|lost| kept.contains(&lost.consumer) || in_files(&lost.place));
    }
}
