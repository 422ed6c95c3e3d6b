//! Updates that make their own condition false, and deletes under a condition.

use std::fs;
use std::process::Command;

use serde_json::Value;

const SCHEMA: &str = "CREATE TABLE job (id bigint PRIMARY KEY, state text NOT NULL, n int NOT NULL, total int NOT NULL, kind int NOT NULL);\n";

/// The report on consumers that run one statement each, with `$1` from the event.
fn report(statements: &[&str]) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let mut flows = "version: 1\nconsumers:\n".to_owned();
    for (at, sql) in statements.iter().enumerate() {
        flows += &format!(
            "  - id: c{at}\n    event: sent\n    object: job\n    effects:\n      - {{id: a, sql: \"{sql}\", \
             params: [{{snapshot: record.id, nulls: never}}]}}\n"
        );
    }
    fs::write(folder.path().join("flows.yaml"), flows).expect("flows");
    fs::write(folder.path().join("schema.sql"), SCHEMA).expect("a schema");
    let output = Command::new(env!("CARGO_BIN_EXE_outbox-audit"))
        .args(["check", ".", "--format", "json", "--as-of", "2026-01-01"])
        .args(["--dialect", "postgres"])
        .current_dir(folder.path())
        .output()
        .expect("the audit starts");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn dispositions(statements: &[&str]) -> Vec<String> {
    let report = report(statements);
    let effects = report["effects"].as_array().expect("effects");
    let words = effects.iter().map(|effect| effect["disposition"].as_str());
    words.map(|word| word.expect("a word").to_owned()).collect()
}

const ONCE: &str = "UPDATE job SET n = n + 1, state = 'done' WHERE id = $1 AND state = 'new'";

#[test]
fn an_update_that_makes_its_condition_false_happens_once() {
    for sql in [
        ONCE,
        "UPDATE job SET state = 'done', n = n + total WHERE state = 'new' AND id = $1",
        "UPDATE job SET n = n + 1, kind = 2 WHERE id = $1 AND kind = 1",
        "UPDATE job SET n = n + 1, kind = NULL WHERE id = $1 AND kind = 1",
    ] {
        assert_eq!(dispositions(&[sql]), ["safe"], "{sql}");
    }
}

#[test]
fn one_that_does_not_or_may_not_is_no_safer_than_before() {
    for sql in [
        // Not the column that is compared.
        "UPDATE job SET n = n + 1 WHERE id = $1 AND state = 'new'",
        "UPDATE job SET n = n + 1, kind = 1 WHERE id = $1 AND state = 'new'",
        // The condition stays true, or may.
        "UPDATE job SET n = n + 1, state = 'new' WHERE id = $1 AND state = 'new'",
        "UPDATE job SET n = n + 1, state = 'NEW' WHERE id = $1 AND state = 'new'",
        "UPDATE job SET n = n + 1, state = 'new ' WHERE id = $1 AND state = 'new'",
        "UPDATE job SET n = n + 1, kind = kind WHERE id = $1 AND kind = 1",
        "UPDATE job SET n = n + 1, kind = total WHERE id = $1 AND kind = 1",
        // One of two ways in.
        "UPDATE job SET n = n + 1, state = 'done' WHERE id = $1 AND (state = 'new' OR total > 1)",
        "UPDATE job SET n = n + 1, state = 'done' WHERE id = $1 OR state = 'new'",
        // No row of its own.
        "UPDATE job SET n = n + 1, state = 'done' WHERE total = $1 AND state = 'new'",
    ] {
        assert_eq!(dispositions(&[sql]), ["blocked"], "{sql}");
    }
}

#[test]
fn what_is_set_back_elsewhere_happens_again() {
    for (other, word) in [
        ("UPDATE job SET state = 'new' WHERE id = $1", "blocked"),
        ("UPDATE job SET state = kind WHERE id = $1", "blocked"),
        (
            "INSERT INTO job (id, state, n, total, kind) VALUES ($1, 'x', 0, 0, 0) ON CONFLICT (id) DO UPDATE SET state = 'new'",
            "blocked",
        ),
        ("UPDATE job SET state = 'failed' WHERE id = $1", "safe"),
        ("UPDATE job SET total = 5 WHERE id = $1", "safe"),
        (
            "INSERT INTO job (id, state, n, total, kind) VALUES ($1, 'new', 0, 0, 0) ON CONFLICT (id) DO NOTHING",
            "safe",
        ),
    ] {
        assert_eq!(dispositions(&[ONCE, other])[0], word, "{other}");
    }
}

#[test]
fn a_condition_beside_the_row_is_named_by_what_moves() {
    let report = report(&["DELETE FROM job WHERE id = $1 AND total < 5"]);
    let obligations = report["obligations"].as_array().expect("obligations");
    let told: Vec<String> = obligations
        .iter()
        .filter(|each| each["outcome"] == "not-met")
        .map(|each| each["finding"].to_string())
        .collect();
    let about = told.iter().find(|finding| finding.contains("`total`"));
    assert!(about.is_some(), "{told:?}");
    assert!(
        !told.iter().any(|finding| finding.contains("`id`")),
        "{told:?}"
    );
}
