//! Verdict, exit status, conditions.

use crate::audit::{check_in, json, json_with, list, system, text};

#[test]
fn before_the_repair_it_holds() {
    let run = check_in(&system("nexuscrm"), &[]);
    assert_eq!((run.status, &*run.stderr), (Some(1), ""));
    assert!(run.stdout.lines().any(|line| line.starts_with("HOLD ")));
    let report = json(&system("nexuscrm"));
    assert_eq!(text(&report, "verdict"), "HOLD");
    assert_eq!(report["exit_status"], 1);
}

#[test]
fn after_the_repair_nothing_is_unsafe_and_nothing_is_proven() {
    let run = check_in(&system("nexuscrm-repaired"), &[]);
    assert_eq!((run.status, &*run.stderr), (Some(3), ""));
    let report = json(&system("nexuscrm-repaired"));
    assert_eq!(text(&report, "verdict"), "UNPROVEN");
    assert_eq!(report["exit_status"], 3);
    let states: Vec<String> = list(&report, "gate")
        .iter()
        .map(|each| text(each, "state"))
        .collect();
    let of_the_queue = ["met"; 2].iter();
    let wanted: Vec<&str> = of_the_queue.chain(&["not-shown"; 3]).copied().collect();
    assert_eq!(states, wanted);
    let open: Vec<(String, String)> = list(&report, "effects")
        .iter()
        .filter(|effect| !matches!(&*text(effect, "disposition"), "safe" | "off-path"))
        .map(|effect| (text(effect, "consumer"), text(effect, "disposition")))
        .collect();
    assert_eq!(
        open,
        [],
        "the one call out has a contract whose code is in the source"
    );
    let gaps: Vec<(String, String)> = list(&report, "obligations")
        .iter()
        .filter(|each| text(each, "weight") == "gate")
        .filter(|each| !matches!(&*text(each, "outcome"), "met" | "not-applicable"))
        .map(|each| (text(each, "check"), text(each, "outcome")))
        .collect();
    let (untested, gaps): (Vec<_>, Vec<_>) = gaps
        .into_iter()
        .partition(|(check, _)| check == "untested-redelivery");
    assert!(untested.iter().all(|(_, outcome)| outcome == "unknown"));
    assert!(!untested.is_empty(), "no test results were given");
    assert_eq!(
        gaps,
        [],
        "that errors come back stands in place of the rule which the source refutes"
    );
}

/// What a safe create cites is an index of the live catalog, and no create is safe without.
#[test]
fn each_safe_create_cites_an_index_that_the_database_has() {
    let report = json(&system("nexuscrm-repaired"));
    let creates: Vec<_> = list(&report, "effects")
        .iter()
        .filter(|effect| text(effect, "class") == "create" && text(effect, "disposition") == "safe")
        .collect();
    assert_eq!(creates.len(), 7);
    for create in creates {
        let guard = list(&report, "obligations")
            .iter()
            .find(|each| each["subject"] == create["id"] && each["check"] == "unguarded-create")
            .expect("each create has it");
        let cited = list(guard, "evidence").iter().any(|id| {
            list(&report, "evidence").iter().any(|each| {
                each["id"] == *id
                    && each["by"] == "catalog"
                    && text(each, "says").starts_with("UNIQUE ")
            })
        });
        assert!(cited, "{guard}");
    }
}

/// The neutral system: its database is text, so its verdict needs the dialect.
#[test]
fn the_shop_holds_with_and_without_its_dialect() {
    let told = json_with(&system("shop"), &["--dialect", "sqlite"]);
    assert_eq!(
        (text(&told, "verdict"), &told["exit_status"]),
        ("HOLD".to_owned(), &1.into())
    );
    let untold = json(&system("shop"));
    assert_eq!(
        text(&untold, "verdict"),
        "HOLD",
        "the mail has no contract in any dialect"
    );
    let invoice = |report: &serde_json::Value| {
        list(report, "effects")
            .iter()
            .find(|effect| text(effect, "target") == "invoices")
            .map(|effect| text(effect, "disposition"))
    };
    assert_eq!(invoice(&told).as_deref(), Some("safe"));
    assert_eq!(
        invoice(&untold).as_deref(),
        Some("unknown"),
        "an engine is not guessed"
    );
}

/// Two rows that the platform writes for one consumer ask for one decision, not for two.
#[test]
fn one_decision_about_a_consumer_is_one_change() {
    let report = json(&system("nexuscrm"));
    let changes = list(&report, "changes_to_go").iter();
    let about: Vec<String> = changes
        .map(|change| change.to_string())
        .filter(|change| change.contains("Approve large discount"))
        .collect();
    assert_eq!(about.len(), 1, "{about:?}");
    assert!(about[0].contains("keep `Approve large discount` off the path"));
}
