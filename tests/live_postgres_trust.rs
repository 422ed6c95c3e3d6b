//! How far an index of PostgreSQL is to be trusted: built to the end, ordered as its collation
//! orders today, and asked about duplicates where that is not sure.

mod live_support;
mod servers;

use std::time::Duration;

use live_support::{key, live, live_within, run};
use outbox_audit::model::evidence::{Fact, ObservedBy};
use outbox_audit::model::schema::Schema;
use serde_json::Value;
use servers::{Database, block_on, postgres, postgres_newer};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

/// A database on each of the two servers, with a collation that has a version.
fn databases(script: &str) -> Vec<(Database, &'static str)> {
    let both = [
        (postgres().database(), "en-x-icu"),
        (postgres_newer().database(), "pg_c_utf8"),
    ];
    for (database, collation) in &both {
        let script = script.replace("COLLATION", &format!("\"{collation}\""));
        database.run(&script).expect("the script runs");
    }
    both.into()
}

#[test]
fn an_index_that_was_cut_off_is_not_trusted() {
    for (database, _) in databases(
        "CREATE TABLE t (k text NOT NULL, l text NOT NULL); INSERT INTO t VALUES ('a', 'x'), ('a', 'y')",
    ) {
        let failed = database.run("CREATE UNIQUE INDEX CONCURRENTLY cut_off ON t (k)");
        assert!(failed.is_err(), "duplicates are there");
        database
            .run("CREATE UNIQUE INDEX checked_only ON t (l)")
            .expect("an index");
        // The state that a build leaves when it is cut off in its last phase.
        database
            .run("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'checked_only'::regclass")
            .expect("the catalog is changed");
        let seen = live(database.url());
        let cut_off = key(&seen, "t", "cut_off");
        assert_eq!(cut_off.enforced.shown(), Some(&false));
        assert_eq!(cut_off.trusted.shown(), Some(&false));
        let Fact::Shown(_, evidence) = &cut_off.trusted else {
            panic!("shown");
        };
        assert!(
            evidence.says.contains("rows with equal keys"),
            "{}",
            evidence.says
        );
        let checked = key(&seen, "t", "checked_only");
        assert_eq!(
            checked.enforced.shown(),
            Some(&true),
            "new rows are checked"
        );
        assert_eq!(checked.trusted.shown(), Some(&false));
        let Fact::Shown(_, evidence) = &checked.trusted else {
            panic!("shown");
        };
        assert!(
            evidence.says.contains("no key occurs twice"),
            "{}",
            evidence.says
        );
    }
}

const COLLATED: &str = "CREATE TABLE t (k text COLLATE COLLATION NOT NULL, n bigint NOT NULL); \
    CREATE UNIQUE INDEX t_k ON t (k); CREATE UNIQUE INDEX t_n ON t (n); \
    INSERT INTO t VALUES ('a', 1), ('b', 2);";

fn age(database: &Database, collation: &str) {
    database
        .run(&format!(
            "UPDATE pg_collation SET collversion = '0.0' WHERE collname = '{collation}'"
        ))
        .expect("the catalog is changed");
}

fn trust<'s>(schema: &'s Schema, name: &str) -> &'s Fact<bool> {
    &key(schema, "t", name).trusted
}

#[test]
fn a_collation_of_another_version_is_asked_about_its_keys() {
    for (database, collation) in databases(COLLATED) {
        let sound = live(database.url());
        let Fact::Shown(true, evidence) = trust(&sound, "t_k") else {
            panic!("{:?}", trust(&sound, "t_k"));
        };
        assert_eq!(evidence.by, ObservedBy::Catalog);
        age(&database, collation);
        let aged = live(database.url());
        let Fact::Shown(true, evidence) = trust(&aged, "t_k") else {
            panic!("{:?}", trust(&aged, "t_k"));
        };
        assert!(matches!(evidence.by, ObservedBy::Query { .. }));
        assert!(
            evidence.says.contains("another version"),
            "{}",
            evidence.says
        );
        let Fact::Shown(true, evidence) = trust(&aged, "t_n") else {
            panic!("{:?}", trust(&aged, "t_n"));
        };
        assert_eq!(
            evidence.by,
            ObservedBy::Catalog,
            "numbers have no collation"
        );
    }
}

#[test]
fn duplicates_that_an_index_let_in_are_found_beside_it() {
    for (database, collation) in databases(COLLATED) {
        let of_index = "WHERE indexrelid = 't_k'::regclass";
        for statement in [
            format!("UPDATE pg_index SET indisready = false, indisvalid = false {of_index}"),
            "INSERT INTO t VALUES ('a', 3)".to_owned(),
            format!("UPDATE pg_index SET indisready = true, indisvalid = true {of_index}"),
        ] {
            database.run(&statement).expect("it runs");
        }
        age(&database, collation);
        let seen = live(database.url());
        let broken = key(&seen, "t", "t_k");
        let Fact::Shown(false, evidence) = &broken.enforced else {
            panic!("{:?}", broken.enforced);
        };
        assert!(
            evidence.says.contains("it has let them in"),
            "{}",
            evidence.says
        );
        assert!(matches!(evidence.by, ObservedBy::Query { .. }));
    }
}

