//! Declared and live schema say the same of every table that an effect touches.

use std::collections::BTreeMap;

use crate::model::check::{CheckInfo, Obligation, Subject, Weight};
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::facts::{Drift, Facts};

use super::{about, live_effects, unknown};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "input-drift",
    clause: "map",
    title: "the declared schema and the live one differ",
    weight: Weight::Gate,
    decides_effect: false,
    page: include_str!("input_drift.md"),
};

/// Decides it for every effect, and for the queue, whose table differs between the inputs.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    let mut by_table: BTreeMap<String, &Drift> = BTreeMap::new();
    for drift in &facts.drift {
        by_table
            .entry(drift.table.to_ascii_lowercase())
            .or_insert(drift);
    }
    if by_table.is_empty() {
        return;
    }
    for effect in live_effects(facts) {
        let name = effect.effect.target.name().to_ascii_lowercase();
        if let Some(drift) = by_table.get(&name) {
            out.push(about(effect, &INFO, unknown(reason(drift))));
        }
    }
    let outbox = facts
        .outbox
        .table
        .shown()
        .and_then(|table| by_table.get(&table.to_ascii_lowercase()));
    if let Some(drift) = outbox {
        out.push(Obligation {
            subject: Subject::Queue,
            check: &INFO,
            outcome: unknown(reason(drift)),
            waiver: None,
        });
    }
}

fn reason(drift: &Drift) -> Reason {
    Reason {
        why: Why::Disagree,
        needs: Some(InputKind::Schema),
        sentence: drift.sentence.to_string(),
        place: Some(drift.place.clone()),
        next_step: "bring the declared schema and the database together; the database decides here"
            .into(),
    }
}
