//! Every check on every fixture of `fixtures/checks`, through the command line.
//!
//! A fixture is a directory that can be audited, with an `expected.yaml` that was written from what
//! the check means: the outcome of its check for every subject. Its other outcomes are a test too:
//! what is good for one check must not be a false alarm of another.

mod fixture_support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;
use serde::Deserialize;
use serde_json::Value;
use sqlx::{Connection, Executor, Row};

/// What a fixture has to say.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    /// Outcomes of the fixture's own check, for every subject.
    expected: Vec<Line>,
    /// Findings of other gate checks that are right here.
    #[serde(default)]
    also: Vec<Line>,
}

/// The outcome of one check on one subject.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    check: String,
    subject: String,
    outcome: String,
}

/// One directory below `fixtures/checks/<id>`.
struct Fixture {
    check: String,
    name: String,
    folder: PathBuf,
    expected: Expected,
}

impl Fixture {
    fn is(&self, kind: &str) -> bool {
        self.name.starts_with(kind)
    }

    fn path(&self) -> String {
        format!("fixtures/checks/{}/{}", self.check, self.name)
    }
}

fn folders(of: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(of)
        .unwrap_or_else(|error| panic!("{}: {error}", of.display()))
        .map(|entry| entry.expect("its entries can be read").path())
        .collect();
    found.sort();
    found
}

fn name(path: &Path) -> String {
    let name = path.file_name().and_then(|name| name.to_str());
    name.expect("its name is UTF-8").to_owned()
}

fn fixtures() -> Vec<Fixture> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/checks");
    let mut all = Vec::new();
    for check in folders(&root) {
        for folder in folders(&check) {
            let file = folder.join("expected.yaml");
            let text = fs::read_to_string(&file)
                .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let expected = serde_saphyr::from_str(&text)
                .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let (check, name) = (name(&check), name(&folder));
            all.push(Fixture {
                check,
                name,
                folder,
                expected,
            });
        }
    }
    assert!(all.len() > 100, "the fixtures are there");
    all
}

