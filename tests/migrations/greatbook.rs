//! The bundled ledger: its migrations, its `schema.sql` and a database say the same.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use outbox_audit::input::gather::{Sources, gather};
use outbox_audit::model::evidence::InputKind;
use outbox_audit::model::schema::{Dialect, Schema};
use outbox_audit::sql::expression::normal;
use outbox_audit::sql::type_name::canonical;

use super::live_support::{keys, live};
use super::servers::postgres;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/whole/greatbook")
}

fn read(paths: &[&str]) -> Schema {
    let root = folder();
    let inputs = gather(&Sources {
        root: root.clone(),
        schema: paths.iter().map(|path| root.join(path)).collect(),
        ..Sources::default()
    });
    for state in &inputs.states {
        let concerns = state.kind == InputKind::Schema;
        assert!(!concerns || state.unknown.is_empty(), "{:?}", state.unknown);
    }
    let schema = inputs.declared.expect("a schema");
    assert!(schema.unknown.is_empty(), "{:?}", schema.unknown);
    schema
}

/// All that a schema says, but places: columns whatever their order, keys, indexes, references.
fn all(schema: &Schema) -> Vec<String> {
    told(schema, &|text| normal(text, Dialect::Postgres))
}

/// The same, with what is to be compared of the text of a default.
fn told(schema: &Schema, default_text: &dyn Fn(&str) -> String) -> Vec<String> {
    let dialect = Some(Dialect::Postgres);
    let mut out = keys(schema);
    for table in &schema.tables {
        for column in &table.columns {
            let default = column.default.as_ref();
            out.push(format!(
                "{}.{} {} null={} number={} {:?}",
                table.name,
                column.name,
                canonical(&column.data_type, dialect),
                column.nullable,
                column.auto_number,
                default.map(|default| (default_text(&default.text), default.volatility)),
            ));
        }
        for key in &table.enforcers {
            let tree = key.predicate.as_ref().map(|predicate| &predicate.tree);
            out.push(format!("{}.{} where {tree:?}", table.name, key.name));
        }
        for index in &table.indexes {
            let parts: Vec<String> = index.parts.iter().map(|part| part.to_text()).collect();
            let tree = index.predicate.as_ref().map(|predicate| &predicate.tree);
            out.push(format!("index {} {parts:?} {tree:?}", index.name));
        }
        for key in &table.foreign_keys {
            // The catalog leaves out what is the primary key anyway.
            let target = schema.table(&key.references).expect("the target");
            let primary: Vec<_> = target.enforcers[0]
                .parts
                .iter()
                .filter_map(|part| part.column.clone())
                .collect();
            let to = if key.to == primary { &[][..] } else { &key.to };
            out.push(format!(
                "{} {:?} references {} {to:?}",
                table.name, key.columns, key.references
            ));
        }
    }
    out.sort();
    out
}

#[test]
fn migrations_say_what_the_script_of_their_end_says() {
    let migrations = read(&["migrations"]);
    assert_eq!(migrations.tables.len(), 6);
    assert_eq!(all(&migrations), all(&read(&["schema.sql"])));
    // Both at once agree, so nothing is told twice and nothing is unknown.
    assert_eq!(all(&read(&["migrations", "schema.sql"])), all(&migrations));
}

#[test]
fn the_folder_is_searched_for_both() {
    let root = folder();
    let inputs = gather(&Sources {
        root: root.clone(),
        search: true,
        ..Sources::default()
    });
    let state = inputs.state(InputKind::Schema).expect("a state");
    assert!(state.unknown.is_empty(), "{:?}", state.unknown);
    let read: Vec<&str> = state.read.iter().map(|read| &*read.name).collect();
    assert_eq!(read.len(), 8, "{read:?}");
    assert!(read.contains(&"migrations/versions/0018_intake_duplicate_of.py"));
    let schema = inputs.declared.expect("a schema");
    assert!(schema.unknown.is_empty(), "{:?}", schema.unknown);
}

#[test]
fn a_live_database_says_the_same() {
    let database = postgres().database();
    let script = std::fs::read_to_string(folder().join("schema.sql")).expect("the script");
    database.run(&script).expect("the script runs");
    // The engine prints an interval in a way of its own.
    let seen = |schema: &Schema| told(schema, &|_| String::new());
    assert_eq!(seen(&live(database.url())), seen(&read(&["migrations"])));
}

#[test]
fn a_key_stands_where_its_migration_makes_it() {
    let schema = read(&["migrations"]);
    let place = |table: &str, key: &str| {
        let table = schema.table(table).expect("a table");
        let mut keys = table.enforcers.iter();
        let key = keys.find(|found| &*found.name == key).expect("a key");
        key.evidence.place.to_string()
    };
    assert_eq!(
        place("ledger_entries", "uq_ledger_entries_source_key"),
        "migrations/versions/0001_ledger.py:36:9"
    );
    assert_eq!(
        place("intake_queue", "uq_intake_source_ref"),
        "migrations/versions/0018_intake_duplicate_of.py:25:5"
    );
    assert_eq!(
        place("intake_launch_outbox", "uq_intake_launch_intake"),
        "migrations/versions/0017_intake_launch_outbox.py:27:5"
    );
}

#[test]
fn a_script_that_is_behind_its_migrations_is_told() {
    let root = folder();
    let script = std::fs::read_to_string(root.join("schema.sql")).expect("the script");
    let behind = script.replace("CREATE UNIQUE INDEX uq_intake", "CREATE INDEX uq_intake");
    assert_ne!(behind, script);
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("schema.sql"), behind).expect("written");
    let inputs = gather(&Sources {
        root: root.clone(),
        schema: vec![root.join("migrations"), folder.path().join("schema.sql")],
        ..Sources::default()
    });
    let schema = inputs.declared.expect("a schema");
    let tables: Vec<Option<Arc<str>>> = schema
        .unknown
        .iter()
        .map(|unknown| unknown.table.clone())
        .collect();
    assert_eq!(tables, [Some(Arc::from("intake_queue"))]);
}

#[test]
fn numbered_scripts_run_in_the_order_of_their_numbers() {
    for names in [
        ["2_make.sql", "10_change.sql"],
        ["V1__make.sql", "V1_1__change.sql"],
        ["V9__make.sql", "V10__change.sql"],
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let texts = [
            "CREATE TABLE t (id bigserial, a int);",
            "ALTER TABLE t ADD CONSTRAINT uq UNIQUE (a);",
        ];
        for (name, text) in names.iter().zip(texts) {
            std::fs::write(folder.path().join(name), text).expect("written");
        }
        let inputs = gather(&Sources {
            root: folder.path().to_owned(),
            schema: vec![folder.path().to_owned()],
            ..Sources::default()
        });
        let schema = inputs.declared.expect("a schema");
        assert!(schema.unknown.is_empty(), "{names:?}: {:?}", schema.unknown);
        assert_eq!(keys(&schema), ["t.uq unique-constraint (a?)"], "{names:?}");
    }
}
