//! Which rows a condition on columns means: one, where a key of the table is among the columns.

use std::sync::Arc;

use crate::model::effect::{Effect, RowChoice};
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::schema::{Enforcer, EnforcerKind};

use super::tables::Tables;

/// Settles every choice of rows by columns, with what the schema says of its table.
pub(super) fn settle(effects: &mut [Box<Effect>], tables: Option<&Tables<'_>>) {
    for effect in effects {
        let RowChoice::Where { columns, value } = &effect.rows else {
            continue;
        };
        let name = effect.target.name();
        let table = tables.and_then(|tables| tables.table(name));
        effect.rows = match table {
            None => RowChoice::Unknown(Box::new(Reason {
                why: Why::NotResolved,
                needs: Some(InputKind::Schema),
                sentence: format!(
                    "whether ({}) names one row of {name} is not known: no schema that was read has the table",
                    columns.join(", ")
                ),
                place: Some(value.place.clone()),
                next_step: format!("give the schema that defines {name}"),
            })),
            Some(table) if table.enforcers.iter().any(|key| names_one(key, columns)) => {
                RowChoice::Named(value.clone())
            }
            Some(_) => RowChoice::Search(value.clone()),
        };
    }
}

/// True if no two rows have the same values in these columns.
fn names_one(key: &Enforcer, columns: &[Arc<str>]) -> bool {
    key.kind != EnforcerKind::Exclusion
        && key.predicate.is_none()
        && !key.parts.is_empty()
        && key.parts.iter().all(|part| {
            part.prefix_length.is_none()
                && part.column.as_ref().is_some_and(|column| {
                    columns.iter().any(|name| name.eq_ignore_ascii_case(column))
                })
        })
}
