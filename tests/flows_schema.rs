//! The JSON Schema of the neutral format: it is the one of the types, and it judges as they do.

use outbox_audit::input::flows::neutral::Document;
use serde_json::{Value, json};

const COMMITTED: &str = include_str!("../schemas/flows.schema.json");

fn validator() -> jsonschema::Validator {
    let schema = serde_json::from_str(COMMITTED).expect("JSON");
    jsonschema::validator_for(&schema).expect("a JSON Schema")
}

/// `UPDATE_SCHEMAS=1 cargo test --test flows_schema` writes it anew.
#[test]
fn the_committed_schema_is_that_of_the_types() {
    let schema = schemars::schema_for!(Document);
    let now = serde_json::to_string_pretty(&schema).expect("JSON") + "\n";
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/flows.schema.json");
        std::fs::write(path, &now).expect("written");
    } else {
        assert_eq!(now, COMMITTED, "run with UPDATE_SCHEMAS=1 to write it anew");
    }
}

#[test]
fn the_sample_is_valid() {
    let text = include_str!("data/flows_neutral.yaml");
    let options = serde_saphyr::options! { null_as_string: true };
    let sample: Value = serde_saphyr::from_str_with_options(text, options).expect("YAML");
    let errors: Vec<_> = validator()
        .iter_errors(&sample)
        .map(|it| it.to_string())
        .collect();
    assert_eq!(errors, [""; 0]);
}

/// YAML readers of version 1.1 take a bare `null` for nothing, as a key too; so no key of the format
/// is a word that any of them reads as something else than text. The older key is still read.
#[test]
fn no_key_needs_quotes_and_the_older_spelling_is_read() {
    let taken = [
        "null", "~", "true", "false", "yes", "no", "on", "off", "y", "n",
    ];
    let schema: Value = serde_json::from_str(COMMITTED).expect("JSON");
    let mut open = vec![&schema];
    while let Some(value) = open.pop() {
        let keys = value["properties"].as_object();
        for key in keys.iter().flat_map(|keys| keys.keys()) {
            assert!(!taken.contains(&key.to_lowercase().as_str()), "{key}");
        }
        open.extend(value.as_object().iter().flat_map(|map| map.values()));
        open.extend(value.as_array().iter().flat_map(|list| list.iter()));
    }
    let read = |key: &str| {
        let text = format!(
            "version: 1\nconsumers:\n- id: c\n  event: e\n  object: t\n  effects:\n  - {{id: x, kind: insert, \
             table: t, set: {{a: {{snapshot: record.a, {key}: always}}}}}}\n"
        );
        let file = outbox_audit::model::text::TextFile::new("x.yaml", text);
        let metadata = outbox_audit::input::flows::read(&[file.into()]);
        assert!(metadata.problems.is_empty(), "{:?}", metadata.problems);
        format!("{:?}", metadata.declared[0].effects[0].writes[0].value.null)
    };
    assert_eq!(read("nulls"), "Always");
    assert_eq!(read("null"), "Always");
    assert_eq!(read("\"null\""), "Always");
}

#[test]
fn what_the_reader_refuses_is_invalid() {
    let validator = validator();
    let effect = |effect: Value| json!({"version": 1, "consumers": [{"id": "c", "event": "e", "effects": [effect]}]});
    assert!(validator.is_valid(&effect(json!({"id": "x", "kind": "insert", "table": "t"}))));
    let make = |conflict: Value| {
        let set = json!({"a": {"snapshot": "record.a", "nulls": "never"}});
        effect(
            json!({"id": "x", "kind": "find-or-create", "table": "t", "set": set, "on_conflict": conflict}),
        )
    };
    for right in [
        make(json!({"find_first": ["a"], "retries": true, "sees_deleted": false})),
        make(json!({"do_nothing": ["a"], "update": null})),
        make(json!({"update": ["a"]})),
        make(json!({"caught": "c"})),
    ] {
        assert!(validator.is_valid(&right), "{right}");
    }
    for wrong in [
        json!({}),
        json!({"version": 2, "consumers": []}),
        json!({"version": 1, "consumers": [], "more": 1}),
        json!({"version": 1, "consumers": [{"id": "c", "event": "e"}]}),
        effect(json!({"id": "x", "kind": "inserts"})),
        effect(json!({"id": "x", "kind": "insert", "on_conflict": "ignore"})),
        effect(json!({"id": "x", "kind": "insert", "on_conflict": {"ignore": []}})),
        effect(json!({"id": "x", "kind": "insert", "set": {"a": {"snapshott": "b"}}})),
        make(json!({})),
        make(json!({"find_first": ["a"]})),
        make(json!({"find_first": ["a"], "retries": true})),
        make(json!({"find_first": ["a"], "sees_deleted": true})),
        make(json!({"find_first": ["a"], "retries": null, "sees_deleted": null})),
        make(json!({"find_first": null, "retries": true, "sees_deleted": true})),
        make(json!({"do_nothing": ["a"], "retries": true})),
        make(json!({"do_nothing": ["a"], "sees_deleted": true})),
        make(json!({"do_nothing": ["a"], "update": ["a"]})),
        make(json!({"caught": "c", "do_nothing": ["a"]})),
        effect(json!({"id": "x", "kind": "delete", "row": "name"})),
    ] {
        assert!(!validator.is_valid(&wrong), "{wrong}");
        let file = outbox_audit::model::text::TextFile::new("x.json", wrong.to_string());
        let read = outbox_audit::input::flows::read(&[file.into()]);
        assert!(!read.problems.is_empty(), "{wrong}");
    }
}
