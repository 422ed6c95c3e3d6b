//! A UNIQUE key that is gone turns what rests on it, and nothing else.
//!
//! The database is built anew from its text without the key; the declared schema loses it too, or
//! keeps it, which is drift.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};

use crate::audit::{copy_with_unbound_results, decisions, dispositions, json, list, system, text};

/// A UNIQUE key of the repaired system: its name, its table, its line in `database.sql`.
struct Key {
    name: String,
    table: String,
    line: String,
}

fn script() -> String {
    fs::read_to_string(system("nexuscrm-repaired").join("database.sql")).expect("its text")
}

fn tables() -> Value {
    let file = system("nexuscrm-repaired").join("system_tables.json");
    serde_json::from_str(&fs::read_to_string(file).expect("its text")).expect("it is JSON")
}

/// Every UNIQUE line of the SQL text.
fn keys() -> Vec<Key> {
    let mut table = String::new();
    let mut keys = Vec::new();
    for line in script().lines() {
        let line = line.to_owned();
        if let Some(rest) = line.strip_prefix("CREATE TABLE ") {
            table = rest.trim_end_matches(" (").to_owned();
        }
        if line.starts_with("--") || !line.contains(" UNIQUE") {
            continue;
        }
        if let Some(rest) = line.strip_prefix("CREATE UNIQUE INDEX ") {
            let (name, rest) = rest.split_once(" ON ").expect("an index names its table");
            let (on, _) = rest.split_once(" (").expect("and its columns");
            keys.push(Key {
                name: name.to_owned(),
                table: on.to_owned(),
                line,
            });
        } else {
            let name = line.split_whitespace().next().expect("a column");
            keys.push(Key {
                name: name.to_owned(),
                table: table.clone(),
                line: line.clone(),
            });
        }
    }
    assert_eq!(keys.len(), 12, "the UNIQUE lines of the text");
    keys
}

/// The SQL text without the key: an index goes, a column keeps all but the word.
fn without(script: &str, key: &Key) -> String {
    let left = if key.line.starts_with("CREATE UNIQUE INDEX ") {
        String::new()
    } else {
        key.line.replace(" UNIQUE", "")
    };
    assert_eq!(script.matches(&key.line).count(), 1, "{}", key.line);
    script.replace(&key.line, &left)
}

/// The declared schema without the key.
fn undeclared(tables: &Value, key: &Key) -> Value {
    let mut tables = tables.clone();
    let mut dropped = 0;
    for table in tables.as_array_mut().expect("a list of tables") {
        if table["tableName"] != key.table.as_str() {
            continue;
        }
        if let Some(indices) = table["indices"].as_array_mut() {
            let before = indices.len();
            indices.retain(|index| index["name"] != key.name.as_str());
            dropped += before - indices.len();
        }
        for column in table["columns"].as_array_mut().expect("a list of columns") {
            if column["name"] == key.name.as_str() && column["unique"] == true {
                column.as_object_mut().expect("an object").remove("unique");
                dropped += 1;
            }
        }
    }
    assert_eq!(dropped, 1, "{} is declared once", key.name);
    tables
}

fn build(database: &Path, script: &str) {
    fs::remove_file(database).expect("the old one goes");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(async {
        let options = SqliteConnectOptions::new()
            .filename(database)
            .create_if_missing(true);
        let mut connection = options.connect().await.expect("a database");
        sqlx::raw_sql(AssertSqlSafe(script.to_owned()))
            .execute(&mut connection)
            .await
            .expect("the text is SQL");
        connection.close().await.expect("it is written");
    });
}

/// The repaired system with one key gone from the database, from the declared schema, or both.
fn audited(key: &Key, in_database: bool, in_text: bool) -> Value {
    let folder = copy_with_unbound_results("nexuscrm-repaired");
    if in_database {
        build(
            &folder.path().join("database.sqlite"),
            &without(&script(), key),
        );
    }
    if in_text {
        let tables = undeclared(&tables(), key).to_string();
        fs::write(folder.path().join("system_tables.json"), tables).expect("it is written");
    }
    json(folder.path())
}

/// Subjects whose proof cites the key in the catalog, with the checks that do.
fn citing(report: &Value, key: &Key) -> BTreeSet<(String, String)> {
    let is_key = |each: &&Value| text(&each["place"], "object") == key.name;
    let Some(cited) = list(report, "evidence").iter().find(is_key) else {
        return BTreeSet::new();
    };
    list(report, "obligations")
        .iter()
        .filter(|each| list(each, "evidence").contains(&cited["id"]))
        .map(|each| (text(each, "subject"), text(each, "check")))
        .collect()
}

