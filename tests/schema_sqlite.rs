//! SQLite text and SQLite files, with SQLite itself as the judge.

mod schema_support;

use std::collections::BTreeMap;

use outbox_audit::model::schema::Dialect;
use schema_support::{Shape, make, oracle, read, shape};

/// Every way to say a key that differs in what SQLite makes of it. Each runs in SQLite and through
/// the reader, and both have to say the same.
const CORPUS: &[&str] = &[
    // nullable primary keys, and the tables that forbid them
    "CREATE TABLE a(k TEXT PRIMARY KEY, v)",
    "CREATE TABLE a(k TEXT, l TEXT, PRIMARY KEY(k, l))",
    "CREATE TABLE a(k TEXT PRIMARY KEY, v) WITHOUT ROWID",
    "CREATE TABLE a(k TEXT PRIMARY KEY, v TEXT) STRICT",
    "CREATE TABLE a(k TEXT PRIMARY KEY, v TEXT) STRICT, WITHOUT ROWID",
    "CREATE TABLE a(k TEXT NOT NULL PRIMARY KEY)",
    // the rowid and its look-alikes
    "CREATE TABLE a(id INTEGER PRIMARY KEY)",
    "CREATE TABLE a(id integer primary key autoincrement)",
    "CREATE TABLE a(id INT PRIMARY KEY)",
    "CREATE TABLE a(id INTEGER PRIMARY KEY DESC)",
    "CREATE TABLE a(id INTEGER PRIMARY KEY ASC)",
    "CREATE TABLE a(id INTEGER, PRIMARY KEY(id DESC))",
    "CREATE TABLE a(id INTEGER, PRIMARY KEY(id))",
    "CREATE TABLE a(id INTEGER, PRIMARY KEY(id AUTOINCREMENT))",
    "CREATE TABLE a(id INTEGER(8) PRIMARY KEY)",
    "CREATE TABLE a(id \"INTEGER\" PRIMARY KEY)",
    "CREATE TABLE a(id [integer] PRIMARY KEY)",
    "CREATE TABLE a(id BIGINT PRIMARY KEY)",
    "CREATE TABLE a(id INTEGER AUTO_INCREMENT PRIMARY KEY)",
    "CREATE TABLE a(id INTEGER PRIMARY KEY UNIQUE)",
    "CREATE TABLE a(id INTEGER NOT NULL PRIMARY KEY, x UNIQUE)",
    "CREATE TABLE a(id INTEGER PRIMARY KEY, x UNIQUE) WITHOUT ROWID",
    "CREATE TABLE a(id INT, x UNIQUE, PRIMARY KEY(x, id)) WITHOUT ROWID",
    "CREATE TABLE a(id INTEGER, PRIMARY KEY(id COLLATE NOCASE))",
    "CREATE TABLE a(id, PRIMARY KEY(id, id)) WITHOUT ROWID",
    // conflict clauses and names
    "CREATE TABLE a(k UNIQUE ON CONFLICT IGNORE, l NOT NULL ON CONFLICT REPLACE, CONSTRAINT c UNIQUE(k, l) ON CONFLICT ROLLBACK)",
    "CREATE TABLE a(k CONSTRAINT n PRIMARY KEY ON CONFLICT FAIL, CONSTRAINT d UNIQUE(k))",
    "CREATE TABLE a(k TEXT UNIQUE, UNIQUE(k), UNIQUE(k COLLATE NOCASE))",
    "CREATE TABLE a(k TEXT COLLATE NOCASE UNIQUE, UNIQUE(k COLLATE nocase), UNIQUE(k COLLATE BINARY))",
    "CREATE TABLE a(k TEXT PRIMARY KEY UNIQUE, l UNIQUE UNIQUE)",
    "CREATE TABLE a(k, l, UNIQUE(k, l), UNIQUE(l, k), UNIQUE(k, l))",
    "CREATE TABLE a(k CONSTRAINT only_a_name, l, CONSTRAINT x UNIQUE(k) CONSTRAINT y UNIQUE(l))",
    "CREATE TABLE a(k, UNIQUE(k) CHECK(k > 0) UNIQUE(k, k))",
    // every way to quote
    "CREATE TABLE [a b](\"k l\" TEXT, `m` TEXT, 'n' TEXT, UNIQUE(\"k l\", [m], 'n'))",
    "CREATE TABLE \"a\"\"b\"(k UNIQUE)",
    "CREATE TABLE 'a'(k UNIQUE)",
    "CREATE TABLE main.a(k UNIQUE)",
    "create table if not exists A(K text Primary Key, Unique(k)); create unique index I on a(K)",
    // defaults, checks, generated columns, references between the constraints
    "CREATE TABLE a(k DEFAULT 'x' UNIQUE, l DEFAULT (1+2) NOT NULL, m DEFAULT -1 UNIQUE, n DEFAULT CURRENT_TIMESTAMP, o DEFAULT NULL UNIQUE)",
    "CREATE TABLE a(k TEXT CHECK(k <> ',' AND length(k) > 1) UNIQUE, l REFERENCES a(k) ON DELETE SET NULL ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED UNIQUE)",
    "CREATE TABLE a(k TEXT, l TEXT GENERATED ALWAYS AS (lower(k)) STORED UNIQUE, m AS (k || l) VIRTUAL, UNIQUE(l, k))",
    "CREATE TABLE a(k VARCHAR(36) NOT NULL UNIQUE, l DECIMAL(10, 2) NULL, m DOUBLE PRECISION, n UNSIGNED BIG INT UNIQUE)",
    "CREATE TABLE a(k, l, FOREIGN KEY(k) REFERENCES b(x) MATCH FULL ON DELETE NO ACTION, CHECK(k IN (1,2)), UNIQUE(l))",
    "CREATE TABLE a(k TEXT NOT NULL COLLATE RTRIM UNIQUE)",
    "CREATE TABLE a(type TEXT, key TEXT, action TEXT UNIQUE, UNIQUE(key, type))",
    // indexes
    "CREATE TABLE a(k, d); CREATE UNIQUE INDEX u ON a(k) WHERE d IS NULL",
    "CREATE TABLE a(k, d); CREATE UNIQUE INDEX u ON a(lower(k), d DESC)",
    "CREATE TABLE a(k, d); CREATE UNIQUE INDEX u ON a((k), d COLLATE NOCASE ASC)",
    "CREATE TABLE a(k COLLATE NOCASE, d); CREATE UNIQUE INDEX u ON a(k); CREATE UNIQUE INDEX v ON a(k COLLATE BINARY, d)",
    "CREATE TABLE a(k, d); CREATE UNIQUE INDEX u ON a('k', \"d\")",
    "CREATE TABLE a(k, d); CREATE UNIQUE INDEX u ON a(coalesce(k, ''), k || d, abs(d) + 1)",
    "CREATE TABLE a(k, d); CREATE UNIQUE INDEX IF NOT EXISTS u ON a(k); CREATE UNIQUE INDEX IF NOT EXISTS u ON a(d)",
    "CREATE TABLE a(k, d); CREATE INDEX u ON a(k); CREATE UNIQUE INDEX IF NOT EXISTS u ON a(k)",
    "CREATE TABLE a(k, d); CREATE TABLE b(k); CREATE UNIQUE INDEX u ON b(k); CREATE UNIQUE INDEX IF NOT EXISTS u ON a(k)",
    "CREATE TABLE a(k, d); CREATE UNIQUE INDEX main.u ON a(k); DROP INDEX u; CREATE INDEX u ON a(d)",
    "CREATE TABLE a(k); CREATE UNIQUE INDEX u ON a(k); DROP INDEX IF EXISTS absent; DROP INDEX main.u",
    // IF NOT EXISTS keeps the other definition
    "CREATE TABLE a(k UNIQUE); CREATE TABLE IF NOT EXISTS a(k, l UNIQUE)",
    // copies carry nothing, rebuilds lose what is not made again
    "CREATE TABLE a(k UNIQUE NOT NULL); CREATE TABLE b AS SELECT 1",
    "CREATE TABLE a(id INTEGER PRIMARY KEY, k); CREATE UNIQUE INDEX u ON a(k); CREATE TABLE n(id INTEGER PRIMARY KEY, k, x); INSERT INTO n(id, k) SELECT id, k FROM a; DROP TABLE a; ALTER TABLE n RENAME TO a",
    // changes
    "CREATE TABLE a(k UNIQUE, l); ALTER TABLE a RENAME TO b; ALTER TABLE b ADD COLUMN m TEXT NOT NULL DEFAULT 'x'; CREATE UNIQUE INDEX u ON b(m)",
    "CREATE TABLE a(k, l, UNIQUE(k, l)); CREATE UNIQUE INDEX u ON a(lower(k)) WHERE k <> l; ALTER TABLE a RENAME COLUMN k TO \"new name\"",
    "CREATE TABLE a(k, l, m, UNIQUE(k)); ALTER TABLE a DROP COLUMN l; ALTER TABLE a ADD n REFERENCES a(k)",
    "CREATE TABLE a(k); DROP TABLE a; CREATE TABLE a(k PRIMARY KEY)",
    "CREATE TABLE a(k UNIQUE); DROP TABLE IF EXISTS b; DROP TABLE IF EXISTS a",
    // what stands between definitions
    "PRAGMA foreign_keys=OFF; BEGIN TRANSACTION; CREATE TABLE a(k UNIQUE); INSERT INTO a VALUES('x; CREATE TABLE z(y)'); COMMIT;",
    "CREATE TABLE a(k UNIQUE); CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET k = CASE WHEN 1 THEN 'x;' END; DELETE FROM a; END; CREATE TABLE b(k PRIMARY KEY)",
    "CREATE VIEW v AS SELECT 1 AS k; CREATE TABLE a(k UNIQUE)",
    "-- CREATE TABLE no(k UNIQUE);\n/* CREATE TABLE no(k UNIQUE); */ CREATE TABLE a(k -- , l UNIQUE\n UNIQUE /* , m */)",
    "CREATE TEMP TABLE t(k UNIQUE); CREATE TABLE a(k)",
    "CREATE VIRTUAL TABLE f USING fts5(x); CREATE TABLE a(k UNIQUE)",
];

