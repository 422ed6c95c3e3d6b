//! What goes wrong by a broken promise is told step by step, and that nothing does is told as that.

use std::process::Command;

use serde_json::Value;

use super::fixture_support::audited;
use super::root;

/// The obligations of a fixture of the checks that are about the queue.
fn obligations(fixture: &str) -> Vec<Value> {
    let audited = audited(&root().join("fixtures/checks").join(fixture));
    let output = Command::new(env!("CARGO_BIN_EXE_outbox-audit"))
        .current_dir(audited.path())
        .args(["check", "--as-of", "2026-01-01", "--format", "json"])
        .output()
        .expect("it starts");
    let report: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let all = report["obligations"].as_array().expect("a list").clone();
    all.into_iter()
        .filter(|it| it["subject"] == "queue")
        .collect()
}

fn finding(fixture: &str, check: &str) -> Value {
    let all = obligations(fixture);
    let found = all.into_iter().find(|it| it["check"] == check);
    found.expect("the check speaks")["finding"].clone()
}

#[test]
fn a_broken_promise_shows_its_shortest_run() {
    let finding = finding("no-heartbeat/bad-none", "no-heartbeat");
    let steps: Vec<&str> = finding["interleaving"]
        .as_array()
        .expect("steps")
        .iter()
        .filter_map(|step| step["does"].as_str())
        .collect();
    assert_eq!(
        steps,
        [
            "selects event 1 (record A)",
            "claims event 1 and commits",
            "the stale cutoff of event 1 passes while its handler runs: no heartbeat",
            "selects event 1 (record A), whose claim is stale",
            "claims event 1, which is processing, and commits",
        ]
    );
    let notes = finding["notes"].to_string();
    assert!(
        notes.contains("two workers run one event at the same time"),
        "{notes}"
    );
    assert!(
        notes.contains("found in runs of 2 workers and 3 events"),
        "{notes}"
    );
}

#[test]
fn where_no_run_does_harm_the_bound_is_told() {
    let finding = finding(
        "incomplete-selection/bad-no-tie-break",
        "incomplete-selection",
    );
    assert_eq!(finding["interleaving"], serde_json::json!([]));
    let notes = finding["notes"].to_string();
    let said = "no harm within this bound: all runs of 2 workers and 3 events with at most 1 stall, \
                1 crash and 3 faults: ";
    assert!(notes.contains(said), "{notes}");
    assert_eq!(finding["severity"], "error");
}

#[test]
fn a_kept_promise_has_no_run() {
    let all = obligations("no-heartbeat/good-repaired");
    let kept = all.iter().find(|it| it["check"] == "no-heartbeat");
    assert_eq!(kept.expect("it is asked")["outcome"], "met");
}
