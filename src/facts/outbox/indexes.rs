//! Which indexes serve the queue: the older row of one key, and the rows that wait.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::evidence::{Fact, Reason, Why};
use crate::model::outbox::OutboxColumn;
use crate::model::schema::{Column, Enforcer, KeyPart, Predicate, Schema, Table};

use super::seen;

/// An index as both kinds of them give it.
struct Candidate<'t> {
    name: &'t str,
    parts: &'t [KeyPart],
    predicate: Option<&'t Predicate>,
}

/// The index by which an older open row of the same record key is found: it begins with the key.
/// Behind the status the key is of use only to an engine that passes the status over.
pub(super) fn lookup(
    schema: &Schema,
    table: &Table,
    columns: &BTreeMap<OutboxColumn, Column>,
) -> Fact<Arc<str>> {
    let Some(key) = columns.get(&OutboxColumn::RecordKey) else {
        return none(schema, table, "has no record-key column");
    };
    let status = columns.get(&OutboxColumn::Status);
    let begins = serving(
        schema,
        table,
        &format!("begins with {}", key.name),
        &|parts| parts.first().is_some_and(|first| is(first, key)),
    );
    let plain = table.indexes.iter().map(|index| &index.parts);
    let unique = table.enforcers.iter().map(|key| &key.parts);
    let behind = plain.chain(unique).any(|parts| match parts.as_slice() {
        [first, second, ..] => status.is_some_and(|status| is(first, status)) && is(second, key),
        _ => false,
    });
    match begins {
        Fact::Absent(_) if behind => unknown(
            table,
            format!(
                "whether the engine finds {} behind the status in an index of {} is not known",
                key.name, table.name
            ),
            "give the database, whose EXPLAIN tells, or add an index that begins with the record key",
        ),
        begins => begins,
    }
}

/// The index by which rows that wait are found among all that are done: it begins with the status.
pub(super) fn selection(
    schema: &Schema,
    table: &Table,
    columns: &BTreeMap<OutboxColumn, Column>,
) -> Fact<Arc<str>> {
    let Some(status) = columns.get(&OutboxColumn::Status) else {
        return unknown(
            table,
            format!("{} has no known status column", table.name),
            "name it under `outbox.columns`",
        );
    };
    serving(
        schema,
        table,
        &format!("begins with {}", status.name),
        &|parts| parts.first().is_some_and(|first| is(first, status)),
    )
}

fn serving(
    schema: &Schema,
    table: &Table,
    what: &str,
    fits: &dyn Fn(&[KeyPart]) -> bool,
) -> Fact<Arc<str>> {
    let plain = table.indexes.iter().map(|index| Candidate {
        name: &index.name,
        parts: &index.parts,
        predicate: index.predicate.as_ref(),
    });
    let usable = |enforcer: &&Enforcer| enforcer.trusted.shown() != Some(&false);
    let enforcing = table
        .enforcers
        .iter()
        .filter(usable)
        .map(|enforcer| Candidate {
            name: &enforcer.name,
            parts: &enforcer.parts,
            predicate: enforcer.predicate.as_ref(),
        });
    let mut partial = None;
    for index in plain.chain(enforcing).filter(|index| fits(index.parts)) {
        match index.predicate {
            None => {
                let parts: Vec<String> = index.parts.iter().map(KeyPart::to_text).collect();
                let name = format!("{} ({})", index.name, parts.join(", "));
                return Fact::Shown(
                    name.as_str().into(),
                    seen(
                        schema,
                        table,
                        format!("index {name} of {} {what}", table.name),
                    ),
                );
            }
            Some(predicate) => partial = Some((index.name, predicate)),
        }
    }
    if let Some((name, predicate)) = partial {
        return unknown(
            table,
            format!(
                "whether index {name} is used is not known: it holds only rows with {}",
                predicate.text
            ),
            "see with EXPLAIN that the eligible query uses it, or add one without a WHERE",
        );
    }
    let of_table = |unread: &&crate::model::schema::UnknownTable| {
        let named = unread.table.as_deref();
        named.is_none_or(|name| name.eq_ignore_ascii_case(&table.name))
    };
    // What was not understood may be the index.
    if let Some(gap) = schema.unknown.iter().find(of_table) {
        return Fact::Unknown(Arc::new(gap.reason.clone()));
    }
    none(schema, table, &format!("has no index that {what}"))
}

fn is(part: &KeyPart, column: &Column) -> bool {
    let named = part.column.as_deref();
    named.is_some_and(|name| name.eq_ignore_ascii_case(&column.name))
}

fn none(schema: &Schema, table: &Table, what: &str) -> Fact<Arc<str>> {
    Fact::Absent(seen(schema, table, format!("{} {what}", table.name)))
}

fn unknown(table: &Table, sentence: String, next_step: &str) -> Fact<Arc<str>> {
    Fact::Unknown(Arc::new(Reason {
        why: Why::NotDecidable,
        needs: None,
        sentence,
        place: Some(table.place.clone()),
        next_step: next_step.into(),
    }))
}
