//! `verify` and `diff`, through the command line.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

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

const SCHEMA: &str = "CREATE TABLE invoice (order_id bigint PRIMARY KEY);\n";

const CONFIG: &str = "version: 1 # ours
inputs:
  flows: flows.yaml
  schema: schema.sql
  dialect: postgres
";

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [
        ("flows.yaml", FLOWS),
        ("schema.sql", SCHEMA),
        ("outbox-audit.yaml", CONFIG),
    ] {
        fs::write(folder.path().join(name), text).expect("it is written");
    }
    folder
}

fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output: Output = Command::new(env!("CARGO_BIN_EXE_outbox-audit"))
        .current_dir(folder)
        .args(arguments)
        .output()
        .expect("it starts");
    let text = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        assert!(!text.contains("panicked"), "{text}");
        text
    };
    (
        output.status.code().expect("no signal ended it"),
        text(&output.stdout),
        text(&output.stderr),
    )
}

fn report(folder: &Path, name: &str) {
    let output = format!("json={name}");
    let (status, _, error) = run(
        folder,
        &["check", "--as-of", "2026-01-01", "--output", &output],
    );
    assert!(matches!(status, 1 | 3), "{status} {error}");
}

fn verify(folder: &Path) -> (i32, String) {
    let (status, out, error) = run(folder, &["verify", "r.json", "--as-of", "2026-01-01"]);
    assert_eq!(error, "");
    (status, out)
}

#[test]
fn a_report_holds_while_nothing_that_decides_changes() {
    let project = project();
    let folder = project.path();
    report(folder, "r.json");
    let (status, out) = verify(folder);
    assert_eq!(status, 0, "{out}");
    assert!(
        out.starts_with("HOLDS: the verdict is still UNPROVEN"),
        "{out}"
    );
    // A comment, and a file that nobody reads.
    fs::write(folder.join("schema.sql"), format!("-- UNIQUE\n{SCHEMA}")).expect("written");
    fs::write(folder.join("notes.txt"), "x").expect("written");
    let (status, out) = verify(folder);
    assert_eq!(status, 0, "{out}");
    assert!(out.contains("input    schema: schema.sql changed"), "{out}");
    assert!(!out.contains("notes"), "{out}");
}

#[test]
fn what_changed_is_told() {
    let project = project();
    let folder = project.path();
    report(folder, "r.json");
    fs::write(
        folder.join("schema.sql"),
        "CREATE TABLE invoice (order_id bigint);\n",
    )
    .expect("written");
    let (status, out) = verify(folder);
    assert_eq!(status, 1, "{out}");
    for words in [
        "CHANGED  the audit decides otherwise now",
        "verdict  UNPROVEN → HOLD",
        "input    schema: schema.sql changed",
        "gate     uniqueness: not-shown → not-met",
        "  met → not-met  unguarded-create of declared:bill/make/insert:invoice",
    ] {
        assert!(out.contains(words), "{words} is not in {out}");
    }
    fs::remove_file(folder.join("schema.sql")).expect("removed");
    let (status, out) = verify(folder);
    assert_eq!(status, 3, "{out}");
    assert!(
        out.contains("CANNOT TELL") && out.contains("schema: read then"),
        "{out}"
    );
}

#[test]
fn another_commit_is_said() {
    let project = project();
    let folder = project.path();
    let git = |arguments: &[&str]| {
        let done = Command::new("git")
            .current_dir(folder)
            .args(["-c", "user.name=a", "-c", "user.email=a@example.org"])
            .args(arguments)
            .output()
            .expect("git is there");
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "first"]);
    report(folder, "r.json");
    git(&["commit", "-q", "--allow-empty", "-m", "second"]);
    let (status, out) = verify(folder);
    assert_eq!(status, 0, "{out}");
    let tree = out
        .lines()
        .find(|line| line.starts_with("tree"))
        .expect("the tree");
    assert!(tree.contains(" → "), "{tree}");
}

#[test]
fn a_tampered_or_foreign_report_is_told() {
    let project = project();
    let folder = project.path();
    report(folder, "r.json");
    let text = fs::read_to_string(folder.join("r.json")).expect("read");
    let change = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        fs::write(folder.join("r.json"), text.replacen(from, to, 1)).expect("written");
        run(folder, &["verify", "r.json", "--as-of", "2026-01-01"])
    };
    let (status, out, _) = change("\"verdict\": \"UNPROVEN\"", "\"verdict\": \"GO\"");
    assert_eq!(status, 1, "{out}");
    assert!(out.contains("the report itself was changed"), "{out}");
    let (status, out, _) = change("\"outcome\": \"unknown\"", "\"outcome\": \"met\"");
    assert_eq!(status, 1, "{out}");
    assert!(out.contains("the report itself was changed"), "{out}");
    let (status, _, error) = change("\"version\": 1", "\"version\": 2");
    assert_eq!(status, 2);
    assert!(error.contains("is a report of version 2"), "{error}");
    let (status, _, error) = change("\"document\": \"report\"", "\"document\": \"map\"");
    assert_eq!(status, 2);
    assert!(error.contains("is no report of outbox-audit"), "{error}");
    fs::write(folder.join("r.json"), "{").expect("written");
    let (status, _, error) = run(folder, &["verify", "r.json"]);
    assert_eq!(status, 2);
    assert!(error.contains("check --output json="), "{error}");
    let (status, _, error) = run(folder, &["verify", "gone.json"]);
    assert_eq!(
        (status, error.contains("does not exist")),
        (2, true),
        "{error}"
    );
    // Spaces are nobody's decision.
    let spaced: Vec<&str> = text.lines().map(str::trim).collect();
    fs::write(folder.join("r.json"), spaced.join("\n\t")).expect("written");
    assert_eq!(verify(folder).0, 0);
}

