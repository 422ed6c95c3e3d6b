//! The plan of the eligible query on real servers: which indexes count as serving it, whatever a
//! planner prefers for a small table, and that the index which is proposed changes the plan.

mod backlog_support;
mod live_support;
mod servers;

use backlog_support::{Payload, Project, lead, row};
use serde_json::Value;
use servers::{mariadb, postgres, postgres_newer};

const BOTH: &str = "CREATE INDEX by_key ON queue (rkey, state, made, id);\
                    CREATE INDEX by_state ON queue (state, made);";

/// The engines whose plans are read, with an outbox that has no index but its primary key.
fn bare() -> Vec<(&'static str, Project)> {
    let all = vec![
        ("postgres 15", Project::on(postgres(), Payload::Json)),
        ("postgres 18", Project::on(postgres_newer(), Payload::Json)),
        ("mariadb", Project::on(mariadb(), Payload::Json)),
        ("sqlite", Project::in_file(Payload::Text)),
    ];
    for (name, project) in &all {
        drop_indexes(name, project, &["queue_key", "queue_state"]);
    }
    all
}

fn drop_indexes(engine: &str, project: &Project, names: &[&str]) {
    for name in names {
        match engine {
            "mariadb" => project.run(&format!("DROP INDEX {name} ON queue")),
            _ => project.run(&format!("DROP INDEX {name}")),
        }
    }
}

/// Outcome of `unindexed-outbox`, and the whole obligation.
fn decided(project: &Project) -> (String, Value) {
    let said = project.says(&["check", "--format", "json"]);
    let report: Value = serde_json::from_str(&said.stdout).expect("a report");
    assert_ne!(report["verdict"], "GO");
    let obligations = report["obligations"].as_array().expect("a list");
    let found = obligations
        .iter()
        .find(|each| each["check"] == "unindexed-outbox")
        .expect("it is decided");
    let word = found["outcome"].as_str().expect("a word").to_owned();
    (word, found.clone())
}

/// What the evidence of an obligation says.
fn cited(project: &Project, obligation: &Value) -> String {
    let said = project.says(&["check", "--format", "json"]);
    let report: Value = serde_json::from_str(&said.stdout).expect("a report");
    let cited = obligation["evidence"].as_array().expect("a list");
    let all = report["evidence"].as_array().expect("a list");
    let of = all.iter().filter(|each| cited.contains(&each["id"]));
    of.map(Value::to_string).collect()
}

#[test]
fn on_an_empty_table_an_index_that_serves_counts() {
    for (name, project) in bare() {
        let (word, found) = decided(&project);
        assert_eq!(word, "not-met", "{name}: {found}");
        project.run(BOTH);
        let (word, found) = decided(&project);
        assert_eq!(word, "met", "{name}: {found}");
        let text = cited(&project, &found);
        for part in ["EXPLAIN", "by_key", "by_state", "today"] {
            assert!(text.contains(part), "{name}: {part} in {text}");
        }
        project.run(&row("e1", Some("new"), &lead("1"), Some("Lead:1")));
        assert_eq!(decided(&project).0, "met", "{name}: one row");
        let plan = project.counts()["plan"].clone();
        assert_eq!(plan["candidates"]["served_by"], "by_state", "{name}");
        assert_eq!(plan["older"]["served_by"], "by_key", "{name}");
    }
}

#[test]
fn what_is_proposed_changes_the_plan() {
    for (name, project) in bare() {
        let mut steps = 0;
        loop {
            let (word, found) = decided(&project);
            if word == "met" {
                break;
            }
            assert_eq!(word, "not-met", "{name}: {found}");
            let change = &found["finding"]["repairs"][0][0];
            let how = change["how"].as_str().expect("a statement");
            assert!(how.starts_with("CREATE INDEX"), "{name}: {how}");
            project.run(how);
            steps += 1;
            assert!(steps <= 2, "{name}: each statement helps");
        }
        assert_eq!(steps, 2, "{name}");
    }
}

#[test]
fn one_index_does_not_do_for_both_reads() {
    for (name, project) in bare() {
        for (index, words) in [
            ("(state, made)", "the older event"),
            ("(rkey, state)", "the events that wait"),
            ("(made, id)", "the older event"),
            ("(made, state, rkey)", "the older event"),
            ("(tries)", "the older event"),
        ] {
            project.run(&format!("CREATE INDEX one_index ON queue {index}"));
            let (word, found) = decided(&project);
            assert_eq!(word, "not-met", "{name} {index}: {found}");
            let sentence = found["finding"]["sentence"].as_str().expect("a sentence");
            assert!(sentence.contains(words), "{name} {index}: {sentence}");
            drop_indexes(name, &project, &["one_index"]);
        }
    }
}

#[test]
fn a_key_behind_the_status_serves_where_the_engine_passes_the_status_over() {
    for (name, project) in bare() {
        project.run("CREATE INDEX behind ON queue (state, rkey)");
        let wanted = if name == "postgres 18" {
            "met"
        } else {
            "not-met"
        };
        let (word, found) = decided(&project);
        assert_eq!(word, wanted, "{name}: {found}");
    }
}

