//! Results of tests that are foreign, torn, too large, or of another source.

use std::process::Command;

use serde_json::Value;

use crate::attempt::{folder, json_of, position, reason, reported};

const FLOWS: &[u8] = br"version: 1
consumers:
  - id: bill
    event: order.placed
    object: orders
    effects:
      - id: tag
        kind: update
        table: invoice
        row: {named: {snapshot: record.id, nulls: never}}
        set:
          payer: {snapshot: record.payer}
";

const PASSED: &str = r#"<testsuites><testsuite name="s" timestamp="TIME">PROPERTIES
<testcase classname="b" name="redelivery(declared:bill)"/></testsuite></testsuites>"#;

#[test]
fn foreign_and_torn_results() {
    for (name, text, words) in [
        ("r.xml", "", "is empty"),
        (
            "r.xml",
            "hello",
            "is neither JUnit XML nor what `go test -json` prints",
        ),
        (
            "r.xml",
            "<html/>",
            "is XML of another kind: its root is <html>, not <testsuites>",
        ),
        (
            "r.xml",
            "<testsuites><testsuite>",
            "is cut off: <testsuite> is not closed",
        ),
        (
            "r.xml",
            "<testsuites><a></testsuites>",
            "is no XML that is whole",
        ),
        (
            "r.xml",
            "<testsuites><testcase name='&x;'/></testsuites>",
            "cannot be read",
        ),
        (
            "r.xml",
            "<!DOCTYPE x [<!ENTITY x 'y'>]><testsuites/>",
            "declares entities of its own",
        ),
        (
            "r.xml",
            "<testsuite><properties><property name='redelivery' value='x'/></properties></testsuite>",
            "it belongs to a test case",
        ),
        (
            "r.json",
            "{\"tests\": 1}",
            "is JSON, and no event of `go test -json`",
        ),
        (
            "r.json",
            "{\"Action\":\"run\",\"Test\":\"T\"}\n{\"Act",
            "line 2 of `r.json` is no event",
        ),
    ] {
        let outer = folder(&[("flows.yaml", FLOWS), (name, text.as_bytes())]);
        reported(
            outer.path(),
            &["--tests", name],
            3,
            &[words, "next: give the JUnit XML"],
        );
        let report = json_of(outer.path(), &["--tests", name]);
        let place = &reason(&report, "tests", words)["place"];
        let line = if words.starts_with("line 2") { 2 } else { 1 };
        assert_eq!(position(place).0, line, "{place}");
    }
}

#[test]
fn results_that_are_not_there() {
    let outer = folder(&[("flows.yaml", FLOWS)]);
    std::fs::create_dir(outer.path().join("empty")).expect("it is made");
    reported(
        outer.path(),
        &["--tests", "none.xml"],
        3,
        &["`none.xml` does not exist"],
    );
    reported(
        outer.path(),
        &["--tests", "empty"],
        3,
        &["holds no test results"],
    );
}

#[test]
fn suites_without_end() {
    let text = "<testsuites>".repeat(100_000);
    let outer = folder(&[("flows.yaml", FLOWS), ("r.xml", text.as_bytes())]);
    reported(
        outer.path(),
        &["--tests", "r.xml"],
        3,
        &["nests deeper than test results do"],
    );
}

#[test]
fn a_hundred_megabytes() {
    let case = format!(
        "<testcase name='x'><system-out>{}</system-out></testcase>",
        "y".repeat(1_000)
    );
    let mut text = String::from("<testsuites>");
    while text.len() < 100_000_000 {
        text.push_str(&case);
    }
    let cut = folder(&[("flows.yaml", FLOWS), ("r.xml", text.as_bytes())]);
    reported(cut.path(), &["--tests", "r.xml"], 3, &["is cut off"]);
    text.push_str("</testsuites>");
    let limit = b"version: 1\nlimits: {max_file_bytes: 1_000_000}\n";
    let whole = folder(&[
        ("flows.yaml", FLOWS),
        ("r.xml", text.as_bytes()),
        ("outbox-audit.yaml", limit),
    ]);
    reported(
        whole.path(),
        &["--tests", "r.xml"],
        3,
        &["more than the 1000000 that are read"],
    );
}

fn outcome(report: &Value) -> String {
    let all = report["obligations"].as_array().expect("obligations");
    let mine = all.iter().find(|one| one["check"] == "untested-redelivery");
    let mine = mine.expect("the check speaks of the set");
    format!(
        "{}: {}",
        mine["outcome"].as_str().unwrap_or_default(),
        mine["reason"]["sentence"]
    )
}

/// A time, or the commit that the runner was told, against the commit that is checked out.
#[test]
fn results_of_another_source() {
    let outer = folder(&[("flows.yaml", FLOWS)]);
    let git = |arguments: &[&str]| {
        let done = Command::new("git")
            .current_dir(outer.path())
            .args(["-c", "user.name=a", "-c", "user.email=a@example.org"])
            .args(arguments)
            .env("GIT_COMMITTER_DATE", "2026-03-01T12:00:00Z")
            .output()
            .expect("git is there");
        assert!(done.status.success(), "{done:?}");
        String::from_utf8(done.stdout)
            .expect("it is UTF-8")
            .trim()
            .to_owned()
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "first"]);
    let head = git(&["rev-parse", "HEAD"]);
    let ours = format!(
        "<properties><property name='redelivery.commit' value='{}'/></properties>",
        &head[..9]
    );
    let other = "<properties><property name='redelivery.commit' value='0123456789'/></properties>";
    for (time, properties, expected) in [
        ("2026-03-01T12:00:00Z", "", "source was not read"),
        (
            "2026-03-01T13:00:00+02:00",
            "",
            "ran before the audited source was committed",
        ),
        (
            "2026-02-28T23:59:59",
            "",
            "ran before the audited source was committed",
        ),
        ("2026-03-01T12:30:00", "", "names no zone"),
        ("2026-03-02T02:00:00", "", "source was not read"),
        ("yesterday", "", "has neither a time nor a commit"),
        ("2026-03-01T13:00:00Z", other, "ran on commit 0123456789"),
        ("2001-01-01T00:00:00Z", &ours, "source was not read"),
    ] {
        let text = PASSED
            .replace("TIME", time)
            .replace("PROPERTIES", properties);
        std::fs::write(outer.path().join("r.xml"), text).expect("it is written");
        let said = outcome(&json_of(outer.path(), &["--tests", "r.xml"]));
        assert!(
            said.starts_with("unknown") && said.contains(expected),
            "{time}: {said}"
        );
    }
    // What the runner wrote is no change of the source, even if it is committed.
    git(&["add", "-A"]);
    git(&["commit", "-qm", "results"]);
    let said = outcome(&json_of(outer.path(), &["--tests", "r.xml"]));
    assert!(said.contains("source was not read"), "{said}");
}

#[test]
fn an_annotation_that_names_nothing() {
    let text = PASSED.replace("declared:bill", "declared:bil");
    let outer = folder(&[("flows.yaml", FLOWS), ("r.xml", text.as_bytes())]);
    let said = outcome(&json_of(outer.path(), &["--tests", "r.xml"]));
    let words =
        "names `declared:bil`, which is no effect and no consumer; did you mean `declared:bill`?";
    assert!(said.contains(words), "{said}");
}
