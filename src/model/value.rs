//! Values that reach a write, and the sources they draw from.

use std::sync::Arc;

use serde::Deserialize;

use super::place::Place;

/// A right-hand side, a condition or a key, as parsed.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// As written.
    pub text: Arc<str>,
    /// Where it is written.
    pub place: Place,
    /// Everything it draws from, in order of position; empty for a constant.
    pub draws: Vec<Draw>,
    /// Whether it can be NULL.
    pub null: Nullness,
    /// The value itself, when it is a literal.
    pub constant: Option<Literal>,
    /// Set when evaluating it fails on every delivery: the sentence that says why.
    pub fails: Option<Arc<str>>,
    /// How it is made from what it draws, as far as the audit can tell.
    pub shape: Shape,
}

/// One source a value draws from.
#[derive(Debug, Clone, PartialEq)]
pub struct Draw {
    /// The kind of source.
    pub source: ValueSource,
    /// The part of the expression, as written: `NOW()`, `record.amount`.
    pub what: Arc<str>,
    /// Where that part stands.
    pub place: Place,
    /// The field it names, for snapshot and live-state draws.
    pub field: Option<FieldRef>,
    /// One sentence for sources that need it: why it is unknown, what makes it differ.
    pub note: Option<Arc<str>>,
}

/// A field that a value reads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldRef {
    /// Whose field it is.
    pub root: Root,
    /// Field name as written.
    pub name: Arc<str>,
}

/// The record a field belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Root {
    /// The event's record.
    Record,
    /// The record before the change.
    Prior,
    /// The user in the payload.
    User,
    /// The record being written, as a synchronous flow sees it.
    Written,
    /// The row that an earlier step of the run found or created; the name is the step's.
    Step,
}

/// Where a value can come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueSource {
    /// A literal.
    Constant,
    /// The frozen payload of the event.
    Snapshot,
    /// A clock.
    Clock,
    /// A random source, salts included.
    Random,
    /// A sequence, counter or auto-number.
    Sequence,
    /// The present state of the database.
    LiveState,
    /// What an earlier step of the same run produced.
    StepResult,
    /// Environment, host-registered functions, configuration of the deployment.
    Deployment,
    /// Time zone, collation, formatting rules.
    Locale,
    /// An answer from outside.
    External,
    /// Not in any table that was read.
    Unknown,
}

impl ValueSource {
    /// The word used in reports and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            ValueSource::Constant => "constant",
            ValueSource::Snapshot => "snapshot",
            ValueSource::Clock => "clock",
            ValueSource::Random => "random",
            ValueSource::Sequence => "sequence",
            ValueSource::LiveState => "live-state",
            ValueSource::StepResult => "step-result",
            ValueSource::Deployment => "deployment",
            ValueSource::Locale => "locale",
            ValueSource::External => "external",
            ValueSource::Unknown => "unknown",
        }
    }

    /// True of the two sources that give the same value on every delivery.
    pub fn is_stable(self) -> bool {
        matches!(self, ValueSource::Constant | ValueSource::Snapshot)
    }
}

/// Whether a value can be NULL when the row is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nullness {
    /// Never.
    Never,
    /// It may be, for some events; fields that nothing shows to be required count so.
    Maybe,
    /// Nothing that was read says.
    Unknown,
    /// It is NULL always.
    Always,
}

/// A literal as the metadata writes it.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// JSON `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number, kept as written.
    Number(Arc<str>),
    /// A string.
    String(Arc<str>),
    /// An array or object, written as it stands.
    Json,
}

/// How a value is made from what it draws; decides whether a repeated set comes to rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A literal.
    Constant,
    /// One field or name, unchanged.
    Plain,
    /// Adds to, subtracts from or concatenates with a field that it reads.
    Accumulates,
    /// Turns a field into its opposite.
    Toggles,
    /// Sets only where a field is empty.
    FillsEmpty,
    /// Brings a field into a normal form: applying it twice is applying it once.
    Normalises,
    /// Any other computation.
    Computed,
}

impl Draw {
    /// True if it reads a member that no record of the event has, which is nil in every event.
    pub fn is_absent_member(&self) -> bool {
        self.source == ValueSource::Constant && self.field.is_some()
    }

    /// The earlier step whose row it uses, when it does.
    pub fn step(&self) -> Option<&str> {
        self.field
            .as_ref()
            .filter(|field| field.root == Root::Step)
            .map(|field| &*field.name)
    }
}

impl Value {
    /// The draws that differ, or may differ, between two deliveries.
    pub fn unstable(&self) -> impl Iterator<Item = &Draw> {
        self.draws.iter().filter(|draw| !draw.source.is_stable())
    }

    /// True if every draw is constant or snapshot, and evaluation does not always fail.
    pub fn is_stable(&self) -> bool {
        self.fails.is_none() && self.unstable().next().is_none()
    }

    /// True if any part of it can differ between events.
    pub fn may_differ(&self) -> bool {
        self.draws
            .iter()
            .any(|draw| draw.source != ValueSource::Constant)
    }

    /// True if at least one part comes from the event, so that two events can differ in it.
    pub fn varies_by_event(&self) -> bool {
        self.draws
            .iter()
            .any(|draw| draw.source == ValueSource::Snapshot)
    }

    /// True if it reads the field of that name of the record.
    pub fn reads(&self, field: &str) -> bool {
        self.draws.iter().any(|draw| {
            draw.field.as_ref().is_some_and(|read| {
                matches!(read.root, Root::Record | Root::Written)
                    && read.name.eq_ignore_ascii_case(field)
            })
        })
    }
}
