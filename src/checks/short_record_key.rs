//! The record-key column holds the longest key that the template can give.

use std::sync::Arc;

use crate::model::check::{
    Change, CheckInfo, Finding, FurtherDelivery, Obligation, Outcome, Subject, Weight,
};
use crate::model::evidence::{Evidence, Fact};
use crate::model::facts::Facts;
use crate::model::outbox::{KeyRoom, OutboxColumn};
use crate::model::place::Place;
use crate::model::schema::Dialect;

use super::{met, not_met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "short-record-key",
    clause: "queue",
    title: "a record-key column too short for its keys",
    weight: Weight::Gate,
    decides_effect: false,
    page: include_str!("short_record_key.md"),
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
    match &facts.outbox.key_room {
        Fact::Unknown(reason) => Outcome::Unknown(Arc::clone(reason)),
        Fact::Absent(_) => Outcome::NotApplicable("there is no record-key column"),
        Fact::Shown(room, evidence) => match (room.holds, room.longest) {
            (Some(holds), Some(longest)) if longest > holds => {
                too_short(facts, room, (holds, longest), evidence)
            }
            (Some(holds), Some(longest)) => met(
                format!(
                    "the longest key has {longest} characters ({}), the column holds {holds}",
                    room.because
                ),
                vec![Arc::clone(evidence)],
            ),
            _ => met(room.because.to_string(), vec![Arc::clone(evidence)]),
        },
    }
}

fn too_short(
    facts: &Facts,
    room: &KeyRoom,
    (holds, longest): (u32, u32),
    evidence: &Arc<Evidence>,
) -> Outcome {
    let outbox = &facts.outbox;
    let table = outbox.table.shown().cloned().unwrap_or_default();
    let column = outbox.columns.get(&OutboxColumn::RecordKey);
    let name = column.map_or("record_key", |column| &*column.name);
    let place = column.map_or(Place::CommandLine, |column| column.place.clone());
    let statement = match outbox.dialect {
        Some(Dialect::Postgres) => {
            format!("ALTER TABLE {table} ALTER COLUMN {name} TYPE varchar({longest});")
        }
        _ => format!("ALTER TABLE {table} MODIFY COLUMN {name} VARCHAR({longest});"),
    };
    not_met(
        Finding::new(
            format!("{table}.{name} holds {holds} characters, and a record key can have {longest}"),
            place,
        )
        .label("too short for the longest key")
        .further(FurtherDelivery::Overwrite)
        .note(format!("the longest key: {}", room.because))
        .note("where the engine cuts a long value off, two records share a key, or a key no longer equals its own")
        .note("where it refuses one, the save that enqueues the event fails")
        .cites([Arc::clone(evidence)])
        .repair(vec![Change {
            key: "record-key-length".into(),
            title: format!("give {table}.{name} room for {longest} characters"),
            how: Some(statement),
        }]),
    )
}
