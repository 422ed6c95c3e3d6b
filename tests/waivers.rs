//! What a waiver covers, and what none can, through the command line.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

const FLOWS: &str = "version: 1
consumers:
  - id: bill
    event: order.placed
    object: orders
    effects:
      - id: make
        kind: insert
        table: invoice
        set:
          order_id: {snapshot: record.id, nulls: never}
        on_conflict: do-nothing
";

const CONFIG: &str = "version: 1
inputs: {flows: flows.yaml, schema: schema.sql, dialect: postgres}
";

const SUBJECT: &str = "declared:bill/make/insert:invoice";

fn project(key: &str, config: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let schema = format!("CREATE TABLE invoice (order_id bigint {key});\n");
    for (name, text) in [
        ("flows.yaml", FLOWS),
        ("schema.sql", &schema),
        ("outbox-audit.yaml", config),
    ] {
        fs::write(folder.path().join(name), text).expect("it is written");
    }
    folder
}

fn waived(check: &str) -> String {
    format!(
        "{CONFIG}waivers:\n  - {{check: {check}, subject: \"{SUBJECT}\", reason: r, owner: o, expires: 2026-12-31}}\n"
    )
}

fn results(folder: &Path, failure: &str) {
    let text = format!(
        "<testsuites><testsuite name=\"s\" timestamp=\"2026-01-01T00:00:00Z\"><testcase \
         classname=\"b\" name=\"redelivery(declared:bill)\">{failure}</testcase></testsuite></testsuites>"
    );
    fs::write(folder.join("j.xml"), text).expect("written");
}

fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_outbox-audit"))
        .current_dir(folder)
        .args(arguments)
        .args(["--as-of", "2026-01-01"])
        .output()
        .expect("it starts");
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8(text).expect("it is text"),
    )
}

fn state(folder: &Path) -> (Value, Value, Value) {
    let (_, out) = run(folder, &["check", "--tests", "j.xml", "--format", "json"]);
    let report: Value = serde_json::from_str(&out).expect("JSON");
    let tests = report["gate"]
        .as_array()
        .and_then(|gate| {
            let mut gate = gate.iter();
            gate.find(|one| {
                let checks = one["checks"].as_array().expect("checks");
                checks.iter().any(|check| check == "untested-redelivery")
            })
        })
        .expect("the condition of the tests");
    let waiver = &report["waivers"][0];
    (
        tests["state"].clone(),
        waiver["state"].clone(),
        waiver["refused"].clone(),
    )
}

#[test]
fn what_is_unknown_and_a_test_that_failed_are_never_waived() {
    let project = project("PRIMARY KEY", &waived("untested-redelivery"));
    let folder = project.path();
    results(folder, "");
    assert_eq!(
        state(folder),
        (
            "not-shown".into(),
            "refused".into(),
            "covers nothing: the outcome is unknown".into()
        )
    );
    let (_, out) = run(folder, &["check", "--tests", "j.xml"]);
    assert!(
        out.contains("covers nothing: the outcome is unknown"),
        "{out}"
    );
    results(folder, "<failure message=\"two rows\"/>");
    assert_eq!(
        state(folder),
        (
            "not-met".into(),
            "refused".into(),
            "covers nothing: a failed redelivery test is never waived".into()
        )
    );
    let (status, out) = run(folder, &["check", "--tests", "j.xml"]);
    assert_eq!(status, Some(1), "{out}");
}

#[test]
fn nothing_is_written_for_them() {
    let project = project("PRIMARY KEY", CONFIG);
    let folder = project.path();
    for (failure, words) in [
        ("", "nothing was found that could be accepted"),
        ("<failure/>", "a failed redelivery test is never waived"),
    ] {
        results(folder, failure);
        let (status, out) = run(
            folder,
            &[
                "waive",
                "untested-redelivery",
                SUBJECT,
                "--reason",
                "r",
                "--owner",
                "o",
                "--expires",
                "2026-12-31",
                "--tests",
                "j.xml",
            ],
        );
        assert_eq!((status, out.contains(words)), (Some(2), true), "{out}");
        let text = fs::read_to_string(folder.join("outbox-audit.yaml")).expect("read");
        assert_eq!(text, CONFIG);
    }
}

#[test]
fn the_headline_names_the_number() {
    let project = project("", &waived("unguarded-create"));
    for arguments in [
        &["check", "-q"][..],
        &["check"],
        &["check", "--format", "markdown"],
    ] {
        let (status, out) = run(project.path(), arguments);
        assert_eq!(status, Some(3), "{out}");
        assert!(out.contains("UNPROVEN, with 1 finding waived"), "{out}");
        assert!(!out.contains("nothing is shown unsafe"), "{out}");
    }
}
