//! The live catalog of MariaDB, on the server of the tests: every trap that only it shows.

mod live_support;
mod servers;

use std::time::Duration;

use live_support::{columns, flows_into, key, keys, live, live_within, outcomes, run, table, text};
use outbox_audit::model::place::Place;
use outbox_audit::model::schema::{Dialect, Schema, SchemaOrigin, TableKind, Volatility};
use serde_json::Value;
use servers::{Database, mariadb};

const SCRIPT: &str = include_str!("data/live/mariadb.sql");

fn database(script: &str) -> Database {
    let database = mariadb().database();
    database.run(script).expect("the script runs");
    database
}

fn folds<'s>(schema: &'s Schema, of: &str, name: &str) -> Vec<&'s str> {
    let parts = key(schema, of, name).parts.iter();
    parts
        .map(|part| part.folds.as_deref().unwrap_or(""))
        .collect()
}

#[test]
fn text_and_catalog_say_the_same_of_one_script() {
    let written = text(SCRIPT, Dialect::Mariadb);
    // What the engines of these tables do not keep, the text tells as well as the catalog.
    let doubted = written.unknown.iter();
    let doubted: Vec<_> = doubted.map(|unknown| unknown.table.as_deref()).collect();
    assert_eq!(doubted, [Some("in_memory"), Some("my_isam")]);
    let database = database(SCRIPT);
    let seen = live(database.url());
    let gaps = |schema: &Schema| -> Vec<String> {
        let gaps = schema.unknown.iter();
        let mut said: Vec<String> = gaps
            .map(|gap| gap.reason.sentence.to_ascii_lowercase())
            .collect();
        said.sort();
        said
    };
    assert_eq!(gaps(&written), gaps(&seen));
    assert_eq!(gaps(&written).len(), 2, "two tables obey no transaction");
    assert_eq!(seen.origin, SchemaOrigin::Live);
    assert_eq!(seen.dialect, Some(Dialect::Mariadb));
    assert_eq!(keys(&seen), keys(&written));
    let of_tables = |columns: Vec<String>| -> Vec<String> {
        let is_view = |column: &String| column.starts_with("seen.");
        columns
            .into_iter()
            .filter(|column| !is_view(column))
            .collect()
    };
    assert_eq!(of_tables(columns(&seen)), of_tables(columns(&written)));
    for (one, other) in seen.tables.iter().zip(&written.tables) {
        assert_eq!(one.kind, other.kind, "{}", one.name);
        assert_eq!(
            one.foreign_keys
                .iter()
                .map(|key| key.on_delete_cascade)
                .collect::<Vec<_>>(),
            other
                .foreign_keys
                .iter()
                .map(|key| key.on_delete_cascade)
                .collect::<Vec<_>>()
        );
        for (column, written) in one.columns.iter().zip(&other.columns) {
            assert_eq!(column.auto_number, written.auto_number, "{}", column.name);
            let volatility = |default: &Option<outbox_audit::model::schema::DefaultValue>| {
                default
                    .as_ref()
                    .map_or(Volatility::Constant, |default| default.volatility)
            };
            assert_eq!(
                volatility(&column.default),
                volatility(&written.default),
                "{}.{}",
                one.name,
                column.name
            );
        }
    }
}

#[test]
fn what_the_engine_prints_is_no_drift() {
    let database = database(SCRIPT);
    let folder = tempfile::tempdir().expect("a folder");
    let flows = flows_into(&text(SCRIPT, Dialect::Mariadb));
    std::fs::write(folder.path().join("schema.sql"), SCRIPT).expect("written");
    std::fs::write(folder.path().join("flows.yaml"), flows).expect("written");
    let arguments = [
        "check",
        "--format",
        "json",
        "--dialect",
        "mariadb",
        "--schema",
        "schema.sql",
        "--flows",
        "flows.yaml",
        "--database",
        "env:LIVE",
        ".",
    ];
    let said = run(folder.path(), &arguments, database.url());
    let report: Value = serde_json::from_str(&said.stdout).expect("a report");
    let obligations = report["obligations"].as_array().expect("obligations");
    let about = |check: &str, outcome: &str| {
        obligations
            .iter()
            .filter(|each| each["check"] == check && each["outcome"] == outcome)
            .count()
    };
    assert_eq!(about("input-drift", "unknown"), 0, "{}", said.stdout);
    assert!(about("index-not-live", "met") > 0, "a key is shown live");
    database
        .run("ALTER TABLE nullable_key DROP INDEX nullable_key_te")
        .expect("it is dropped");
    let said = run(folder.path(), &arguments, database.url());
    assert!(said.stdout.contains("input-drift"), "a difference is one");
}

