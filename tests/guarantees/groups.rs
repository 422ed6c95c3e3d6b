//! What is asked of rows, on a live PostgreSQL: groups of every shape, and rows at rest.

use serde_json::Value;

use super::servers::{Database, postgres};
use super::{copy, outcomes, report, system};

/// A database of the shape of the system, with some rows of the intake: number, status, what it is a
/// duplicate of.
fn database(rows: &[(u32, &str, Option<u32>)]) -> Database {
    let database = postgres().database();
    let schema = std::fs::read_to_string(system().join("schema.sql")).expect("there is a schema");
    database.run(&schema).expect("the schema is created");
    let id = |number: u32| format!("'00000000-0000-0000-0000-{number:012}'");
    for (number, status, of) in rows {
        let of = of.map_or_else(|| "NULL".to_owned(), id);
        let row = format!(
            "INSERT INTO intake_queue (id, org_id, status, content_hash, duplicate_of) \
             VALUES ({}, {}, '{status}', 'hash {number}', {of})",
            id(*number),
            id(0)
        );
        database.run(&row).expect("the row is there");
    }
    database
}

fn of(report: &Value, subject: &str) -> (String, String) {
    let all = outcomes(report);
    let mut found = all
        .into_iter()
        .filter(|(check, of, ..)| check == "broken-guarantee" && of == subject);
    let (_, _, outcome, said) = found.next().expect("it is asked");
    (outcome, said)
}

fn asked(rows: &[(u32, &str, Option<u32>)]) -> Value {
    let database = database(rows);
    let folder = tempfile::tempdir().expect("a folder can be made");
    copy(&system(), folder.path());
    report(folder.path(), &["--database", database.url()])
}

const GROUP: &str = "guarantee:duplicate-group/group-invariant";

#[test]
fn a_group_is_followed_over_its_edges_in_both_directions() {
    let broken: [&[(u32, &str, Option<u32>)]; 4] = [
        // An edge, read from either end.
        &[(1, "active", None), (2, "posted", Some(1))],
        // Siblings.
        &[
            (1, "flagged", None),
            (2, "active", Some(1)),
            (3, "active", Some(1)),
        ],
        // A chain.
        &[
            (1, "posted", None),
            (2, "flagged", Some(1)),
            (3, "rejected", Some(2)),
            (4, "active", Some(3)),
        ],
        // A ring beside a group that is as it should be.
        &[
            (1, "active", None),
            (2, "flagged", Some(1)),
            (5, "active", None),
            (6, "active", Some(5)),
            (7, "flagged", Some(6)),
        ],
    ];
    for rows in broken {
        let (outcome, said) = of(&asked(rows), GROUP);
        assert_eq!(outcome, "not-met", "{rows:?}: {said}");
        assert!(said.starts_with("1 group of intake_queue has"), "{said}");
    }
    let kept = [
        (1, "active", None),
        (2, "flagged", Some(1)),
        (3, "pending_review", Some(2)),
        (4, "rejected", Some(1)),
        (5, "posted", None),
        (6, "active", None),
    ];
    let (outcome, said) = of(&asked(&kept), GROUP);
    assert_eq!(outcome, "met", "{said}");
}

#[test]
fn the_broken_groups_are_listed_by_the_ids_of_their_rows() {
    let rows = [
        (1, "active", None),
        (2, "posted", Some(1)),
        (3, "active", None),
        (4, "active", Some(3)),
    ];
    let (_, said) = of(&asked(&rows), GROUP);
    assert!(said.starts_with("2 groups of intake_queue have"), "{said}");
    for end in ["01", "02", "03", "04"] {
        assert!(said.contains(&format!("-0000000000{end}")), "{said}");
    }
}

#[test]
fn a_row_at_rest_where_none_may_be_is_found() {
    const POINTS: &str = "guarantee:two-write-points/write-points";
    let (outcome, said) = of(
        &asked(&[(1, "received", None), (2, "active", None)]),
        POINTS,
    );
    assert_eq!(outcome, "met", "{said}");
    let (outcome, said) = of(
        &asked(&[(1, "received", None), (2, "classified", None)]),
        POINTS,
    );
    assert_eq!(outcome, "not-met", "{said}");
    assert!(
        said.contains("1 row") || said.contains("-000000000002"),
        "{said}"
    );
}

/// With a tree, a schema, results and a database all of it is shown.
#[test]
fn a_system_that_keeps_all_is_go() {
    let report = asked(&[
        (1, "received", None),
        (2, "active", None),
        (3, "flagged", Some(2)),
    ]);
    let open: Vec<_> = outcomes(&report)
        .into_iter()
        .filter(|one| one.2 != "met")
        .collect();
    assert!(open.is_empty(), "{open:#?}");
    assert_eq!(report["verdict"], "GO", "{:#?}", report["gate"]);
}
