//! Which rows have failed as often as they may, and still wait.

use std::sync::Arc;

use crate::model::check::{CheckInfo, Finding, Obligation, Outcome, Severity, Weight};
use crate::model::facts::Facts;

use super::backlog::{about, asked, claims, example, status_place};
use super::{met, not_met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "spent-retries",
    clause: "queue",
    title: "rows that wait though their retries are spent",
    weight: Weight::Advisory,
    decides_effect: false,
    page: include_str!("spent_retries.md"),
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
    let cutoffs = facts.outbox.shape.as_ref().map(|shape| &shape.cutoffs);
    let most = cutoffs.and_then(|cutoffs| cutoffs.max_retries);
    let (Some(spent), Some(most)) = (&claims.spent, most) else {
        return asked(
            facts,
            most.is_none(),
            "how often a row may fail is not declared",
            "declare it under `outbox.max_retries`, as the workers use it",
        );
    };
    if spent.rows == 0 {
        return met(
            format!("no row that waits has failed {most} times or more"),
            vec![Arc::clone(evidence)],
        );
    }
    let (_, place) = status_place(facts);
    let table = facts.outbox.table.shown().cloned().unwrap_or_default();
    not_met(
        Finding::new(
            format!(
                "{table}: rows that failed {most} times or more and are not given up: {}{}",
                spent.rows,
                example(spent)
            ),
            place,
        )
        .severity(Severity::Warning)
        .label("retries are spent")
        .note("each holds the younger events of its record back until a worker gives it up; a version that never looks at the bound tries it for ever")
        .cites([Arc::clone(evidence)]),
    )
}