/// Building the database anew from the same text decides the same.
#[test]
fn a_database_built_anew_is_the_same_system() {
    let folder = copy_with_unbound_results("nexuscrm-repaired");
    build(&folder.path().join("database.sqlite"), &script());
    let (built, bundled) = (json(folder.path()), json(&system("nexuscrm-repaired")));
    assert_eq!(decisions(&built), decisions(&bundled));
    assert_eq!(dispositions(&built), dispositions(&bundled));
}

#[test]
fn a_key_that_is_gone_turns_exactly_what_cites_it() {
    let before = json(&system("nexuscrm-repaired"));
    let mut turned = 0;
    for key in keys() {
        let after = audited(&key, true, true);
        let name = &key.name;
        let citing = citing(&before, &key);
        let (old, new) = (decisions(&before), decisions(&after));
        let changed: BTreeSet<(String, String)> = old
            .symmetric_difference(&new)
            .map(|(subject, check, _)| (subject.clone(), check.clone()))
            .collect();
        assert_eq!(changed, citing, "{name}: what changed is what cited it");
        for (subject, check) in citing
            .iter()
            .filter(|(_, check)| check == "unguarded-create")
        {
            turned += 1;
            let outcome = (subject.clone(), check.clone(), "not-met".to_owned());
            assert!(new.contains(&outcome), "{name}: {subject}");
            let safe = (subject.clone(), "safe".to_owned());
            assert!(
                !dispositions(&after).contains(&safe),
                "{name}: {subject} is still safe"
            );
        }
        let creates = citing.iter().any(|(_, check)| check == "unguarded-create");
        // No proof rests on the keys that guard no create.
        let verdict = if creates { "HOLD" } else { "GO" };
        assert_eq!(text(&after, "verdict"), verdict, "{name}");
        assert_eq!(after["exit_status"], i32::from(creates), "{name}");
    }
    assert_eq!(
        turned, 7,
        "each of the seven creates was turned by its own key"
    );
}

/// Known to one side only: nobody says which one is right.
#[test]
fn a_key_that_only_one_side_has_is_drift() {
    let before = json(&system("nexuscrm-repaired"));
    for key in keys() {
        for (in_database, in_text) in [(true, false), (false, true)] {
            let after = audited(&key, in_database, in_text);
            let side = format!(
                "{} gone from {}",
                key.name,
                if in_text { "the text" } else { "the database" }
            );
            let writes: BTreeSet<String> = list(&after, "effects")
                .iter()
                .filter(|effect| {
                    text(effect, "target") == key.table && text(effect, "path") == "on"
                })
                .map(|effect| text(effect, "id"))
                .collect();
            let drifted: BTreeSet<String> = list(&after, "obligations")
                .iter()
                .filter(|each| text(each, "check") == "input-drift")
                .map(|each| {
                    assert_eq!(text(each, "outcome"), "unknown", "{side}");
                    text(each, "subject")
                })
                .collect();
            let creates: BTreeSet<String> = list(&after, "effects")
                .iter()
                .filter(|effect| {
                    writes.contains(&text(effect, "id")) && text(effect, "class") == "create"
                })
                .map(|effect| text(effect, "id"))
                .collect();
            assert!(
                drifted.is_superset(&creates),
                "{side}: {creates:?} in {drifted:?}"
            );
            assert!(
                drifted.is_subset(&writes),
                "{side}: {drifted:?} in {writes:?}"
            );
            // The database decides what an effect is; the doubt keeps the gate open beside it.
            for (id, disposition) in dispositions(&after) {
                let lost = in_database
                    && creates.contains(&id)
                    && citing(&before, &key)
                        .iter()
                        .any(|(subject, _)| *subject == id);
                assert!(
                    !lost || disposition == "blocked",
                    "{side}: {id} is {disposition}"
                );
            }
            if drifted.is_empty() {
                assert_eq!(
                    decisions(&after),
                    decisions(&before),
                    "{side}: nothing rests on it"
                );
                continue;
            }
            let open = list(&after, "gate").iter().find(|each| {
                list(each, "checks")
                    .iter()
                    .any(|check| check == "input-drift")
            });
            let state = open.map(|each| text(each, "state"));
            assert!(
                matches!(state.as_deref(), Some("not-shown" | "not-met")),
                "{side}: {state:?}"
            );
            assert_ne!(text(&after, "verdict"), "GO", "{side}");
        }
    }
}
