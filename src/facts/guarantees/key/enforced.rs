//! The key in the schema, and the column of fingerprints.

use std::sync::Arc;

use crate::model::evidence::{InputKind, ObservedBy};
use crate::model::guarantee::{UniqueKey, Verb};
use crate::model::schema::{Deferral, Enforcer, SchemaOrigin, Table};
use crate::model::scope::ContractPart;
use crate::sql::predicate;
use crate::sql::same::{Implies, implies};

use crate::facts::guarantees::Asked;
use crate::facts::guarantees::answer::{fails, missing_input, open, shown};
use crate::facts::guarantees::statement::same;

/// The key in the schema.
pub(super) fn enforced<'a>(
    asked: &Asked<'a>,
    kind: &UniqueKey,
) -> (Option<&'a Enforcer>, ContractPart) {
    let key = kind.key.join(", ");
    let Some(schema) = asked.context.schema else {
        let sentence = format!(
            "whether {} ({key}) is unique is not known: no schema was read",
            kind.table
        );
        let next = "give the schema (--schema) or a database";
        return (
            None,
            missing_input(asked, InputKind::Schema, sentence, next),
        );
    };
    let Some(table) = schema.table(&kind.table) else {
        let why = format!("the schema has no table {}", kind.table);
        return (None, fails(asked.at, why));
    };
    let is_key = |one: &&Enforcer| {
        let columns: Vec<&Arc<str>> = one
            .parts
            .iter()
            .filter_map(|part| part.column.as_ref())
            .collect();
        columns.len() == one.parts.len()
            && columns.len() == kind.key.len()
            && one.parts.iter().all(|part| part.prefix_length.is_none())
            && kind
                .key
                .iter()
                .all(|name| columns.iter().any(|column| same(column, name)))
    };
    let mut worst = None;
    for enforcer in table.enforcers.iter().filter(is_key) {
        match fits(asked, kind, table, enforcer) {
            ContractPart::Holds(evidence) => {
                return (Some(enforcer), ContractPart::Holds(evidence));
            }
            other => worst = worst.or(Some((Some(enforcer), other))),
        }
    }
    worst.unwrap_or_else(|| {
        let why = format!("nothing keeps {} ({key}) unique", table.name);
        (None, fails(&table.place, why))
    })
}

fn fits(asked: &Asked<'_>, kind: &UniqueKey, table: &Table, enforcer: &Enforcer) -> ContractPart {
    let place = &enforcer.evidence.place;
    let name = &enforcer.name;
    if enforcer.deferral == Deferral::Deferred {
        return fails(
            place,
            format!(
                "`{name}` is checked at the commit only, behind the code that meets its conflict"
            ),
        );
    }
    let dialect = asked.dialect();
    match (&kind.only_if, &enforcer.predicate) {
        (None, None) => {}
        (None, Some(partial)) => {
            return fails(
                place,
                format!(
                    "`{name}` leaves rows out: it holds only WHERE {}",
                    partial.text
                ),
            );
        }
        (Some(wanted), None) => {
            return fails(
                place,
                format!("`{name}` takes all rows, not only those WHERE {wanted}"),
            );
        }
        (Some(wanted), Some(partial)) => {
            let is_column = |name: &str| table.column(name).is_some();
            let tree = predicate::parse(wanted, dialect, &is_column);
            let there = implies(&partial.tree, &tree, dialect);
            let back = implies(&tree, &partial.tree, dialect);
            match (there, back) {
                (Implies::Yes, Implies::Yes) => {}
                (Implies::No, _) | (_, Implies::No) => {
                    return fails(
                        place,
                        format!(
                            "`{name}` holds WHERE {}, and not WHERE {wanted}",
                            partial.text
                        ),
                    );
                }
                _ => {
                    let why = format!(
                        "whether `{name}`, WHERE {}, holds WHERE {wanted} cannot be told",
                        partial.text
                    );
                    return open(place, why, "write both in the same way");
                }
            }
        }
    }
    let live = asked
        .context
        .schema
        .is_some_and(|it| it.origin == SchemaOrigin::Live);
    if live && enforcer.enforced.shown() == Some(&false) {
        return fails(place, format!("the database does not enforce `{name}`"));
    }
    let (input, by) = match live {
        true => (InputKind::Database, ObservedBy::Catalog),
        false => (InputKind::Schema, ObservedBy::Text),
    };
    shown(
        input,
        by,
        place,
        format!(
            "`{name}` keeps {} {} unique",
            table.name,
            enforcer.key_text()
        ),
    )
}

/// A fingerprint stands in new rows, and nothing fills it in for those from before.
pub(super) fn fingerprint(asked: &Asked<'_>, kind: &UniqueKey, column: &str) -> Vec<ContractPart> {
    let mut parts = Vec::new();
    if let Some(table) = asked
        .context
        .schema
        .and_then(|schema| schema.table(&kind.table))
    {
        parts.push(match table.column(column) {
            None => fails(
                &table.place,
                format!("{} has no column {column}", table.name),
            ),
            Some(found) if !found.nullable => fails(
                &found.place,
                format!("{column} cannot be NULL: rows from before it were given a guess"),
            ),
            Some(found) => shown(
                InputKind::Schema,
                ObservedBy::Text,
                &found.place,
                format!("{column} is NULL in rows from before it, and they stay so"),
            ),
        });
    }
    let Some(code) = asked.context.code else {
        return parts;
    };
    for (_, node) in &code.statements {
        let Some(sql) = asked.sql(node) else { continue };
        let fills = sql.does(Verb::Update, &kind.table)
            && sql.sets.iter().any(|(name, _)| same(name, column));
        if fills {
            parts.push(fails(
                &node.place,
                format!("this fills {column} in for rows that are there: history is guessed"),
            ));
        }
    }
    parts
}
