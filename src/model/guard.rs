//! Whether a uniqueness enforcer protects a create, decided rule by rule.

use std::sync::Arc;

use super::effect::EffectId;
use super::evidence::{Evidence, Reason};
use super::outbox::OutboxShape;

/// The rules an enforcer must pass to protect a create, in the order they are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GuardRule {
    /// Enforced in the table, partition and schema really written.
    EnforcedWhereWritten,
    /// Every key part has the same value on every delivery.
    DeterministicKey,
    /// No key part is NULL, or NULLs count as equal.
    NoNullInKey,
    /// The predicate is true of the row inserted.
    PredicateHolds,
    /// It stands as long as redelivery is possible.
    OutlivesHorizon,
    /// Equality is neither finer nor coarser than meant.
    EqualityFits,
    /// The statement handles the conflict with this key.
    ConflictHandled,
    /// The other effects of the run depend on the row found or created.
    ScopeCovered,
}

impl GuardRule {
    /// The word used in JSON.
    pub fn word(self) -> &'static str {
        match self {
            GuardRule::EnforcedWhereWritten => "enforced-where-written",
            GuardRule::DeterministicKey => "deterministic-key",
            GuardRule::NoNullInKey => "no-null-in-key",
            GuardRule::PredicateHolds => "predicate-holds",
            GuardRule::OutlivesHorizon => "outlives-horizon",
            GuardRule::EqualityFits => "equality-fits",
            GuardRule::ConflictHandled => "conflict-handled",
            GuardRule::ScopeCovered => "scope-covered",
        }
    }
}

/// Whether one enforcer protects one create.
#[derive(Debug, Clone)]
pub enum Protection {
    /// It does, as far as the schema reaches.
    Protects,
    /// It does not: the first rule it fails, and why in one sentence.
    Fails(GuardRule, Arc<str>),
    /// It cannot be told.
    Unknown(GuardRule, Box<Reason>),
}

/// The decision about one enforcer.
#[derive(Debug, Clone)]
pub struct GuardDecision {
    /// Name of the enforcer.
    pub enforcer: Arc<str>,
    /// Its key as a person writes it.
    pub key: Arc<str>,
    /// Columns of the key; empty name for an expression.
    pub columns: Arc<[Arc<str>]>,
    /// The decision.
    pub protection: Protection,
    /// Why it may stop protecting later, when it may.
    pub lapses: Option<Arc<str>>,
    /// Why it may take two different facts for one, when it may.
    pub coarse: Option<Arc<str>>,
    /// True if no part of its key differs between events: it lets one row in, ever.
    pub constant_key: bool,
    /// How a statement handles a conflict with it.
    pub target: ConflictTarget,
    /// Whether a catalog shows that it is enforced today; for text, the reason why not.
    pub live: Result<(), Arc<Reason>>,
    /// Functions of the user that it is computed with, whose bodies were not read: that they are
    /// IMMUTABLE is what they declare.
    pub rests_on: Vec<Arc<str>>,
    /// A statement of the text that declares it, not understood, which may have dropped or altered
    /// it: what that statement is.
    pub beside: Option<Arc<Reason>>,
    /// The observation.
    pub evidence: Arc<Evidence>,
}

/// How a statement handles a conflict with a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConflictTarget {
    /// By the columns of the key.
    Columns,
    /// By this target: columns alone do not name an expression or a partial index.
    Written(Arc<str>),
    /// By no target: what is left is its violation.
    Violation,
    /// Not at all: it is checked at the commit. The statement checks it at once from then on.
    AtCommit(Arc<str>),
}

/// What would let a key that is there and is refused protect the create after all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyMend {
    /// Table.
    pub table: Arc<str>,
    /// Position of the key among the decisions.
    pub at: usize,
    /// All of these are needed.
    pub steps: Vec<MendStep>,
}

/// One step of a mend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MendStep {
    /// The event gives the column its value.
    FromEvent {
        /// The column.
        column: Arc<str>,
        /// What it gets today.
        instead_of: Arc<str>,
    },
    /// The table or its key is changed.
    Schema {
        /// The column or key that is changed.
        what: Arc<str>,
        /// In one sentence, with what a person must know of it.
        title: String,
        /// The statement, where one does it.
        ddl: Option<String>,
    },
}

/// Why no delivery writes the row, the first included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// In one sentence.
    pub why: Arc<str>,
    /// True if the statement succeeds all the same and the row is left out.
    pub lost: bool,
    /// The column that must get a value, and what it gets; none if the statement itself is at fault.
    pub column: Option<(Arc<str>, Arc<str>)>,
}

