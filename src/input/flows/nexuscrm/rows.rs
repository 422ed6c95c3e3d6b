//! Rows as they are read, before they are joined to each other.

use std::sync::Arc;

use super::kinds::RowKind;
use super::members::Row;
use crate::model::evidence::{Reason, Why};
use crate::model::metadata::{
    AutoNumber, FieldMeta, FlowMeta, NamedAction, Node, NodeKind, StepMeta, Text,
};

const ID: &[&str] = &["id", "__sys_gen_id"];
const DELETED: &[&str] = &["__sys_gen_is_deleted", "is_deleted"];

/// Rows of any number of files; [`Rows::join`] makes metadata of them.
#[derive(Debug, Default)]
pub struct Rows {
    pub(super) flows: Vec<FlowMeta>,
    pub(super) steps: Vec<(Text, StepMeta)>,
    pub(super) actions: Vec<NamedAction>,
    pub(super) objects: Vec<ObjectRow>,
    pub(super) fields: Vec<FieldRow>,
    pub(super) auto_numbers: Vec<AutoNumber>,
    pub(super) problems: Vec<Reason>,
    pub(super) read: bool,
}

/// An object's own row.
#[derive(Debug)]
pub(super) struct ObjectRow {
    pub(super) id: Option<Arc<str>>,
    pub(super) name: Text,
}

/// A field and the object it belongs to.
#[derive(Debug)]
pub(super) struct FieldRow {
    pub(super) object: ObjectRef,
    pub(super) field: FieldMeta,
}

/// How a field names its object.
#[derive(Debug)]
pub(super) enum ObjectRef {
    /// By its name.
    Name(Arc<str>),
    /// By its id (some exports write the name there).
    Id(Text),
}

impl Rows {
    /// Takes up one row of a kind.
    pub(super) fn row_of(&mut self, node: Node, kind: RowKind) {
        match kind {
            RowKind::Flow => self.flow(node),
            RowKind::Step => {
                if let Some((Some(flow), step)) = self.step(node, true) {
                    self.steps.push((flow, step));
                }
            }
            RowKind::Action => self.action(node),
            RowKind::Object => self.object(node),
            RowKind::Field => self.field(node, None),
            RowKind::AutoNumber => self.auto_number(node),
            RowKind::Webhook => {}
        }
    }

    fn flow(&mut self, node: Node) {
        let Some(mut row) = Row::new("flow", node, &mut self.problems) else {
            return;
        };
        let id = row.id(ID);
        let name = name_or_id(&mut row, id.as_ref());
        let status = row.text(&["status"]);
        let flow_type = row.text(&["flow_type"]);
        let trigger_object = row.text(&["trigger_object"]);
        let trigger_type = row.text(&["trigger_type"]);
        let condition = row.text(&["trigger_condition"]);
        let action_type = row.text(&["action_type"]);
        let config = row.config(&["action_config"]);
        let deleted = row.flag(DELETED);
        let steps = row.take(&["steps"]);
        let (sound, place) = (row.sound, row.place.clone());
        let Some(name) = name.filter(|_| sound) else {
            return;
        };
        let steps = self.inline_steps(steps, &name);
        self.flows.push(FlowMeta {
            id: id.map(|id| id.value),
            name,
            status,
            flow_type,
            trigger_object,
            trigger_type,
            condition,
            action_type,
            config,
            steps,
            deleted,
            place,
        });
    }

    /// Steps that stand within their flow.
    fn inline_steps(&mut self, steps: Option<Node>, flow: &Text) -> Vec<StepMeta> {
        let Some(node) = steps else {
            return Vec::new();
        };
        let place = node.place();
        match node.kind {
            NodeKind::Null => Vec::new(),
            NodeKind::Array(items) => items
                .into_iter()
                .filter_map(|item| self.step(item, false))
                .map(|(_, step)| step)
                .collect(),
            _ => {
                self.problems.push(super::problem(
                    Why::NotParsed,
                    format!("`steps` of the flow `{}` is not an array", flow.value),
                    place,
                    "make it an array, or export the metadata again",
                ));
                Vec::new()
            }
        }
    }

    /// A step and the flow it names; none if it is deleted or cannot be read.
    fn step(&mut self, node: Node, names_flow: bool) -> Option<(Option<Text>, StepMeta)> {
        let mut row = Row::new("step", node, &mut self.problems)?;
        let flow = row.id(&["flow_id"]);
        if flow.is_none() && names_flow && row.sound {
            row.lacks("flow_id");
        }
        let deleted = row.flag(DELETED);
        let order = row.number(&["step_order"]);
        if order.is_none() && !deleted && row.sound {
            row.complain(
                Why::NotParsed,
                "has no `step_order`, so which step runs on the event is not certain; it is taken for 0",
                "add `step_order`, or export the metadata again",
            );
        }
        let order = order.unwrap_or(0);
        let place = row.place.clone();
        let name = row.text(&["step_name", "name"]).unwrap_or_else(|| Text {
            value: order.to_string().into(),
            place: place.clone(),
        });
        let step = StepMeta {
            name,
            order,
            step_type: row.text(&["step_type"]),
            action_type: row.text(&["action_type"]),
            config: row.config(&["action_config"]),
            entry_condition: row.text(&["entry_condition"]),
            place,
        };
        (row.sound && !deleted).then_some((flow, step))
    }

