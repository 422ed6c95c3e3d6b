//! What keeps a further delivery from repeating an effect, and what its worth is.

use super::place::Place;

/// What a guard does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GuardKind {
    /// A read whose result is tested before the effect.
    CheckThenAct,
    /// A set in the memory of the process.
    InMemorySet,
    /// A lock or mark that ends by itself after a time.
    TtlLock,
    /// A message that the queue refuses for a time because it knows it already.
    EnqueueUnique,
    /// An insert that does nothing where the key is taken, and tells so.
    InsertClaim,
    /// An insert whose unique violation is recognised.
    MappedViolation,
    /// An update that asks for the state it leaves, and tells how many rows it found.
    ConditionalUpdate,
    /// `SELECT … FOR UPDATE`.
    RowLock,
    /// A lock on a number or name that the database keeps.
    AdvisoryLock,
    /// A row that says that the event was handled, written beside a read of it.
    Marker,
    /// Every error of the effect is taken for success.
    CatchAll,
}

impl GuardKind {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::CheckThenAct,
        Self::InMemorySet,
        Self::TtlLock,
        Self::EnqueueUnique,
        Self::InsertClaim,
        Self::MappedViolation,
        Self::ConditionalUpdate,
        Self::RowLock,
        Self::AdvisoryLock,
        Self::Marker,
        Self::CatchAll,
    ];

    /// The word used in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::CheckThenAct => "check-then-act",
            Self::InMemorySet => "in-memory-set",
            Self::TtlLock => "ttl-lock",
            Self::EnqueueUnique => "enqueue-unique",
            Self::InsertClaim => "insert-claim",
            Self::MappedViolation => "mapped-violation",
            Self::ConditionalUpdate => "conditional-update",
            Self::RowLock => "row-lock",
            Self::AdvisoryLock => "advisory-lock",
            Self::Marker => "marker",
            Self::CatchAll => "catch-all",
        }
    }
}

/// What a guard is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Worth {
    /// Nothing: with or without it a further delivery does the same.
    None,
    /// It stops a later delivery, not one that runs beside.
    Advisory,
    /// It stops both, but not for ever, or not after every crash.
    Partial,
    /// It stops every further delivery.
    Full,
}

impl Worth {
    /// The word used in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Advisory => "advisory",
            Self::Partial => "partial",
            Self::Full => "full",
        }
    }
}

/// A guard of one effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    /// What it does.
    pub kind: GuardKind,
    /// What it is worth for this effect.
    pub worth: Worth,
    /// True if every way to the effect passes it with the outcome "not done yet".
    pub dominates: bool,
    /// True if it and the effect are committed together.
    pub same_transaction: bool,
    /// The call.
    pub place: Place,
    /// Why it is worth that, in one sentence.
    pub why: &'static str,
}

/// Something about the order in which an effect happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoteKind {
    /// A call to the outside while a transaction is open.
    ExternalInTransaction,
    /// Published or launched while a transaction is open.
    LaunchBeforeCommit,
    /// The event is acknowledged before the effect.
    AcknowledgedBefore,
    /// An error of the effect is passed over.
    ErrorSwallowed,
}

impl NoteKind {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::ExternalInTransaction,
        Self::LaunchBeforeCommit,
        Self::AcknowledgedBefore,
        Self::ErrorSwallowed,
    ];

    /// The word used in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::ExternalInTransaction => "external-in-transaction",
            Self::LaunchBeforeCommit => "launch-before-commit",
            Self::AcknowledgedBefore => "acknowledged-before",
            Self::ErrorSwallowed => "error-swallowed",
        }
    }

    /// What it means, in one sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::ExternalInTransaction => {
                "the call is made while a transaction is open: a rollback does not take it back, and the rows stay locked as long as it lasts"
            }
            Self::LaunchBeforeCommit => {
                "it starts before the commit: it may run for rows that nobody sees yet, or that are never committed"
            }
            Self::AcknowledgedBefore => {
                "the event is acknowledged before the effect: a crash in between loses it"
            }
            Self::ErrorSwallowed => {
                "an error of the effect is passed over, so that the event counts as done without it"
            }
        }
    }
}

/// A note on an effect.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// Where it can be seen: the acknowledgement, the launch, the place at which the error goes.
    pub place: Place,
    /// What it says.
    pub kind: NoteKind,
}

/// What an idempotency key is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeySource {
    /// The id of the event.
    EventId,
    /// Parts of what the event carries.
    Snapshot,
    /// All that the event carries.
    Payload,
    /// The number of the attempt.
    Attempt,
    /// A random source.
    Random,
    /// A clock.
    Clock,
    /// Nothing that varies.
    Constant,
    /// Something that is not followed.
    Unknown,
}

impl KeySource {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::EventId,
        Self::Snapshot,
        Self::Payload,
        Self::Attempt,
        Self::Random,
        Self::Clock,
        Self::Constant,
        Self::Unknown,
    ];

    /// The word used in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::EventId => "event-id",
            Self::Snapshot => "snapshot",
            Self::Payload => "payload",
            Self::Attempt => "attempt",
            Self::Random => "random",
            Self::Clock => "clock",
            Self::Constant => "constant",
            Self::Unknown => "unknown",
        }
    }

    /// What such a key is worth, in one sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::EventId => {
                "the same on every delivery of an event: the provider can recognise a repetition"
            }
            Self::Snapshot => {
                "the same on every delivery of an event; that two events do not share it is not shown"
            }
            Self::Payload => {
                "it changes with every detail of the payload: a payload that is written anew is another key"
            }
            Self::Attempt => "it differs from attempt to attempt: no repetition is recognised",
            Self::Random => "it is random: no repetition is recognised",
            Self::Clock => "it is drawn from a clock: no repetition is recognised",
            Self::Constant => {
                "it is the same for every event: the provider takes all later calls for repetitions"
            }
            Self::Unknown => "the tree does not show what it is made of",
        }
    }
}

/// The key by which the other side recognises a repetition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    /// What it is made of: the least stable part.
    pub from: KeySource,
    /// Where it is set.
    pub place: Place,
}
