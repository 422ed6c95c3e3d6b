//! What is derived from the inputs, and all that checks may look at.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::check::FurtherDelivery;
use super::consumer::{Consumer, ConsumerId};
use super::effect::{Class, Effect, EffectId, Target};
use super::evidence::{Evidence, InputKind, Reason};
use super::guarantee::JudgedGuarantee;
use super::guard::CreateFacts;
use super::inputs::InputState;
use super::outbox::Outbox;
use super::place::Place;
use super::queue::{Queue, QueueHarm};
use super::scope::{Declarations, JudgedContract};
use super::tests::RedeliveryTests;

/// The derived facts. Checks are pure functions of this.
#[derive(Debug)]
pub struct Facts {
    /// Consumers, sorted by id.
    pub consumers: Vec<Consumer>,
    /// Effects, sorted by consumer and position.
    #[allow(
        clippy::vec_box,
        reason = "large, and moved from list to list by pointer"
    )]
    pub effects: Vec<Box<EffectFacts>>,
    /// Cycles of writes and the events they enqueue.
    pub cycles: Vec<Cycle>,
    /// The outbox.
    pub outbox: Outbox,
    /// Uniqueness that metadata declares, and whether an index stands behind it.
    pub unique_flags: Vec<UniqueFlag>,
    /// Differences between the declared and the live schema that touch a subject.
    pub drift: Vec<Drift>,
    /// What tests say of effects.
    pub redelivery: RedeliveryTests,
    /// What was read.
    pub inputs: Vec<InputState>,
    /// What the configuration declares.
    pub declarations: Declarations,
    /// What the source shows of the rules that it has to confirm; empty where it was not read.
    pub confirmations: Vec<Confirmation>,
    /// Guarantees, held against what was read, in the order declared.
    pub guarantees: Vec<Arc<JudgedGuarantee>>,
    /// What the source shows of the queue.
    pub queue: Queue,
    /// What goes wrong by its promises that are not kept.
    pub queue_harm: QueueHarm,
    /// What the source shows of writes and events, beside its consumers; none where it was not read.
    pub source: Option<SourceFacts>,
    /// Ambient inputs of the platform, reported once.
    pub ambient: Vec<Arc<str>>,
    /// Residuals of the queue, reported once.
    pub queue_residuals: Vec<Arc<str>>,
    /// Families of effects that the pack puts off, with the reason and whether they are on the path.
    pub deferred_families: Vec<DeferredFamily>,
}

impl Facts {
    /// True if some schema was read, as text or from a database.
    pub fn schema_was_read(&self) -> bool {
        let kinds = [InputKind::Schema, InputKind::Database];
        let mut states = self.inputs.iter();
        states.any(|state| kinds.contains(&state.kind) && !state.read.is_empty())
    }

    /// How many tables are written on the path.
    pub fn written_tables(&self) -> usize {
        let effects = self.effects.iter().map(|one| &one.effect);
        let tables: BTreeSet<&str> = effects
            .filter(|effect| effect.path.may_be_on())
            .filter_map(|effect| match &effect.target {
                Target::Object(name) => Some(&**name),
                Target::Outside(_) | Target::Unknown(_) => None,
            })
            .collect();
        tables.len()
    }
}

/// One effect with all that was derived about it.
#[derive(Debug)]
pub struct EffectFacts {
    /// As unfolded.
    pub effect: Box<Effect>,
    /// Its class.
    pub class: Class,
    /// Whether the gate asks for it.
    pub scope: ScopeState,
    /// True if the neutral format declares its consumer: code that is changed, and declared anew.
    pub declared: bool,
    /// For creates: guards and endings.
    pub create: Option<Box<CreateFacts>>,
    /// What a further delivery does.
    pub further: Further,
    /// What hangs on the write.
    pub hangs: Vec<Hanging>,
    /// Fields that on-path effects write to rows this one may touch, in an order that the record
    /// key does not decide.
    pub unordered: Vec<Unordered>,
    /// The contract declared for its consumer.
    pub contract: Option<Arc<JudgedContract>>,
    /// For sets on the record being saved: how its fields feed on each other.
    pub feedback: Option<Arc<str>>,
    /// On-path writes that run its consumer inside them and can repeat: updates, and creates that
    /// nothing guards.
    pub repeating_carriers: Vec<EffectId>,
    /// Guards of other effects that it rests on: of creates whose rows it uses or runs inside.
    pub rests_on: Vec<Arc<Evidence>>,
}

/// A rule of a pack that the source has to show.
#[derive(Debug, Clone)]
pub struct Confirmation {
    /// `pack/entry` of what is asked.
    pub entry: Arc<str>,
    /// One sentence: what is to be shown.
    pub says: Arc<str>,
    /// True if something on the path rests on it.
    pub is_used: bool,
    /// What shows it, or why it is not shown.
    pub shown: Result<Vec<Arc<Evidence>>, Arc<Reason>>,
}