#[test]
fn what_cannot_be_asked_in_time_is_not_known() {
    // The newer server locks what it prints expressions of, so only the older one gets this far.
    let (database, collation) = databases(COLLATED).swap_remove(0);
    age(&database, collation);
    block_on(async {
        let mut other = PgConnection::connect(database.url())
            .await
            .expect("a connection");
        other
            .execute(AssertSqlSafe(
                "BEGIN; LOCK TABLE t IN ACCESS EXCLUSIVE MODE".to_owned(),
            ))
            .await
            .expect("the lock");
        let url = database.url().to_owned();
        let seen = std::thread::spawn(move || live_within(&url, Duration::from_secs(1)))
            .join()
            .expect("it ends")
            .expect("the catalog is read");
        let Fact::Unknown(reason) = trust(&seen, "t_k") else {
            panic!("{:?}", trust(&seen, "t_k"));
        };
        assert!(
            reason.sentence.contains("duplicates is not known"),
            "{}",
            reason.sentence
        );
        assert!(!reason.next_step.is_empty());
        assert_eq!(
            trust(&seen, "t_n").shown(),
            Some(&true),
            "the rest is known"
        );
        other.close().await.expect("it is closed");
    });
}

#[test]
fn a_user_without_rights_sees_the_catalog_and_no_rows() {
    let database = postgres().database();
    let role = format!("reader_of_{}", database.name());
    database
        .run(&format!(
            "CREATE TABLE t (k text NOT NULL); INSERT INTO t VALUES ('a'), ('a'); \
             CREATE ROLE {role} LOGIN"
        ))
        .expect("the script runs");
    assert!(
        database
            .run("CREATE UNIQUE INDEX CONCURRENTLY cut_off ON t (k)")
            .is_err()
    );
    let (scheme, rest) = database.url().split_once("://").expect("a URL");
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let seen = live(&format!("{scheme}://{role}@{host}"));
    let cut_off = key(&seen, "t", "cut_off");
    let Fact::Shown(false, evidence) = &cut_off.enforced else {
        panic!("{:?}", cut_off.enforced);
    };
    assert!(
        evidence
            .says
            .contains("whether a key occurs twice is not known"),
        "{}",
        evidence.says
    );
    drop(seen);
    database
        .run(&format!("DROP ROLE {role}"))
        .expect("the role goes");
}

#[test]
fn the_audit_relies_on_no_index_that_is_not_valid() {
    for (database, _) in
        databases("CREATE TABLE t (k text NOT NULL); CREATE UNIQUE INDEX t_k ON t (k)")
    {
        let folder = tempfile::tempdir().expect("a folder");
        let outcomes = |conflict: &str| {
            let flows = format!(
                "version: 1\nconsumers:\n  - id: bill\n    event: order.placed\n    object: orders\n    \
                 effects:\n      - id: make\n        kind: insert\n        table: t\n        set:\n          \
                 k: {{snapshot: record.id, nulls: never}}\n        on_conflict: {conflict}\n"
            );
            std::fs::write(folder.path().join("flows.yaml"), flows).expect("written");
            let arguments = ["check", "--format", "json", "--database", "env:LIVE", "."];
            let said = run(folder.path(), &arguments, database.url());
            let report: Value = serde_json::from_str(&said.stdout).expect("a report");
            let of = |check: &str| {
                let obligations = report["obligations"].as_array().expect("obligations");
                let found = obligations.iter().find(|each| each["check"] == check);
                found.expect("it is decided")["outcome"]
                    .as_str()
                    .expect("a word")
                    .to_owned()
            };
            ["unguarded-create", "unhandled-conflict", "index-not-live"].map(of)
        };
        let (bare, target) = ("do-nothing", "{do_nothing: [k]}");
        assert_eq!(outcomes(bare), ["met", "met", "met"]);
        assert_eq!(outcomes(target), ["met", "met", "met"]);
        let change = |flags: &str| {
            let statement =
                format!("UPDATE pg_index SET {flags} WHERE indexrelid = 't_k'::regclass");
            database.run(&statement).expect("the catalog is changed");
        };
        // New rows are checked; older ones may be missing, and no target can name it.
        change("indisvalid = false");
        assert_eq!(outcomes(bare), ["met", "met", "unknown"]);
        assert_eq!(outcomes(target), ["met", "not-met", "unknown"]);
        change("indisready = false");
        assert_eq!(outcomes(bare)[0], "not-met", "nothing is checked");
    }
}

#[test]
fn a_conflict_target_does_not_mean_an_index_that_is_not_valid() {
    const SCHEMA: &str = "CREATE TABLE ticket (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ref text NOT NULL); \
        CREATE UNIQUE INDEX one_ticket ON ticket (ref); \
        UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'one_ticket'::regclass";
    let conflicts = [
        ("ON CONFLICT (ref) DO NOTHING", "error"),
        (
            "ON CONFLICT (ref) DO UPDATE SET ref = EXCLUDED.ref",
            "error",
        ),
        ("ON CONFLICT DO NOTHING", "no-op"),
    ];
    for (database, _) in databases(SCHEMA) {
        for (clause, wanted) in conflicts {
            let insert = format!("INSERT INTO ticket (ref) VALUES ('r1') {clause}");
            let ran = database.run(&insert);
            assert_eq!(ran.is_err(), wanted == "error", "{clause}: {ran:?}");
            let flows = format!(
                "version: 1\nconsumers:\n  - id: handle\n    event: e\n    object: o\n    effects:\n      - id: keep\n        sql: {}\n        params: [{{snapshot: record.ref, null: never}}]\n",
                insert.replace("'r1'", "$1")
            );
            let folder = tempfile::tempdir().expect("a folder");
            std::fs::write(folder.path().join("flows.yaml"), flows).expect("written");
            let arguments = ["check", "--format", "json", "--database", "env:LIVE", "."];
            let said = run(folder.path(), &arguments, database.url());
            let report: Value = serde_json::from_str(&said.stdout).expect("a report");
            let effect = &report["effects"][0];
            assert_eq!(effect["further_delivery"]["sequential"], wanted, "{clause}");
            let said = report["obligations"].to_string();
            let told = said.contains("one_ticket is not valid: a conflict target does not mean it");
            assert_eq!(told, wanted == "error", "{clause}: {said}");
        }
    }
}
