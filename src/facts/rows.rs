//! Which rows a condition on columns means: one, where a key of the table is among the columns.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::conflict::Otherwise;
use crate::model::effect::{Effect, EffectKind, OnConflict, RowChoice};
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::schema::{Enforcer, EnforcerKind};
use crate::model::value::{Literal, ValueSource};

use super::tables::Tables;

/// Settles every choice of rows by columns, with what the schema says of its table.
pub(super) fn settle(effects: &mut [Box<Effect>], tables: Option<&Tables<'_>>) {
    let written = written(effects);
    let again: Vec<bool> = effects
        .iter()
        .map(|effect| match &effect.rows {
            RowChoice::Where {
                consumes: Some(consumed),
                ..
            } => {
                let column = column(effect, &consumed.column);
                let mut constants = written.get(&column).into_iter().flatten();
                !constants.any(|constant| consumed.is_met_by(constant.as_ref()))
            }
            _ => false,
        })
        .collect();
    for (effect, happens_once) in effects.iter_mut().zip(again) {
        let RowChoice::Where { columns, value, .. } = &effect.rows else {
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
                let named = RowChoice::Named(value.clone());
                if happens_once {
                    once(effect);
                }
                named
            }
            Some(_) => RowChoice::Search(value.clone()),
        };
    }
}

/// A column of a table, whatever schema and letters it is written with.
type Column = (String, String);

fn column(effect: &Effect, field: &str) -> Column {
    let table = effect.target.name();
    let bare = table.rsplit('.').next().unwrap_or(table);
    (bare.to_ascii_lowercase(), field.to_ascii_lowercase())
}

/// What rows that are there get in columns which a statement compares with a constant and changes:
/// each constant once, nothing for another value.
fn written(effects: &[Box<Effect>]) -> BTreeMap<Column, Vec<Option<Literal>>> {
    let mut written: BTreeMap<Column, Vec<Option<Literal>>> = effects
        .iter()
        .filter_map(|effect| match &effect.rows {
            RowChoice::Where {
                consumes: Some(consumed),
                ..
            } => Some((column(effect, &consumed.column), Vec::new())),
            _ => None,
        })
        .collect();
    if written.is_empty() {
        return written;
    }
    for effect in effects {
        // A plain insert makes a row of its own.
        let makes_only = effect.kind == EffectKind::Insert
            && !matches!(&effect.on_conflict, OnConflict::Statement(clause)
                if clause.otherwise == Otherwise::Replaces);
        let own = match makes_only {
            true => &[],
            false => effect.writes.as_slice(),
        };
        for write in own.iter().chain(effect.on_conflict.set()) {
            if let Some(constants) = written.get_mut(&column(effect, &write.field))
                && !constants.contains(&write.value.constant)
            {
                constants.push(write.value.constant.clone());
            }
        }
    }
    written
}

/// The statement finds the row a second time no more: what it reads of the row does no harm.
fn once(effect: &mut Effect) {
    for write in &mut effect.writes {
        write
            .value
            .draws
            .retain(|draw| draw.source != ValueSource::LiveState);
    }
    let moves = matches!(
        effect.kind,
        EffectKind::Increment | EffectKind::Append | EffectKind::Toggle
    );
    if moves && effect.writes.iter().all(|write| write.value.is_stable()) {
        effect.kind = EffectKind::Update;
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
