//! Which claims are stale: they are the first redeliveries when the flag flips.

use std::sync::Arc;

use crate::model::check::{
    CheckInfo, Finding, FurtherDelivery, Obligation, Outcome, Severity, Weight,
};
use crate::model::facts::Facts;

use super::backlog::{about, asked, claims, example, heartbeat_place};
use super::{met, not_met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "stale-claims",
    clause: "queue",
    title: "claims whose heartbeat has stopped",
    weight: Weight::Advisory,
    decides_effect: false,
    page: include_str!("stale_claims.md"),
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
    let (Some(stale), Some(most), Some(silent)) =
        (&claims.stale, &claims.stale_most, &claims.silent)
    else {
        let cutoffs = facts.outbox.shape.as_ref().map(|shape| &shape.cutoffs);
        return asked(
            facts,
            cutoffs.is_none_or(|cutoffs| cutoffs.stale_seconds.is_none()),
            "when a claim is stale is not declared",
            "declare it under `outbox.stale_cutoff`, as the workers use it, for example `5m`",
        );
    };
    if stale.rows != most.rows {
        return asked(
            facts,
            true,
            &format!(
                "between {} and {} claims are stale: whether the heartbeat is in UTC or in the server's time zone is not known",
                stale.rows, most.rows
            ),
            "let the server run in UTC, or give the column a type that holds the zone",
        );
    }
    let ahead = claims.ahead.as_ref().map_or(0, |rows| rows.rows);
    if stale.rows + silent.rows + ahead == 0 {
        return met(
            "no claim is stale, and no stamp is ahead of the clock",
            vec![Arc::clone(evidence)],
        );
    }
    let (column, place) = heartbeat_place(facts);
    let mut finding = Finding::new(
        format!(
            "{column}: stale claims: {}{}; claims without a heartbeat: {}; stamps ahead of the clock: {ahead}",
            stale.rows,
            example(stale),
            silent.rows
        ),
        place,
    )
    .severity(Severity::Warning)
    .label("heartbeats that stopped")
    .further(FurtherDelivery::Duplicate)
    .cites([Arc::clone(evidence)]);
    if stale.rows > 0 {
        finding = finding.note(format!(
            "a pull worker takes these {} first: each is a second delivery, after a prefix of the first",
            stale.rows
        ));
    }
    if silent.rows > 0 {
        finding = finding.note(format!(
            "a claim without a heartbeat is older than no cutoff: nobody takes it over{}",
            example(silent)
        ));
    }
    if let Some(rows) = claims.ahead.as_ref().filter(|rows| rows.rows > 0) {
        finding = finding.note(format!(
            "a stamp ahead of the database's clock comes from another clock: its claim counts as alive until then{}",
            example(rows)
        ));
    }
    not_met(finding)
}
