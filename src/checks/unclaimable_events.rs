//! No row waits in a status that no worker claims.

use std::sync::Arc;

use crate::model::check::{
    Change, CheckInfo, Finding, FurtherDelivery, Obligation, Outcome, Weight,
};
use crate::model::facts::Facts;

use super::backlog::{about, asked, claims, example, status_place};
use super::{met, not_met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "unclaimable-events",
    clause: "queue",
    title: "rows that wait in a status no worker claims",
    weight: Weight::Gate,
    decides_effect: false,
    page: include_str!("unclaimable_events.md"),
};

/// Decides it for the backlog, where an outbox is named.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    about(facts, &INFO, outcome, out);
}

fn outcome(facts: &Facts) -> Outcome {
    let (claims, evidence) = match claims(facts) {
        Ok(claims) => claims,
        Err(outcome) => return outcome,
    };
    let rows = &claims.unclaimable;
    if rows.rows == 0 {
        return met(
            "every row that is not done is in a status that a worker claims",
            vec![Arc::clone(evidence)],
        );
    }
    let states = facts.outbox.shape.as_ref().map(|shape| &shape.states);
    if states.is_some_and(|states| states.claimed.is_empty()) {
        return asked(
            facts,
            true,
            &format!(
                "{} rows are in a status that is neither waiting nor final, and which statuses are claimed is not declared",
                rows.rows
            ),
            "name them under `outbox.states.claimed`",
        );
    }
    let (column, place) = status_place(facts);
    let held = match facts
        .outbox
        .backlog
        .as_ref()
        .map(|backlog| &backlog.waiting)
    {
        Ok(crate::model::evidence::Fact::Shown(waiting, _)) => waiting.held.unwrap_or(0),
        _ => 0,
    };
    not_met(
        Finding::new(
            format!(
                "{column}: rows in no status that a worker claims, and in none that is final: {}{}",
                rows.rows,
                example(rows)
            ),
            place,
        )
        .label("a status that is not known, or NULL")
        .further(FurtherDelivery::Lost)
        .note("such an event is never handled, and one with a record key holds every younger event of its record back")
        .note(format!("{held} rows wait behind one of them today"))
        .step("old", "waits in a status that nobody claims: an older change of record R")
        .step("A", "looks for work: a younger change of R is passed over, each time")
        .cites([Arc::clone(evidence)])
        .repair(vec![Change {
            key: "unclaimable-rows".into(),
            title: format!("put what waits in an unknown status ({}) into a known one, or name it under `outbox.states`",
                rows.rows
            ),
            how: Some("outbox-audit backlog    # lists the statuses that are there".to_owned()),
        }]),
    )
}
