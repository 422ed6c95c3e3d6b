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

#[test]
fn what_the_reader_refuses_is_invalid() {
    let validator = validator();
    let effect = |effect: Value| json!({"version": 1, "consumers": [{"id": "c", "event": "e", "effects": [effect]}]});
    assert!(validator.is_valid(&effect(json!({"id": "x", "kind": "insert", "table": "t"}))));
    for wrong in [
        json!({}),
        json!({"version": 2, "consumers": []}),
        json!({"version": 1, "consumers": [], "more": 1}),
        json!({"version": 1, "consumers": [{"id": "c", "event": "e"}]}),
        effect(json!({"id": "x", "kind": "inserts"})),
        effect(json!({"id": "x", "kind": "insert", "on_conflict": "ignore"})),
        effect(json!({"id": "x", "kind": "insert", "on_conflict": {"ignore": []}})),
        effect(json!({"id": "x", "kind": "insert", "set": {"a": {"snapshott": "b"}}})),
        effect(json!({"id": "x", "kind": "delete", "row": "name"})),
    ] {
        assert!(!validator.is_valid(&wrong), "{wrong}");
        let file = outbox_audit::model::text::TextFile::new("x.json", wrong.to_string());
        let read = outbox_audit::input::flows::read(&[file.into()]);
        assert!(!read.problems.is_empty(), "{wrong}");
    }
}
