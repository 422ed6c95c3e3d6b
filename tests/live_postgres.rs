//! The live catalog of PostgreSQL, on the two servers of the tests: every trap that only it shows.

mod live_support;
mod servers;

use std::time::{Duration, Instant};

use live_support::{columns, flows_into, key, keys, live, live_within, outcomes, run, table, text};
use outbox_audit::model::evidence::{InputKind, ObservedBy, Why};
use outbox_audit::model::place::Place;
use outbox_audit::model::schema::{Dialect, SchemaOrigin, TableKind, Volatility};
use serde_json::Value;
use servers::{Database, postgres, postgres_newer};

const SCRIPT: &str = include_str!("data/live/postgres.sql");

/// A database on each of the two servers, with a script run in it.
fn databases(script: &str) -> Vec<Database> {
    let both = [postgres().database(), postgres_newer().database()];
    for database in &both {
        database.run(script).expect("the script runs");
    }
    both.into()
}

#[test]
fn text_and_catalog_say_the_same_of_one_script() {
    let written = text(SCRIPT, Dialect::Postgres);
    assert!(written.unknown.is_empty(), "{:?}", written.unknown);
    for database in databases(SCRIPT) {
        let seen = live(database.url());
        assert!(seen.unknown.is_empty(), "{:?}", seen.unknown);
        assert_eq!(seen.origin, SchemaOrigin::Live);
        assert_eq!(keys(&seen), keys(&written));
        let of_tables = |columns: Vec<String>| -> Vec<String> {
            let is_view = |column: &String| column.starts_with("seen.");
            columns
                .into_iter()
                .filter(|column| !is_view(column))
                .collect()
        };
        assert_eq!(of_tables(columns(&seen)), of_tables(columns(&written)));
        let kinds = |schema: &outbox_audit::model::schema::Schema| -> Vec<TableKind> {
            schema.tables.iter().map(|table| table.kind).collect()
        };
        let tables_of_text: Vec<_> = kinds(&written);
        assert_eq!(kinds(&seen), tables_of_text);
    }
}