#[test]
fn text_and_catalog_lead_to_the_same_outcomes() {
    let database = database(SCRIPT);
    let folder = tempfile::tempdir().expect("a folder");
    let flows = flows_into(&text(SCRIPT, Dialect::Mariadb));
    std::fs::write(folder.path().join("schema.sql"), SCRIPT).expect("written");
    std::fs::write(folder.path().join("flows.yaml"), flows).expect("written");
    let common = ["check", "--format", "json", "--flows", "flows.yaml", "."];
    let of = |more: &[&str]| {
        let arguments: Vec<&str> = common.iter().chain(more).copied().collect();
        let mut lines = outcomes(folder.path(), &arguments, database.url());
        // Only the catalog says which engine keeps a table, and that it obeys no transaction.
        lines.retain(|line| !line.contains("in_memory") && !line.contains("my_isam"));
        lines
    };
    let written = of(&["--schema", "schema.sql", "--dialect", "mariadb"]);
    let seen = of(&["--database", "env:LIVE"]);
    assert!(written.len() > 100);
    assert_eq!(seen, written);
}

#[test]
fn facts_that_only_the_catalog_shows() {
    let database = database(SCRIPT);
    let seen = live(database.url());
    let blanks = "is compared without the blanks at its end";
    assert_eq!(folds(&seen, "padded", "padded_k"), [blanks]);
    assert_eq!(folds(&seen, "padded", "padded_n"), [""]);
    assert_eq!(folds(&seen, "padded", "padded_b"), [""]);
    assert_eq!(
        key(&seen, "general_ci", "general_ci_k").parts[0]
            .collation
            .as_deref(),
        Some("utf8mb4_general_ci")
    );
    assert!(folds(&seen, "seconds", "seconds_at")[1].contains("whole seconds"));
    assert_eq!(folds(&seen, "seconds", "seconds_precise")[1], "");
    assert_eq!(table(&seen, "partitioned").kind, TableKind::Partitioned);
    assert!(table(&seen, "in_memory").unlogged);
    let unknown: Vec<&str> = seen
        .unknown
        .iter()
        .filter_map(|unknown| unknown.table.as_deref()?.rsplit('.').next())
        .collect();
    assert_eq!(unknown, ["in_memory", "my_isam"]);
    let at = table(&seen, "seconds").column("at").expect("the column");
    assert_eq!(at.on_update.as_deref(), Some("current_timestamp()"));
    for table in &seen.tables {
        let name = database.name();
        assert_eq!(table.schema.as_deref(), Some(name));
        for key in &table.enforcers {
            let Place::Object { connection, object } = &key.evidence.place else {
                panic!("{}", key.evidence.place);
            };
            assert_eq!(&**connection, "env:LIVE");
            assert_eq!(**object, format!("{}.{}", table.name, key.name));
        }
    }
}

#[test]
fn triggers_are_seen_with_their_events() {
    let database = database(
        "CREATE TABLE t (k varchar(36) NOT NULL PRIMARY KEY); \
         CREATE TRIGGER rewrites BEFORE INSERT ON t FOR EACH ROW SET NEW.k = concat(NEW.k, now()); \
         CREATE TRIGGER tells AFTER DELETE ON t FOR EACH ROW SET @n = 1",
    );
    let seen = live(database.url());
    let triggers = &table(&seen, "t").triggers;
    assert_eq!(triggers.len(), 2);
    assert!(triggers[0].before && triggers[0].on_insert && !triggers[0].on_delete);
    assert!(!triggers[1].before && triggers[1].on_delete && !triggers[1].on_insert);
}

#[test]
fn rights_that_hide_something_leave_it_unknown() {
    let database = database("CREATE TABLE t (k varchar(36) NOT NULL PRIMARY KEY)");
    let (name, user) = (database.name(), format!("u{}", database.name()));
    let host = database.url().split_once('@').expect("a host").1.to_owned();
    let url = format!("mysql://{user}:s3cr3t_sentinel@{host}");
    let grant = |what: &str| {
        database
            .run(&format!(
                "GRANT {what} TO '{user}'@'%' IDENTIFIED BY 's3cr3t_sentinel'"
            ))
            .expect("it is granted");
    };
    grant(&format!("SELECT ON {name}.t"));
    let seen = live(&url);
    assert_eq!(seen.unknown.len(), 2, "{:?}", seen.unknown);
    let sentence = &seen.unknown[0].reason.sentence;
    assert!(
        sentence.contains("single tables or columns only"),
        "{sentence}"
    );
    grant(&format!("SELECT ON `{}`.*", name.replace('_', "\\_")));
    let seen = live(&url);
    let sentence = &seen.unknown[0].reason.sentence;
    assert!(
        sentence.contains("shows this user no triggers"),
        "{sentence}"
    );
    assert_eq!(
        table(&seen, "t").enforcers.len(),
        1,
        "what was read is told"
    );
    grant(&format!("TRIGGER ON {name}.*"));
    let seen = live(&url);
    assert!(seen.unknown.is_empty(), "{:?}", seen.unknown);
    let wrong = live_within(&url.replace("s3cr3t", "wrong"), Duration::from_secs(5));
    let reason = wrong.expect_err("another password");
    assert!(
        reason.sentence.contains("refuses the login"),
        "{}",
        reason.sentence
    );
    for secret in ["sentinel", user.as_str(), "127.0.0.1"] {
        assert!(!format!("{reason:?}").contains(secret), "{reason:?}");
        assert!(!format!("{seen:?}").contains(secret) || secret == "127.0.0.1");
    }
    database
        .run(&format!("DROP USER '{user}'@'%'"))
        .expect("the user goes");
}
