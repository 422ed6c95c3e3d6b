//! A dialect that is named beside a database, schema text beside a database, and answers that
//! another statement asked for: each is told.

mod live_support;

use std::fs;
use std::path::Path;

use serde_json::Value;
use sqlx::{Connection, SqliteConnection};
use tempfile::TempDir;

const TABLE: &str = "CREATE TABLE queue (id TEXT NOT NULL PRIMARY KEY, kind TEXT NOT NULL, body TEXT NOT \
     NULL, state TEXT NOT NULL, tries INTEGER NOT NULL, made TEXT NOT NULL, beat TEXT, rkey TEXT);";
const CONFIGURATION: &str = "version: 1\ninputs:\n  database: sqlite:live.sqlite\noutbox:\n  table: queue\n  columns: \
     {id: id, event_type: kind, payload: body, status: state, retry_count: tries, created: made, modified: \
     beat, record_key: rkey}\n  states: {ready: [new], claimed: [taken], done: [done], dead: [dropped]}\n  \
     record_key: {template: \"{record.id}\"}\n";
const FLOWS: &str = "version: 1\nconsumers:\n  - {id: one, event: e, effects: []}\n";

fn project(configured: bool) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("live.sqlite");
    fs::write(&file, b"").expect("a file");
    let url = format!("sqlite:{}", file.to_str().expect("UTF-8"));
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
        .block_on(async {
            let mut wire = SqliteConnection::connect(&url).await.expect("opened");
            sqlx::raw_sql(TABLE).execute(&mut wire).await.expect("made");
            wire.close().await.expect("closed");
        });
    fs::write(folder.path().join("flows.yaml"), FLOWS).expect("flows");
    if configured {
        fs::write(folder.path().join("outbox-audit.yaml"), CONFIGURATION).expect("written");
    }
    folder
}

fn check(folder: &Path, more: &[&str]) -> Value {
    let mut arguments = vec!["check", ".", "--format", "json", "--as-of", "2026-01-01"];
    arguments.extend(more);
    let said = live_support::run(folder, &arguments, "");
    serde_json::from_str(&said.stdout).unwrap_or_else(|_| panic!("{}", said.stderr))
}

/// What is unknown of a kind of input.
fn unknown(report: &Value, kind: &str) -> String {
    let inputs = report["inputs"].as_array().expect("inputs");
    let input = inputs.iter().find(|input| input["kind"] == kind);
    input.map_or_else(String::new, |input| input["unknown"].to_string())
}

#[test]
fn a_dialect_that_the_database_is_not_of_is_told() {
    let folder = project(true);
    let said = unknown(&check(folder.path(), &["--dialect", "mysql"]), "database");
    assert!(
        said.contains("is sqlite, and the dialect that was named is mysql"),
        "{said}"
    );
    let same = unknown(&check(folder.path(), &["--dialect", "sqlite"]), "database");
    assert!(!same.contains("dialect"), "{same}");
    for command in ["queries", "backfill", "backlog"] {
        let said = live_support::run(folder.path(), &[command, "--dialect", "mysql"], "");
        assert_eq!(said.status, Some(2), "{command}: {}", said.stdout);
        assert!(
            said.stderr.contains("is sqlite, and the dialect"),
            "{}",
            said.stderr
        );
        assert_eq!(said.stdout, "");
    }
    // With a schema that is typed the statements are for its engine, whatever is configured.
    fs::write(
        folder.path().join("q.sql"),
        TABLE.replace("TEXT", "VARCHAR(40)"),
    )
    .expect("a schema");
    let typed = ["queries", "--schema", "q.sql", "--dialect", "mysql"];
    let said = live_support::run(folder.path(), &typed, "");
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    assert!(said.stdout.contains("JSON_OBJECT"), "{}", said.stdout);
}

#[test]
fn schema_text_beside_a_database_is_read_and_compared() {
    let folder = project(false);
    let text = "CREATE TABLE queue (id TEXT NOT NULL PRIMARY KEY, other TEXT NOT NULL UNIQUE);";
    fs::write(folder.path().join("schema.sql"), text).expect("a schema");
    let database = ["--database", "sqlite:live.sqlite", "--dialect", "sqlite"];
    let report = check(folder.path(), &database);
    let schema = report["inputs"].as_array().expect("inputs").iter();
    let read: Vec<&Value> = schema.filter(|input| input["kind"] == "schema").collect();
    assert!(
        read[0]["read"].to_string().contains("schema.sql"),
        "{read:?}"
    );
    // One that is named is the only one.
    fs::create_dir(folder.path().join("other")).expect("a folder");
    fs::write(folder.path().join("other/it.sql"), TABLE).expect("a schema");
    let mut named = database.to_vec();
    named.extend(["--schema", "other/it.sql"]);
    let report = check(folder.path(), &named);
    assert!(
        !report["inputs"].to_string().contains("schema.sql"),
        "{}",
        report["inputs"]
    );
}

#[test]
fn answers_to_other_statements_are_told_among_the_inputs() {
    let folder = project(true);
    let answer = |digest: &str| {
        format!(
            "{{\"query\": \"backlog-statuses\", \"question\": \"{digest}\", \"replica\": 0, \"now\": \"n\", \"statuses\": []}}\n"
        )
    };
    let file = folder.path().join("answers.txt");
    fs::write(&file, answer("0123456789abcdef")).expect("answers");
    let with = ["--answers", "answers.txt"];
    let said = unknown(&check(folder.path(), &with), "answers");
    assert!(
        said.contains("answers backlog-statuses as another statement asks it"),
        "{said}"
    );
    let queries = live_support::run(folder.path(), &["queries"], "").stdout;
    let of_statuses = queries
        .split("-- backlog-statuses")
        .nth(1)
        .expect("it is printed");
    let digest = of_statuses.split("'question', '").nth(1).expect("a digest");
    fs::write(&file, answer(&digest[..16])).expect("answers");
    let report = check(folder.path(), &with);
    assert_eq!(unknown(&report, "answers"), "[]");
    let inputs = report["inputs"].to_string();
    assert!(
        inputs.contains("1 answer; the database was asked itself"),
        "{inputs}"
    );
}
