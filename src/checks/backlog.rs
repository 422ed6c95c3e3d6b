//! What the checks of the backlog share: the counts, and where the record key stands.

use std::sync::Arc;

use crate::model::backlog::{Backlog, Claims, KeyCounts, Rows, Waiting};
use crate::model::check::{CheckInfo, Obligation, Outcome, Subject};
use crate::model::evidence::{Evidence, Fact, Reason, Why};
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
    with_key(facts)?;
    shown(facts, |backlog| &backlog.keys)
}

/// Rows behind others of their record, or the outcome where that is not known.
pub(super) fn waiting(facts: &Facts) -> Result<(&Waiting, &Arc<Evidence>), Outcome> {
    with_key(facts)?;
    shown(facts, |backlog| &backlog.waiting)
}

/// Rows since the rollout without a key, or the outcome where that is not known.
pub(super) fn writers(facts: &Facts) -> Result<(&Rows, &Arc<Evidence>), Outcome> {
    with_key(facts)?;
    shown(facts, |backlog| &backlog.writers)
}

/// Claims and retries, or the outcome where they are not known.
pub(super) fn claims(facts: &Facts) -> Result<(&Claims, &Arc<Evidence>), Outcome> {
    shown(facts, |backlog| &backlog.claims)
}

fn with_key(facts: &Facts) -> Result<(), Outcome> {
    match &facts.outbox.record_key {
        Fact::Absent(_) => Err(Outcome::NotApplicable("there is no record-key column")),
        _ => Ok(()),
    }
}

fn shown<T>(facts: &Facts, of: fn(&Backlog) -> &Fact<T>) -> Result<(&T, &Arc<Evidence>), Outcome> {
    match &facts.outbox.backlog {
        Err(reason) => Err(Outcome::Unknown(Arc::clone(reason))),
        Ok(backlog) => match of(backlog) {
            Fact::Shown(counted, evidence) => Ok((counted, evidence)),
            Fact::Unknown(reason) => Err(Outcome::Unknown(Arc::clone(reason))),
            Fact::Absent(_) => Err(Outcome::NotApplicable("no row waits")),
        },
    }
}

/// Unknown, for what a person has to declare; else for a column that the table lacks.
pub(super) fn asked(facts: &Facts, declared: bool, sentence: &str, next_step: &str) -> Outcome {
    let table = facts.outbox.table.shown().cloned().unwrap_or_default();
    let (sentence, next_step) = match declared {
        true => (format!("{table}: {sentence}"), next_step),
        false => (
            format!("{table}: a column that it rests on is not there, or its type is not a stamp"),
            "name the columns under `outbox.columns`",
        ),
    };
    Outcome::Unknown(Arc::new(Reason {
        why: if declared {
            Why::NotGiven
        } else {
            Why::NotResolved
        },
        needs: None,
        sentence,
        place: facts.outbox.place.clone(),
        next_step: next_step.to_owned(),
    }))
}

/// `Table.column`, and where the column is defined.
pub(super) fn place(facts: &Facts) -> (String, Place) {
    place_of(facts, OutboxColumn::RecordKey)
}

/// The same of the status.
pub(super) fn status_place(facts: &Facts) -> (String, Place) {
    place_of(facts, OutboxColumn::Status)
}

/// The same of the heartbeat.
pub(super) fn heartbeat_place(facts: &Facts) -> (String, Place) {
    place_of(facts, OutboxColumn::Modified)
}

fn place_of(facts: &Facts, part: OutboxColumn) -> (String, Place) {
    let outbox = &facts.outbox;
    let table = outbox.table.shown().cloned().unwrap_or_default();
    match outbox.columns.get(&part) {
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
