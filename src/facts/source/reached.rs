//! What a handler was found to reach.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::effect::EffectKind;
use crate::model::map::{CallHop, MappedDraw, Sureness};
use crate::model::place::Place;
use crate::model::redelivery::{Guard, IdempotencyKey, Note};

use super::program::FnId;

/// An effect that was reached.
#[derive(Debug, Clone)]
pub(super) struct Reached {
    /// What it does.
    pub(super) kind: EffectKind,
    /// What it acts on.
    pub(super) target: String,
    /// The call.
    pub(super) place: Place,
    /// The calls that lead to it.
    pub(super) path: Vec<CallHop>,
    /// The least sure step.
    pub(super) sureness: Sureness,
    /// Sources that differ between deliveries and reach it.
    pub(super) draws: Vec<MappedDraw>,
    /// What keeps a further delivery from repeating it, the best first.
    pub(super) guards: Vec<Guard>,
    /// What is to be said about when it happens.
    pub(super) notes: Vec<Note>,
    /// The key that it is given.
    pub(super) key: Option<IdempotencyKey>,
    /// The rule.
    pub(super) rule: Arc<str>,
    /// The SQL text.
    pub(super) sql: Option<Arc<str>>,
    /// True of an event that is handed on within the process.
    pub(super) in_process: bool,
}

/// A call that cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Lost {
    /// Where it stands.
    pub(super) place: Place,
    /// What is called.
    pub(super) call: String,
    /// Why it cannot be followed.
    pub(super) why: String,
}

/// Everything that one handler can reach.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// Effects, in the order in which they are reached first.
    pub(super) effects: Vec<Reached>,
    /// Calls that cannot be followed.
    pub(super) lost: Vec<Lost>,
    /// Functions that were gone through.
    pub(super) entered: BTreeSet<FnId>,
}