/// Whatever is changed, at whatever depth, the seal no longer fits.
#[test]
fn no_part_of_a_report_can_be_edited() {
    let project = project();
    let folder = project.path();
    report(folder, "r.json");
    let text = fs::read_to_string(folder.join("r.json")).expect("read");
    let lines: Vec<&str> = text.lines().collect();
    // In pretty JSON every scalar stands on a line of its own.
    let mut edits: Vec<(usize, String)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let (key, value) = line.split_once(": ").unwrap_or(("", line));
        let comma = if value.ends_with(',') { "," } else { "" };
        let value = value.trim_end_matches(',').trim();
        let other = match value {
            "{" | "[" | "}" | "]" => continue,
            "0" => "1",
            "null" => "false",
            "true" => "null",
            _ if value.starts_with('"') => "\"edited\"",
            _ => "0",
        };
        let edited = match key {
            "" => format!("{other}{comma}"),
            key => format!("{key}: {other}{comma}"),
        };
        edits.push((at, edited));
    }
    assert!(edits.len() > 100, "{}", edits.len());
    let whole: Value = serde_json::from_str(&text).expect("JSON");
    for key in whole.as_object().expect("an object").keys() {
        assert!(text.contains(&format!("\n  \"{key}\": ")), "{key}");
    }
    for (at, edited) in edits {
        let mut all = lines.clone();
        all[at] = &edited;
        fs::write(folder.join("e.json"), all.join("\n")).expect("written");
        // Of some edits it is no report any more: told as well.
        let read = outbox_audit::input::report::read(&folder.join("e.json"), "e.json");
        assert!(!read.is_ok_and(|report| report.sealed), "{edited}");
    }
    // A part that is left out, or added behind the seal.
    for key in ["effects", "evidence", "counts", "residuals", "seal"] {
        let mut less = whole.clone();
        less.as_object_mut().expect("an object").remove(key);
        fs::write(folder.join("r.json"), less.to_string()).expect("written");
        assert_ne!(verify_status(folder), 0, "{key}");
    }
    let more = text.trim_end().trim_end_matches('}').to_owned() + ", \"counts\": 1}";
    fs::write(folder.join("r.json"), more).expect("written");
    assert_ne!(verify_status(folder), 0);
}

fn verify_status(folder: &Path) -> i32 {
    run(folder, &["verify", "r.json", "--as-of", "2026-01-01"]).0
}

#[test]
fn two_reports_are_compared() {
    let project = project();
    let folder = project.path();
    report(folder, "good.json");
    fs::write(
        folder.join("schema.sql"),
        "CREATE TABLE invoice (order_id bigint);\n",
    )
    .expect("written");
    report(folder, "bad.json");
    let (status, out, _) = run(folder, &["diff", "good.json", "bad.json"]);
    assert_eq!(status, 1, "{out}");
    assert!(
        out.starts_with("WORSE") && out.contains("turned ("),
        "{out}"
    );
    let (status, out, _) = run(folder, &["diff", "bad.json", "good.json"]);
    assert_eq!(status, 0, "{out}");
    assert!(out.starts_with("NOT WORSE"), "{out}");
    let (status, out, _) = run(folder, &["diff", "bad.json", "bad.json"]);
    assert_eq!(status, 0, "{out}");
    assert!(out.starts_with("THE SAME"), "{out}");
    // A consumer that comes in with something unsafe is worse, although nothing turned.
    let more = FLOWS.replace(
        "consumers:\n",
        "consumers:
  - {id: mail, event: order.placed, object: orders, effects: [{id: m, kind: mail, to: desk}]}
",
    );
    fs::write(folder.join("flows.yaml"), more).expect("written");
    report(folder, "more.json");
    let (status, out, _) = run(folder, &["diff", "bad.json", "more.json"]);
    assert_eq!(status, 1, "{out}");
    assert!(
        out.contains("appeared (") && out.contains("unprotected-external"),
        "{out}"
    );
}

/// A live database is known again by its catalog, not by its bytes.
#[test]
fn the_catalog_of_the_database_is_bound() {
    let whole = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/whole");
    let project = tempfile::tempdir().expect("a folder");
    let folder = project.path();
    let lay = |name: &str, from: &str, to: &str| {
        fs::copy(whole.join(name).join(from), folder.join(to)).expect("copied");
    };
    lay("nexuscrm", "metadata/flows.json", "flows.json");
    lay("nexuscrm", "database.sqlite", "database.sqlite");
    let config = "version: 1\ninputs: {flows: flows.json, database: \"sqlite:database.sqlite\"}\n";
    fs::write(folder.join("outbox-audit.yaml"), config).expect("written");
    report(folder, "r.json");
    let (status, out) = verify(folder);
    assert_eq!((status, out.contains("changed")), (0, false), "{out}");
    lay("nexuscrm-repaired", "database.sqlite", "database.sqlite");
    let (status, out) = verify(folder);
    assert_eq!(status, 1, "{out}");
    assert!(
        out.contains("input    database: database.sqlite changed"),
        "{out}"
    );
    fs::remove_file(folder.join("database.sqlite")).expect("removed");
    let (status, out) = verify(folder);
    assert_eq!(status, 3, "{out}");
    assert!(out.contains("database: read then, not given"), "{out}");
}
