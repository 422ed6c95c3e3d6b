//! Flow metadata as it was read: what stands there, with places, and nothing concluded from it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::consumer::{Consumer, ConsumerId};
use super::effect::Effect;
use super::evidence::Reason;
use super::place::{Place, RowPlace};
use super::text::TextFile;

/// Everything the flow readers found.
#[derive(Debug, Default)]
pub struct Metadata {
    /// Flows, in the order read.
    pub flows: Vec<FlowMeta>,
    /// Actions that flows run by name or id.
    pub actions: Vec<NamedAction>,
    /// Fields by object, as far as metadata declares them.
    pub objects: BTreeMap<Arc<str>, ObjectMeta>,
    /// Counters for auto-numbers.
    pub auto_numbers: Vec<AutoNumber>,
    /// Consumers declared in the neutral format, with their effects ready made.
    pub declared: Vec<DeclaredConsumer>,
    /// True if a file in the neutral format was given or found, whether or not it could be read.
    pub neutral: bool,
    /// True once at least one file or table of flows was read to its end.
    pub read: bool,
    /// What could not be read.
    pub problems: Vec<Reason>,
}

/// A word or text with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    /// The text.
    pub value: Arc<str>,
    /// Where it stands.
    pub place: Place,
}

/// One flow.
#[derive(Debug, Clone)]
pub struct FlowMeta {
    /// Id in its environment; names differ less between environments.
    pub id: Option<Arc<str>>,
    /// Name.
    pub name: Text,
    /// Status as written.
    pub status: Option<Text>,
    /// `simple`, `multistep`, …
    pub flow_type: Option<Text>,
    /// The object whose events it takes.
    pub trigger_object: Option<Text>,
    /// The trigger word.
    pub trigger_type: Option<Text>,
    /// A bare formula.
    pub condition: Option<Text>,
    /// The action word.
    pub action_type: Option<Text>,
    /// The action's configuration.
    pub config: Option<Node>,
    /// Steps of a multistep flow.
    pub steps: Vec<StepMeta>,
    /// Marked deleted.
    pub deleted: bool,
    /// Where the flow begins.
    pub place: Place,
}

/// One step of a multistep flow.
#[derive(Debug, Clone)]
pub struct StepMeta {
    /// Name, or its order where it has none.
    pub name: Text,
    /// Order; the lowest runs on the event.
    pub order: i64,
    /// `action`, `approval`, …
    pub step_type: Option<Text>,
    /// The action word.
    pub action_type: Option<Text>,
    /// The action's configuration.
    pub config: Option<Node>,
    /// A formula that decides whether the step runs, where the platform evaluates it.
    pub entry_condition: Option<Text>,
    /// Where the step begins.
    pub place: Place,
}

/// An action that is run by id.
#[derive(Debug, Clone)]
pub struct NamedAction {
    /// Id that `action_id` names.
    pub id: Arc<str>,
    /// Name, unique for its object.
    pub name: Text,
    /// The object it belongs to.
    pub object: Option<Arc<str>>,
    /// The action word.
    pub action_type: Option<Text>,
    /// Its configuration.
    pub config: Option<Node>,
    /// Marked deleted.
    pub deleted: bool,
    /// Where it begins.
    pub place: Place,
}

/// What metadata says of an object.
#[derive(Debug, Clone, Default)]
pub struct ObjectMeta {
    /// Fields by name.
    pub fields: Vec<FieldMeta>,
}

/// What metadata says of a field.
#[derive(Debug, Clone)]
pub struct FieldMeta {
    /// Name.
    pub name: Text,
    /// `AutoNumber`, `RollupSummary`, `Lookup`, …
    pub field_type: Arc<str>,
    /// The flag of the metadata; only an index enforces it.
    pub is_unique: bool,
    /// The flag of the metadata.
    pub required: bool,
}