fn of_text(script: &str) -> BTreeMap<String, Shape> {
    let schema = read(script, Dialect::Sqlite);
    assert!(schema.unknown.is_empty(), "{script}\n{:?}", schema.unknown);
    schema
        .tables
        .iter()
        .filter(|table| table.kind == outbox_audit::model::schema::TableKind::Table)
        .map(|table| (table.name.to_ascii_lowercase(), shape(table)))
        .collect()
}

fn without_copies(mut shapes: BTreeMap<String, Shape>, script: &str) -> BTreeMap<String, Shape> {
    // The columns of CREATE TABLE AS come from its query, which is not followed.
    if script.contains("CREATE TABLE b AS")
        && let Some(shape) = shapes.get_mut("b")
    {
        shape.columns.clear();
    }
    shapes.retain(|name, _| !name.starts_with("f_"));
    shapes
}

#[test]
fn text_is_read_as_sqlite_means_it() {
    for script in CORPUS {
        let known = oracle(script).unwrap_or_else(|error| panic!("{script}\n{error}"));
        assert_eq!(of_text(script), without_copies(known, script), "{script}");
    }
}

#[test]
fn files_are_read_as_sqlite_means_them() {
    let folder = tempfile::tempdir().expect("folder");
    for (number, script) in CORPUS.iter().enumerate() {
        let path = folder.path().join(format!("{number}.db"));
        make(&path, script);
        let before = std::fs::read(&path).expect("bytes");
        if before.is_empty() {
            continue;
        }
        let schema = outbox_audit::input::schema::read_sqlite(&path, "a.db").expect("catalog");
        assert!(schema.unknown.is_empty(), "{script}\n{:?}", schema.unknown);
        let shapes: BTreeMap<String, Shape> = schema
            .tables
            .iter()
            .filter(|table| table.kind == outbox_audit::model::schema::TableKind::Table)
            .map(|table| (table.name.to_ascii_lowercase(), shape(table)))
            .filter(|(name, _)| !name.starts_with("f_"))
            .collect();
        let mut known = oracle(script).expect("oracle");
        known.retain(|name, _| !name.starts_with("f_"));
        assert_eq!(shapes, known, "{script}");
        assert_eq!(std::fs::read(&path).expect("bytes"), before, "{script}");
    }
    let others = std::fs::read_dir(folder.path())
        .expect("folder")
        .filter(|entry| {
            let name = entry.as_ref().expect("entry").file_name();
            !name.to_string_lossy().ends_with(".db")
        })
        .count();
    assert_eq!(others, 0, "no -wal, -shm or -journal is left behind");
}

