//! How many rows a proposed UNIQUE index would refuse.

use std::sync::Arc;

use crate::model::outbox::{OutboxColumn, OutboxShape};

use super::JsonCheck;
use super::notation::Notation;
use super::questions::{Members, Question, asked};

/// Groups of rows that share a key.
pub const DUPLICATES: &str = "duplicates";

/// The question about a table: of `shape` its engine, its name and its id count.
///
/// The database groups as the index would: by the collation of each column, rows with NULL apart.
pub fn duplicates(shape: &OutboxShape, key: &[Arc<str>]) -> Question {
    let notation = Notation {
        shape,
        json: JsonCheck::Asks,
    };
    let columns: Vec<String> = key.iter().map(|column| notation.quoted(column)).collect();
    let table = notation.table();
    let all_of = |word: &str, between: &str| {
        let parts: Vec<String> = columns
            .iter()
            .map(|column| format!("{column} {word}"))
            .collect();
        parts.join(between)
    };
    let ids = match notation.column(OutboxColumn::Id) {
        Ok(id) => notation.concat(&[
            notation.text(&format!("min({id})")),
            "', '".to_owned(),
            notation.text(&format!("max({id})")),
        ]),
        Err(_) => notation.text("NULL"),
    };
    let members: Members = vec![
        ("groups", "count(*)".to_owned()),
        ("rows", notation.number("coalesce(sum(g.n), 0)")),
        ("example", "min(g.ids)".to_owned()),
        (
            "nulls",
            format!(
                "(SELECT count(*) FROM {table} WHERE {})",
                all_of("IS NULL", " OR ")
            ),
        ),
    ];
    let rest = format!(
        "FROM (SELECT count(*) AS n, {ids} AS ids\n      FROM {table}\n      WHERE {}\n      GROUP BY \
         {} HAVING count(*) > 1) g",
        all_of("IS NOT NULL", " AND "),
        columns.join(", ")
    );
    asked(notation, DUPLICATES, members, &rest)
}