    fn action(&mut self, node: Node) {
        let Some(mut row) = Row::new("action", node, &mut self.problems) else {
            return;
        };
        let id = row.id(ID);
        let name = name_or_id(&mut row, id.as_ref());
        if id.is_none() && row.sound {
            row.lacks("id");
        }
        let action_type = row.text(&["type"]);
        let object = row.text(&["object_api_name"]).map(|it| it.value);
        let config = row.config(&["config"]);
        let deleted = row.flag(DELETED);
        if let (Some(id), Some(name), true) = (id, name, row.sound) {
            let place = row.place;
            self.actions.push(NamedAction {
                id: id.value,
                name,
                object,
                action_type,
                config,
                deleted,
                place,
            });
        }
    }

    fn object(&mut self, node: Node) {
        let Some(mut row) = Row::new("object", node, &mut self.problems) else {
            return;
        };
        let id = row.id(ID).map(|it| it.value);
        let name = row.text(&["api_name"]);
        if name.is_none() && row.sound {
            row.lacks("api_name");
        }
        let deleted = row.flag(DELETED);
        let fields = row.take(&["fields"]);
        let Some(name) = name.filter(|_| row.sound && !deleted) else {
            return;
        };
        let object = Arc::clone(&name.value);
        self.objects.push(ObjectRow { id, name });
        if let Some(fields) = fields {
            let place = fields.place();
            match fields.kind {
                NodeKind::Null => {}
                NodeKind::Array(items) => items
                    .into_iter()
                    .for_each(|item| self.field(item, Some(&object))),
                _ => self.problems.push(super::problem(
                    Why::NotParsed,
                    format!("`fields` of the object `{object}` is not an array"),
                    place,
                    "make it an array, or export the metadata again",
                )),
            }
        }
    }

    fn field(&mut self, node: Node, within: Option<&Arc<str>>) {
        let Some(mut row) = Row::new("field", node, &mut self.problems) else {
            return;
        };
        let by_name = row.text(&["object_api_name"]);
        let by_id = row.id(&["object_id"]);
        let object = match (within, by_name, by_id) {
            (Some(name), _, _) => Some(ObjectRef::Name(Arc::clone(name))),
            (None, Some(name), _) => Some(ObjectRef::Name(name.value)),
            (None, None, Some(id)) => Some(ObjectRef::Id(id)),
            (None, None, None) => None,
        };
        let name = row.text(&["api_name"]);
        let field_type = row.text(&["type"]);
        for (missing, member) in [
            (object.is_none(), "object_id"),
            (name.is_none(), "api_name"),
            (field_type.is_none(), "type"),
        ] {
            if missing && row.sound {
                row.lacks(member);
            }
        }
        let is_unique = row.flag(&["is_unique"]);
        let required = row.flag(&["required"]);
        let deleted = row.flag(DELETED);
        let sound = row.sound && !deleted;
        if let (Some(object), Some(name), Some(field_type), true) =
            (object, name, field_type, sound)
        {
            let field = FieldMeta {
                name,
                field_type: field_type.value,
                is_unique,
                required,
            };
            self.fields.push(FieldRow { object, field });
        }
    }

    fn auto_number(&mut self, node: Node) {
        let Some(mut row) = Row::new("auto-number", node, &mut self.problems) else {
            return;
        };
        let object = row.text(&["object_api_name"]);
        let field = row.text(&["field_api_name"]);
        for (missing, member) in [
            (object.is_none(), "object_api_name"),
            (field.is_none(), "field_api_name"),
        ] {
            if missing && row.sound {
                row.lacks(member);
            }
        }
        let deleted = row.flag(DELETED);
        if let (Some(object), Some(field), true) = (object, field, row.sound && !deleted) {
            let place = row.place;
            self.auto_numbers.push(AutoNumber {
                object: object.value,
                field: field.value,
                place,
            });
        }
    }
}

/// The name; a row without one goes by its id, with a problem.
fn name_or_id(row: &mut Row<'_>, id: Option<&Text>) -> Option<Text> {
    let name = row.text(&["name"]);
    if name.is_some() || !row.sound {
        return name;
    }
    match id {
        Some(_) => row.complain(
            Why::NotParsed,
            "has no name; it goes by its id, which differs between environments",
            "add `name`, or export the metadata again",
        ),
        None => row.lacks("name"),
    }
    id.cloned()
}
