//! Scripts replayed, mostly for PostgreSQL: what stands at the end, or is named unknown.

mod schema_support;

use outbox_audit::model::schema::{Dialect, Schema};
use outbox_audit::model::text::TextFile;
use schema_support::read;

/// Keys as `table (parts)`, and unknown tables as `table ?`; `* ?` stands for every table.
fn left(script: &str, dialect: Dialect) -> Vec<String> {
    let schema = read(script, dialect);
    let mut left: Vec<String> = keys(&schema);
    left.extend(schema.unknown.iter().map(|unknown| {
        let place = unknown.reason.place.as_ref();
        assert!(
            place.and_then(|place| place.span()).is_some(),
            "{unknown:?}"
        );
        format!("{} ?", unknown.table.as_deref().unwrap_or("*"))
    }));
    left.sort();
    left.dedup();
    left
}

fn keys(schema: &Schema) -> Vec<String> {
    let of_table = |table: &outbox_audit::model::schema::Table| {
        let name = match table.schema.as_deref() {
            None | Some("public") => table.name.to_string(),
            Some(schema) => format!("{schema}.{}", table.name),
        };
        let keys = table.enforcers.iter();
        keys.map(|key| format!("{name} {}", key.key_text()))
            .collect::<Vec<_>>()
    };
    schema.tables.iter().flat_map(of_table).collect()
}

#[track_caller]
fn postgres(script: &str, expected: &[&str]) {
    assert_eq!(left(script, Dialect::Postgres), expected, "{script}");
}

#[test]
fn names_are_looked_for_along_the_search_path() {
    postgres(
        "CREATE SCHEMA s; SET search_path TO s, public; CREATE TABLE public.a (x int); CREATE TABLE b (y int);
         CREATE UNIQUE INDEX ON a (x); CREATE UNIQUE INDEX ON b (y); RESET search_path;
         CREATE TABLE b (z int UNIQUE); DROP TABLE a;",
        &["b (z)", "s.b (y)"],
    );
    postgres(
        "CREATE SCHEMA s; BEGIN; SET LOCAL search_path = s; CREATE TABLE a (x int UNIQUE); COMMIT;
         CREATE TABLE a (y int UNIQUE);",
        &["a (y)", "s.a (x)"],
    );
    postgres(
        "CREATE SCHEMA s CREATE TABLE a (x int UNIQUE) CREATE TABLE b (y int, PRIMARY KEY (y)) CREATE INDEX i ON a (x);
         CREATE TABLE a (z int UNIQUE);",
        &["a (z)", "s.a (x)", "s.b (y)"],
    );
}

#[test]
fn temporary_tables_hide_others_and_are_gone_at_the_end() {
    postgres(
        "CREATE TABLE a (x int UNIQUE); CREATE TEMP TABLE a (y int UNIQUE); ALTER TABLE a ADD COLUMN z int UNIQUE;
         CREATE UNIQUE INDEX i ON a (y, z); DROP TABLE a;",
        &["a (x)"],
    );
    postgres(
        "CREATE TABLE a (x int UNIQUE); BEGIN; CREATE TEMP TABLE a (y int) ON COMMIT DROP; COMMIT; DROP TABLE a;",
        &[],
    );
    let mysql = "CREATE TABLE a (x int UNIQUE); CREATE TEMPORARY TABLE a (y int); ALTER TABLE a ADD UNIQUE (y);
         DROP TEMPORARY TABLE a; ALTER TABLE a ADD UNIQUE KEY two (x);";
    assert_eq!(left(mysql, Dialect::Mysql), ["a (x)"]);
}

