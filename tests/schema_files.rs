//! Schema files: `system_tables.json`, scripts, several of them together, and what is wrong with them.

mod schema_support;

use std::sync::Arc;

use outbox_audit::input::schema::{read_text, sql_files::text_file};
use outbox_audit::model::evidence::{Reason, Why};
use outbox_audit::model::place::{Place, Pos};
use outbox_audit::model::schema::{Dialect, Schema, Volatility};
use outbox_audit::model::text::TextFile;

const TABLES: &str = r#"[
  {"tableName": "lead", "category": "crm", "columns": [
    {"name": "id", "type": "VARCHAR(36)", "primaryKey": true, "label": "Id"},
    {"name": "email", "type": "VARCHAR(255)", "nullable": true, "unique": true},
    {"name": "made", "type": "DATETIME", "default": "CURRENT_TIMESTAMP"},
    {"name": "kind", "type": "VARCHAR(20)", "default": "'plain'"}
  ], "indices": [
    {"columns": ["kind", "email"], "unique": true},
    {"name": "idx_made", "columns": ["made"]}
  ], "foreignKeys": [{"column": "email", "references": "person(email)", "onDelete": "CASCADE"}]}
]"#;

fn file(path: &str, text: &str) -> Arc<TextFile> {
    Arc::new(TextFile::new(path, text.to_owned()))
}

fn read(files: &[(&str, &str)], dialect: Option<Dialect>) -> (Option<Schema>, Vec<Reason>) {
    let files: Vec<_> = files.iter().map(|(path, text)| file(path, text)).collect();
    read_text(&files, dialect)
}

/// The text at a place, read back from the file.
fn quoted(text: &str, place: &Place) -> String {
    let span = place.span().expect("a place in a file");
    let file = TextFile::new("x", text.to_owned());
    let at = |pos: Pos| file.offset(pos).expect("a position of the file") as usize;
    text[at(span.start)..at(span.end)].to_owned()
}

#[test]
fn system_tables_are_read_with_places() {
    let (schema, reasons) = read(&[("system_tables.json", TABLES)], None);
    assert!(reasons.is_empty(), "{reasons:?}");
    let schema = schema.expect("schema");
    assert_eq!(schema.dialect, None);
    let table = schema.table("LEAD").expect("table");
    let keys: Vec<String> = table
        .enforcers
        .iter()
        .map(|key| {
            format!(
                "{} {} {:?}",
                key.name,
                key.key_text(),
                key.parts
                    .iter()
                    .map(|part| part.nullable)
                    .collect::<Vec<_>>()
            )
        })
        .collect();
    assert_eq!(
        keys,
        [
            "PRIMARY (id) [false]",
            "email (email) [true]",
            "idx_lead_kind_email (kind, email) [false, true]"
        ]
    );
    assert_eq!(quoted(TABLES, &table.enforcers[0].evidence.place), "true");
    assert_eq!(quoted(TABLES, &table.place), "\"lead\"");
    assert_eq!(&*table.enforcers[1].evidence.says, "UNIQUE (email) on lead");
    let default = |name: &str| {
        table
            .column(name)
            .and_then(|column| column.default.clone())
            .expect("default")
    };
    assert_eq!(default("made").volatility, Volatility::Volatile);
    assert_eq!(default("kind").volatility, Volatility::Constant);
    assert!(table.foreign_keys[0].on_delete_cascade);
    assert_eq!(&*table.foreign_keys[0].references, "person");
    assert_eq!(table.indexes.len(), 1);
}