/// What the source shows beside its consumers.
#[derive(Debug, Clone, Default)]
pub struct SourceFacts {
    /// Events that the tree emits and that no known consumer takes, sorted, with a place.
    pub untaken: Vec<(Arc<str>, Place)>,
    /// Digests of its files and of the whole tree, where an assertion is to be held against them.
    pub digests: Vec<Arc<str>>,
}

/// A field that is written in no decided order.
#[derive(Debug, Clone)]
pub struct Unordered {
    /// The field.
    pub field: Arc<str>,
    /// The first few other effects that write it; empty if only events of other records do.
    pub others: Vec<EffectId>,
    /// How many others there are.
    pub total: usize,
}

/// Whether the gate asks for an effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScopeState {
    /// It does.
    InScope,
    /// Outside the gate's scope: counted, shown, checked all the same.
    Deferred(Arc<str>),
}

/// What a further delivery does, per scenario; none where the scenario cannot arise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Further {
    /// The same event again, later.
    pub sequential: Option<FurtherDelivery>,
    /// Beside a holder that still runs.
    pub concurrent: Option<FurtherDelivery>,
    /// After a run that ended half-way.
    pub after_prefix: Option<FurtherDelivery>,
    /// After the guard no longer holds.
    pub guard_lapsed: Option<FurtherDelivery>,
}

/// Something a write sets off.
#[derive(Debug, Clone)]
pub struct Hanging {
    /// What.
    pub what: HangingKind,
    /// Where it is defined.
    pub place: Place,
}

/// Kinds of things a write sets off.
#[derive(Debug, Clone)]
pub enum HangingKind {
    /// Consumers that run inside the write.
    InsideWrite(Arc<[ConsumerId]>),
    /// Consumers of an event it enqueues.
    Cascade {
        /// The event.
        event: Arc<str>,
        /// The object.
        object: Arc<str>,
        /// Its consumers.
        consumers: Arc<[ConsumerId]>,
    },
    /// A trigger of the database, whose body was not read.
    DatabaseTrigger(Arc<str>),
    /// What triggers the table has is not known: no schema that was read has it.
    UnreadTable,
    /// Rows the platform appends or recomputes by itself.
    Platform(Arc<Evidence>),
}

/// A cycle of on-path writes.
#[derive(Debug, Clone)]
pub struct Cycle {
    /// The effects of the cycle, in order, the smallest id first.
    pub effects: Vec<EffectId>,
    /// What a person calls its consumers, each once.
    pub flows: Vec<Arc<str>>,
    /// Whether it comes to rest.
    pub rests: CycleRest,
    /// The rounds, step by step.
    pub rounds: Vec<String>,
    /// Where its first effect is written.
    pub place: Place,
}

/// Whether a cycle comes to rest.
#[derive(Debug, Clone)]
pub enum CycleRest {
    /// After some rounds nothing changes any more: why.
    Rests(Arc<str>),
    /// Each round changes something: why.
    Never(Arc<str>),
    /// Not decided.
    Unknown(Arc<Reason>),
}

/// A field that metadata declares unique.
#[derive(Debug, Clone)]
pub struct UniqueFlag {
    /// `Object.field`.
    pub name: Arc<str>,
    /// Object.
    pub object: Arc<str>,
    /// Field.
    pub field: Arc<str>,
    /// The enforcer behind it; none if the table has none; unknown if the table was not read.
    pub index: Result<Option<Arc<Evidence>>, Box<Reason>>,
    /// Where the flag is declared.
    pub place: Place,
}

/// A difference between declared and live schema.
#[derive(Debug, Clone)]
pub struct Drift {
    /// The table.
    pub table: Arc<str>,
    /// One sentence.
    pub sentence: Arc<str>,
    /// Where the text declares it.
    pub place: Place,
}

/// A family of effects documented as later work.
#[derive(Debug, Clone)]
pub struct DeferredFamily {
    /// Name of the family.
    pub title: Arc<str>,
    /// Why it is put off.
    pub why: Arc<str>,
    /// Effects or consumers of the family that are on the path today.
    pub on_path: Vec<Arc<str>>,
    /// True if the question cannot be answered from what was read.
    pub unknown: bool,
}

impl Facts {
    /// The consumer of that id.
    pub fn consumer(&self, id: &ConsumerId) -> Option<&Consumer> {
        self.consumers
            .binary_search_by(|consumer| consumer.id.cmp(id))
            .ok()
            .and_then(|at| self.consumers.get(at))
    }
}

impl EffectFacts {
    /// True if the gate asks whether it is safe: it may be on the path, and is in scope.
    pub fn is_asked(&self) -> bool {
        self.effect.path.may_be_on() && self.scope == ScopeState::InScope
    }
}
