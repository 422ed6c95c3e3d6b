//! Every writer has filled the record key since the rollout.

use std::sync::Arc;

use crate::model::check::{
    Change, CheckInfo, Finding, FurtherDelivery, Obligation, Outcome, Weight,
};
use crate::model::evidence::Fact;
use crate::model::facts::Facts;

use super::backlog::{about, asked, example, place, writers};
use super::{met, not_met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "keyless-writers",
    clause: "queue",
    title: "a writer that still leaves the record key out",
    weight: Weight::Gate,
    decides_effect: false,
    page: include_str!("keyless_writers.md"),
};

/// Decides it for the backlog, where an outbox is named.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    about(facts, &INFO, outcome, out);
}

/// True of a day that the database's own clock has not come to: stamps begin with year, month and day.
fn is_to_come(facts: &Facts, since: &str) -> bool {
    let Ok(backlog) = &facts.outbox.backlog else {
        return false;
    };
    let day = |stamp: &str| stamp.get(..10).map(str::to_owned);
    match &backlog.statuses {
        Fact::Shown(statuses, _) => day(since) > day(&statuses.now),
        _ => false,
    }
}

fn outcome(facts: &Facts) -> Outcome {
    let (rows, evidence) = match writers(facts) {
        Ok(rows) => rows,
        Err(outcome) => return outcome,
    };
    let cutoffs = facts.outbox.shape.as_ref().map(|shape| &shape.cutoffs);
    let since = cutoffs
        .and_then(|cutoffs| cutoffs.since.clone())
        .unwrap_or_default();
    if rows.rows == 0 {
        if is_to_come(facts, &since) {
            return asked(
                facts,
                true,
                &format!(
                    "no row can be newer than {since}, which is still to come for the database"
                ),
                "declare when the last writer was deployed (`since`), in the database's time",
            );
        }
        return met(
            format!("no row enqueued since {since} lacks a record key that its payload gives"),
            vec![Arc::clone(evidence)],
        );
    }
    let (column, place) = place(facts);
    not_met(
        Finding::new(
            format!(
                "{column}: NULL in {} of the rows enqueued since {since}, though the payload gives a key{}",
                rows.rows,
                example(rows)
            ),
            place,
        )
        .label("NULL in rows since the rollout")
        .further(FurtherDelivery::Overwrite)
        .note("an old version still enqueues, or a path that never filled the key: a backfill does not end it")
        .cites([Arc::clone(evidence)])
        .repair(vec![Change {
            key: "record-key-writers".into(),
            title: "let every writer fill the record key, and declare since when".to_owned(),
            how: Some("outbox: {record_key: {since: …}}".to_owned()),
        }]),
    )
}
