//! Claims, retries, statuses that nobody takes and writers without a key: counted on the servers of
//! the tests and in SQLite, and judged.

mod backlog_support;
mod live_support;
mod servers;

use backlog_support::{Payload, Project, configure_cutoffs, lead, row};
use serde_json::{Value, json};
use std::sync::RwLock;

use servers::{mariadb, postgres, postgres_newer};

/// Held for writing by the test that moves the clock of MariaDB's server to another zone.
static ZONE: RwLock<()> = RwLock::new(());

fn projects() -> Vec<(&'static str, Project)> {
    let all = vec![
        ("postgres 15", Project::on(postgres(), Payload::Json)),
        ("postgres 18", Project::on(postgres_newer(), Payload::Json)),
        ("mariadb", Project::on(mariadb(), Payload::Json)),
        ("sqlite", Project::in_file(Payload::Text)),
    ];
    for (_, project) in &all {
        configure_cutoffs(project.folder.path());
    }
    all
}

/// A stamp so many seconds ago, by the clock of the engine.
fn ago(engine: &str, seconds: i64) -> String {
    match engine {
        "mariadb" => format!("CURRENT_TIMESTAMP(6) - INTERVAL {seconds} SECOND"),
        "sqlite" => format!(
            "strftime('%Y-%m-%d %H:%M:%f', 'now', '{} seconds')",
            -seconds
        ),
        _ => format!("CURRENT_TIMESTAMP - interval '{seconds} seconds'"),
    }
}

fn outcomes(project: &Project) -> Vec<(String, String, Value)> {
    let said = project.says(&["check", "--format", "json"]);
    let report: Value = serde_json::from_str(&said.stdout).expect("a report");
    let obligations = report["obligations"].as_array().expect("a list");
    let text = |value: &Value| value.as_str().expect("a word").to_owned();
    let of = |each: &Value| (text(&each["check"]), text(&each["outcome"]), each.clone());
    obligations.iter().map(of).collect()
}

fn outcome(project: &Project, check: &str) -> (String, Value) {
    let all = outcomes(project);
    let found = all.into_iter().find(|(id, ..)| id == check);
    let (_, word, whole) = found.unwrap_or_else(|| panic!("{check} is decided"));
    (word, whole)
}

#[test]
fn every_kind_of_claim_is_counted_by_every_engine() {
    let _zone = ZONE.read().expect("no test failed");
    for (name, project) in projects() {
        let keyed = |id: &str, state: Option<&str>, key: &str| {
            row(
                id,
                state,
                &lead(&format!("\"{key}\"")),
                Some(&format!("Lead:{key}")),
            )
        };
        project.run(
            &[
                keyed("e01", Some("taken"), "a"), // stale
                keyed("e02", Some("new"), "a"),   // behind it
                keyed("e03", Some("taken"), "b"), // alive
                keyed("e04", Some("taken"), "c"), // without heartbeat
                keyed("e05", Some("parked"), "d"),
                keyed("e06", Some("new"), "d"), // behind it
                keyed("e07", Some("new"), "d"), // behind it
                keyed("e08", None, "e"),
                keyed("e09", Some("new"), "f"),   // failed just now
                keyed("e10", Some("new"), "g"),   // failed long ago, retries spent
                keyed("e11", Some("taken"), "h"), // ahead of the clock
                keyed("e12", Some("done"), "i"),  // retries spent, but done
            ]
            .concat(),
        );
        project.run(&format!(
            "UPDATE queue SET beat = {} WHERE id = 'e03'",
            ago(name, 60)
        ));
        project.run(&format!(
            "UPDATE queue SET beat = {} WHERE id = 'e11'",
            ago(name, -7200)
        ));
        project.run(&format!(
            "UPDATE queue SET tries = 1, beat = {} WHERE id = 'e09'",
            ago(name, 5)
        ));
        project.run("UPDATE queue SET tries = 3 WHERE id IN ('e10', 'e12')");
        project.run("UPDATE queue SET beat = NULL WHERE id = 'e04'");
        for id in ["e02", "e06", "e07"] {
            project.run(&format!(
                "UPDATE queue SET made = '2026-01-02 03:04:06.000006' WHERE id = '{id}'"
            ));
        }
        let counts = project.counts();
        let one = |id: &str| json!({"rows": 1, "example": id});
        let wanted = json!({
            "unclaimable": {"rows": 2, "example": "e05"},
            "claimed": {"rows": 4, "example": "e01"},
            "stale": one("e01"),
            "stale_at_most": one("e01"),
            "without_heartbeat": one("e04"),
            "retry_not_due": one("e09"),
            "spent": one("e10"),
            "ahead_of_clock": one("e11"),
        });
        assert_eq!(counts["claims"], wanted, "{name}");
        let wanted = json!({
            "rows": 3, "keys": 2, "most": 3, "behind_unclaimable": 2, "behind_stale": 1,
        });
        assert_eq!(counts["waiting"], wanted, "{name}");
        for check in [
            "unclaimable-events",
            "stale-claims",
            "held-records",
            "spent-retries",
        ] {
            let (word, whole) = outcome(&project, check);
            assert_eq!(word, "not-met", "{name}: {whole}");
            let sentence = whole["finding"]["sentence"].as_str().expect("a sentence");
            assert!(sentence.contains("queue"), "{name}: {sentence}");
        }
        let (_, whole) = outcome(&project, "unclaimable-events");
        assert!(whole.to_string().contains("2 rows wait behind"), "{whole}");
        let said = project.says(&["backlog"]);
        for line in [
            "1  of these have had no heartbeat for 300 s (one is e01)",
            "2  are in a status that nobody claims (one is e05)",
            "2  rows wait behind one that no worker takes",
        ] {
            assert!(
                said.stdout.contains(line),
                "{name}: {line}\n{}",
                said.stdout
            );
        }
    }
}

