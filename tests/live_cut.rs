//! A connection that ends or falls silent in the middle of the reading: what was read is told, and
//! what was not is unknown for every table, never absent.

mod live_support;
mod servers;

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use live_support::{live_within, run, table};
use outbox_audit::model::schema::Schema;
use serde_json::Value;
use servers::{mariadb, postgres};

/// What happens to the connection when the client sends a word.
#[derive(Clone, Copy)]
enum Then {
    Cut,
    Hang,
}

/// Passes a connection on to a server, up to the query that holds the word.
fn proxy(server: &str, word: &'static str, then: Then) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let server = server.to_owned();
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let upstream = TcpStream::connect(&server).expect("the server");
            let (mut answers, mut back) = (
                upstream.try_clone().expect("a clone"),
                client.try_clone().expect("a clone"),
            );
            thread::spawn(move || std::io::copy(&mut answers, &mut back));
            thread::spawn(move || pass(client, upstream, word, then));
        }
    });
    port
}

fn pass(mut client: TcpStream, mut upstream: TcpStream, word: &str, then: Then) {
    let mut bytes = [0; 1 << 16];
    while let Ok(length @ 1..) = client.read(&mut bytes) {
        let sent = &bytes[..length];
        if memchr::memmem::find(sent, word.as_bytes()).is_some() {
            let _ = upstream.shutdown(Shutdown::Both);
            match then {
                Then::Cut => {
                    let _ = client.shutdown(Shutdown::Both);
                }
                // Until the client gives up.
                Then::Hang => {
                    let _ = std::io::copy(&mut client, &mut std::io::sink());
                }
            }
            return;
        }
        if upstream.write_all(sent).is_err() {
            return;
        }
    }
}

const SCRIPT: &str = "CREATE TABLE invoice (order_id varchar(36) NOT NULL, CONSTRAINT invoice_order UNIQUE (order_id)); \
    CREATE TABLE other (k varchar(36) NOT NULL)";

/// The URL of the database with a proxy in front of it.
fn through(url: &str, word: &'static str, then: Then) -> String {
    let (scheme, rest) = url.split_once("://").expect("a URL");
    let (user, rest) = rest.split_once('@').expect("a user");
    let (host, name) = rest.split_once('/').expect("a database");
    let port = proxy(host, word, then);
    format!("{scheme}://{user}@127.0.0.1:{port}/{name}")
}

fn all_unknown(schema: &Schema, words: &[&str]) {
    assert!(
        !table(schema, "invoice").columns.is_empty(),
        "what was read is told"
    );
    let named: Vec<&str> = schema
        .unknown
        .iter()
        .filter_map(|unknown| unknown.table.as_deref()?.rsplit('.').next())
        .collect();
    assert_eq!(named, ["invoice", "other"]);
    let whole: Vec<_> = schema
        .unknown
        .iter()
        .filter(|unknown| unknown.table.is_none())
        .collect();
    assert_eq!(whole.len(), 1, "{:?}", schema.unknown);
    for word in words {
        assert!(whole[0].reason.sentence.contains(word), "{:?}", whole[0]);
    }
    assert!(!format!("{:?}", schema.unknown).contains("127.0.0.1"));
}

#[test]
fn keys_that_were_not_read_are_unknown() {
    let databases = [
        (postgres().database(), "pg_index i"),
        (mariadb().database(), "information_schema.STATISTICS"),
    ];
    for (database, word) in databases {
        database.run(SCRIPT).expect("the script runs");
        let url = through(database.url(), word, Then::Cut);
        let seen = live_within(&url, Duration::from_secs(5)).expect("a part of it");
        all_unknown(&seen, &["closed the connection in the middle", "keys"]);
        let url = through(database.url(), word, Then::Hang);
        let seen = live_within(&url, Duration::from_secs(1)).expect("a part of it");
        all_unknown(&seen, &["no answer within 1 s", "keys"]);
    }
}

#[test]
fn triggers_that_were_not_read_are_unknown() {
    let databases = [
        (postgres().database(), "pg_trigger"),
        (mariadb().database(), "information_schema.TRIGGERS"),
    ];
    for (database, word) in databases {
        database.run(SCRIPT).expect("the script runs");
        let url = through(database.url(), word, Then::Cut);
        let seen = live_within(&url, Duration::from_secs(5)).expect("a part of it");
        all_unknown(&seen, &["closed the connection in the middle", "triggers"]);
        assert_eq!(
            table(&seen, "invoice").enforcers.len(),
            1,
            "the keys are told"
        );
    }
}

#[test]
fn before_any_table_nothing_is_told() {
    let databases = [
        (postgres().database(), "pg_attribute"),
        (mariadb().database(), "information_schema.COLUMNS"),
    ];
    for (database, word) in databases {
        database.run(SCRIPT).expect("the script runs");
        let url = through(database.url(), word, Then::Cut);
        let reason = live_within(&url, Duration::from_secs(5)).expect_err("nothing");
        assert!(
            reason
                .sentence
                .contains("no table of the database is known"),
            "{}",
            reason.sentence
        );
    }
}

#[test]
fn a_part_of_a_catalog_shows_nothing_unsafe_and_nothing_safe() {
    let database = postgres().database();
    database.run(SCRIPT).expect("the script runs");
    let folder = tempfile::tempdir().expect("a folder");
    let flows = "version: 1\nconsumers:\n  - id: bill\n    event: order.placed\n    object: orders\n    \
        effects:\n      - id: make\n        kind: insert\n        table: invoice\n        set:\n          \
        order_id: {snapshot: record.id, nulls: never}\n        on_conflict: do-nothing\n";
    std::fs::write(folder.path().join("flows.yaml"), flows).expect("written");
    std::fs::write(folder.path().join("schema.sql"), SCRIPT).expect("written");
    let arguments = [
        "check",
        "--format",
        "json",
        "--schema",
        "schema.sql",
        "--dialect",
        "postgres",
        "--flows",
        "flows.yaml",
        "--database",
        "env:LIVE",
        ".",
    ];
    let of = |url: &str| -> (Option<i32>, Value) {
        let said = run(folder.path(), &arguments, url);
        let report = serde_json::from_str(&said.stdout).expect("a report");
        (said.status, report)
    };
    let (_, whole) = of(database.url());
    assert_eq!(whole["effects"][0]["disposition"], "safe", "{whole:#}");
    let (status, part) = of(&through(database.url(), "pg_index i", Then::Cut));
    assert_eq!(status, Some(3), "{part:#}");
    assert_eq!(part["effects"][0]["disposition"], "unknown");
    let drift = part["obligations"].as_array().expect("obligations");
    assert!(
        drift.iter().all(|each| each["check"] != "input-drift"),
        "no drift is told"
    );
}
