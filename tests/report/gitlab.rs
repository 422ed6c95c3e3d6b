//! Code Quality of GitLab: what it requires of each entry, and what is not known among them.

use outbox_audit::model::report::Report;
use outbox_audit::report::{Format, RenderOptions, fingerprint, render};
use serde_json::{Value, json};

use crate::samples::{hold::hold, plain};

pub(crate) fn issues(report: &Report) -> Vec<Value> {
    let text = render(report, Format::Gitlab, &RenderOptions::default());
    let issues: Vec<Value> = serde_json::from_str(&text).unwrap();
    let mut prints = Vec::new();
    for issue in &issues {
        for key in ["description", "check_name", "fingerprint"] {
            assert!(
                issue[key].as_str().is_some_and(|text| !text.is_empty()),
                "{issue}"
            );
        }
        let severities = ["info", "minor", "major", "critical", "blocker"];
        assert!(severities.contains(&issue["severity"].as_str().unwrap()));
        let path = issue["location"]["path"].as_str().unwrap();
        assert!(!path.is_empty() && !path.starts_with("./"), "{path}");
        assert!(issue["location"]["lines"]["begin"].as_u64().unwrap() >= 1);
        prints.push(issue["fingerprint"].clone());
    }
    let count = prints.len();
    prints.sort_by_key(ToString::to_string);
    prints.dedup();
    assert_eq!(
        prints.len(),
        count,
        "GitLab drops entries of one fingerprint"
    );
    issues
}

#[test]
fn every_entry_has_what_is_required() {
    let subject = "flow:Convert lead/action/CreateRecord:Opportunity";
    let issues = issues(&hold());
    let print = fingerprint("unguarded-create", subject);
    let one = issues
        .iter()
        .find(|one| one["fingerprint"] == *print)
        .unwrap();
    assert_eq!(
        *one,
        json!({
            "description": "Convert lead → create Opportunity: a second delivery creates a second Opportunity",
            "check_name": "unguarded-create",
            "fingerprint": print,
            "severity": "blocker",
            "location": {
                "path": "fixtures/whole/nexuscrm/metadata/flows.json",
                "lines": {"begin": 6}
            }
        })
    );
}

#[test]
fn what_is_not_known_is_no_silence() {
    let of = |report: &Report| {
        let issues = issues(report);
        let severities = issues
            .iter()
            .map(|one| one["severity"].as_str().unwrap().to_owned());
        let mut all: Vec<String> = severities.collect();
        all.sort();
        all.dedup();
        all
    };
    assert_eq!(of(&plain::unproven()), ["major"]);
    assert_eq!(of(&plain::empty()), ["major"]);
    assert_eq!(of(&plain::go()), [""; 0]);
    assert_eq!(of(&hold()), ["blocker", "info", "major", "minor"]);
}