#[test]
fn what_the_engine_prints_is_no_drift() {
    for database in databases(SCRIPT) {
        let folder = tempfile::tempdir().expect("a folder");
        let flows = flows_into(&text(SCRIPT, Dialect::Postgres));
        std::fs::write(folder.path().join("schema.sql"), SCRIPT).expect("written");
        std::fs::write(folder.path().join("flows.yaml"), flows).expect("written");
        let arguments = [
            "check",
            "--format",
            "json",
            "--dialect",
            "postgres",
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
        let drift: Vec<&Value> = obligations
            .iter()
            .filter(|each| each["check"] == "input-drift")
            .collect();
        assert!(drift.is_empty(), "{drift:#?}");
        let asked = obligations
            .iter()
            .any(|each| each["check"] == "index-not-live" && each["outcome"] == "met");
        assert!(asked, "a key is shown live: {}", said.stderr);
        // And a difference is one.
        database
            .run("DROP INDEX soft_delete_live")
            .expect("it is dropped");
        let said = run(folder.path(), &arguments, database.url());
        assert!(said.stdout.contains("input-drift"), "{}", said.stdout);
    }
}

#[test]
fn text_and_catalog_lead_to_the_same_outcomes() {
    for database in databases(SCRIPT) {
        let folder = tempfile::tempdir().expect("a folder");
        let flows = flows_into(&text(SCRIPT, Dialect::Postgres));
        std::fs::write(folder.path().join("schema.sql"), SCRIPT).expect("written");
        std::fs::write(folder.path().join("flows.yaml"), flows).expect("written");
        let common = ["check", "--format", "json", "--flows", "flows.yaml", "."];
        let of = |more: &[&str]| {
            let arguments: Vec<&str> = common.iter().chain(more).copied().collect();
            outcomes(folder.path(), &arguments, database.url())
        };
        let written = of(&["--schema", "schema.sql", "--dialect", "postgres"]);
        let seen = of(&["--database", "env:LIVE"]);
        assert!(written.len() > 100);
        assert_eq!(seen, written);
    }
}

#[test]
fn every_fact_names_the_connection_and_the_object() {
    for database in databases(SCRIPT) {
        let seen = live(database.url());
        for table in &seen.tables {
            let columns = table.columns.iter().map(|column| &column.place);
            let keys = table.enforcers.iter().map(|key| &key.evidence.place);
            for place in columns.chain(keys).chain([&table.place]) {
                let Place::Object { connection, object } = place else {
                    panic!("{place}");
                };
                assert_eq!(&**connection, "env:LIVE");
                assert!(!object.is_empty());
            }
            for key in &table.enforcers {
                assert_eq!(key.evidence.input, InputKind::Database);
                assert_eq!(key.evidence.by, ObservedBy::Catalog);
            }
        }
    }
}

#[test]
fn defaults_are_as_volatile_as_the_catalog_says() {
    let script = "CREATE FUNCTION steady() RETURNS text IMMUTABLE LANGUAGE sql AS $$ SELECT 'x'::text $$; \
        CREATE FUNCTION ticking() RETURNS text STABLE LANGUAGE sql AS $$ SELECT now()::text $$; \
        CREATE FUNCTION drawn() RETURNS text VOLATILE LANGUAGE sql AS $$ SELECT random()::text $$; \
        CREATE TABLE t (a text DEFAULT steady(), b text DEFAULT ticking(), c text DEFAULT drawn(), \
        d text DEFAULT initcap('x'), e text DEFAULT current_setting('application_name'), f text DEFAULT 'x')";
    for database in databases(script) {
        let seen = live(database.url());
        let of = |name: &str| {
            let column = table(&seen, "t").column(name).expect("the column");
            column.default.as_ref().expect("a default").volatility
        };
        assert_eq!(of("a"), Volatility::Constant);
        assert_eq!(of("b"), Volatility::Volatile);
        assert_eq!(of("c"), Volatility::Volatile);
        assert_eq!(of("d"), Volatility::Constant);
        assert_eq!(of("e"), Volatility::Volatile);
        assert_eq!(of("f"), Volatility::Constant);
    }
}

#[test]
fn triggers_and_rules_on_the_way_of_an_insert_are_seen() {
    let script = "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$; \
        CREATE TABLE t (k text UNIQUE); \
        CREATE TRIGGER rewrites BEFORE INSERT OR UPDATE ON t FOR EACH ROW EXECUTE FUNCTION f(); \
        CREATE TRIGGER counts BEFORE INSERT ON t FOR EACH STATEMENT EXECUTE FUNCTION f(); \
        CREATE TRIGGER off BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f(); ALTER TABLE t DISABLE TRIGGER off; \
        CREATE TRIGGER tells AFTER DELETE ON t FOR EACH ROW EXECUTE FUNCTION f(); \
        CREATE TABLE p (k text, at date) PARTITION BY RANGE (at); \
        CREATE TABLE p1 PARTITION OF p FOR VALUES FROM ('2024-01-01') TO ('2025-01-01'); \
        CREATE TRIGGER in_leaf BEFORE INSERT ON p1 FOR EACH ROW EXECUTE FUNCTION f(); \
        CREATE TABLE r (k text UNIQUE); CREATE RULE quiet AS ON INSERT TO r DO INSTEAD NOTHING; \
        CREATE TABLE referred (id text PRIMARY KEY); CREATE TABLE refers (id text REFERENCES referred DEFERRABLE)";
    for database in databases(script) {
        let seen = live(database.url());
        let of = |name: &str| -> Vec<String> {
            let triggers = table(&seen, name).triggers.iter();
            triggers
                .map(|each| {
                    let flags = [
                        (each.before, "before"),
                        (each.on_insert, "insert"),
                        (each.on_update, "update"),
                        (each.on_delete, "delete"),
                    ];
                    let words: Vec<&str> = flags
                        .iter()
                        .filter(|flag| flag.0)
                        .map(|flag| flag.1)
                        .collect();
                    format!("{} {}", each.name, words.join(" "))
                })
                .collect()
        };
        assert_eq!(
            of("t"),
            [
                "counts insert",
                "rewrites before insert update",
                "tells delete"
            ]
        );
        assert_eq!(
            of("p"),
            ["in_leaf before insert"],
            "it fires for rows of the parent"
        );
        assert!(of("refers").is_empty(), "those of constraints are none");
        let about_r: Vec<_> = seen
            .unknown
            .iter()
            .filter(|unknown| unknown.table.as_deref() == Some("public.r"))
            .collect();
        assert_eq!(about_r.len(), 1, "{:?}", seen.unknown);
    }
}

#[test]
fn a_bare_name_means_the_first_schema_of_the_search_path() {
    let script = "CREATE SCHEMA app; CREATE TABLE public.t (k text); CREATE TABLE app.t (k text UNIQUE); \
        CREATE TABLE app.u (k text)";
    for database in databases(script) {
        let seen = live(database.url());
        assert!(table(&seen, "t").enforcers.is_empty(), "public comes first");
        assert_eq!(table(&seen, "app.t").enforcers.len(), 1);
        assert_eq!(table(&seen, "u").schema.as_deref(), Some("app"));
        let name = database.name();
        database
            .run(&format!(
                "ALTER DATABASE {name} SET search_path = app, public"
            ))
            .expect("the path is set");
        let seen = live(database.url());
        assert_eq!(table(&seen, "t").enforcers.len(), 1, "app comes first");
    }
}

#[test]
fn the_newer_catalog_knows_periods_and_constraints_that_are_not_valid() {
    let database = postgres_newer().database();
    database
        .run(
            "CREATE TABLE rooms (room int4range NOT NULL, at daterange NOT NULL, \
             UNIQUE (room, at WITHOUT OVERLAPS)); \
             CREATE TABLE late (k text UNIQUE, l text, m text UNIQUE, CHECK (m IS NOT NULL) NOT ENFORCED); \
             INSERT INTO late VALUES (NULL, NULL); ALTER TABLE late ADD CONSTRAINT k_set NOT NULL k NOT VALID",
        )
        .expect("the script runs");
    let seen = live(database.url());
    let rooms = &table(&seen, "rooms").enforcers[0];
    assert_eq!(rooms.parts[0].column.as_deref(), Some("room"));
    assert_eq!(
        rooms.parts[1].expression.as_deref(),
        Some("at WITHOUT OVERLAPS")
    );
    assert!(
        !key(&seen, "late", "late_k_key").parts[0].nullable,
        "new rows are checked"
    );
    assert!(
        key(&seen, "late", "late_m_key").parts[0].nullable,
        "not enforced"
    );
}

#[test]
fn exclusions_compare_with_their_own_operators() {
    let database = postgres().database();
    database
        .run(
            "CREATE TABLE e (r int4range NOT NULL, c circle, EXCLUDE USING gist (r WITH &&), \
             EXCLUDE USING gist (r WITH =))",
        )
        .expect("the script runs");
    let seen = live(database.url());
    let parts: Vec<String> = table(&seen, "e")
        .enforcers
        .iter()
        .map(|key| key.key_text())
        .collect();
    assert_eq!(parts, ["(r WITH &&)", "(r)"]);
}

#[test]
fn equality_that_folds_is_said_and_domains_are_looked_through() {
    // Extensions and ICU come with the distribution's server.
    let database = postgres().database();
    database
        .run(
            "CREATE EXTENSION citext; \
             CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false); \
             CREATE DOMAIN mail AS citext; CREATE DOMAIN set_mail AS mail CHECK (VALUE IS NOT NULL); \
             CREATE TABLE t (a text COLLATE ci NOT NULL UNIQUE, b citext NOT NULL UNIQUE, \
             c set_mail UNIQUE, d text NOT NULL, e text NOT NULL UNIQUE); \
             CREATE UNIQUE INDEX t_d ON t (d COLLATE ci)",
        )
        .expect("the script runs");
    let seen = live(database.url());
    let of = |name: &str| key(&seen, "t", name).parts[0].clone();
    let folds = |name: &str| of(name).folds.unwrap_or_default().to_string();
    assert!(
        folds("t_a_key").contains("collation ci"),
        "{}",
        folds("t_a_key")
    );
    assert!(folds("t_b_key").contains("without regard to case"));
    assert!(
        folds("t_c_key").contains("without regard to case"),
        "below two domains"
    );
    assert!(!of("t_c_key").nullable, "a domain's CHECK refuses NULL");
    assert!(
        folds("t_d").contains("collation ci"),
        "the index says it, not the column"
    );
    assert_eq!(of("t_d").collation.as_deref(), Some("ci"));
    assert_eq!(
        (folds("t_e_key").as_str(), of("t_e_key").collation),
        ("", None)
    );
}

#[test]
fn wrong_names_and_passwords_end_in_a_reason() {
    let database = postgres().database();
    let url = database.url().replace(database.name(), "no_such_database");
    let reason = live_within(&url, Duration::from_secs(5)).expect_err("there is none");
    assert_eq!(reason.why, Why::NotReadable);
    assert!(
        reason.sentence.contains("no database of that name"),
        "{}",
        reason.sentence
    );
    assert!(!reason.sentence.contains("no_such_database"));
}

#[test]
fn fifteen_thousand_indexes_are_read_at_once() {
    let database = postgres().database();
    // In steps: a transaction may hold so many locks only.
    for first in (1..=1_000).step_by(50) {
        let last = first + 49;
        database
            .run(&format!(
                "DO $$ BEGIN FOR i IN {first}..{last} LOOP EXECUTE format('CREATE TABLE t%s (id bigint PRIMARY KEY, \
                 a text, b text, c text, d text, e text, f text, g text)', i); \
                 FOR j IN 1..14 LOOP EXECUTE format('CREATE UNIQUE INDEX ON t%s (%I, lower(%I)) WHERE %I IS NOT NULL', \
                 i, chr(97 + j % 7), chr(97 + (j + 1) % 7), chr(97 + (j + 2) % 7)); END LOOP; END LOOP; END $$"
            ))
            .expect("the script runs");
    }
    // A release build on an idle machine takes less than a second; this is neither.
    let took = (0..3)
        .map(|_| {
            let began = Instant::now();
            let seen = live(database.url());
            let took = began.elapsed();
            let count: usize = seen.tables.iter().map(|table| table.enforcers.len()).sum();
            assert_eq!(count, 15_000);
            took
        })
        .min()
        .expect("it was read");
    assert!(took < Duration::from_secs(60), "{took:?}");
}