#[test]
fn a_transaction_that_is_rolled_back_leaves_nothing() {
    postgres(
        "CREATE TABLE a (x int UNIQUE); BEGIN; ALTER TABLE a DROP COLUMN x; DROP TABLE a; CREATE TABLE b (y int UNIQUE);
         CREATE TABLE a (z int UNIQUE); ROLLBACK; CREATE UNIQUE INDEX a_x_key1 ON a (x);",
        &["a (x)"],
    );
    postgres(
        "CREATE TABLE a (x int); BEGIN; CREATE UNIQUE INDEX ON a (x); SAVEPOINT s; ROLLBACK TO SAVEPOINT s; COMMIT;",
        &["a (x)", "a ?"],
    );
}

#[test]
fn a_drop_that_the_engine_refuses_leaves_the_table_unknown() {
    let known = "CREATE TABLE a (x int UNIQUE); CREATE TABLE b (y int UNIQUE); ";
    postgres(&format!("{known} DROP TABLE a, b;"), &[]);
    postgres(
        &format!("{known} DROP TABLE a, missing, b;"),
        &["a (x)", "a ?", "b (y)", "b ?"],
    );
    postgres(&format!("{known} DROP TABLE IF EXISTS a, missing, b;"), &[]);
    let heirs = "CREATE TABLE a (x int UNIQUE); CREATE TABLE b (y int UNIQUE) INHERITS (a); CREATE TABLE c (z int UNIQUE) INHERITS (b); ";
    postgres(&format!("{heirs} DROP TABLE a CASCADE;"), &[]);
    postgres(
        &format!("{heirs} DROP TABLE b;"),
        &["a (x)", "b (y)", "b ?", "c (z)"],
    );
    postgres(
        "CREATE SCHEMA s; CREATE TABLE s.a (x int UNIQUE); DROP SCHEMA s;",
        &["s.a (x)", "s.a ?"],
    );
    postgres(
        "CREATE TABLE a (x int UNIQUE); DROP OWNED BY somebody;",
        &["* ?", "a (x)"],
    );
}

#[test]
fn partitions_of_partitions_have_the_keys_of_the_first() {
    postgres(
        "CREATE TABLE top (a int PRIMARY KEY) PARTITION BY RANGE (a);
         CREATE TABLE middle PARTITION OF top FOR VALUES FROM (1) TO (9) PARTITION BY RANGE (a);
         CREATE TABLE bottom PARTITION OF middle FOR VALUES FROM (1) TO (2);",
        &["bottom (a)", "middle (a)", "top (a)"],
    );
    postgres(
        "CREATE TABLE p (a int, b int) PARTITION BY LIST (a); CREATE UNIQUE INDEX ON p (a, b); CREATE UNIQUE INDEX ON p (b);",
        &["p (a, b)", "p (b)", "p ?"],
    );
}

#[test]
fn tables_of_a_composite_type() {
    let of = "CREATE TYPE pair AS (a int, b text); ";
    postgres(
        &format!("{of} CREATE TABLE t OF pair; CREATE UNIQUE INDEX ON t (b);"),
        &["t (b)"],
    );
    postgres(
        &format!("{of} CREATE TABLE t OF pair (PRIMARY KEY (a), b WITH OPTIONS UNIQUE);"),
        &["t (a)", "t (b)"],
    );
    postgres(
        "CREATE TABLE t OF elsewhere (PRIMARY KEY (a));",
        &["t (a)", "t ?"],
    );
    postgres(
        &format!(
            "{of} CREATE TABLE t OF pair (UNIQUE (a)); ALTER TYPE pair DROP ATTRIBUTE a CASCADE;"
        ),
        &["t (a)", "t ?"],
    );
}

#[test]
fn commands_of_psql_are_passed_over() {
    postgres(
        "\\set ON_ERROR_STOP 1\n\\d a\nSELECT 1 AS one \\gset\nCREATE TABLE a (x int \\d a\n UNIQUE);
         INSERT INTO a VALUES (1) RETURNING x \\gset\n\\echo :one\nCREATE TABLE b (y int UNIQUE);",
        &["a (x)", "b (y)"],
    );
    postgres(
        "CREATE TABLE a (x int UNIQUE); SELECT 'DROP TABLE a' \\gexec\n",
        &["* ?", "a (x)"],
    );
}

