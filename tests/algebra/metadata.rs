//! Metadata in the platform's JSON, from few words.

use serde_json::{Value as Json, json};

/// A flow that is active.
pub(crate) fn flow(name: &str, on: &str, condition: &str, word: &str, config: Json) -> Json {
    let (object, trigger) = on.split_once(' ').expect("an object and a trigger");
    json!({
        "id": format!("id-{name}"),
        "name": name,
        "status": "Active",
        "flow_type": "simple",
        "trigger_object": object,
        "trigger_type": trigger,
        "trigger_condition": condition,
        "action_type": word,
        "action_config": config,
    })
}

/// A flow that sets fields of the event's own record, or of the record being saved.
pub(crate) fn sets(name: &str, on: &str, condition: &str, values: Json) -> Json {
    let config = json!({"field_mappings": values});
    flow(name, on, condition, "UpdateRecord", config)
}

/// A flow that creates a row.
pub(crate) fn creates(name: &str, on: &str, table: &str, values: Json, key: &[&str]) -> Json {
    flow(name, on, "", "CreateRecord", create(table, values, key))
}

/// The configuration of a create.
pub(crate) fn create(table: &str, values: Json, key: &[&str]) -> Json {
    let mut config = json!({"target_object": table, "field_mappings": values});
    if !key.is_empty() {
        config["natural_key"] = json!(key);
    }
    config
}

/// A flow that runs a composite, and the composite.
pub(crate) fn composite(name: &str, on: &str, condition: &str, steps: &[Json]) -> (Json, Json) {
    let steps: Vec<Json> = steps
        .iter()
        .enumerate()
        .map(|(at, step)| {
            let mut step = step.clone();
            step["id"] = json!(format!("s{}", at + 1));
            step
        })
        .collect();
    named(name, on, condition, "Composite", json!({"steps": steps}))
}

/// A flow that runs a named action, and the action.
pub(crate) fn named(
    name: &str,
    on: &str,
    condition: &str,
    word: &str,
    config: Json,
) -> (Json, Json) {
    let id = format!("action-{name}");
    let object = on.split_once(' ').map_or("", |(object, _)| object);
    let action = json!({
        "id": id,
        "object_api_name": object,
        "name": id,
        "label": id,
        "type": word,
        "target_object": object,
        "config": config,
    });
    let run = flow(name, on, condition, "Action", json!({"action_id": id}));
    (run, action)
}

/// A create as a step of a composite.
pub(crate) fn create_step(table: &str, values: Json, key: &[&str]) -> Json {
    let mut step = create(table, values, key);
    step["type"] = json!("CreateRecord");
    step
}

/// An update as a step of a composite.
pub(crate) fn set_step(table: &str, row: &str, values: Json) -> Json {
    json!({
        "type": "UpdateRecord",
        "target_object": table,
        "record_id": row,
        "field_mappings": values,
    })
}

/// A bundle of flows and actions.
pub(crate) fn bundle(parts: Vec<(Json, Option<Json>)>) -> Json {
    let flows: Vec<&Json> = parts.iter().map(|(flow, _)| flow).collect();
    let actions: Vec<&Json> = parts
        .iter()
        .filter_map(|(_, action)| action.as_ref())
        .collect();
    json!({"flows": flows, "actions": actions})
}

/// Counters for a field of an object.
pub(crate) fn number(object: &str, field: &str) -> Json {
    json!({
        "object_api_name": object,
        "field_api_name": field,
        "display_format": "N-{0}",
        "current_number": 0,
    })
}
