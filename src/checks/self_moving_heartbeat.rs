//! The heartbeat column moves only when a worker says so.

use std::sync::Arc;

use crate::model::check::{
    Change, CheckInfo, Finding, Obligation, Outcome, Severity, Subject, Weight,
};
use crate::model::evidence::Fact;
use crate::model::facts::Facts;
use crate::model::outbox::OutboxColumn;
use crate::model::place::Place;

use super::{met, not_met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "self-moving-heartbeat",
    clause: "queue",
    title: "a heartbeat that moves on every write",
    weight: Weight::Advisory,
    decides_effect: false,
    page: include_str!("self_moving_heartbeat.md"),
};

/// Decides it for the queue, where an outbox is named.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    if facts.outbox.looked_for.is_empty() {
        return;
    }
    out.push(Obligation {
        subject: Subject::Queue,
        check: &INFO,
        outcome: outcome(facts),
        waiver: None,
    });
}

fn outcome(facts: &Facts) -> Outcome {
    let outbox = &facts.outbox;
    match &outbox.heartbeat_mover {
        Fact::Unknown(reason) => Outcome::Unknown(Arc::clone(reason)),
        Fact::Absent(evidence) => met(evidence.says.to_string(), vec![Arc::clone(evidence)]),
        Fact::Shown(what, evidence) => {
            let column = outbox.columns.get(&OutboxColumn::Modified);
            let name = column.map_or("the heartbeat", |column| &*column.name);
            let place = column.map_or(Place::CommandLine, |column| column.place.clone());
            not_met(
                Finding::new(
                    format!("{what}: any write makes a dead claim look alive"),
                    place,
                )
                .severity(Severity::Warning)
                .label("set by the engine on every update")
                .step("A", "claims e1 and dies; its heartbeat stops")
                .step(
                    "script",
                    "updates another column of the row, and the engine sets the heartbeat",
                )
                .step("B", "takes e1 for alive, and waits once more")
                .cites([Arc::clone(evidence)])
                .repair(vec![Change {
                    key: "heartbeat".into(),
                    title: format!(
                        "drop ON UPDATE from the column, or set {name} = {name} in every other update"
                    ),
                    how: None,
                }]),
            )
        }
    }
}
