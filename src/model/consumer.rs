//! Consumers: whatever the dispatcher runs for an event.

use std::fmt;
use std::sync::Arc;

use super::effect::EffectId;
use super::evidence::Reason;
use super::place::Place;
use super::value::Value;

/// Stable name of a consumer: `flow:<name>`, `code:<language>:<handler>@<event>`, `declared:<id>`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConsumerId(pub Arc<str>);

impl fmt::Display for ConsumerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A consumer of events.
#[derive(Debug, Clone)]
pub struct Consumer {
    /// Stable name.
    pub id: ConsumerId,
    /// What a person calls it.
    pub title: Arc<str>,
    /// Where it comes from.
    pub origin: ConsumerOrigin,
    /// What starts it.
    pub trigger: Trigger,
    /// Whether it lies on the outbox path.
    pub path: PathState,
    /// What is not known about it.
    pub gaps: Vec<Reason>,
    /// Where it is defined.
    pub place: Place,
}

/// Where a consumer comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConsumerOrigin {
    /// Flow metadata.
    Flow,
    /// A handler in the source tree.
    Code,
    /// Declared in the neutral format.
    Declared,
}

/// What starts a consumer.
#[derive(Debug, Clone)]
pub struct Trigger {
    /// The event type as the outbox calls it, when the trigger maps to one.
    pub event: Option<Arc<str>>,
    /// The object whose events it takes.
    pub object: Option<Arc<str>>,
    /// The trigger as written.
    pub word: Arc<str>,
    /// When it runs relative to the save.
    pub phase: Phase,
    /// Conditions that decide whether it runs.
    pub conditions: Vec<Value>,
}

/// When a consumer runs relative to the save that caused it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// From the outbox, after the commit.
    AfterCommit,
    /// Inside the saving transaction.
    InsideSave,
    /// On a schedule or by hand.
    Elsewhere,
}

/// Whether something lies on the outbox path.
#[derive(Debug, Clone)]
pub enum PathState {
    /// It does.
    On(Via),
    /// It does not.
    Off(OffPath),
    /// It does not today; what would put it there.
    Dormant {
        /// One sentence: what it would need.
        would_need: Arc<str>,
        /// Where that shows.
        place: Place,
    },
    /// Not known.
    Unknown(Box<Reason>),
}

/// How something lies on the path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Via {
    /// The outbox delivers to it.
    Delivery,
    /// It runs inside these on-path writes.
    Writes(Vec<EffectId>),
}

/// Why something is off the path, shown by metadata or code.
#[derive(Debug, Clone)]
pub struct OffPath {
    /// One sentence.
    pub why: Arc<str>,
    /// Where that shows.
    pub place: Place,
    /// True of a synchronous consumer that is off only because no on-path write runs it.
    pub awaits_write: bool,
    /// True if what keeps it off looks like a slip of the pen: a word in the wrong case.
    pub slip: bool,
}

impl PathState {
    /// True of what the outbox path reaches.
    pub fn is_on(&self) -> bool {
        matches!(self, PathState::On(_))
    }

    /// True of what may be on the path: on it, or not known to be off.
    pub fn may_be_on(&self) -> bool {
        matches!(self, PathState::On(_) | PathState::Unknown(_))
    }

    /// The word used in the JSON of the map.
    pub fn word(&self) -> &'static str {
        match self {
            PathState::On(_) => "on",
            PathState::Off(_) => "off",
            PathState::Dormant { .. } => "dormant",
            PathState::Unknown(_) => "unknown",
        }
    }
}
