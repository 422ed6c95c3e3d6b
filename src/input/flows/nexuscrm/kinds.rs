//! The kinds of metadata rows, and the keys that tell them apart.

use crate::model::metadata::{Node, NodeKind};

/// A kind of metadata row, each a table of the platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowKind {
    Flow,
    Step,
    Action,
    Object,
    Field,
    AutoNumber,
    /// The executor never reads these; neither does the audit.
    Webhook,
}

/// The kind of rows under a key of a bundle.
pub(super) fn section(key: &str) -> Option<RowKind> {
    Some(match key {
        "flows" | "_System_Flow" => RowKind::Flow,
        "steps" | "flow_steps" | "_System_FlowStep" => RowKind::Step,
        "actions" | "_System_Action" => RowKind::Action,
        "objects" | "_System_Object" => RowKind::Object,
        "fields" | "_System_Field" => RowKind::Field,
        "autonumbers" | "auto_numbers" | "_System_AutoNumber" => RowKind::AutoNumber,
        "webhooks" | "_System_Webhook" => RowKind::Webhook,
        _ => return None,
    })
}

/// The kind that a row's keys tell; none if they tell none.
pub(super) fn row_kind(node: &Node) -> Option<RowKind> {
    let has = |key: &str| node.get(key).is_some();
    let any = |keys: &[&str]| keys.iter().any(|key| has(key));
    if node.members().is_empty() {
        None
    } else if has("flow_id") {
        any(&["step_order", "step_name", "step_type"]).then_some(RowKind::Step)
    } else if any(&["trigger_type", "trigger_object", "trigger_condition"])
        || (has("name") && has("status") && any(&["flow_type", "action_type", "steps"]))
    {
        Some(RowKind::Flow)
    } else if has("object_api_name") && has("field_api_name") {
        // Field permissions and history name an object and a field too.
        any(&["current_number", "starting_number", "display_format"]).then_some(RowKind::AutoNumber)
    } else if has("api_name") {
        if has("type") && any(&["object_id", "object_api_name"]) {
            Some(RowKind::Field)
        } else {
            any(&["fields", "sharing_model", "plural_label"]).then_some(RowKind::Object)
        }
    } else if has("object_api_name") && has("name") && has("type") {
        Some(RowKind::Action)
    } else {
        (has("url") && has("method") && any(&["auth_type", "is_active"]))
            .then_some(RowKind::Webhook)
    }
}

/// True if parsed JSON is metadata of this platform: a row, an array of them, a bundle in which at
/// least one row is known by its keys (or which has an array of flows, though an empty one), or
/// one of these under `data`.
pub fn is_metadata(node: &Node) -> bool {
    if row_kind(node).is_some() || node.items().iter().any(|it| row_kind(it).is_some()) {
        return true;
    }
    node.members().iter().any(|member| {
        let inner = &member.value;
        match section(&member.key) {
            Some(RowKind::Flow) if matches!(inner.kind, NodeKind::Array(_)) => {
                inner.items().is_empty() || inner.items().iter().any(|it| row_kind(it).is_some())
            }
            Some(_) => inner.items().iter().any(|it| row_kind(it).is_some()),
            None => &*member.key == "data" && is_metadata(inner),
        }
    })
}
