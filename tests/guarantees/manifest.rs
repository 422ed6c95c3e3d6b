//! The manifest: its JSON Schema, the tables, and an entry whose code has moved.

use std::fs;
use std::process::Command;

use super::{copy, outcomes, report, results, root, system};

#[test]
fn the_committed_schema_is_current() {
    let path = root().join("schemas/guarantee.schema.json");
    let schema = outbox_audit::model::guarantee::json_schema();
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        fs::write(&path, &schema).expect("it can be written");
    }
    let committed = fs::read_to_string(&path).expect("it is there");
    assert_eq!(
        committed, schema,
        "UPDATE_SCHEMAS=1 cargo test --test guarantees"
    );
}

#[test]
fn the_manifest_of_the_pack_fits_the_schema() {
    let schema = outbox_audit::model::guarantee::json_schema();
    let schema = serde_json::from_str(&schema).expect("it is JSON");
    let text =
        fs::read_to_string(root().join("rules/greatbook/guarantee.yaml")).expect("it is there");
    let value: serde_json::Value = serde_saphyr::from_str(&text).expect("it is YAML");
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    let errors: Vec<String> = validator
        .iter_errors(&value)
        .map(|it| it.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn code_that_has_moved_is_named_with_where_it_went() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    copy(&system(), folder.path());
    let services = folder.path().join("backend/app/services");
    fs::rename(
        services.join("ledger_service.py"),
        services.join("posting.py"),
    )
    .expect("it moves");
    let all = outcomes(&report(folder.path(), &[]));
    let moved = all
        .iter()
        .find(|(check, subject, ..)| {
            check == "moved-enforcement" && subject == "guarantee:ledger-source-key"
        })
        .expect("it is asked");
    assert_eq!(moved.2, "not-met");
    assert!(moved.3.contains("services/posting.py:"), "{}", moved.3);
    let broken = all
        .iter()
        .find(|(_, subject, ..)| subject == "guarantee:ledger-source-key/unique-key")
        .expect("it is asked");
    assert_eq!(broken.2, "unknown", "{}", broken.3);
}

#[test]
fn the_tables_are_filled_in() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    copy(&system(), folder.path());
    let output = Command::new(env!("CARGO_BIN_EXE_outbox-audit"))
        .args(["guarantees", "--pack", "greatbook", "--schema"])
        .arg(folder.path().join("schema.sql"))
        .args(results(folder.path()))
        .arg(folder.path())
        .output()
        .expect("it starts");
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).expect("it is UTF-8");
    for wanted in [
        "## Where it is enforced",
        "## The tests that would fail if it broke",
        "| `langgraph_chat/agents/tests/test_dedup.py` |",
        "there: langgraph_chat/devcenter/intake_service.py:",
        "there: migrations/versions/0013_intake_idempotency.py",
        "ran and passed: 29 tests",
    ] {
        assert!(text.contains(wanted), "{wanted}:\n{text}");
    }
}

#[test]
fn settings_are_named_and_their_secrets_are_not() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    copy(&system(), folder.path());
    let secret = "DATABASE_URL=postgresql://app:hunter2secret@db.internal:6543/greatbook\n";
    fs::write(folder.path().join(".env"), secret).expect("it can be written");
    let report = report(folder.path(), &[]);
    let all = outcomes(&report);
    let mode = all
        .iter()
        .find(|(_, subject, ..)| subject == "guarantee:durable-runs/dsn-mode")
        .expect("it is asked");
    assert_eq!(mode.2, "not-met", "{}", mode.3);
    assert!(mode.3.contains("port 6543"), "{}", mode.3);
    assert!(!report.to_string().contains("hunter2secret"));
}
