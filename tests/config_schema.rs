//! The JSON Schema of the configuration: committed, current, and of one mind with the reader.
//!
//! `UPDATE_SCHEMAS=1 cargo test --test config_schema` writes it anew.

use std::collections::BTreeSet;
use std::path::Path;

use outbox_audit::input::config::document::json_schema;
use outbox_audit::input::config::problem::Problems;
use outbox_audit::input::config::{Config, parse};
use outbox_audit::model::text::TextFile;
use serde_json::{Value, json};

fn read(yaml: &str) -> Result<Config, Problems> {
    parse(TextFile::new("f", yaml.to_owned()), Path::new(""))
}

/// The document as an editor with YAML 1.2 sees it.
fn as_json(yaml: &str) -> Value {
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(yaml, options).expect("the sample is YAML")
}

fn schema() -> Value {
    serde_json::from_str(&json_schema()).expect("the schema is JSON")
}

#[test]
fn the_committed_schema_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/config.schema.json");
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&path, json_schema()).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap();
    assert_eq!(
        committed,
        json_schema(),
        "UPDATE_SCHEMAS=1 cargo test --test config_schema"
    );
}

/// Every object of the schema, with a way to it from the root.
fn objects(schema: &Value, at: &Value, way: &[String], found: &mut Vec<(Vec<String>, Value)>) {
    if let Some(name) = at["$ref"].as_str() {
        let target = &schema["$defs"][name.trim_start_matches("#/$defs/")];
        return objects(schema, target, way, found);
    }
    for choice in at["anyOf"].as_array().into_iter().flatten() {
        objects(schema, choice, way, found);
    }
    if at["items"].is_object() {
        let way = [way, &["-".to_owned()]].concat();
        objects(schema, &at["items"], &way, found);
    }
    if let Some(properties) = at["properties"].as_object() {
        found.push((way.to_vec(), at.clone()));
        for (name, inner) in properties {
            let way = [way, std::slice::from_ref(name)].concat();
            objects(schema, inner, &way, found);
        }
    }
}

