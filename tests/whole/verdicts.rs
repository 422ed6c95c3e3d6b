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
fn after_the_repair_everything_is_shown() {
    let run = check_in(&system("nexuscrm-repaired"), &[]);
    assert_eq!((run.status, &*run.stderr), (Some(0), ""));
    let report = json(&system("nexuscrm-repaired"));
    assert_eq!(text(&report, "verdict"), "GO");
    assert_eq!(report["exit_status"], 0);
    let states: Vec<String> = list(&report, "gate")
        .iter()
        .map(|each| text(each, "state"))
        .collect();
    assert_eq!(states, ["met"; 5]);
    let effects = list(&report, "effects").iter();
    for effect in effects {
        let disposition = text(effect, "disposition");
        assert!(matches!(&*disposition, "safe" | "off-path"), "{effect}");
    }
    let decided = list(&report, "obligations").iter();
    for each in decided.filter(|each| text(each, "weight") == "gate") {
        let outcome = text(each, "outcome");
        assert!(matches!(&*outcome, "met" | "not-applicable"), "{each}");
    }
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
