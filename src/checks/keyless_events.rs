//! Every row that waits has a payload that gives a record key.

use std::sync::Arc;

use crate::model::check::{CheckInfo, Finding, Obligation, Outcome, Severity, Weight};
use crate::model::facts::Facts;

use super::backlog::{about, counted, example, place};
use super::{met, not_met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "keyless-events",
    clause: "queue",
    title: "rows that wait whose payload gives no record key",
    weight: Weight::Advisory,
    decides_effect: false,
    page: include_str!("keyless_events.md"),
};

/// Decides it for the backlog, where an outbox is named.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    about(facts, &INFO, outcome, out);
}

fn outcome(facts: &Facts) -> Outcome {
    let (keys, evidence) = match counted(facts) {
        Ok(counted) => counted,
        Err(outcome) => return outcome,
    };
    let (keyless, unparsed) = (&keys.keyless, &keys.unparsed);
    if keyless.rows + unparsed.rows == 0 {
        return met(
            format!(
                "the payload of each of {} rows that wait gives a record key",
                keys.open
            ),
            vec![Arc::clone(evidence)],
        );
    }
    let (column, place) = place(facts);
    let mut finding = Finding::new(
            format!(
                "{column}: of {} rows that wait, {} have a payload that gives no record key{}, and {} one that is no JSON{}",
                keys.open,
                keyless.rows,
                example(keyless),
                unparsed.rows,
                example(unparsed)
            ),
            place,
        )
        .severity(Severity::Warning)
        .label("no record key to be had")
        .note("nothing orders them with any other event")
        .cites([Arc::clone(evidence)]);
    let backlog = facts.outbox.backlog.as_ref().ok();
    let paths = backlog.and_then(|backlog| backlog.paths.shown());
    if let Some(paths) = paths.filter(|paths| !paths.is_empty()) {
        finding = finding.note(format!("the names in such a payload: {}", paths.join(", ")));
    }
    not_met(finding)
}