/// The report of a fixture as JSON.
fn report(fixture: &Fixture) -> Result<Value, String> {
    let audited = fixture_support::audited(&fixture.folder);
    let output = Command::new(env!("CARGO_BIN_EXE_outbox-audit"))
        .args(["check", "--format", "json", "--as-of", "2026-01-01"])
        .arg(audited.path())
        .output()
        .map_err(|error| format!("it does not start: {error}"))?;
    match output.status.code() {
        Some(0 | 1 | 3) => serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("it does not print JSON: {error}")),
        status => Err(format!(
            "it ends with status {status:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

fn line(obligation: &Value) -> Line {
    Line {
        check: text(obligation, "check"),
        subject: text(obligation, "subject"),
        outcome: text(obligation, "outcome"),
    }
}

fn sentence(obligation: &Value) -> String {
    for part in ["finding", "reason"] {
        if let Some(sentence) = obligation[part]["sentence"].as_str() {
            return sentence.to_owned();
        }
    }
    text(obligation, "proof")
}

/// What is wrong with the report of a fixture.
fn faults(fixture: &Fixture, report: &Value) -> Vec<String> {
    let obligations = report["obligations"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let mut faults = Vec::new();
    let mut wanted: BTreeMap<String, String> = fixture
        .expected
        .expected
        .iter()
        .map(|line| (line.subject.clone(), line.outcome.clone()))
        .collect();
    let mut also = fixture.expected.also.clone();
    for obligation in &obligations {
        let line = line(obligation);
        let said = sentence(obligation);
        if line.check == fixture.check {
            let want = wanted.remove(&line.subject);
            if want.as_ref() != Some(&line.outcome) {
                let want = want.unwrap_or_else(|| "nothing".into());
                let Line {
                    subject, outcome, ..
                } = &line;
                faults.push(format!("{subject}: {outcome}, not {want}: {said}"));
            }
            continue;
        }
        let listed = also.iter().position(|other| *other == line);
        if let Some(at) = listed {
            also.remove(at);
        }
        let alarm = line.outcome == "not-met" && obligation["finding"]["severity"] == "error";
        if fixture.is("good-") && alarm && listed.is_none() {
            faults.push(format!("a false alarm of {}: {said}", line.check));
        }
    }
    for (subject, outcome) in wanted {
        faults.push(format!("{subject}: nothing is said, not {outcome}"));
    }
    for line in also {
        faults.push(format!("`also` lists what is not so: {line:?}"));
    }
    if report["verdict"] == "GO" {
        faults.push("GO, although neither source nor tests were read".into());
    }
    faults
}

#[test]
fn every_fixture_has_the_outcomes_it_states() {
    let mut wrong: Vec<String> = fixtures()
        .par_iter()
        .flat_map(|fixture| {
            let faults = match report(fixture) {
                Ok(report) => faults(fixture, &report),
                Err(fault) => vec![fault],
            };
            let path = fixture.path();
            let told: Vec<String> = faults
                .iter()
                .map(|fault| format!("{path}: {fault}"))
                .collect();
            told
        })
        .collect();
    wrong.sort();
    assert!(
        wrong.is_empty(),
        "{} faults:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// The name of a fixture says what its check finds in it.
#[test]
fn fixtures_are_what_they_are_called() {
    for fixture in fixtures() {
        let path = fixture.path();
        let own = &fixture.expected.expected;
        let any = |outcome: &str| own.iter().any(|line| line.outcome == outcome);
        for line in own {
            assert_eq!(line.check, fixture.check, "{path}: a line of `expected`");
        }
        for line in &fixture.expected.also {
            assert_ne!(line.check, fixture.check, "{path}: a line of `also`");
        }
        let fits = if fixture.is("bad-") {
            any("not-met")
        } else if fixture.is("unknown-") {
            any("unknown") && !any("not-met")
        } else {
            !any("unknown") && !any("not-met")
        };
        assert!(fits, "{path}: its outcomes do not go with its name");
    }
}

/// What a fixture changes of the worker is all that it holds: a second copy of it would hide that.
#[test]
fn a_worker_stands_once() {
    let base = Path::new(env!("CARGO_MANIFEST_DIR")).join(fixture_support::BASE);
    let base = fs::read_to_string(base.join("source/worker.go")).expect("the worker is there");
    let mut changed = 0;
    for fixture in fixtures() {
        let changes = fixture.folder.join(fixture_support::CHANGES);
        changed += usize::from(changes.exists());
        let Ok(own) = fs::read_to_string(fixture.folder.join("source/worker.go")) else {
            continue;
        };
        let telling = || own.lines().filter(|line| line.len() > 20);
        let same = telling().filter(|line| base.contains(line)).count();
        let path = fixture.path();
        assert!(same * 2 < telling().count(), "{path}: say it as changes");
    }
    assert!(changed > 60, "the changes are there");
}

/// A database file cannot be read in a review; the text that it is built from can.
#[test]
fn databases_hold_what_their_text_says() {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.expect("a runtime starts");
    let mut count = 0;
    for fixture in fixtures() {
        let file = fixture.folder.join("database.sqlite");
        if !file.exists() {
            continue;
        }
        let text = fs::read_to_string(fixture.folder.join("database.sql"));
        let text = text.unwrap_or_else(|error| panic!("{}: its text: {error}", fixture.path()));
        let statements = runtime.block_on(statements(&file)).unwrap_or_else(|error| {
            panic!("{}: its database: {error}", fixture.path());
        });
        assert_eq!(statements, text, "{}", fixture.path());
        if let Ok(rows) = fs::read_to_string(fixture.folder.join("rows.sql")) {
            let written = runtime.block_on(rows_of_text(&text, &rows));
            let held = runtime.block_on(rows_of_file(&file));
            let written = written.unwrap_or_else(|error| panic!("{}: {error}", fixture.path()));
            let held = held.unwrap_or_else(|error| panic!("{}: {error}", fixture.path()));
            assert!(!held.is_empty(), "{}", fixture.path());
            assert_eq!(held, written, "{}", fixture.path());
        }
        count += 1;
    }
    assert!(count > 3, "the databases are there");
}

async fn rows_of_text(schema: &str, rows: &str) -> Result<Vec<String>, sqlx::Error> {
    let mut connection = sqlx::SqliteConnection::connect("sqlite::memory:").await?;
    for script in [schema, rows] {
        let script = sqlx::raw_sql(sqlx::AssertSqlSafe(script.to_owned()));
        connection.execute(script).await?;
    }
    rows_of(&mut connection).await
}

async fn rows_of_file(file: &Path) -> Result<Vec<String>, sqlx::Error> {
    rows_of(&mut read_only(file).await?).await
}

/// The rows of the outbox, each as SQLite writes its values.
async fn rows_of(connection: &mut sqlx::SqliteConnection) -> Result<Vec<String>, sqlx::Error> {
    let query = "SELECT concat_ws(' ', quote(Id), quote(EventType), quote(Payload), quote(Status), \
                 quote(RetryCount), quote(CreatedDate), quote(LastModifiedDate), quote(RecordKey)) \
                 FROM _System_OutboxEvent ORDER BY Id";
    sqlx::query_scalar(query).fetch_all(connection).await
}

async fn read_only(file: &Path) -> Result<sqlx::SqliteConnection, sqlx::Error> {
    let options = sqlx::sqlite::SqliteConnectOptions::new()
        .filename(file)
        .read_only(true)
        .immutable(true);
    sqlx::SqliteConnection::connect_with(&options).await
}

async fn statements(file: &Path) -> Result<String, sqlx::Error> {
    let mut connection = read_only(file).await?;
    let query = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid";
    let rows = sqlx::query(query).fetch_all(&mut connection).await?;
    let mut text = String::new();
    for row in rows {
        text.push_str(row.try_get(0)?);
        text.push_str(";\n");
    }
    Ok(text)
}
