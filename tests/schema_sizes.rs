//! Large and broken SQL text: read whole, in bounded time, and never silently short.

mod schema_support;

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use outbox_audit::input::schema::read_text;
use outbox_audit::model::schema::{Dialect, Schema};
use outbox_audit::model::text::TextFile;
use outbox_audit::sql::statement;
use schema_support::read;

/// Far more than an unoptimised build needs on a busy machine, far less than quadratic time takes.
const PATIENCE: Duration = Duration::from_secs(60);

fn keys(schema: &Schema) -> usize {
    schema
        .tables
        .iter()
        .map(|table| table.enforcers.len())
        .sum()
}

#[test]
fn a_dump_of_twenty_megabytes() {
    let began = Instant::now();
    let mut dump = String::from("-- MySQL dump 10.13\n");
    let row = format!("(1,'{}'),", r"a\'b;c -- ".repeat(8));
    for table in 0..100 {
        let _ = write!(
            dump,
            "CREATE TABLE `t{table}` (`id` int NOT NULL, `k` varchar(50), PRIMARY KEY (`id`), UNIQUE KEY `u` (`k`)) ENGINE=InnoDB;\nINSERT INTO `t{table}` VALUES {}(2,'x');\n",
            row.repeat(200_000 / row.len())
        );
    }
    dump.push_str("-- Dump completed\n");
    assert!(dump.len() > 20_000_000, "{}", dump.len());
    let schema = read(&dump, Dialect::Mysql);
    assert_eq!((keys(&schema), schema.unknown.len()), (200, 0));
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
}

#[test]
fn fifteen_thousand_indexes_with_and_without_names() {
    let began = Instant::now();
    for name in ["i", ""] {
        let mut script = String::from("CREATE TABLE a (x int);\n");
        for at in 0..15_000 {
            let name = match name {
                "" => String::new(),
                name => format!("{name}{at}"),
            };
            let _ = writeln!(script, "CREATE UNIQUE INDEX {name} ON a (x, (x + {at}));");
        }
        let schema = read(&script, Dialect::Postgres);
        assert_eq!((keys(&schema), schema.unknown.len()), (15_000, 0));
    }
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
}

#[test]
fn statements_of_a_megabyte() {
    let began = Instant::now();
    let long = "1 + ".repeat(1 << 18);
    let deep = format!("{}1{}", "(".repeat(1 << 19), ")".repeat(1 << 19));
    for expression in [&long, &deep] {
        let script = format!("CREATE TABLE a (x int CHECK ({expression} 1 > 0), y int UNIQUE);");
        for dialect in [Dialect::Postgres, Dialect::Mysql, Dialect::Sqlite] {
            let schema = read(&script, dialect);
            let known = keys(&schema) == 1 || !schema.unknown.is_empty();
            assert!(known, "{dialect:?}");
            let _ = statement::parse(
                &format!("INSERT INTO t (a) VALUES ({expression} 1)"),
                dialect,
            );
            let update = format!("UPDATE t SET a = 1 WHERE {expression} 1 = 2");
            let _ = statement::parse(&update, dialect);
        }
    }
    let rows = "($1, now()), ".repeat(9_000);
    let insert =
        format!("INSERT INTO t (a, b) VALUES {rows}($1, now()) ON CONFLICT (a) DO NOTHING");
    assert!(statement::parse(&insert, Dialect::Postgres).is_ok());
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
}

/// Cut anywhere but behind a whole statement, a dump leaves something unknown.
#[test]
fn a_dump_cut_anywhere_is_never_silently_short() {
    let mut dump = String::from("SET search_path = public;\n");
    for at in 0..12 {
        let _ = write!(
            dump,
            "--\n-- Name: t{at}; Type: TABLE; Schema: public; Owner: -\n--\n\nCREATE TABLE t{at} (\n    id bigint NOT NULL,\n    k text DEFAULT 'a;b'::text\n);\n\nCOPY t{at} (id, k) FROM stdin;\n1\tx\n\\.\n\nALTER TABLE ONLY t{at}\n    ADD CONSTRAINT t{at}_pkey PRIMARY KEY (id);\n\n"
        );
    }
    let begin = dump.len() / 2;
    for cut in begin..dump.len() {
        let text = &dump[..cut];
        let whole = {
            let last = text.trim_end();
            let tail = last.rsplit('\n').next().unwrap_or("");
            // Behind a statement, a block of data or an empty comment nothing shows that more came.
            last.ends_with(';')
                || tail == "\\."
                || (tail.starts_with('-') && !tail.contains("Name: "))
        };
        let file = Arc::new(TextFile::new("dump.sql", text.to_owned()));
        let (schema, reasons) = read_text(&[file], Some(Dialect::Postgres));
        let said = !reasons.is_empty() || schema.is_some_and(|schema| !schema.unknown.is_empty());
        assert!(
            said || whole,
            "silent at {cut}: …{}",
            &text[text.len().saturating_sub(60)..]
        );
    }
}