#[test]
fn a_partial_index_counts_where_the_engine_uses_it_and_holds_no_done_row() {
    let whole = "CREATE INDEX by_key ON queue (rkey, made)";
    let partial = format!("{whole} WHERE state NOT IN ('done', 'dropped')");
    for (name, project) in bare() {
        if name == "mariadb" {
            continue; // It has none.
        }
        let with = |key: &str, selection: &str| {
            project.run(&format!(
                "{key};CREATE INDEX waits ON queue (made, id) WHERE {selection};"
            ));
            let decided = decided(&project);
            drop_indexes(name, &project, &["by_key", "waits"]);
            decided
        };
        // SQLite proves little of a condition with OR.
        let served = if name == "sqlite" { "not-met" } else { "met" };
        for predicate in [
            "state NOT IN ('done', 'dropped')",
            "state IN ('new', 'taken')",
            "state = 'new' OR state = 'taken'",
        ] {
            let (word, found) = with(&partial, predicate);
            assert_eq!(word, served, "{name}: {predicate}: {found}");
        }
        for predicate in [
            "state IS NOT NULL",
            "state <> 'dropped'",
            "state IN ('new', 'taken', 'done')",
            "tries > 3",
            "state = 'new'",
        ] {
            let (word, found) = with(whole, predicate);
            assert_eq!(word, "not-met", "{name}: {predicate}: {found}");
        }
    }
}

#[test]
fn parts_of_a_partitioned_table_are_each_looked_at() {
    let project = Project::on(postgres(), Payload::Json);
    project.run(
        "DROP TABLE queue;\
         CREATE TABLE queue (id VARCHAR(36), kind VARCHAR(40) NOT NULL, body jsonb, state VARCHAR(20), \
         tries INT NOT NULL DEFAULT 0, made timestamptz NOT NULL, beat timestamptz, rkey VARCHAR(255), \
         PRIMARY KEY (made, id)) PARTITION BY RANGE (made);\
         CREATE TABLE queue_1 PARTITION OF queue FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');\
         CREATE TABLE queue_2 PARTITION OF queue FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');\
         CREATE INDEX s1 ON queue_1 (state); CREATE INDEX k1 ON queue_1 (rkey);\
         CREATE INDEX s2 ON queue_2 (state);",
    );
    assert_eq!(decided(&project).0, "not-met", "one part has no index");
    project.run("CREATE INDEX k2 ON queue_2 (rkey)");
    let (word, found) = decided(&project);
    assert_eq!(word, "met", "{found}");
}

#[test]
fn a_plan_that_does_not_show_the_table_decides_nothing() {
    for server in [postgres(), mariadb()] {
        let project = Project::on(server, Payload::Json);
        project.run("ALTER TABLE queue RENAME TO rows_of_queue");
        project.run("CREATE VIEW queue AS SELECT * FROM rows_of_queue");
        let (word, found) = decided(&project);
        assert_ne!(word, "met", "{found}");
    }
    let project = Project::on(postgres(), Payload::Json);
    let role = format!("planner_{}", std::process::id());
    project.run(&format!("CREATE ROLE {role} LOGIN"));
    let url = project.url().replace("postgres@", &format!("{role}@"));
    let arguments = ["check", "--format", "json", "--database", "env:LIVE"];
    let said = live_support::run(project.folder.path(), &arguments, &url);
    project.run(&format!("DROP ROLE {role}"));
    let report: Value = serde_json::from_str(&said.stdout).expect("a report");
    let obligations = report["obligations"].as_array().expect("a list");
    let found = obligations
        .iter()
        .find(|each| each["check"] == "unindexed-outbox")
        .expect("it is decided");
    assert_eq!(found["outcome"], "unknown", "{found}");
}

#[test]
fn statistics_that_hide_the_index_are_told_and_hold_nothing() {
    let project = Project::on(postgres(), Payload::Json);
    project.run(
        "ALTER TABLE queue SET (autovacuum_enabled = false);\
         INSERT INTO queue (id, kind, body, state, made, beat, rkey) SELECT 'e' || n, 'k', '{}', 'new', \
         now(), now(), 'Lead:' || n FROM generate_series(1, 30000) n; ANALYZE queue;\
         UPDATE queue SET state = 'done' WHERE id <> 'e1';",
    );
    let (word, found) = decided(&project);
    assert_eq!(word, "not-met", "{found}");
    assert_eq!(found["finding"]["severity"], "warning", "{found}");
    assert!(found.to_string().contains("1 of about 30000 rows wait"));
    project.run("ANALYZE queue");
    let (word, found) = decided(&project);
    assert_eq!(word, "met", "{found}");
}

#[test]
fn columns_with_capitals_and_stamps_of_other_types_are_planned_too() {
    let project = Project::on(postgres(), Payload::Json);
    for (column, quoted) in [("rkey", "\"RecordKey\""), ("state", "\"Status\"")] {
        project.run(&format!(
            "ALTER TABLE queue RENAME COLUMN {column} TO {quoted}"
        ));
    }
    let config = project.folder.path().join("outbox-audit.yaml");
    let text = std::fs::read_to_string(&config).expect("the configuration");
    let text = text
        .replace("record_key: rkey", "record_key: RecordKey")
        .replace("status: state", "status: Status");
    std::fs::write(&config, text).expect("written");
    for kind in ["timestamp", "bigint", "text"] {
        let using = match kind {
            "bigint" => "extract(epoch from beat)::bigint",
            "text" => "beat::text",
            _ => "beat::timestamp",
        };
        project.run(&format!(
            "ALTER TABLE queue ALTER beat TYPE {kind} USING {using}"
        ));
        let (word, found) = decided(&project);
        assert_eq!(word, "met", "{kind}: {found}");
        if kind == "bigint" {
            project.run("ALTER TABLE queue ALTER beat TYPE text USING beat::text");
        }
    }
    project.run("DROP INDEX queue_key");
    let (_, found) = decided(&project);
    let how = found["finding"]["repairs"][0][0]["how"]
        .as_str()
        .expect("a statement");
    project.run(how);
    assert_eq!(decided(&project).0, "met", "{how}");
}