#[test]
fn reader_and_schema_know_the_same_keys() {
    let schema = schema();
    let mut found = Vec::new();
    objects(&schema, &schema, &[], &mut found);
    assert!(found.len() >= 13, "{}", found.len());
    for (way, object) in found {
        assert_eq!(object["additionalProperties"], false, "{way:?}");
        let expected: BTreeSet<String> = object["properties"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        let mut inner = json!({"qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq": 1});
        for step in way.iter().rev() {
            inner = match step.as_str() {
                "-" => json!([inner]),
                key => json!({key: inner}),
            };
        }
        inner["version"] = json!(1);
        // JSON is YAML.
        let problems = read(&inner.to_string()).unwrap_err();
        let known: BTreeSet<String> = problems
            .list
            .iter()
            .filter_map(|problem| problem.help.as_deref()?.strip_prefix("known keys are "))
            .flat_map(|keys| keys.split(", ").map(str::to_owned))
            .collect();
        assert_eq!(known, expected, "{way:?}");
    }
}

#[test]
fn a_sample_good_for_one_is_good_for_the_other() {
    let good = [
        include_str!("config/whole.yaml"),
        "version: 1\n",
        "version: 1\ngate:\ninputs:\noutbox: {record_key: , columns: ~}\nwaivers:\nhorizon:\npacks: []\n",
        "version: 1\ngate: {named: x, flag: true, pack: 12}\n",
        "version: 1\nhorizon: 090s\ninputs: {database: 'sqlite:///a b.db'}\n",
        "version: 1\noutbox: {record_key: {template: 'a{b.c}d{e}'}}\n",
        "version: 1\noutbox: {stale_cutoff: 5m, retry_cutoff: 30s, max_retries: 1}\n",
        "version: 1\noutbox: {record_key: {template: '{e}', since: 2026-01-31}}\n",
        "version: 1\noutbox: {record_key: {template: '{e}', since: '2026-01-31T09:00:00.5Z'}}\n",
        "version: 1\ncontracts: [{consumer: a, kind: accepted-duplicate, reason: 1, owner: no}]\n",
        "version: 1\nlimits: {max_file_bytes: 4294967295, max_files: 1, timeout_seconds: 3600}\n",
    ];
    let bad = [
        "- version: 1\n",
        "version: 2\n",
        "version: '1'\n",
        "gate: {}\n",
        "version: 1\ngate: x\n",
        "version: 1\ngate: {named: {a: b}}\n",
        "version: 1\ngate: {named: [a, a]}\n",
        "version: 1\ngate: {named: [a, ~]}\n",
        "version: 1\ngate: {flag: ' '}\n",
        "version: 1\ngate: {flag: [a]}\n",
        "version: 1\ninputs: {database: 'mysql://u@h/d'}\n",
        "version: 1\ninputs: {database: 'env:'}\n",
        "version: 1\ninputs: {database: 'sqlite:'}\n",
        "version: 1\ninputs: {database: 'app.db'}\n",
        "version: 1\noutbox: {record_key: {}}\n",
        "version: 1\noutbox: {stale_cutoff: 0s}\n",
        "version: 1\noutbox: {retry_cutoff: 30}\n",
        "version: 1\noutbox: {max_retries: 0}\n",
        "version: 1\noutbox: {record_key: {template: '{e}', since: yesterday}}\n",
        "version: 1\noutbox: {record_key: {template: '{e}', since: '2026-01-31 noon'}}\n",
        "version: 1\noutbox: {record_key: {template: 'abc'}}\n",
        "version: 1\noutbox: {record_key: {template: 'a{b'}}\n",
        "version: 1\noutbox: {record_key: {template: 'a}{b}'}}\n",
        "version: 1\noutbox: {record_key: {template: '{b..c}'}}\n",
        "version: 1\nnatural_keys: {A: []}\n",
        "version: 1\nnatural_keys: {A: }\n",
        "version: 1\nhorizon: 0d\n",
        "version: 1\nhorizon: 7\n",
        "version: 1\nhorizon: 7 d\n",
        "version: 1\ncontracts: [{consumer: a, kind: hope}]\n",
        "version: 1\ncontracts: [{consumer: a, kind: dedup-table, table: t}]\n",
        "version: 1\ncontracts: [{consumer: a, kind: dedup-table, table: t, key: []}]\n",
        "version: 1\ncontracts: [{consumer: a, kind: dedup-table, table: t, key: }]\n",
        "version: 1\ncontracts: [{consumer: a, kind: accepted-duplicate, reason: r}]\n",
        "version: 1\ncontracts: [{consumer: a, kind: attempt-ledger}]\n",
        "version: 1\ncontracts: [{consumer: a, kind: idempotency-key}]\n",
        "version: 1\ncontracts: {consumer: a}\n",
        "version: 1\nexclusions: [{consumer: a}]\n",
        "version: 1\nwaivers: [{check: a, subject: b, reason: c, owner: d}]\n",
        "version: 1\nwaivers: [{check: a, subject: b, reason: c, owner: d, expires: soon}]\n",
        "version: 1\nwaivers: [{check: a, subject: b, reason: c, owner: , expires: 2026-01-01}]\n",
        "version: 1\ndeferred: [{flow: a, reason: b}]\n",
        "version: 1\nassertions: [{callee: a, says: b, owner: c, digest: xyz}]\n",
        "version: 1\nlimits: {max_files: 0}\n",
        "version: 1\nlimits: {max_files: many}\n",
        "version: 1\nlimits: {timeout_seconds: 3601}\n",
        "version: 1\nlimits: {max_file_bytes: '100'}\n",
    ];
    let validator = jsonschema::validator_for(&schema()).unwrap();
    for (samples, expected) in [(&good[..], true), (&bad[..], false)] {
        for sample in samples {
            let read = read(sample);
            assert_eq!(read.is_ok(), expected, "reader: {sample}{read:?}");
            let json = as_json(sample);
            assert_eq!(
                validator.is_valid(&json),
                expected,
                "schema: {sample}{json}\n{:?}",
                validator.iter_errors(&json).next()
            );
        }
    }
}