#[test]
fn nothing_out_of_the_ordinary_is_met() {
    let _zone = ZONE.read().expect("no test failed");
    for (name, project) in projects() {
        project.run(&row("e1", Some("new"), &lead("1"), Some("Lead:1")));
        project.run(&row("e2", Some("new"), &lead("1"), Some("Lead:1")));
        for check in [
            "unclaimable-events",
            "stale-claims",
            "held-records",
            "spent-retries",
            "keyless-writers",
        ] {
            let (word, whole) = outcome(&project, check);
            assert_eq!(word, "met", "{name}: {whole}");
        }
    }
}

#[test]
fn a_writer_without_keys_is_found_by_rows_that_are_done_too() {
    let _zone = ZONE.read().expect("no test failed");
    for (name, project) in projects() {
        for (at, (state, key, made)) in [
            (Some("done"), None, "2026-01-02 23:59:59.999999"),
            (Some("done"), Some("Lead:1"), "2026-01-03 00:00:00.000000"),
            (Some("done"), None, "2026-01-03 00:00:00.000000"),
            (Some("new"), None, "2026-02-03 00:00:00.000000"),
        ]
        .into_iter()
        .enumerate()
        {
            let insert = row(&format!("e{at}"), state, &lead("1"), key);
            project.run(&insert.replacen("2026-01-02 03:04:05.000006", made, 1));
        }
        let wanted = json!({"rows": 2, "example": "e2"});
        assert_eq!(project.counts()["writers"], wanted, "{name}");
        let (word, whole) = outcome(&project, "keyless-writers");
        assert_eq!(word, "not-met", "{name}");
        let sentence = whole["finding"]["sentence"].as_str().expect("a sentence");
        assert!(
            sentence.contains("NULL in 2 of the rows enqueued since 2026-01-03"),
            "{sentence}"
        );
    }
}

#[test]
fn writers_are_found_among_payloads_that_are_no_json() {
    let project = Project::on(postgres(), Payload::Text);
    configure_cutoffs(project.folder.path());
    for (id, body) in [
        ("e1", lead("1")),
        ("e2", "{".to_owned()),
        ("e3", "{}".to_owned()),
    ] {
        let insert = row(id, Some("done"), &body, None);
        project.run(&insert.replacen("2026-01-02", "2026-02-02", 1));
    }
    let wanted = json!({"rows": 1, "example": "e1"});
    assert_eq!(project.counts()["writers"], wanted);
}

#[test]
fn stamps_without_a_zone_are_decided_only_where_both_readings_agree() {
    let _zone = ZONE.write().expect("no test failed");
    let project = Project::on(mariadb(), Payload::Json);
    configure_cutoffs(project.folder.path());
    project.run(&row("e1", Some("taken"), &lead("1"), Some("Lead:1")));
    let sessions = mariadb();
    sessions
        .database()
        .run("SET GLOBAL time_zone = '+00:00'")
        .expect("set");
    assert_eq!(project.counts()["claims"]["stale"]["rows"], 1);
    // Half an hour ago in UTC, in a server that is two hours ahead of it.
    project.run("UPDATE queue SET beat = UTC_TIMESTAMP(6) + INTERVAL 30 MINUTE");
    sessions
        .database()
        .run("SET GLOBAL time_zone = '+02:00'")
        .expect("set");
    let counts = project.counts()["claims"].clone();
    let (word, whole) = outcome(&project, "stale-claims");
    sessions
        .database()
        .run("SET GLOBAL time_zone = 'SYSTEM'")
        .expect("set");
    assert_eq!(counts["stale"]["rows"], 0);
    assert_eq!(counts["stale_at_most"]["rows"], 1);
    assert_eq!(word, "unknown", "{whole}");
    assert!(whole.to_string().contains("between 0 and 1"), "{whole}");
}

#[test]
fn a_column_that_is_no_stamp_is_not_compared_with_a_clock() {
    let project = Project::on(postgres(), Payload::Json);
    configure_cutoffs(project.folder.path());
    project.run("ALTER TABLE queue ALTER beat TYPE bigint USING 0");
    let (word, whole) = outcome(&project, "stale-claims");
    assert_eq!(word, "unknown", "{whole}");
    assert_eq!(project.counts()["claims"]["stale"], Value::Null);
}
