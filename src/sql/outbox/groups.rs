//! Groups of connected rows of which more than one is in some states, and rows that rest in a state.
//!
//! The database follows the edges; only counts and the ids of a few groups leave it.

use std::sync::Arc;

use crate::model::outbox::OutboxShape;

use super::JsonCheck;
use super::notation::{Family, Notation};
use super::questions::{Members, Question, asked};

/// Groups with more than one member in some states.
pub const GROUPS: &str = "guarantee-groups";
/// Rows that rest in a state.
pub const RESTING: &str = "guarantee-resting";

/// Groups whose ids are listed.
const LISTED: u32 = 20;

/// Which rows are meant, by their columns.
#[derive(Debug, Clone, Copy)]
pub struct Chosen<'c> {
    /// The column of the states.
    pub column: &'c str,
    /// The states.
    pub values: &'c [Arc<str>],
    /// A column that says the same where it is not NULL.
    pub or_not_null: Option<&'c str>,
}

/// The question about groups that `edge` connects, in both directions, over the column `id`.
///
/// # Errors
/// A state that is not put into SQL.
pub fn groups(
    shape: &OutboxShape,
    id: &str,
    edge: &str,
    chosen: Chosen<'_>,
) -> Result<Question, String> {
    let notation = Notation {
        shape,
        json: JsonCheck::Asks,
    };
    let (id, edge, table) = (notation.quoted(id), notation.quoted(edge), notation.table());
    let is_chosen = |alias: &str| condition(notation, chosen, alias);
    let step = match notation.family() {
        // Each direction by its own index.
        Family::Postgres => format!(
            "SELECT reach.root, step.id FROM reach CROSS JOIN LATERAL (\n            SELECT e.{edge} AS id FROM {table} e WHERE e.{id} = reach.id AND e.{edge} IS NOT NULL\n            UNION ALL SELECT e.{id} FROM {table} e WHERE e.{edge} = reach.id) step"
        ),
        Family::Mysql | Family::Sqlite => format!(
            "SELECT reach.root, CASE WHEN e.{id} = reach.id THEN e.{edge} ELSE e.{id} END\n          FROM reach JOIN {table} e ON e.{id} = reach.id OR e.{edge} = reach.id\n          WHERE e.{edge} IS NOT NULL"
        ),
    };
    let member = notation.text(&format!("a.{id}"));
    let (ids, listed) = match notation.family() {
        Family::Postgres => (
            format!("string_agg({member}, ', ' ORDER BY {member})"),
            format!("string_agg(CASE WHEN g.k <= {LISTED} THEN g.ids END, '; ' ORDER BY g.ids)"),
        ),
        Family::Mysql => (
            format!("group_concat({member} ORDER BY {member} SEPARATOR ', ')"),
            format!(
                "group_concat(CASE WHEN g.k <= {LISTED} THEN g.ids END ORDER BY g.ids SEPARATOR '; ')"
            ),
        ),
        Family::Sqlite => (
            format!("group_concat({member}, ', ' ORDER BY {member})"),
            format!("group_concat(CASE WHEN g.k <= {LISTED} THEN g.ids END, '; ' ORDER BY g.ids)"),
        ),
    };
    let members: Members = vec![
        ("groups", "count(*)".to_owned()),
        ("rows", notation.number("coalesce(sum(g.n), 0)")),
        ("example", listed),
        ("nulls", "0".to_owned()),
    ];
    let rest = format!(
        "FROM (\n    WITH RECURSIVE reach (root, id) AS (\n        SELECT t.{id}, t.{id} FROM {table} t\n         WHERE {} AND (t.{edge} IS NOT NULL OR EXISTS (SELECT 1 FROM {table} p WHERE p.{edge} = t.{id}))\n        UNION\n        {step}\n    ), broken AS (\n        SELECT count(*) AS n, {ids} AS ids\n          FROM reach JOIN {table} a ON a.{id} = reach.id AND {}\n         GROUP BY reach.root HAVING count(*) > 1\n    )\n    SELECT d.n, d.ids, row_number() OVER (ORDER BY d.ids) AS k\n      FROM (SELECT DISTINCT n, ids FROM broken) d\n) g",
        is_chosen("t")?,
        is_chosen("a")?
    );
    Ok(asked(notation, GROUPS, members, &rest))
}

/// The question about rows that rest in some states.
///
/// # Errors
/// A state that is not put into SQL.
pub fn resting(
    shape: &OutboxShape,
    id: Option<&str>,
    chosen: Chosen<'_>,
) -> Result<Question, String> {
    let notation = Notation {
        shape,
        json: JsonCheck::Asks,
    };
    let example = match id {
        Some(id) => notation.text(&format!("min(r.{})", notation.quoted(id))),
        None => notation.text("NULL"),
    };
    // PostgreSQL has no least uuid.
    let example = match notation.family() {
        Family::Postgres if id.is_some() => {
            let id = notation.quoted(id.unwrap_or_default());
            format!("min((r.{id})::text)")
        }
        _ => example,
    };
    let members: Members = vec![
        ("groups", "count(*)".to_owned()),
        ("rows", "count(*)".to_owned()),
        ("example", example),
        ("nulls", "0".to_owned()),
    ];
    let rest = format!(
        "FROM {} r WHERE {}",
        notation.table(),
        condition(notation, chosen, "r")?
    );
    Ok(asked(notation, RESTING, members, &rest))
}

fn condition(notation: Notation<'_>, chosen: Chosen<'_>, alias: &str) -> Result<String, String> {
    let values: Result<Vec<String>, String> = chosen
        .values
        .iter()
        .map(|value| notation.literal(value))
        .collect();
    let states = format!(
        "{alias}.{} IN ({})",
        notation.quoted(chosen.column),
        values?.join(", ")
    );
    Ok(match chosen.or_not_null {
        Some(column) => format!(
            "({states} OR {alias}.{} IS NOT NULL)",
            notation.quoted(column)
        ),
        None => states,
    })
}
