//! TiDB. Sources: TiDB documentation, "Constraints", "Character Set and Collation",
//! "AUTO_RANDOM", "TABLES".

use crate::model::schema::{Deferral, Dialect};

use super::super::server::Server;
use super::super::sql;
use super::{Recorded, key, label, row, rows, server, table};

const VERSION: &str = "8.0.11-TiDB-v8.5.1";

const INBOX: Recorded<'_> = Recorded {
    tables: &[&["inbox", "BASE TABLE", "InnoDB", "", "PK_AUTO_RANDOM_BITS=5"]],
    columns: &[
        &["inbox", "id", "bigint(20)", "NO", "-", "", "-", ""],
        &[
            "inbox",
            "event",
            "varchar(64)",
            "YES",
            "-",
            "",
            "utf8mb4_general_ci",
            "",
        ],
    ],
    checks: &[],
    statistics: &[
        &["inbox", "PRIMARY", "0", "id", "-", "", "-"],
        &["inbox", "by_event", "0", "event", "-", "YES", "-"],
    ],
};

fn with(variables: &[&[&str]]) -> Server {
    let mut all: Vec<&[&str]> = vec![&["sql_mode", "STRICT_TRANS_TABLES"]];
    all.extend(variables);
    server(VERSION, "TiDB Server", &all)
}

#[test]
fn ids_that_it_draws_at_random() {
    let schema = INBOX.read(&with(&[]));
    assert_eq!(schema.dialect, Some(Dialect::Tidb));
    assert!(table(&schema, "inbox").columns[0].auto_number);
}

#[test]
fn keys_that_are_checked_at_the_commit_only() {
    let of =
        |variables: &[&[&str]]| key(&INBOX.read(&with(variables)), "inbox", "by_event").deferral;
    let pessimistic: &[&str] = &["tidb_txn_mode", "pessimistic"];
    assert_eq!(of(&[pessimistic]), Deferral::Immediate);
    assert_eq!(
        of(&[
            pessimistic,
            &["tidb_constraint_check_in_place_pessimistic", "OFF"]
        ]),
        Deferral::Deferred
    );
    for mode in ["optimistic", ""] {
        let mode: &[&str] = &["tidb_txn_mode", mode];
        assert_eq!(of(&[mode]), Deferral::Deferred);
        assert_eq!(
            of(&[mode, &["tidb_constraint_check_in_place", "ON"]]),
            Deferral::Immediate
        );
    }
}

#[test]
fn text_is_compared_by_bytes_where_the_cluster_was_made_so() {
    let mut server = with(&[]);
    server.collation_framework(&rows(&[&["False"]]));
    let schema = INBOX.read(&server);
    let part = &key(&schema, "inbox", "by_event").parts[0];
    assert_eq!(
        (part.collation.as_deref(), part.folds.as_deref()),
        (Some("binary"), None)
    );
    server.collation_framework(&rows(&[&["True"]]));
    let schema = INBOX.read(&server);
    let part = &key(&schema, "inbox", "by_event").parts[0];
    assert_eq!(part.collation.as_deref(), Some("utf8mb4_general_ci"));
    assert!(schema.unknown.is_empty());
    server.collation_framework(&[]);
    let gaps = server.gaps(&label());
    assert_eq!(gaps.len(), 1);
    assert!(gaps[0].reason.next_step.contains("mysql.tidb"));
}

#[test]
fn the_session_says_nothing_that_it_refuses() {
    let limit = std::time::Duration::from_secs(10);
    let statements = sql::opening(Dialect::Tidb, limit).join("; ");
    assert!(!statements.contains("READ ONLY"), "{statements}");
    assert!(
        statements.contains("max_execution_time = 10000"),
        "{statements}"
    );
    assert_eq!(row(&["a"]).text(0), "a");
}