/// A UNIQUE index that would protect a create.
#[derive(Debug, Clone)]
pub struct KeyProposal {
    /// Table.
    pub table: Arc<str>,
    /// Columns in order.
    pub columns: Vec<Arc<str>>,
    /// The statement that creates it.
    pub ddl: String,
    /// What a person must still decide about it.
    pub caution: Option<String>,
    /// The table with its id, where it was read and its engine is known.
    pub shape: Option<Box<OutboxShape>>,
}

impl KeyProposal {
    /// The identity of the change that it is.
    pub fn change_key(&self) -> String {
        format!("unique:{}:{}", self.table, self.columns.join(","))
    }
}

/// How a conflict on the protecting key ends.
#[derive(Debug, Clone)]
pub enum ConflictEnding {
    /// The row is found, or the conflict does nothing: the run goes on.
    NoOp(Arc<str>),
    /// The insert fails on every further delivery.
    Error(Arc<str>),
    /// No delivery writes the row, and none fails.
    Lost(Arc<str>),
    /// The row in the way is changed.
    Overwrites(Arc<str>),
    /// The row in the way is changed as the statement says.
    Changes {
        /// In one sentence.
        how: Arc<str>,
        /// The column whose new value differs each time, and why.
        moving: Option<(Arc<str>, Arc<str>)>,
    },
    /// The row that is changed may be another than the one in the way of the key.
    WrongRow(Arc<str>),
    /// The rows in the way are deleted.
    Destroys(Arc<str>),
    /// No enforcer protects the create, so there is no conflict to end.
    NoGuard,
    /// It cannot be told.
    Unknown(Box<Reason>),
}

/// All that was found out about one create.
#[derive(Debug, Clone)]
pub struct CreateFacts {
    /// The table, when the schema has it; why it is not known otherwise.
    pub table: Result<Arc<str>, Box<Reason>>,
    /// One decision per enforcer of the table.
    pub decisions: Vec<GuardDecision>,
    /// Position of the enforcer that a proof cites.
    pub protected_by: Option<usize>,
    /// What would let a key that is there protect it, best first.
    pub mends: Vec<KeyMend>,
    /// Keys that would protect it, best first.
    pub proposals: Vec<KeyProposal>,
    /// How a conflict ends.
    pub ending: ConflictEnding,
    /// Steps that use the row it creates.
    pub used_by: Vec<Arc<str>>,
    /// Another create that puts the same key in for the same event: one of the two rows is never made.
    pub rival: Option<EffectId>,
    /// What the configuration calls the business key of the object.
    pub natural_key: Vec<Arc<str>>,
    /// Why no delivery writes the row, the first included.
    pub refused: Option<Refused>,
    /// Why the row is not given back to the run on a further delivery.
    pub no_row: Option<Arc<str>>,
}

impl CreateFacts {
    /// The decision that protects it.
    pub fn guard(&self) -> Option<&GuardDecision> {
        self.protected_by.and_then(|at| self.decisions.get(at))
    }

    /// True if it is not known whether something protects it.
    pub fn is_open(&self) -> bool {
        self.table.is_err()
            || self
                .decisions
                .iter()
                .any(|decision| matches!(decision.protection, Protection::Unknown(..)))
    }

    /// Why it cannot be told whether a further delivery leaves one row and the run goes on.
    pub fn open_reason(&self) -> Option<&Reason> {
        if let Err(reason) = &self.table {
            return Some(reason);
        }
        if let ConflictEnding::Unknown(reason) = &self.ending {
            return Some(reason);
        }
        if self.guard().is_some() {
            return None;
        }
        self.decisions
            .iter()
            .find_map(|decision| match &decision.protection {
                Protection::Unknown(_, reason) => Some(&**reason),
                _ => None,
            })
    }

    /// True if the run has the same row in hand on every delivery.
    pub fn has_the_row(&self) -> bool {
        let kept = matches!(
            self.ending,
            ConflictEnding::NoOp(_) | ConflictEnding::Changes { moving: None, .. }
        );
        self.guard().is_some() && kept && self.no_row.is_none()
    }

    /// True if a further delivery leaves one row and the run goes on.
    pub fn is_guarded(&self) -> bool {
        self.guard().is_some() && matches!(self.ending, ConflictEnding::NoOp(_))
    }
}