#[test]
fn a_file_that_is_wrong_anywhere_gives_nothing() {
    let cases = [
        (TABLES.replace("]}\n]", "]"), "middle of its JSON"),
        (
            TABLES.replace("\"category\"", "\"tableName\""),
            "\"tableName\" twice",
        ),
        (
            TABLES.replace("\"nullable\": true", "\"nullable\": \"yes\""),
            "true or false",
        ),
        (
            TABLES.replace("\"tableName\": \"lead\", ", ""),
            "no \"tableName\"",
        ),
        (TABLES.replace("[\"made\"]", "[\"maid\"]"), "maid"),
        (TABLES.replace("[\"made\"]", "\"made\""), "an array"),
        (
            TABLES.replace("\"type\": \"DATETIME\", ", ""),
            "no \"type\"",
        ),
        (
            TABLES.replace("\"name\": \"made\"", "\"name\": \"kind\""),
            "twice",
        ),
        (
            TABLES.replace("\"category\": \"crm\"", "\"category\": crm"),
            "not valid JSON",
        ),
        ("[]".to_owned(), "no table"),
        ("{}".to_owned(), "an array"),
        (String::new(), "middle of its JSON"),
        (
            TABLES.replace(
                "\"name\": \"made\",",
                "\"name\": \"made\", \"primaryKey\": true,",
            ),
            "two primary keys",
        ),
    ];
    for (text, expected) in &cases {
        let (schema, reasons) = read(&[("system_tables.json", text)], None);
        assert!(schema.is_none(), "{expected}");
        assert_eq!(reasons.len(), 1, "{expected}");
        assert!(
            reasons[0].sentence.contains(expected),
            "{} / {expected}",
            reasons[0].sentence
        );
        let place = reasons[0]
            .place
            .as_ref()
            .and_then(Place::span)
            .expect("a place");
        assert!(place.start.line >= 1);
    }
    let broken = TABLES.replace("\"category\": \"crm\"", "\"category\": crm");
    let (_, reasons) = read(&[("system_tables.json", &broken)], None);
    let place = reasons[0].place.as_ref().expect("a place");
    assert_eq!(
        place.span().expect("span").start,
        Pos {
            line: 2,
            column: 37
        }
    );
    assert_eq!(quoted(&broken, place), "c");
}

#[test]
fn scripts_say_for_which_engine_they_are_written() {
    for (text, dialect) in [
        (
            "CREATE TABLE a(id INTEGER PRIMARY KEY AUTOINCREMENT)",
            Dialect::Sqlite,
        ),
        ("CREATE TABLE `a`(id int) ENGINE=InnoDB;", Dialect::Mysql),
        ("CREATE TABLE a(id jsonb);", Dialect::Postgres),
    ] {
        let (schema, reasons) = read(&[("a.sql", text)], None);
        assert!(reasons.is_empty(), "{reasons:?}");
        assert_eq!(schema.and_then(|schema| schema.dialect), Some(dialect));
    }
    let (schema, reasons) = read(&[("a.sql", "CREATE TABLE a(id int)")], None);
    assert!(schema.is_none());
    assert!(reasons[0].next_step.contains("--dialect"), "{reasons:?}");
    let mixed = "CREATE TABLE `a`(id bigserial) ENGINE=InnoDB";
    let (schema, reasons) = read(&[("a.sql", mixed)], None);
    assert!(schema.is_none() && reasons[0].why == Why::NotDecidable);
    let (schema, _) = read(
        &[("a.sql", "CREATE TABLE a(id int UNIQUE)")],
        Some(Dialect::Mysql),
    );
    assert_eq!(schema.expect("schema").tables[0].enforcers.len(), 1);
}

#[test]
fn migrations_are_replayed_in_order_and_ways_down_are_not() {
    let files = [
        (
            "1.up.sql",
            "CREATE TABLE a(id INTEGER PRIMARY KEY AUTOINCREMENT, k TEXT);",
        ),
        ("1.down.sql", "DROP TABLE a;"),
        (
            "2.sql",
            "-- +goose Up\nCREATE UNIQUE INDEX u ON a(k);\n-- +goose Down\nDROP INDEX u;\n",
        ),
    ];
    let (schema, reasons) = read(&files, None);
    assert!(reasons.is_empty(), "{reasons:?}");
    let schema = schema.expect("schema");
    let key = &schema.table("a").expect("table").enforcers[1];
    assert_eq!(&*key.name, "u");
    assert_eq!(
        quoted(files[2].1, &key.evidence.place),
        "CREATE UNIQUE INDEX u"
    );
}

