//! What statements on other objects do to a table: foreign keys that hold it, triggers switched off.

mod schema_support;

use outbox_audit::model::schema::{Dialect, Schema};
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

/// PostgreSQL refuses to drop what a foreign key rests on, unless it says CASCADE.
#[test]
fn what_a_foreign_key_rests_on_stays() {
    let tables = "CREATE TABLE a (id int PRIMARY KEY, code text UNIQUE);
         CREATE TABLE b (a_id int REFERENCES a, code text CONSTRAINT by_code REFERENCES a (code));";
    let of = |more: &str| left(&format!("{tables}{more}"), Dialect::Postgres);
    assert_eq!(of("DROP TABLE a;"), ["a (code)", "a (id)", "a ?"]);
    assert_eq!(of("DROP TABLE a CASCADE;"), [""; 0]);
    assert_eq!(of("DROP TABLE a, b;"), [""; 0]);
    assert_eq!(of("DROP TABLE b; DROP TABLE a;"), [""; 0]);
    let key = "ALTER TABLE a DROP CONSTRAINT a_code_key;";
    assert_eq!(of(key), ["a (code)", "a (id)", "a ?"]);
    assert_eq!(
        of("ALTER TABLE a DROP CONSTRAINT a_code_key CASCADE;"),
        ["a (id)"]
    );
    assert_eq!(
        of(&format!("ALTER TABLE b DROP CONSTRAINT by_code; {key}")),
        ["a (id)"]
    );
    let both = "ALTER TABLE b DROP CONSTRAINT by_code, DROP CONSTRAINT b_a_id_fkey; DROP TABLE a;";
    assert_eq!(of(both), [""; 0]);
    assert_eq!(
        of("ALTER TABLE b DROP COLUMN code, DROP COLUMN a_id; DROP TABLE a;"),
        [""; 0]
    );
    // The same names in another schema.
    postgres(
        "CREATE SCHEMA s; CREATE TABLE s.a (id int PRIMARY KEY); CREATE TABLE s.b (a_id int REFERENCES s.a);
         CREATE TABLE a (id int PRIMARY KEY); ALTER TABLE a DROP CONSTRAINT a_pkey; DROP TABLE a;",
        &["s.a (id)"],
    );
    // MySQL's dumps switch the check off.
    assert_eq!(
        left(
            "CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (a_id int, CONSTRAINT f FOREIGN KEY (a_id) REFERENCES a (id)); DROP TABLE a;",
            Dialect::Mysql
        ),
        [""; 0]
    );
}

#[test]
fn a_partition_that_rows_point_to_may_not_go() {
    let tables = "CREATE TABLE a (id int PRIMARY KEY) PARTITION BY RANGE (id);
         CREATE TABLE a1 PARTITION OF a FOR VALUES FROM (0) TO (9);";
    let pointing = "CREATE TABLE b (a_id int REFERENCES a);";
    let gone = "ALTER TABLE a DETACH PARTITION a1; DROP TABLE a1;";
    postgres(&format!("{tables}{gone}"), &["a (id)"]);
    postgres(
        &format!("{tables}{pointing}{gone}"),
        &["a (id)", "a1 (id)", "a1 ?"],
    );
    postgres(
        &format!("{tables}{pointing}DROP TABLE a1;"),
        &["a (id)", "a1 (id)", "a1 ?"],
    );
}

/// A trigger that is switched off does not fire.
#[test]
fn triggers_are_switched_off_and_on() {
    let triggers = |more: &str| -> Vec<String> {
        let text = format!(
            "CREATE TABLE a (id int); CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
             CREATE TRIGGER one BEFORE INSERT ON a FOR EACH ROW EXECUTE FUNCTION f();
             CREATE TRIGGER two AFTER INSERT ON a FOR EACH ROW EXECUTE FUNCTION f(); {more}"
        );
        let schema = read(&text, Dialect::Postgres);
        let triggers = schema.tables.iter().flat_map(|table| &table.triggers);
        triggers.map(|trigger| trigger.name.to_string()).collect()
    };
    assert_eq!(triggers(""), ["one", "two"]);
    assert_eq!(triggers("ALTER TABLE a DISABLE TRIGGER one;"), ["two"]);
    for all in ["ALL", "USER"] {
        let off = format!("ALTER TABLE a DISABLE TRIGGER {all};");
        assert_eq!(triggers(&off), [""; 0]);
        let on = "ALTER TABLE a ENABLE TRIGGER two;";
        assert_eq!(triggers(&format!("{off}{on}")), ["two"]);
        assert_eq!(
            triggers(&format!("{off} ALTER TABLE a ENABLE ALWAYS TRIGGER one;")),
            ["one"]
        );
    }
    assert_eq!(
        triggers("ALTER TABLE a ENABLE REPLICA TRIGGER one;"),
        ["two"],
        "it fires for a replica only"
    );
    assert_eq!(
        triggers("ALTER TABLE a DISABLE TRIGGER one; ALTER TABLE a RENAME COLUMN id TO i;"),
        ["two"]
    );
}
