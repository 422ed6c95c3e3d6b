//! The documented shapes hold their promise: within a version they only grow. What was published of
//! each version is kept, and what is committed now is held against it.

mod growth;

use std::fs;
use std::path::{Path, PathBuf};

use growth::{Use, broken};
use serde_json::{Value, json};

/// What is done with the documents of each schema.
const SCHEMAS: &[(&str, Use)] = &[
    ("backlog", Use::Written),
    ("config", Use::Read),
    ("flows", Use::Read),
    ("guarantee", Use::Read),
    ("in-toto", Use::Written),
    ("map", Use::Written),
    ("report", Use::Written),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn load(path: &Path) -> Value {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("it is JSON")
}

fn now(name: &str) -> Value {
    load(&root().join(format!("schemas/{name}.schema.json")))
}

fn stored(name: &str, version: u64) -> PathBuf {
    root().join(format!("tests/data/schemas/{name}.v{version}.schema.json"))
}

/// The version that a schema is of, as its documents say it.
fn version(schema: &Value) -> u64 {
    // Entries of a rule pack say none: they are of the version that a configuration has.
    if schema["type"] == "array" {
        return 1;
    }
    let stated = &schema["properties"]["version"];
    let stated = match stated["$ref"].as_str() {
        Some(name) => &schema["$defs"][name.trim_start_matches("#/$defs/")],
        None => stated,
    };
    let kind = schema["properties"]["predicateType"]["const"].as_str();
    let of_kind = kind.and_then(|kind| kind.rsplit(":v").next()?.parse().ok());
    [
        stated["const"].as_u64(),
        stated["maximum"].as_u64(),
        of_kind,
    ]
    .into_iter()
    .flatten()
    .next()
    .expect("a version")
}

#[test]
fn every_schema_is_guarded() {
    let mut names: Vec<String> = fs::read_dir(root().join("schemas"))
        .expect("the folder")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .filter_map(|name| Some(name.strip_suffix(".schema.json")?.to_owned()))
        .collect();
    names.sort();
    let guarded: Vec<&str> = SCHEMAS.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        names, guarded,
        "say here whether it is read or written, and store a copy"
    );
}

#[test]
fn within_a_version_shapes_only_grow() {
    for (name, direction) in SCHEMAS {
        let now = now(name);
        let path = stored(name, version(&now));
        assert!(
            path.exists(),
            "{name} has a new version: store what is published as {}",
            path.display()
        );
        let broken = broken(&load(&path), &now, *direction);
        assert!(
            broken.is_empty(),
            "schemas/{name}.schema.json breaks its version; give it a new one:\n{}",
            broken.join("\n")
        );
    }
}

/// The guard sees each kind of change that breaks somebody, and none that does not.
#[test]
fn a_change_that_breaks_somebody_is_seen() {
    let old = json!({
        "type": "object",
        "properties": {
            "a": {"type": "string", "enum": ["x", "y"]},
            "b": {"$ref": "#/$defs/B"},
            "c": {"type": ["integer", "null"]},
            "d": {"type": "array", "items": {"type": "string"}},
            "e": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/B"}]}
        },
        "required": ["a"],
        "additionalProperties": false,
        "$defs": {"B": {"type": "object", "properties": {"z": {"type": "string"}}, "required": ["z"]}}
    });
    let changed = |pointer: &str, value: Value| {
        let mut new = old.clone();
        *new.pointer_mut(pointer).expect("it is there") = value;
        new
    };
    let both = |new: &Value| {
        let seen = |direction| !broken(&old, new, direction).is_empty();
        (seen(Use::Written), seen(Use::Read))
    };
    assert_eq!(both(&old), (false, false));
    for (pointer, value, expected) in [
        // A property that is gone, or is of another type.
        ("/properties/a", json!({"type": "integer"}), (true, true)),
        ("/$defs/B/properties", json!({}), (true, true)),
        (
            "/properties/d/items",
            json!({"type": "integer"}),
            (true, true),
        ),
        (
            "/properties/e/anyOf/0",
            json!({"type": "integer"}),
            (true, true),
        ),
        // Narrower: nobody who reads it minds, somebody who writes it does.
        ("/properties/c/type", json!("integer"), (false, true)),
        ("/required", json!(["a", "b"]), (false, true)),
        ("/properties/a/enum", json!(["x"]), (false, true)),
        // Wider: the other way round.
        (
            "/properties/c/type",
            json!(["integer", "null", "string"]),
            (true, false),
        ),
        ("/required", json!([]), (true, false)),
        ("/$defs/B/required", json!([]), (true, false)),
        // Additions.
        ("/properties/a/enum", json!(["x", "y", "z"]), (false, false)),
        (
            "/$defs/B/properties",
            json!({"z": {"type": "string"}, "new": {"type": "string"}}),
            (false, false),
        ),
        (
            "/properties/a",
            json!({"type": "string", "enum": ["x", "y"], "description": "d"}),
            (false, false),
        ),
    ] {
        assert_eq!(
            both(&changed(pointer, value.clone())),
            expected,
            "{pointer} {value}"
        );
    }
}
