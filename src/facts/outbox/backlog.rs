//! Why the rows that wait were not counted.

use std::sync::Arc;

use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::inputs::InputState;
use crate::model::outbox::OutboxNames;
use crate::model::schema::{Schema, SchemaOrigin};

/// The reason, where nothing was counted.
pub(super) fn reason(
    names: &OutboxNames,
    schema: Option<&Schema>,
    database: Option<&InputState>,
) -> Arc<Reason> {
    let open = |why, sentence: &str, next_step: &str| {
        Arc::new(Reason {
            why,
            needs: Some(InputKind::Database),
            sentence: sentence.to_owned(),
            place: None,
            next_step: next_step.to_owned(),
        })
    };
    if let Some(live) = schema.filter(|schema| schema.origin == SchemaOrigin::Live) {
        return match names.table(live) {
            None => super::missing(names, Some(live)),
            Some(_) => open(
                Why::NotMapped,
                "the rows that wait were not counted: which pack names the outbox was told too late",
                "name the pack under `gate.pack`, or with --pack",
            ),
        };
    }
    let given = database.and_then(|state| {
        let mut reasons = state.unknown.iter();
        reasons.find(|reason| reason.why != Why::NotGiven)
    });
    match given {
        Some(reason) => Arc::clone(reason),
        None => open(
            Why::NotGiven,
            "no live database was read, so the rows that wait in the outbox are not known",
            "give the database with --database, or run what `outbox-audit queries` prints and give its output with --answers",
        ),
    }
}
