//! Laws of the flow readers: no input panics, and nothing is lost in silence.

use std::sync::Arc;

use outbox_audit::input::flows;
use outbox_audit::model::metadata::{Metadata, Node, NodeKind};
use outbox_audit::model::text::TextFile;
use proptest::prelude::*;
use serde_json::{Value, json};

const SAMPLE: &str = include_str!("data/flows_neutral.yaml");

fn read_as(path: &str, text: &str) -> Metadata {
    flows::read(&[Arc::new(TextFile::new(path, text.to_owned()))])
}

fn read(text: &str) -> Metadata {
    read_as("flows.json", text)
}

fn any_metadata() -> impl Strategy<Value = Value> {
    const KEYS: [&str; 22] = [
        "id",
        "name",
        "flows",
        "steps",
        "data",
        "flow_id",
        "step_order",
        "step_name",
        "trigger_type",
        "status",
        "action_config",
        "config",
        "actions",
        "fields",
        "objects",
        "api_name",
        "type",
        "object_id",
        "object_api_name",
        "field_api_name",
        "is_deleted",
        "current_number",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..3i64).prop_map(Value::from),
        prop::sample::select(vec!["", "a", "{\"b\": [\"\\u00e9\"]}", "{", "true"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(prop::sample::select(KEYS.to_vec()), inner, 0..8)
                .prop_map(|map| json!(map)),
        ]
    })
}

fn spans_lie_inside(node: &Node, text: &str) {
    assert!(node.start <= node.end && node.end as usize <= text.len());
    assert!(node.source().is_some(), "{node:?}");
    node.items()
        .iter()
        .for_each(|it| spans_lie_inside(it, text));
    node.members()
        .iter()
        .for_each(|it| spans_lie_inside(&it.value, text));
    if let (NodeKind::String(value), Some(source)) = (&node.kind, node.source()) {
        assert!(value.is_empty() || !source.is_empty());
    }
}

proptest! {
    /// Whatever stands there: no panic; a flow is read or a problem says what became of it.
    #[test]
    fn no_row_is_lost_in_silence(rows in prop::collection::vec(any_metadata(), 0..6)) {
        let text = json!({"flows": rows}).to_string();
        let metadata = read(&text);
        prop_assert!(metadata.read);
        // A row may be known by its keys as one of another kind only outside a section.
        prop_assert!(metadata.flows.len() <= rows.len());
        if metadata.problems.is_empty() {
            prop_assert_eq!(metadata.flows.len(), rows.len());
        }
        for flow in &metadata.flows {
            if let Some(config) = &flow.config { spans_lie_inside(config, &text); }
        }
    }

    #[test]
    fn any_document_is_read_or_reported(value in any_metadata()) {
        let metadata = read(&value.to_string());
        prop_assert!(metadata.read || !metadata.problems.is_empty());
    }

    /// A file of consumers with a line lost, doubled or cut: what is still there is read, or a
    /// problem says why not.
    #[test]
    fn no_consumer_is_lost_in_silence(line in 0..70usize, how in 0..4u8, cut in 0..80usize) {
        let mut lines: Vec<String> = SAMPLE.lines().map(str::to_owned).collect();
        let at = line % lines.len();
        match how {
            0 => { lines.remove(at); }
            1 => lines.insert(at, lines[at].clone()),
            2 => lines[at] = lines[at].chars().take(cut).collect(),
            _ => lines[at] = lines[at].chars().skip(1 + cut % 4).collect(),
        }
        let text = lines.join("\n");
        let metadata = read_as("flows.yaml", &text);
        let declared = text.lines().filter(|it| it.starts_with("  - id: ")).count();
        prop_assert!(!metadata.problems.is_empty() || metadata.declared.len() == declared, "{}", text);
    }

    #[test]
    fn no_text_panics(text in any::<String>(), at in any::<prop::sample::Index>()) {
        read_as("flows.yaml", &text);
        read_as("flows", &text);
        let mut middle = at.index(SAMPLE.len());
        while !SAMPLE.is_char_boundary(middle) { middle -= 1; }
        read_as("flows.yaml", &format!("{}{text}{}", &SAMPLE[..middle], &SAMPLE[middle..]));
    }
}