#[test]
fn blocks_of_code_are_unknown_where_they_may_define() {
    let block = |body: &str| format!("CREATE TABLE a (x int UNIQUE); DO $$ BEGIN {body}; END $$;");
    let all = ["* ?", "a (x)"];
    let one = ["a (x)", "a ?"];
    postgres(&block("EXECUTE 'SELECT count(*) FROM a'"), &["a (x)"]);
    postgres(&block("EXECUTE format('ANALYZE %I', 'a')"), &["a (x)"]);
    postgres(&block("EXECUTE 'SELECT * INTO b FROM a'"), &all);
    postgres(&block("EXECUTE 'ALTER TABLE a DROP x'"), &all);
    postgres(&block("EXECUTE made"), &all);
    postgres(&block("ALTER TABLE a DROP COLUMN x"), &one);
    postgres(&block("CREATE UNLOGGED TABLE a (y int)"), &one);
    postgres(&block("PERFORM 1"), &["a (x)"]);
}

#[test]
fn what_cannot_define_is_passed_over() {
    postgres(
        "CREATE TABLE a (x int UNIQUE); PREPARE q AS SELECT 1; EXECUTE q; REINDEX TABLE pg_catalog.pg_class; VACUUM pg_index;
         (SELECT 1) UNION (SELECT 2); REASSIGN OWNED BY b TO c; DROP FUNCTION f(int) CASCADE;",
        &["a (x)"],
    );
    postgres("CREATE TABLE a (x int UNIQUE NOT ENFORCED);", &["a ?"]);
}

#[test]
fn a_column_that_is_the_rowid_is_a_key_without_an_index() {
    let schema = read(
        "CREATE TABLE a (id INTEGER PRIMARY KEY, k TEXT UNIQUE)",
        Dialect::Sqlite,
    );
    assert_eq!(keys(&schema), ["a (id)", "a (k)"]);
    let mut out = Vec::new();
    outbox_audit::report::write_schema_json(&schema, &[], &mut out).expect("written");
    let document: serde_json::Value = serde_json::from_slice(&out).expect("JSON");
    assert_eq!(document["enforcers"].as_array().map(Vec::len), Some(1));
    assert_eq!(document["enforcers"][0]["parts"][0]["column"], "k");
    assert_eq!(document["rowids"][0]["table"], "a");
    assert_eq!(document["rowids"][0]["column"], "id");
}

#[test]
fn text_with_the_signs_of_postgres_alone_is_not_read_as_mysql() {
    let text = "CREATE TABLE a (id bigserial PRIMARY KEY, at timestamptz)";
    for dialect in [Dialect::Mysql, Dialect::Mariadb, Dialect::Tidb] {
        let file = std::sync::Arc::new(TextFile::new("schema.sql", text.to_owned()));
        let (schema, reasons) = outbox_audit::input::schema::read_text(&[file], Some(dialect));
        assert!(schema.is_none());
        let said: Vec<&str> = reasons.iter().map(|reason| &*reason.sentence).collect();
        let word = dialect.word();
        assert_eq!(
            said,
            [format!(
                "schema.sql is written for postgres, and the dialect given is {word}"
            )]
        );
    }
}

