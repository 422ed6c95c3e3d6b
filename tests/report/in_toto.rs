//! The in-toto statement: bound to the report of the same run, and by its seal to what it says.

use std::process::{Command, Stdio};

use outbox_audit::model::report::{Report, TreeState};
use outbox_audit::report::{Format, PREDICATE, RenderOptions, Statement, render};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::samples::many::{NASTY, blocked};
use crate::samples::{hold::hold, plain};

const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/in-toto.schema.json");

fn statement(report: &Report) -> Value {
    let text = render(report, Format::InToto, &RenderOptions::default());
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_committed_schema_is_that_of_the_types() {
    let mut schema = schemars::schema_for!(Statement<'static>);
    schema.insert(
        "title".to_owned(),
        json!("outbox-audit verdict as an in-toto statement, version 1"),
    );
    let text = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(SCHEMA, &text).unwrap();
    }
    let committed = std::fs::read_to_string(SCHEMA).unwrap();
    assert!(
        committed == text,
        "run the tests once with UPDATE_SCHEMAS=1"
    );
}

#[test]
fn every_sample_is_valid_and_bound_to_its_report() {
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(SCHEMA).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for report in [
        hold(),
        plain::unproven(),
        plain::go(),
        plain::empty(),
        blocked(3, 2, NASTY),
    ] {
        let statement = statement(&report);
        let errors: Vec<String> = validator
            .iter_errors(&statement)
            .map(|one| one.to_string())
            .collect();
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
        assert_eq!(statement["predicateType"], PREDICATE);
        let text = render(&report, Format::Json, &RenderOptions::default());
        let digest: String = Sha256::digest(text.as_bytes())
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(statement["subject"][0]["digest"], json!({"sha256": digest}));
        let document: Value = serde_json::from_str(&text).unwrap();
        let predicate = &statement["predicate"];
        for key in [
            "verdict", "seal", "gate", "inputs", "waivers", "flag", "stage", "tool",
        ] {
            assert_eq!(predicate[key], document[key], "{key}");
        }
    }
}

#[test]
fn only_a_clean_commit_is_a_subject() {
    let subjects = |report: &Report| statement(report)["subject"].as_array().unwrap().len();
    let mut report = hold();
    assert_eq!(
        statement(&report)["subject"][1],
        json!({
            "name": "fixtures/whole/nexuscrm",
            "digest": {"gitCommit": "4f1c2ab8d1e3a09b7c65f2e1d0c9b8a776655443"}
        })
    );
    if let TreeState::Commit { clean, .. } = &mut report.tree {
        *clean = false;
    }
    assert_eq!(subjects(&report), 1);
    report.tree = TreeState::None;
    assert_eq!(subjects(&report), 1);
}

/// What `sha256sum` gives of the file is what the statement says.
#[test]
fn the_digest_is_that_of_the_written_file() {
    let folder = tempfile::tempdir().unwrap();
    let system = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/whole/nexuscrm");
    let file = |name: &str| folder.path().join(name);
    let status = Command::new(env!("CARGO_BIN_EXE_outbox-audit"))
        .current_dir(system)
        .args(["check", "--quiet", "--as-of", "2026-01-01"])
        .arg(format!("--output=json={}", file("report.json").display()))
        .arg(format!(
            "--output=in-toto={}",
            file("verdict.json").display()
        ))
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(1));
    let bytes = std::fs::read(file("report.json")).unwrap();
    let digest: String = Sha256::digest(&bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let statement = std::fs::read_to_string(file("verdict.json")).unwrap();
    let statement: Value = serde_json::from_str(&statement).unwrap();
    assert_eq!(statement["subject"][0]["digest"]["sha256"], *digest);
    assert_eq!(statement["predicate"]["verdict"], "HOLD");
}
