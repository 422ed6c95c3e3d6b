//! A key of a text that has a statement which is not understood: the effect that rests on it says so.

use std::fs;
use std::process::Command;

use serde_json::Value;

const FLOWS: &str = "version: 1
consumers:
  - id: handle
    event: sent
    object: facts
    effects:
      - {id: keep, kind: insert, table: parcel, set: {ref: {snapshot: record.ref, nulls: never}}, on_conflict: {do_nothing: [ref]}}
";

/// Disposition and proof of the effect; the place and sentence of `index-not-live`.
fn audit(schema: &[(&str, &str)]) -> (String, String, String, String) {
    audit_with(schema, "on_conflict: {do_nothing: [ref]}")
}

fn audit_with(schema: &[(&str, &str)], conflict: &str) -> (String, String, String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let flows = FLOWS.replace("on_conflict: {do_nothing: [ref]}", conflict);
    fs::write(folder.path().join("flows.yaml"), flows).expect("flows");
    let mut command = Command::new(env!("CARGO_BIN_EXE_outbox-audit"));
    command.args(["check", ".", "--format", "json", "--as-of", "2026-01-01"]);
    command.args(["--dialect", "postgres", "--flows", "flows.yaml"]);
    for (name, text) in schema {
        fs::write(folder.path().join(name), text).expect("a schema");
        command.args(["--schema", name]);
    }
    let output = command.current_dir(folder.path()).output();
    let output = output.expect("the audit starts");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let effect = &report["effects"][0];
    let of = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let all = report["obligations"].as_array().expect("obligations");
    let live = all
        .iter()
        .find(|each| each["check"] == "index-not-live")
        .expect("it is asked");
    assert_eq!(live["outcome"], "unknown");
    let place = &live["reason"]["place"];
    (
        of(&effect["disposition"]),
        of(&effect["proof"]),
        format!("{}:{}", of(&place["file"]), place["line"]),
        of(&live["reason"]["sentence"]),
    )
}

const TABLE: &str = "CREATE TABLE parcel (ref text NOT NULL UNIQUE);\n";
const OPEN: &str = "DO $$ BEGIN EXECUTE format('DROP INDEX %I', name()); END $$;\n";

#[test]
fn a_statement_behind_the_key_may_drop_it() {
    let (disposition, proof, place, sentence) = audit(&[("a.sql", &format!("{TABLE}{OPEN}"))]);
    assert_eq!(disposition, "safe");
    assert!(proof.contains("open statement at a.sql:2:1"), "{proof}");
    assert_eq!(place, "a.sql:2");
    assert!(sentence.contains("executes statements"), "{sentence}");
}

#[test]
fn a_statement_of_another_file_may_drop_it_too() {
    let (_, proof, place, _) = audit(&[("a.sql", OPEN), ("b.sql", TABLE)]);
    assert!(proof.contains("open statement at a.sql:1:1"), "{proof}");
    assert_eq!(place, "a.sql:1");
}

#[test]
fn a_statement_in_front_of_the_key_cannot() {
    let (disposition, proof, place, _) = audit(&[("a.sql", &format!("{OPEN}{TABLE}"))]);
    assert_eq!(disposition, "safe");
    assert!(!proof.contains("open statement"), "{proof}");
    assert_eq!(place, "a.sql:2");
}

/// A function of an index whose body is not read is named by the proof.
#[test]
fn what_a_function_declares_is_said_to_be_that() {
    let of = |language: &str| {
        let text = format!(
            "CREATE TABLE parcel (ref text NOT NULL);
             CREATE FUNCTION plain(text) RETURNS text IMMUTABLE LANGUAGE {language} AS 'SELECT lower($1)';
             CREATE UNIQUE INDEX one ON parcel (coalesce(plain(ref), ''));"
        );
        audit_with(&[("a.sql", &text)], "on_conflict: do-nothing").1
    };
    assert!(
        of("plperl").contains("that plain() is IMMUTABLE is its own declaration"),
        "{}",
        of("plperl")
    );
    assert!(!of("sql").contains("IMMUTABLE"), "{}", of("sql"));
    assert!(of("sql").starts_with("UNIQUE one"), "{}", of("sql"));
}