#[test]
fn a_table_declared_twice_and_not_alike_is_unknown() {
    let same = "CREATE TABLE person(id INTEGER PRIMARY KEY AUTOINCREMENT);";
    let (schema, _) = read(&[("1.sql", same), ("2.sql", same)], None);
    assert!(schema.expect("schema").unknown.is_empty());
    let other = "CREATE TABLE person(id TEXT PRIMARY KEY);";
    let (schema, _) = read(&[("1.sql", same), ("2.sql", other)], None);
    let schema = schema.expect("schema");
    assert_eq!(schema.unknown[0].table.as_deref(), Some("person"));
    let lead = "CREATE TABLE lead(id INTEGER PRIMARY KEY AUTOINCREMENT);";
    let (schema, _) = read(&[("system_tables.json", TABLES), ("1.sql", lead)], None);
    let schema = schema.expect("schema");
    assert_eq!(schema.unknown[0].table.as_deref(), Some("lead"));
    assert_eq!(schema.unknown[0].reason.why, Why::Disagree);
}

#[test]
fn bytes_that_are_no_text_are_named() {
    let cases: [(&[u8], &str); 3] = [
        (b"CREATE TABLE a(x \xFF);", "not UTF-8 at byte 17"),
        (b"\xFF\xFEC\0R\0", "UTF-16"),
        (b"\xFE\xFF\0C\0R", "UTF-16"),
    ];
    for (bytes, expected) in cases {
        let reason = text_file("a.sql", bytes.to_vec()).expect_err("a reason");
        assert!(reason.sentence.contains(expected), "{}", reason.sentence);
    }
    let file = text_file(
        "a.sql",
        b"\xEF\xBB\xBFCREATE TABLE a(k TEXT UNIQUE);".to_vec(),
    )
    .expect("text");
    let (schema, _) = read_text(&[Arc::new(file)], Some(Dialect::Sqlite));
    assert_eq!(schema.expect("schema").tables[0].enforcers.len(), 1);
}

#[test]
fn what_is_not_understood_is_named_with_its_place() {
    for (dialect, text, table, at) in [
        (
            Dialect::Sqlite,
            "CREATE TABLE a(k TEXT UNIQUE @@);",
            Some("a"),
            "@",
        ),
        (
            Dialect::Postgres,
            "CREATE TABLE a(k text);\nALTER TABLE a FROBNICATE;",
            Some("a"),
            "FROBNICATE",
        ),
        (
            Dialect::Mysql,
            "CREATE TABLE a(k int);\nALTER TABLE a ADD UNIQUE KEY u (k) OOPS;",
            Some("a"),
            "OOPS",
        ),
        (
            Dialect::Postgres,
            "CREATE TABLE a(k text);\nDO $$ BEGIN ALTER TABLE a ADD UNIQUE (k); END $$;",
            Some("a"),
            "DO",
        ),
        (
            Dialect::Postgres,
            "CREATE TABLE a(k text);\nFROBNICATE;",
            None,
            "FROBNICATE",
        ),
        (
            Dialect::Postgres,
            "\\i other.sql\nCREATE TABLE a(k text);",
            None,
            "\\i other.sql",
        ),
        (
            Dialect::Mysql,
            "SET @s = 'ALTER TABLE a'; PREPARE s FROM @s; EXECUTE s;",
            None,
            "EXECUTE",
        ),
        (
            Dialect::Sqlite,
            "BEGIN; CREATE TABLE a(k UNIQUE); SAVEPOINT s; ROLLBACK TO s;",
            Some("a"),
            "ROLLBACK",
        ),
        (
            Dialect::Sqlite,
            "INSERT INTO sqlite_master VALUES('table','a','a',2,'CREATE TABLE a(x)');",
            None,
            "INSERT",
        ),
        (
            Dialect::Mysql,
            "CREATE TABLE a (k int)\nCREATE TABLE b (k int);",
            Some("a"),
            "CREATE",
        ),
    ] {
        let (schema, _) = read(&[("a.sql", text)], Some(dialect));
        let schema = schema.expect("schema");
        let unknown = schema
            .unknown
            .first()
            .unwrap_or_else(|| panic!("{text}: nothing unknown"));
        assert_eq!(unknown.table.as_deref(), table, "{text}");
        let place = unknown.reason.place.as_ref().expect("a place");
        assert_eq!(quoted(text, place), at, "{text}");
    }
}
