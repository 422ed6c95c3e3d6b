//! What moves the heartbeat without being asked: a column that the engine sets on every update.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::evidence::{Fact, Reason, Why};
use crate::model::outbox::OutboxColumn;
use crate::model::schema::{Column, Schema, Table};

use super::seen;

/// What sets the heartbeat column on an update that does not name it.
pub(super) fn mover(
    schema: &Schema,
    table: &Table,
    columns: &BTreeMap<OutboxColumn, Column>,
) -> Fact<Arc<str>> {
    let unknown = |sentence: String, next_step: &str| {
        Fact::Unknown(Arc::new(Reason {
            why: Why::NotDecidable,
            needs: None,
            sentence,
            place: Some(table.place.clone()),
            next_step: next_step.into(),
        }))
    };
    let Some(heartbeat) = columns.get(&OutboxColumn::Modified) else {
        return unknown(
            format!("{} has no known heartbeat column", table.name),
            "name it under `outbox.columns.modified`",
        );
    };
    let name = format!("{}.{}", table.name, heartbeat.name);
    if let Some(what) = &heartbeat.on_update {
        let says = format!("{name} is set ON UPDATE {what}");
        return Fact::Shown(says.as_str().into(), seen(schema, table, says.clone()));
    }
    if let Some(trigger) = table.triggers.iter().find(|trigger| trigger.on_update) {
        return unknown(
            format!(
                "whether trigger {} of {} sets {} is not known: its body was not read",
                trigger.name, table.name, heartbeat.name
            ),
            "see what the trigger writes",
        );
    }
    Fact::Absent(seen(
        schema,
        table,
        format!("nothing but the statement itself sets {name}"),
    ))
}
