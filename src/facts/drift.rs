//! Differences between the declared and the live schema, for the tables that effects touch.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::evidence::{Evidence, Reason, Why};
use crate::model::facts::{Drift, UniqueFlag};
use crate::model::metadata::Metadata;
use crate::model::schema::{
    Comparison, Dialect, Enforcer, PredicateTree, Schema, SqlLiteral, Table, TableKind,
};
use crate::sql::expression::normal;

/// Compares the tables that are named.
pub(super) fn drift_of(
    declared: Option<&Schema>,
    live: Option<&Schema>,
    touched: &BTreeSet<Arc<str>>,
) -> Vec<Drift> {
    let (Some(declared), Some(live)) = (declared, live) else {
        return Vec::new();
    };
    let mut drift = Vec::new();
    for name in touched {
        // A table only one side knows at all: the text may well cover a part of the system.
        let Some(text) = declared.table(name) else {
            continue;
        };
        match live.table(name) {
            None => drift.push(Drift {
                table: Arc::clone(name),
                sentence: format!("{name} is declared and the database does not have it").into(),
                place: text.place.clone(),
            }),
            // Of a table that was not read whole no difference can be told.
            Some(table) if is_unknown(live, table) => {}
            // The columns of a view are those of its query, which is not followed in a text.
            Some(table) if text.kind == TableKind::View && table.kind == TableKind::View => {}
            Some(table) => compare(text, table, live.dialect, &mut drift),
        }
    }
    drift
}

/// True if something about the table could not be read.
fn is_unknown(schema: &Schema, table: &Table) -> bool {
    let qualified = table
        .schema
        .as_ref()
        .map(|schema| format!("{schema}.{}", table.name));
    schema.unknown.iter().any(|unknown| {
        unknown.table.as_deref().is_some_and(|known| {
            known.eq_ignore_ascii_case(&table.name)
                || qualified
                    .as_ref()
                    .is_some_and(|qualified| known.eq_ignore_ascii_case(qualified))
        })
    })
}

fn compare(text: &Table, live: &Table, dialect: Option<Dialect>, drift: &mut Vec<Drift>) {
    let same = |one: &Enforcer, other: &Enforcer| same(one, other, dialect);
    let mut say = |sentence: String, place| {
        drift.push(Drift {
            table: Arc::clone(&text.name),
            sentence: sentence.into(),
            place,
        });
    };
    for column in &text.columns {
        match live.column(&column.name) {
            None => say(
                format!(
                    "column {}.{} is declared and the database does not have it",
                    text.name, column.name
                ),
                column.place.clone(),
            ),
            Some(other) if other.nullable != column.nullable => say(
                format!(
                    "column {}.{} is {} in the text and {} in the database",
                    text.name,
                    column.name,
                    null_word(column.nullable),
                    null_word(other.nullable)
                ),
                column.place.clone(),
            ),
            Some(_) => {}
        }
    }
    for column in &live.columns {
        if text.column(&column.name).is_none() {
            say(
                format!(
                    "column {}.{} is in the database and is not declared",
                    text.name, column.name
                ),
                text.place.clone(),
            );
        }
    }
    for enforcer in &text.enforcers {
        if !live.enforcers.iter().any(|other| same(enforcer, other)) {
            say(
                format!(
                    "UNIQUE {} on {} is declared and the database does not have it",
                    enforcer.key_text(),
                    text.name
                ),
                enforcer.evidence.place.clone(),
            );
        }
    }
    for enforcer in &live.enforcers {
        if !text.enforcers.iter().any(|other| same(enforcer, other)) {
            say(
                format!(
                    "UNIQUE {} on {} is in the database and is not declared",
                    enforcer.key_text(),
                    text.name
                ),
                text.place.clone(),
            );
        }
    }
}

fn null_word(nullable: bool) -> &'static str {
    if nullable { "nullable" } else { "NOT NULL" }
}

/// Two enforcers that refuse the same rows, whatever they are called, however their columns are
/// ordered, and however the engine prints what was written.
fn same(left: &Enforcer, right: &Enforcer, dialect: Option<Dialect>) -> bool {
    let dialect = dialect.unwrap_or(Dialect::Sqlite);
    let parts = |enforcer: &Enforcer| {
        let mut parts: Vec<String> = enforcer
            .parts
            .iter()
            .map(|part| match (&part.column, &part.expression) {
                (None, Some(text)) => normal(text, dialect),
                _ => part.to_text().to_ascii_lowercase(),
            })
            .collect();
        parts.sort();
        parts
    };
    let predicate = |enforcer: &Enforcer| {
        let predicate = enforcer.predicate.as_ref()?;
        Some(plain(&predicate.tree, dialect))
    };
    parts(left) == parts(right)
        && predicate(left) == predicate(right)
        && left.nulls_not_distinct == right.nulls_not_distinct
}

