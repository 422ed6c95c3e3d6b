//! A declared write that names a column its table does not have.

use crate::model::effect::{Effect, Target};
use crate::model::evidence::{Reason, Why};
use crate::model::schema::{Schema, TableKind};

/// Why a declared write does not fit the table it names: it has no such column.
pub(super) fn misfit(effect: &Effect, schema: &Schema) -> Option<Reason> {
    let Target::Object(name) = &effect.target else {
        return None;
    };
    let table = schema.table(name)?;
    let is_table = matches!(table.kind, TableKind::Table | TableKind::Partitioned);
    if !is_table || table.columns.is_empty() {
        return None;
    }
    let missing = effect
        .writes
        .iter()
        .find(|write| table.column(&write.field).is_none())?;
    let columns: Vec<&str> = table.columns.iter().map(|column| &*column.name).collect();
    Some(Reason {
        why: Why::NotResolved,
        needs: None,
        sentence: format!(
            "{} has no column {}: the statement fails on every event, or another table is meant",
            table.name, missing.field
        ),
        place: Some(missing.place.clone()),
        next_step: format!("correct the column; the table has {}", columns.join(", ")),
    })
}
