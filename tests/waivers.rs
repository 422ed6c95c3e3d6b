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

/// Status, stdout and stderr.
fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_outbox-audit"))
        .current_dir(folder)
        .args(arguments)
        .args(["--as-of", "2026-01-01"])
        .output()
        .expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it is text");
    (
        output.status.code().expect("no signal ended it"),
        text(output.stdout),
        text(output.stderr),
    )
}

fn state(folder: &Path) -> (Value, Value, Value) {
    let (_, out, _) = run(folder, &["check", "--tests", "j.xml", "--format", "json"]);
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
    let (_, out, _) = run(folder, &["check", "--tests", "j.xml"]);
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
    let (status, out, _) = run(folder, &["check", "--tests", "j.xml"]);
    assert_eq!(status, 1, "{out}");
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
        let (status, out, error) = run(
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
        assert_eq!((status, error.contains(words)), (2, true), "{out}{error}");
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
        let (status, out, _) = run(project.path(), arguments);
        assert_eq!(status, 3, "{out}");
        assert!(out.contains("UNPROVEN, with 1 finding waived"), "{out}");
        assert!(!out.contains("nothing is shown unsafe"), "{out}");
    }
}

fn waive(folder: &Path, check: &str, subject: &str, rest: &[&str]) -> (i32, String, String) {
    let mut arguments = vec!["waive", check, subject];
    arguments.extend(rest);
    run(folder, &arguments)
}

const WHY: [&str; 6] = [
    "--reason",
    "merged: every \"morning\"",
    "--owner",
    "ann",
    "--expires",
    "2026-12-31",
];

#[test]
fn a_waiver_is_written_and_applies() {
    let project = project("", CONFIG);
    let folder = project.path();
    let (status, out, error) = waive(folder, "unguarded-create", SUBJECT, &WHY);
    assert_eq!(status, 0, "{error}");
    assert!(out.contains("is waived until 2026-12-31"), "{out}");
    let text = fs::read_to_string(folder.join("outbox-audit.yaml")).expect("read");
    assert!(text.starts_with(CONFIG), "{text}");
    let (_, out, _) = run(folder, &["check", "--format", "json"]);
    let report: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(report["waivers"][0]["state"], "applied", "{out}");
    assert_eq!(report["waivers"][0]["reason"], WHY[1]);
    assert_eq!(report["verdict"], "UNPROVEN");
    let (status, _, error) = waive(folder, "unguarded-create", SUBJECT, &WHY);
    assert_eq!(status, 2);
    assert!(error.contains("is waived already"), "{error}");
    let (status, out, _) = run(folder, &["check", "--no-waivers"]);
    assert_eq!(status, 1, "{out}");
}

#[test]
fn a_waiver_that_says_too_little_or_covers_nothing_is_refused() {
    let project = project("", CONFIG);
    let folder = project.path();
    for (check, subject, rest, words) in [
        ("unguarded-create", SUBJECT, &WHY[..4], "--expires"),
        ("unguarded-create", SUBJECT, &WHY[2..], "--reason"),
        (
            "unguarded-create",
            SUBJECT,
            &["--reason", "x", "--owner", " ", "--expires", "2026-12-31"],
            "it is empty",
        ),
        (
            "unguarded-create",
            SUBJECT,
            &["--reason", "x", "--owner", "a", "--expires", "2025-12-31"],
            "would not apply",
        ),
        (
            "unguarded-creat",
            SUBJECT,
            &WHY,
            "no check is called `unguarded-creat`; there is unguarded-create",
        ),
        (
            "unguarded-create",
            "declared:bill/make/insert:invoices",
            &WHY,
            "there is declared:bill/make/insert:invoice",
        ),
        ("constant-key", SUBJECT, &WHY, "there is nothing to waive"),
        (
            "untested-redelivery",
            SUBJECT,
            &WHY,
            "cannot be waived: no test results were given",
        ),
    ] {
        let (status, _, error) = waive(folder, check, subject, rest);
        assert_eq!(status, 2, "{words}");
        assert!(error.contains(words), "{words} is not in {error}");
        let text = fs::read_to_string(folder.join("outbox-audit.yaml")).expect("read");
        assert_eq!(text, CONFIG);
    }
    fs::remove_file(folder.join("outbox-audit.yaml")).expect("removed");
    let (status, _, error) = waive(folder, "unguarded-create", SUBJECT, &WHY);
    assert_eq!(status, 2);
    assert!(error.contains("`outbox-audit init` writes one"), "{error}");
}
