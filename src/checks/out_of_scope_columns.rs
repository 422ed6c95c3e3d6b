//! The outbox has no columns for machinery that the pack puts off.

use std::sync::Arc;

use crate::model::check::{CheckInfo, Finding, Obligation, Outcome, Severity, Subject, Weight};
use crate::model::evidence::Fact;
use crate::model::facts::Facts;
use crate::model::outbox::Outbox;

use super::{met, not_met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "out-of-scope-columns",
    clause: "queue",
    title: "columns of the outbox that do not belong to this repair",
    weight: Weight::Advisory,
    decides_effect: false,
    page: include_str!("out_of_scope_columns.md"),
};

/// Decides it for the queue, where an outbox is named.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    if facts.outbox.looked_for.is_empty() {
        return;
    }
    out.push(Obligation {
        subject: Subject::Queue,
        check: &INFO,
        outcome: outcome(&facts.outbox),
        waiver: None,
    });
}

fn outcome(outbox: &Outbox) -> Outcome {
    let (table, evidence) = match &outbox.table {
        Fact::Shown(table, evidence) => (table, evidence),
        Fact::Unknown(reason) => return Outcome::Unknown(Arc::clone(reason)),
        Fact::Absent(_) => return Outcome::NotApplicable("there is no outbox table"),
    };
    let Some(columns) = &outbox.out_of_scope else {
        return Outcome::NotApplicable("the pack puts no machinery of the queue off");
    };
    let Some(first) = columns.first() else {
        return met(
            format!("{table} has no column for lanes, leases or owners"),
            vec![Arc::clone(evidence)],
        );
    };
    let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
    not_met(
        Finding::new(
            format!(
                "{table}: {} {} not belong to this repair",
                names.join(", "),
                if columns.len() == 1 { "does" } else { "do" }
            ),
            first.place.clone(),
        )
        .severity(Severity::Note)
        .label("not part of this repair")
        .note("the claim, its heartbeat and the stale cutoff are the lease; the one new column is the record key")
        .cites([Arc::clone(evidence)]),
    )
}
