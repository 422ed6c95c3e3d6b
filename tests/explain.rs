//! `explain`: the page of a check at any width, and what a report knows of one thing.

use std::process::{Command, Output};

use outbox_audit::checks::CHECKS;
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

/// A large system, and a small one, which is audited in no time.
const LARGE: &str = "fixtures/whole/nexuscrm";
const SMALL: &str = "fixtures/whole/shop";
const CREATE: &str = "flow:Convert lead to opportunity/action/CreateRecord:Opportunity";

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_outbox-audit"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("COLUMNS")
        .output()
        .expect("it starts")
}

/// What is printed, at 80 columns, with the status 0.
fn told(id: &str, system: &str) -> String {
    let output = run(&["explain", id, system, "--dialect", "sqlite"]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{id}: {error}");
    assert_fits(&text);
    text
}

fn assert_fits(text: &str) {
    for line in text.lines() {
        let word = line.trim_start().split(' ').count() == 1;
        assert!(
            line.width() <= 80 || word || line.contains(" --> "),
            "{line}"
        );
        assert_eq!(line, line.trim_end());
    }
}

/// The message of an id that names nothing.
fn refused(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).expect("UTF-8")
}

fn report() -> Value {
    let output = run(&["check", SMALL, "--dialect", "sqlite", "--format", "json"]);
    serde_json::from_slice(&output.stdout).expect("a report")
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_page_fits_and_says_all_of_its_text() {
    for check in CHECKS {
        let info = check.info;
        let output = run(&["explain", info.id]);
        assert_eq!(output.status.code(), Some(0), "{}", info.id);
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        assert_fits(&text);
        let end = format!("Clause {} · {}", info.clause, info.weight.word());
        assert_eq!(
            words(&text),
            words(&format!("{} {end}", info.page)),
            "{}",
            info.id
        );
    }
}

#[test]
fn an_effect_is_told_with_path_harm_fix_and_evidence() {
    let text = told(CREATE, LARGE);
    let shown = words(&text);
    for part in [
        "Id flow:Convert lead to opportunity/action/CreateRecord:Opportunity",
        "State blocked: a second delivery creates a second Opportunity",
        "Path record.updated Lead → Convert lead to opportunity metadata/flows.json:5:15 → create \
         Opportunity metadata/flows.json:13:26",
        "lead_id = record.id (snapshot)",
        "the same event again, later: duplicate",
        "error[unguarded-create]:",
        "how it happens: A claims e1, inserts the Opportunity, stalls",
        "fix: UNIQUE (lead_id) on Opportunity",
        "evidence e",
        "fingerprint: aeeb051ce4d36e31",
        "unknown[untested-redelivery]:",
        "met[unstable-condition]:",
        "Does not arise",
    ] {
        assert!(shown.contains(&words(part)), "{part}\n{text}");
    }
}

#[test]
fn every_id_of_a_report_can_be_explained() {
    let report = report();
    let text = |one: &Value, key: &str| words(one[key].as_str().expect("a text"));
    for effect in report["effects"].as_array().expect("effects") {
        let shown = words(&told(effect["id"].as_str().expect("an id"), SMALL));
        let state = format!("State {}: ", text(effect, "disposition"));
        assert!(shown.contains(&state), "{shown}");
        if effect["proof"].is_string() {
            assert!(shown.contains(&text(effect, "proof")), "{shown}");
        }
    }
    for consumer in report["consumers"].as_array().expect("consumers") {
        let shown = words(&told(consumer["id"].as_str().expect("an id"), SMALL));
        assert!(shown.contains("Starts on order.placed orders"), "{shown}");
        assert!(
            shown.contains("blocked: set orders.state, billed_at"),
            "{shown}"
        );
    }
}

#[test]
fn a_fingerprint_names_one_finding_and_a_number_one_observation() {
    let report = report();
    let obligations = report["obligations"].as_array().expect("obligations");
    let found = obligations.iter().filter(|one| one["outcome"] == "not-met");
    for one in found {
        let print = one["finding"]["fingerprint"]
            .as_str()
            .expect("a fingerprint");
        let check = one["check"].as_str().expect("a check");
        let text = told(print, SMALL);
        assert!(text.contains(&format!("[{check}]: ")) && text.contains(print));
        assert_eq!(
            text.matches("fingerprint: ").count(),
            1,
            "only that one: {text}"
        );
    }
    let text = words(&told("e1", SMALL));
    let says = report["evidence"][0]["says"]
        .as_str()
        .expect("an observation");
    assert!(
        text.contains("Observation e1") && text.contains(&words(says)),
        "{text}"
    );
    assert!(text.contains("Cited by"), "{text}");
}

#[test]
fn an_unknown_id_gives_the_nearest_and_how_to_list_them() {
    for (typed, near) in [
        ("declared:bil-order", "declared:bill-order"),
        ("declared:blil-order/", "declared:bill-order/"),
        ("Declared:BILL", "declared:bill-order"),
    ] {
        let message = refused(&["explain", typed, SMALL]);
        assert!(message.starts_with(&format!(
            "error: nothing in this report has the id `{typed}`"
        )));
        assert!(
            message.contains("did you mean") && message.contains(&format!("\n  {near}")),
            "{message}"
        );
        assert!(message.contains("\n  outbox-audit check fixtures/whole/shop --format json | jq"));
    }
    for typed in ["flow:zzzzzzzz", "0000000000000000", "e99999", "e0"] {
        let message = refused(&["explain", typed, SMALL]);
        assert!(message.contains("nothing in this report") && !message.contains("did you mean"));
    }
}

#[test]
fn a_word_that_is_no_check_is_told_without_an_audit() {
    let message = refused(&["explain", "unguarded-creat", "no/such/folder"]);
    assert!(
        message.contains("did you mean `unguarded-create`?"),
        "{message}"
    );
    assert_fits(&message);
    let message = refused(&["explain", CREATE, "no/such/folder"]);
    assert!(
        message.contains("no/such/folder does not exist"),
        "{message}"
    );
    let message = refused(&["explain", CREATE, SMALL, "--format", "json"]);
    assert!(message.contains("`explain` prints text"), "{message}");
}