#[test]
fn text_that_is_written_for_another_engine_is_unknown_with_its_place() {
    use Dialect::*;
    let sqlserver = "CREATE TABLE a (id int IDENTITY(1,1) PRIMARY KEY)\nGO\nCREATE TABLE b (k int UNIQUE)\nGO\n";
    for dialect in [Postgres, Mysql, Mariadb, Tidb, Sqlite] {
        let left = left(sqlserver, dialect);
        assert!(left.contains(&"* ?".to_owned()), "{dialect:?} {left:?}");
    }
    for (dialect, text) in [
        (Postgres, "CREATE TABLE a (id NUMBER(10) PRIMARY KEY)"),
        (Mysql, "CREATE TABLE a (id VARCHAR2(10) PRIMARY KEY)"),
        (
            Mysql,
            "CREATE TABLE a (id bigserial PRIMARY KEY) ENGINE=InnoDB",
        ),
        (Tidb, "CREATE TABLE a (id jsonb, UNIQUE (id)) ENGINE=InnoDB"),
        (
            Postgres,
            "CREATE TABLE a (id int AUTO_INCREMENT PRIMARY KEY)",
        ),
        (Postgres, "CREATE TABLE [a] ([id] int PRIMARY KEY)"),
        (Mysql, "CREATE TABLE a (id int PRIMARY KEY AUTOINCREMENT)"),
        (Mysql, "CREATE TABLE a (id int UNIQUE ON CONFLICT REPLACE)"),
        (Mysql, "CREATE TABLE a (id int PRIMARY KEY) WITHOUT ROWID"),
        (Mysql, "CREATE TABLE a (id int PRIMARY KEY) STRICT"),
        (
            Mariadb,
            "CREATE TABLE a (id int, PRIMARY KEY (id) CLUSTERED)",
        ),
        (
            Mysql,
            "CREATE TABLE a (id int); CREATE UNIQUE INDEX i ON ONLY a (id)",
        ),
        (
            Sqlite,
            "CREATE TABLE a (id int); ALTER TABLE ONLY a ADD CONSTRAINT b UNIQUE (id)",
        ),
        (
            Sqlite,
            "CREATE TABLE a (id int, UNIQUE KEY b (id)) ENGINE=InnoDB",
        ),
    ] {
        let left = left(text, dialect);
        assert!(
            left.contains(&"a ?".to_owned())
                || left.contains(&"[a] ?".to_owned())
                || left.contains(&"* ?".to_owned()),
            "{text} {left:?}"
        );
    }
    postgres(
        "CREATE DOMAIN datetime AS timestamp; CREATE TABLE a (at datetime UNIQUE);",
        &["a (at)"],
    );
    postgres(
        "INSERT INTO a VALUES (1, 2, 3, 4, 5, 'x\nGO\n');\nCREATE TABLE a (x int UNIQUE);",
        &["a (x)"],
    );
}

#[test]
fn a_text_that_ends_too_early_leaves_every_table_unknown() {
    let many = "CREATE TABLE a (x int UNIQUE);\n".to_owned() + &"SELECT 1;\n".repeat(10);
    let all = ["* ?", "a (x)"];
    for tail in [
        "ALTER TABLE b ADD CONSTRAINT c UNIQUE (y",
        "CREATE TABLE b (y int) WITH (fillfactor = 70)",
        "SELECT 2",
        "--\n-- Name: b b_key; Type: CONSTRAINT; Schema: public; Owner: -\n--\n",
    ] {
        let left = left(&format!("{many}{tail}"), Dialect::Postgres);
        assert!(
            left.contains(&"* ?".to_owned()) || left.contains(&"b ?".to_owned()),
            "{tail} {left:?}"
        );
    }
    let dump = format!("--\n-- PostgreSQL database dump\n--\n\n{many}");
    postgres(&dump, &all);
    postgres(
        &format!("{dump}--\n-- PostgreSQL database dump complete\n--\n"),
        &["a (x)"],
    );
    let mysql = "-- MySQL dump 10.13\nCREATE TABLE a (x int UNIQUE);\n";
    assert_eq!(left(mysql, Dialect::Mysql), all);
    // A short migration may leave its last terminator out.
    postgres(
        "CREATE TABLE a (x int);\nCREATE UNIQUE INDEX i ON a (x)",
        &["a (x)"],
    );
    postgres(
        "BEGIN;\nCREATE TABLE a (x int UNIQUE);\n",
        &["a (x)", "a ?"],
    );
}
