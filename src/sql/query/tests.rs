//! Queries of one meaning, and what is not read.

use super::*;
use crate::model::schema::Dialect;

#[derive(Debug)]
struct Callers;

impl Given for Callers {
    fn value(&self, _: &Placeholder) -> Value {
        Value::Given
    }
}

fn row(status: &str, modified: i64, key: Option<&str>, id: i64) -> Row {
    let key = key.map_or(Value::Null, |key| Value::Text(key.into()));
    [
        ("status", Value::Text(status.into())),
        ("modified", Value::Moment((modified - 10) * 120_000_000)),
        ("key", key),
        ("created", Value::Moment(id)),
        ("id", Value::Id(id)),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}

fn chosen_of(sql: &str, rows: Vec<Row>) -> Option<Vec<usize>> {
    let query = query(sql, Dialect::Mysql)?;
    let world = World {
        tables: [("t".to_owned(), rows)].into(),
        given: &Callers,
        span: 480_000_000,
    };
    chosen(&query, &world)
}

#[test]
fn forms_of_one_meaning_choose_the_same_rows() {
    let rows = || {
        vec![
            row("w", 1, Some("a"), 1),
            row("w", 1, Some("a"), 2),
            row("c", 1, None, 3),
            row("c", 9, None, 4),
            row("d", 1, Some("b"), 5),
            row("w", 1, Some("b"), 6),
        ]
    };
    let forms = [
        "SELECT id FROM t e WHERE (e.status = 'w' OR (e.status = 'c' AND e.modified < ?)) AND \
         (e.key IS NULL OR NOT EXISTS (SELECT 1 FROM t o WHERE o.key = e.key AND (o.created < \
         e.created OR (o.created = e.created AND o.id < e.id)) AND o.status NOT IN ('d', 'f')))",
        "SELECT e.id FROM t e LEFT JOIN t o ON e.key = o.key AND (o.created, o.id) < (e.created, \
         e.id) AND o.status IN ('w', 'c') WHERE o.id IS NULL AND (NOT (e.status <> 'w') OR \
         (e.status = 'c' AND NOW() - INTERVAL 5 MINUTE > e.modified)) FOR UPDATE SKIP LOCKED",
    ];
    for form in forms {
        assert_eq!(chosen_of(form, rows()), Some(vec![0, 2, 5]), "{form}");
    }
}

#[test]
fn what_is_not_read_is_not_guessed() {
    let rows = || vec![row("w", 1, None, 1)];
    for form in [
        "SELECT id FROM (SELECT * FROM t) e",
        "SELECT id, row_number() OVER (PARTITION BY key) FROM t",
        "SELECT id FROM elsewhere",
        "SELECT id FROM t WHERE strange(status)",
        "WITH x AS (SELECT 1) SELECT id FROM t",
    ] {
        assert_eq!(chosen_of(form, rows()), None, "{form}");
    }
}

#[test]
fn null_is_neither_equal_nor_different() {
    let rows = || vec![row("w", 1, None, 1)];
    assert_eq!(
        chosen_of("SELECT id FROM t WHERE key = 'a'", rows()),
        Some(vec![])
    );
    assert_eq!(
        chosen_of("SELECT id FROM t WHERE NOT key = 'a'", rows()),
        Some(vec![])
    );
    assert_eq!(
        chosen_of("SELECT id FROM t WHERE key NOT IN ('a')", rows()),
        Some(vec![])
    );
}