/// A counter that an insert draws from.
#[derive(Debug, Clone)]
pub struct AutoNumber {
    /// Object.
    pub object: Arc<str>,
    /// Field.
    pub field: Arc<str>,
    /// Where it is declared.
    pub place: Place,
}

/// A consumer of the neutral format.
#[derive(Debug, Clone)]
pub struct DeclaredConsumer {
    /// The consumer.
    pub consumer: Consumer,
    /// Its effects in order.
    pub effects: Vec<Effect>,
}

impl DeclaredConsumer {
    /// Its id.
    pub fn id(&self) -> &ConsumerId {
        &self.consumer.id
    }
}

/// Where a configuration value was read.
#[derive(Debug, Clone)]
pub enum NodeOrigin {
    /// In a file.
    File(Arc<TextFile>),
    /// In a JSON column of a row; offsets count within it. Shared, so that a node stays small.
    Row(Arc<RowOrigin>),
}

/// The column that a value was read from.
#[derive(Debug)]
pub struct RowOrigin {
    /// Table.
    pub table: Arc<str>,
    /// Primary key, printed.
    pub key: Arc<str>,
    /// Column.
    pub field: Arc<str>,
}

/// A JSON value with its place.
#[derive(Debug, Clone)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// First byte.
    pub start: u32,
    /// Behind the last byte.
    pub end: u32,
    /// Where it was read.
    pub origin: NodeOrigin,
}

/// The kinds of JSON values. Members keep the order of the file.
#[derive(Debug, Clone)]
pub enum NodeKind {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number as written.
    Number(Arc<str>),
    /// A string, unescaped.
    String(Arc<str>),
    /// An array.
    Array(Vec<Node>),
    /// An object. Keys are unique: a reader refuses a repeated one.
    Object(Vec<Member>),
}

/// One member of an object.
#[derive(Debug, Clone)]
pub struct Member {
    /// Key, unescaped.
    pub key: Arc<str>,
    /// First byte of the key's opening quote.
    pub key_start: u32,
    /// Behind its closing quote.
    pub key_end: u32,
    /// Value.
    pub value: Node,
}

impl NodeOrigin {
    /// The place of a stretch.
    pub fn place(&self, start: u32, end: u32) -> Place {
        match self {
            NodeOrigin::File(file) => file.place(start, end),
            NodeOrigin::Row(row) => Place::Row(Box::new(RowPlace {
                table: Arc::clone(&row.table),
                key: Arc::clone(&row.key),
                // Without a column the whole row is meant.
                field: Some(Arc::clone(&row.field)).filter(|field| !field.is_empty()),
            })),
        }
    }
}

impl Node {
    /// Its place.
    pub fn place(&self) -> Place {
        self.origin.place(self.start, self.end)
    }

    /// The member of that key, when it is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.members()
            .iter()
            .find(|member| &*member.key == key)
            .map(|member| &member.value)
    }

    /// Its members; none unless it is an object.
    pub fn members(&self) -> &[Member] {
        match &self.kind {
            NodeKind::Object(members) => members,
            _ => &[],
        }
    }

    /// Its items; none unless it is an array.
    pub fn items(&self) -> &[Node] {
        match &self.kind {
            NodeKind::Array(items) => items,
            _ => &[],
        }
    }

    /// The string, when it is one.
    pub fn string(&self) -> Option<&Arc<str>> {
        match &self.kind {
            NodeKind::String(text) => Some(text),
            _ => None,
        }
    }

    /// The string with its place, when it is one.
    pub fn text(&self) -> Option<Text> {
        self.string().map(|value| Text {
            value: Arc::clone(value),
            place: self.place(),
        })
    }

    /// The exact text it was read from, when that was a file.
    pub fn source(&self) -> Option<&str> {
        match &self.origin {
            NodeOrigin::File(file) => file.text().get(self.start as usize..self.end as usize),
            NodeOrigin::Row { .. } => None,
        }
    }
}
