//! Differences between the declared and the live schema, for the tables that effects touch.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::evidence::{Evidence, Reason, Why};
use crate::model::facts::{Drift, UniqueFlag};
use crate::model::metadata::Metadata;
use crate::model::schema::{Enforcer, Schema, Table};

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
            Some(table) => compare(text, table, &mut drift),
        }
    }
    drift
}

fn compare(text: &Table, live: &Table, drift: &mut Vec<Drift>) {
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

/// Two enforcers that refuse the same rows, whatever they are called and however their columns
/// are ordered.
fn same(left: &Enforcer, right: &Enforcer) -> bool {
    let parts = |enforcer: &Enforcer| {
        let mut parts: Vec<String> = enforcer
            .parts
            .iter()
            .map(|part| part.to_text().to_ascii_lowercase())
            .collect();
        parts.sort();
        parts
    };
    parts(left) == parts(right)
        && left.predicate.as_ref().map(|predicate| &predicate.tree)
            == right.predicate.as_ref().map(|predicate| &predicate.tree)
        && left.nulls_not_distinct == right.nulls_not_distinct
}

/// Fields that metadata declares unique, with what stands behind the flag.
pub(super) fn unique_flags(metadata: &Metadata, schema: Option<&Schema>) -> Vec<UniqueFlag> {
    let mut flags = Vec::new();
    for (object, meta) in &metadata.objects {
        for field in meta.fields.iter().filter(|field| field.is_unique) {
            let index = match schema.and_then(|schema| schema.table(object)) {
                Some(table) => Ok(single_column_index(table, &field.name.value)),
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
