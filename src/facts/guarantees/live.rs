//! What rows of a database say of guarantees: groups with two members, rows at rest where none may be.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::facts::proposal::shape;
use crate::model::duplicates::Duplicates;
use crate::model::evidence::{InputKind, ObservedBy, Reason};
use crate::model::guarantee::{GroupInvariant, Guarantee, Kind, States};
use crate::model::place::Place;
use crate::model::schema::{EnforcerKind, Schema, SchemaOrigin, Table};
use crate::model::scope::ContractPart;
use crate::sql::outbox::{Chosen, Question, groups as ask_groups, resting as ask_resting};

use super::Asked;
use super::answer::{fails, missing_input, open, open_because, shown};

/// What the database told, by the digest of the question.
pub type Rows = BTreeMap<String, Result<Duplicates, Arc<Reason>>>;

/// The questions that guarantees have for a database of this schema.
pub fn questions(guarantees: &[Guarantee], schema: &Schema) -> Vec<Question> {
    let kinds = guarantees.iter().flat_map(|one| &one.checks);
    let asked = kinds.filter_map(|kind| match kind {
        Kind::GroupInvariant(kind) => of_group(kind, schema)?.ok(),
        Kind::WritePoints(kind) => of_rest(&kind.table, kind.intermediate.as_ref()?, schema)?.ok(),
        _ => None,
    });
    asked.collect()
}

fn has(table: &Table, columns: &[&str]) -> bool {
    columns.iter().all(|column| table.column(column).is_some())
}

/// None where the table or a column of it is not there.
fn of_group(kind: &GroupInvariant, schema: &Schema) -> Option<Result<Question, String>> {
    let table = schema.table(&kind.table)?;
    let states = &kind.at_most_one;
    let columns = [&*kind.id, &*kind.edge, &*states.column];
    if !has(table, &columns) || !kind.or_not_null.iter().all(|it| has(table, &[it])) {
        return None;
    }
    let chosen = Chosen {
        column: &states.column,
        values: &states.values,
        or_not_null: kind.or_not_null.as_deref(),
    };
    let shape = shape(table, schema.dialect?);
    Some(ask_groups(&shape, &kind.id, &kind.edge, chosen))
}

fn of_rest(table: &str, states: &States, schema: &Schema) -> Option<Result<Question, String>> {
    let table = schema.table(table)?;
    if !has(table, &[&states.column]) {
        return None;
    }
    let key = table
        .enforcers
        .iter()
        .find(|it| it.kind == EnforcerKind::PrimaryKey);
    let id = key.and_then(|key| match &key.parts[..] {
        [part] => part.column.as_deref(),
        _ => None,
    });
    let chosen = Chosen {
        column: &states.column,
        values: &states.values,
        or_not_null: None,
    };
    Some(ask_resting(&shape(table, schema.dialect?), id, chosen))
}

/// Groups of which more than one row is in a state of which there is one at most.
pub(super) fn groups(asked: &Asked<'_>, kind: &GroupInvariant) -> ContractPart {
    let what = format!("whether a group of {} has two such rows", kind.table);
    let question = live(asked).and_then(|schema| of_group(kind, schema));
    told(
        asked,
        &what,
        &kind.table,
        question,
        |found, place| match found.groups {
            0 => shown(
                InputKind::Database,
                ObservedBy::Query {
                    id: "guarantee-groups".into(),
                },
                place,
                format!(
                    "no group of {} has more than one row that is {}",
                    kind.table,
                    kind.at_most_one.values.join(" or ")
                ),
            ),
            count => fails(
                place,
                format!(
                    "{count} {} of {} {} more than one row that is {}: {}",
                    if count == 1 { "group" } else { "groups" },
                    kind.table,
                    if count == 1 { "has" } else { "have" },
                    kind.at_most_one.values.join(" or "),
                    found.example.as_deref().unwrap_or("?")
                ),
            ),
        },
    )
}

/// Rows that rest in a state in which none may.
pub(super) fn resting(asked: &Asked<'_>, table: &str, states: &States) -> ContractPart {
    let words = states.values.join(" or ");
    let what = format!("whether a row of {table} rests at {words}");
    let question = live(asked).and_then(|schema| of_rest(table, states, schema));
    told(asked, &what, table, question, |found, place| {
        match found.rows {
            0 => shown(
                InputKind::Database,
                ObservedBy::Query {
                    id: "guarantee-resting".into(),
                },
                place,
                format!("no row of {table} rests at {words}"),
            ),
            count => fails(
                place,
                format!(
                    "{count} rows of {table} rest at {words}, the first is {}",
                    found.example.as_deref().unwrap_or("?")
                ),
            ),
        }
    })
}

fn live<'c>(asked: &Asked<'c>) -> Option<&'c Schema> {
    let schema = asked.context.schema?;
    (schema.origin == SchemaOrigin::Live).then_some(schema)
}

fn told(
    asked: &Asked<'_>,
    what: &str,
    table: &str,
    question: Option<Result<Question, String>>,
    judge: impl Fn(&Duplicates, &Place) -> ContractPart,
) -> ContractPart {
    let Some(schema) = live(asked) else {
        return missing_input(
            asked,
            InputKind::Database,
            format!("{what} is not known: no database was read"),
            "name the database (--database)",
        );
    };
    let place = schema.table(table).map_or(asked.at, |table| &table.place);
    match question {
        None => fails(
            place,
            format!(
                "{what} is not known: the database has no such table, or not these columns of it"
            ),
        ),
        Some(Err(why)) => open(
            place,
            format!("{what} is not known: {why}"),
            "name the states in plain words",
        ),
        Some(Ok(question)) => match asked.context.rows.get(&question.digest) {
            Some(Ok(found)) => judge(found, place),
            Some(Err(reason)) => open_because(reason, asked.at),
            None => missing_input(
                asked,
                InputKind::Database,
                format!("{what} is not known: the database was not asked"),
                "name the database (--database)",
            ),
        },
    }
}