/// The same predicate with its comparisons as text, so that one that was understood equals one that
/// was not, and without what engines print in another way. How AND, OR and NOT group stays.
fn plain(tree: &PredicateTree, dialect: Dialect) -> PredicateTree {
    let all = |parts: &[PredicateTree]| parts.iter().map(|part| plain(part, dialect)).collect();
    let text = |column: &Arc<str>, operator: &str, literal: &SqlLiteral| {
        let literal = match literal {
            SqlLiteral::Null => "null".to_owned(),
            SqlLiteral::Bool(value) => value.to_string(),
            SqlLiteral::Number(number) => number.to_string(),
            SqlLiteral::String(text) => format!("'{}'", text.replace('\'', "''")),
        };
        PredicateTree::Opaque(format!("{} {operator} {literal}", column.to_lowercase()).into())
    };
    match tree {
        PredicateTree::And(parts) => PredicateTree::And(all(parts)),
        PredicateTree::Or(parts) => PredicateTree::Or(all(parts)),
        PredicateTree::Not(inner) => PredicateTree::Not(Box::new(plain(inner, dialect))),
        PredicateTree::Compare {
            column,
            operator,
            literal,
        } => text(column, sign(*operator), literal),
        PredicateTree::In { column, literals } => match literals.as_slice() {
            [only] => text(column, "=", only),
            _ => PredicateTree::In {
                column: column.to_lowercase().into(),
                literals: literals.clone(),
            },
        },
        PredicateTree::IsNull(column) => PredicateTree::IsNull(column.to_lowercase().into()),
        PredicateTree::IsNotNull(column) => PredicateTree::IsNotNull(column.to_lowercase().into()),
        PredicateTree::Truth(column) => PredicateTree::Truth(column.to_lowercase().into()),
        PredicateTree::Opaque(text) => PredicateTree::Opaque(normal(text, dialect).into()),
    }
}

fn sign(operator: Comparison) -> &'static str {
    match operator {
        Comparison::Equal => "=",
        Comparison::NotEqual => "<>",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
    }
}

/// Fields that metadata declares unique, with what stands behind the flag.
pub(super) fn unique_flags(metadata: &Metadata, schema: Option<&Schema>) -> Vec<UniqueFlag> {
    let mut flags = Vec::new();
    for (object, meta) in &metadata.objects {
        for field in meta.fields.iter().filter(|field| field.is_unique) {
            let table = schema.and_then(|schema| Some((schema, schema.table(object)?)));
            let index = match table {
                Some((schema, table)) if is_unknown(schema, table) => Err(Box::new(Reason {
                    why: Why::NotReadable,
                    needs: None,
                    sentence: format!("{object} was not read whole"),
                    place: Some(table.place.clone()),
                    next_step: "see what the report says of the schema and the database".into(),
                })),
                Some((_, table)) => Ok(single_column_index(table, &field.name.value)),
                None => Err(Box::new(Reason {
                    why: Why::NotResolved,
                    needs: None,
                    sentence: format!("no schema that was read has a table {object}"),
                    place: Some(field.name.place.clone()),
                    next_step: format!("give the schema that defines {object}"),
                })),
            };
            flags.push(UniqueFlag {
                name: format!("{object}.{}", field.name.value).into(),
                object: Arc::clone(object),
                field: Arc::clone(&field.name.value),
                index,
                place: field.name.place.clone(),
            });
        }
    }
    flags
}

fn single_column_index(table: &Table, field: &str) -> Option<Arc<Evidence>> {
    table
        .enforcers
        .iter()
        .find(|enforcer| match enforcer.parts.as_slice() {
            [part] => {
                enforcer.predicate.is_none()
                    && part
                        .column
                        .as_ref()
                        .is_some_and(|column| column.eq_ignore_ascii_case(field))
            }
            _ => false,
        })
        .map(|enforcer| Arc::clone(&enforcer.evidence))
}