#[test]
fn what_sqlite_refuses_is_unknown() {
    for script in [
        "CREATE TABLE a(k PRIMARY KEY, l PRIMARY KEY)",
        "CREATE TABLE a(k) WITHOUT ROWID",
        "CREATE TABLE a(k, UNIQUE(lower(k)))",
        "CREATE TABLE a(k, UNIQUE(z))",
        "CREATE TABLE a(k); CREATE UNIQUE INDEX u ON a(z)",
        "CREATE TABLE a(k); CREATE TABLE a(k UNIQUE)",
        "CREATE TABLE a(k); CREATE UNIQUE INDEX u ON a(k); CREATE INDEX u ON a(k)",
        "CREATE TABLE a(k, l UNIQUE); ALTER TABLE a DROP COLUMN l",
        "CREATE TABLE a(k); ALTER TABLE a ADD COLUMN l UNIQUE",
        "CREATE TABLE a(k",
        "CREATE TABLE a(k,)",
        "CREATE TABLE a(k UNIQUE KEY)",
        "CREATE TABLE a(k) ENGINE=InnoDB",
        "ALTER TABLE absent ADD COLUMN x",
        "CREATE UNIQUE INDEX u ON absent(x)",
    ] {
        assert!(oracle(script).is_err(), "{script}");
        let schema = read(script, Dialect::Sqlite);
        assert!(!schema.unknown.is_empty(), "{script}");
        for unknown in &schema.unknown {
            assert!(unknown.reason.place.is_some(), "{script}");
        }
    }
}
