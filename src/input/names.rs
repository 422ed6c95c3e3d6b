//! The names that what was read knows, so that a name in the configuration can be held against them.

use std::collections::BTreeSet;

use crate::model::evidence::{InputKind, Why};
use crate::model::inputs::Inputs;
use crate::model::metadata::{Node, NodeKind};
use crate::model::schema::{Schema, Table, TableKind};

/// What names can lead to. Where an input was not read to its end, nothing can be said of its names.
#[derive(Debug, Default)]
pub struct KnownNames<'a> {
    /// Names of flows and titles of consumers.
    pub flows: Option<Vec<&'a str>>,
    /// Ids of consumers.
    pub consumers: Vec<String>,
    /// Objects.
    pub objects: KnownObjects<'a>,
}

/// What is known of objects and their fields.
#[derive(Debug, Default)]
pub struct KnownObjects<'a> {
    /// Objects that metadata or schema declare.
    objects: BTreeSet<&'a str>,
    /// Every text of a flow that may name an object.
    mentioned: BTreeSet<&'a str>,
    /// How sure it is that there is no other.
    known: Extent,
    /// Schemas that were read to their end.
    schemas: Vec<&'a Schema>,
    /// Fields that metadata declares, by object.
    declared: Vec<(&'a str, &'a str)>,
}

/// How much of all objects is known.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Too little to miss one.
    #[default]
    Nothing,
    /// Those that metadata lists, which may be a part.
    Part,
    /// All of them.
    All,
}

impl<'a> KnownNames<'a> {
    /// Collects them.
    pub fn of(inputs: &'a Inputs) -> Self {
        let metadata = &inputs.metadata;
        let flows = metadata.flows.iter().map(|flow| &*flow.name.value);
        let titles = metadata.declared.iter().map(|one| &*one.consumer.title);
        let ids = metadata.declared.iter().map(|one| one.id().to_string());
        let read = inputs.was_read(InputKind::Flows);
        Self {
            consumers: flows
                .clone()
                .map(|name| format!("flow:{name}"))
                .chain(ids)
                .collect(),
            flows: read.then(|| flows.chain(titles).collect()),
            objects: KnownObjects::of(inputs, read),
        }
    }
}

impl<'a> KnownObjects<'a> {
    fn of(inputs: &'a Inputs, flows_read: bool) -> Self {
        let whole = [InputKind::Schema, InputKind::Database].iter().all(|kind| {
            inputs
                .state(*kind)
                .is_none_or(|state| state.unknown.iter().all(|one| one.why == Why::NotGiven))
        });
        let schemas: Vec<&Schema> = [inputs.declared.as_ref(), inputs.live.as_ref()]
            .into_iter()
            .flatten()
            .filter(|_| whole)
            .collect();
        let metadata = &inputs.metadata;
        let known = match (schemas.is_empty(), metadata.objects.is_empty()) {
            (false, _) => Extent::All,
            (true, false) if flows_read && whole => Extent::Part,
            _ => Extent::Nothing,
        };
        let mut objects: BTreeSet<&str> = metadata.objects.keys().map(|name| &**name).collect();
        for schema in &schemas {
            objects.extend(schema.tables.iter().map(|table| &*table.name));
            objects.extend(schema.unknown.iter().filter_map(|one| one.table.as_deref()));
        }
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for flow in &metadata.flows {
            names.extend(flow.trigger_object.iter().map(|text| &*text.value));
            let steps = flow.steps.iter().filter_map(|step| step.config.as_ref());
            for node in flow.config.iter().chain(steps) {
                mentioned(node, &mut names);
            }
        }
        for action in &metadata.actions {
            names.extend(action.object.as_deref());
            if let Some(node) = &action.config {
                mentioned(node, &mut names);
            }
        }
        for effect in metadata.declared.iter().flat_map(|one| &one.effects) {
            names.insert(effect.target.name());
        }
        let declared = metadata.objects.iter().flat_map(|(object, of)| {
            let fields = of.fields.iter();
            fields.map(|field| (&**object, &*field.name.value))
        });
        Self {
            objects,
            mentioned: names,
            known,
            schemas,
            declared: declared.collect(),
        }
    }

    /// True if the object is known, or may be one that was not read.
    pub fn may_have(&self, object: &str) -> bool {
        self.known == Extent::Nothing
            || self
                .objects
                .iter()
                .chain(&self.mentioned)
                .any(|name| name.eq_ignore_ascii_case(object))
            || self.schemas.iter().any(|schema| has_table(schema, object))
    }

    /// How sure it is that no other object exists.
    pub fn extent(&self) -> Extent {
        self.known
    }

    /// Objects that metadata or schema declare.
    pub fn names(&self) -> Vec<&'a str> {
        self.objects.iter().copied().collect()
    }

    /// The fields of an object, if its table was read to its end; then there is no other field.
    pub fn fields(&self, object: &str) -> Option<Vec<&'a str>> {
        let mut fields: Vec<&str> = Vec::new();
        let mut found = false;
        for schema in &self.schemas {
            if schema
                .unknown
                .iter()
                .any(|one| speaks_of(one.table.as_deref(), object))
            {
                return None;
            }
            match schema.table(object) {
                Some(table) if is_plain(table) => {
                    found = true;
                    fields.extend(table.columns.iter().map(|column| &*column.name));
                }
                Some(_) => return None,
                // Several tables of that name, or none in this schema.
                None if has_table(schema, object) => return None,
                None => {}
            }
        }
        let of_object = self.declared.iter();
        fields.extend(
            of_object
                .filter(|(name, _)| name.eq_ignore_ascii_case(object))
                .map(|(_, field)| field),
        );
        fields.sort_unstable();
        fields.dedup();
        found.then_some(fields)
    }
}

fn is_plain(table: &Table) -> bool {
    matches!(table.kind, TableKind::Table | TableKind::Partitioned)
}

fn has_table(schema: &Schema, object: &str) -> bool {
    let bare = bare(object);
    schema
        .tables
        .iter()
        .any(|table| table.name.eq_ignore_ascii_case(bare))
}

fn speaks_of(table: Option<&str>, object: &str) -> bool {
    table.is_none_or(|table| bare(table).eq_ignore_ascii_case(bare(object)))
}

fn bare(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(_, bare)| bare)
}

/// Every text in a configuration: which of them names an object is the rules' to know.
fn mentioned<'a>(node: &'a Node, names: &mut BTreeSet<&'a str>) {
    match &node.kind {
        NodeKind::String(text) if text.len() <= 128 => {
            names.insert(text);
        }
        NodeKind::Array(items) => items.iter().for_each(|item| mentioned(item, names)),
        NodeKind::Object(members) => members
            .iter()
            .for_each(|member| mentioned(&member.value, names)),
        _ => {}
    }
}
