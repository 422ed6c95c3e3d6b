//! What the checks of the backlog share: the counts, and where the record key stands.

use std::sync::Arc;

use crate::model::backlog::{KeyCounts, Rows};
use crate::model::check::{CheckInfo, Obligation, Outcome, Subject};
use crate::model::evidence::{Evidence, Fact};
use crate::model::facts::Facts;
use crate::model::outbox::OutboxColumn;
use crate::model::place::Place;

/// One obligation about the backlog, where an outbox is named.
pub(super) fn about(
    facts: &Facts,
    check: &'static CheckInfo,
    outcome: fn(&Facts) -> Outcome,
    out: &mut Vec<Obligation>,
) {
    if facts.outbox.looked_for.is_empty() {
        return;
    }
    out.push(Obligation {
        subject: Subject::Backlog,
        check,
        outcome: outcome(facts),
        waiver: None,
    });
}

/// The counts, or the outcome where there are none.
pub(super) fn counted(facts: &Facts) -> Result<(&KeyCounts, &Arc<Evidence>), Outcome> {
    let outbox = &facts.outbox;
    if matches!(&outbox.record_key, Fact::Absent(_)) {
        return Err(Outcome::NotApplicable("there is no record-key column"));
    }
    match &outbox.backlog {
        Err(reason) => Err(Outcome::Unknown(Arc::clone(reason))),
        Ok(backlog) => match &backlog.keys {
            Fact::Shown(keys, evidence) => Ok((keys, evidence)),
            Fact::Unknown(reason) => Err(Outcome::Unknown(Arc::clone(reason))),
            Fact::Absent(_) => Err(Outcome::NotApplicable("no row waits")),
        },
    }
}

/// `Table.column`, and where the column is defined.
pub(super) fn place(facts: &Facts) -> (String, Place) {
    let outbox = &facts.outbox;
    let table = outbox.table.shown().cloned().unwrap_or_default();
    match outbox.columns.get(&OutboxColumn::RecordKey) {
        Some(column) => (format!("{table}.{}", column.name), column.place.clone()),
        None => (table.to_string(), Place::CommandLine),
    }
}

/// One of the rows, by its id.
pub(super) fn example(rows: &Rows) -> String {
    match &rows.example {
        Some(id) => format!(" (one is {id})"),
        None => String::new(),
    }
}
