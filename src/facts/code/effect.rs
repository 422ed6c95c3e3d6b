//! One effect of the map as an effect of the audit: its statement read, its values told.

use std::sync::Arc;

use crate::model::consumer::{Consumer, PathState};
use crate::model::effect::{
    Assignment, Effect, EffectId, EffectKind, Hop, OnConflict, RowChoice, Target,
};
use crate::model::evidence::{Reason, Why};
use crate::model::map::{HOLE, MappedConsumer, MappedEffect, Sureness};
use crate::model::place::Place;
use crate::model::schema::Dialect;
use crate::model::value::{Draw, Nullness, Shape, Value, ValueSource};
use crate::sql::effect::{self, Part, Values};
use crate::sql::statement::{self, Placeholder};

use super::CodeInput;

/// The effects of one call: one for each row of an insert.
pub(super) fn effects_of(
    input: &CodeInput<'_>,
    mapped: &MappedConsumer,
    one: &MappedEffect,
    consumer: &Consumer,
) -> Vec<Effect> {
    let parts = if one.kind.is_external() {
        Ok(vec![outside(one)])
    } else {
        parts(input, one)
    };
    let (parts, reason) = match parts {
        Ok(parts) => (parts, None),
        Err(why) => (vec![unread(input, one)], Some(why)),
    };
    let reason = match one.sureness {
        Sureness::Low => Some(
            "the tree shows no type for it: it is told apart by the name of a call alone"
                .to_owned(),
        ),
        _ => reason,
    };
    let unknown = reason.map(|why| {
        Box::new(Reason {
            why: Why::NotResolved,
            needs: None,
            sentence: format!(
                "what `{}` does to {} is not known: {why}",
                mapped.handler, one.target
            ),
            place: Some(one.place.clone()),
            next_step:
                "write the statement as one text with its table and columns; or describe the \
                        consumer by hand, in the neutral format"
                    .into(),
        })
    });
    let many = parts.len() > 1;
    parts
        .into_iter()
        .enumerate()
        .map(|(at, part)| {
            let id = match many {
                true => format!("{}#row{}", one.id, at + 1).into(),
                false => Arc::clone(&one.id),
            };
            let path = match (&unknown, consumer.path.may_be_on()) {
                (Some(reason), true) => PathState::Unknown(reason.clone()),
                _ => consumer.path.clone(),
            };
            made(mapped, one, consumer, (id, path), part)
        })
        .collect()
}

fn made(
    mapped: &MappedConsumer,
    one: &MappedEffect,
    consumer: &Consumer,
    (id, path): (Arc<str>, PathState),
    part: Part,
) -> Effect {
    Effect {
        id: EffectId(id),
        consumer: consumer.id.clone(),
        order: 0,
        kind: part.kind,
        target: part.target,
        writes: part.writes,
        rows: part.rows,
        on_conflict: part.on_conflict,
        runs_if: part.runs_if,
        idempotency_key: None,
        numbers: Vec::new(),
        enqueues: Vec::new(),
        runs_inside: Vec::new(),
        on_error: super::errors_of(mapped),
        result_name: None,
        equal_update_is_no_op: false,
        path,
        trail: one
            .path
            .iter()
            .map(|hop| Hop {
                title: Arc::clone(&hop.function),
                place: hop.place.clone(),
            })
            .collect(),
        by_rule: Vec::new(),
        notes: Vec::new(),
        place: one.place.clone(),
    }
}

fn outside(one: &MappedEffect) -> Part {
    Part {
        kind: one.kind,
        target: Target::Outside(Arc::clone(&one.target)),
        writes: Vec::new(),
        rows: RowChoice::None,
        on_conflict: OnConflict::Error,
        runs_if: Vec::new(),
    }
}

/// A write of which the tree does not show enough. A new row may have any value in any column; what
/// another write sets is not told by its kind.
fn unread(input: &CodeInput<'_>, one: &MappedEffect) -> Part {
    let known = is_known(&one.target);
    let is_create = known && one.kind.is_create();
    let mut writes = Vec::new();
    if is_create {
        let mut tables = input.schemas.iter();
        let table = tables.find_map(|schema| schema.table(&one.target));
        writes.extend(
            table
                .iter()
                .flat_map(|table| &table.columns)
                .map(|column| Assignment {
                    field: Arc::clone(&column.name),
                    place: one.place.clone(),
                    value: parameter(one, &column.name, &one.place),
                    by_platform: false,
                }),
        );
    }
    Part {
        kind: match is_create {
            true => one.kind,
            false => EffectKind::Unmapped,
        },
        target: match known {
            true => Target::Object(Arc::clone(&one.target)),
            false => Target::Unknown(Arc::clone(&one.target)),
        },
        writes,
        rows: match is_create {
            true => RowChoice::New,
            false => RowChoice::None,
        },
        on_conflict: OnConflict::Error,
        runs_if: Vec::new(),
    }
}

fn is_known(target: &str) -> bool {
    !target.is_empty() && !target.contains(['$', '?', '|'])
}

/// What the statement does; or why that cannot be told.
fn parts(input: &CodeInput<'_>, one: &MappedEffect) -> Result<Vec<Part>, String> {
    if !is_known(&one.target) {
        return Err("which table it writes is known only when it runs".to_owned());
    }
    let Some(sql) = &one.sql else {
        return Err("the tree does not show its statement in one text".to_owned());
    };
    let backticks = sql.contains('`').then_some(Dialect::Mysql);
    let dialect = input.dialect.or(backticks).unwrap_or(Dialect::Postgres);
    let mut statement = statement::parse(sql, dialect)
        .map_err(|error| format!("its statement is not understood: {}", error.why))?;
    effect::fill(&mut statement, input.schemas)
        .map_err(|why| format!("the statement names no columns: {why}"))?;
    let place = |_: u32, _: u32| one.place.clone();
    let mut param = |_: &Placeholder, text: &str, here: &Place| parameter(one, text, here);
    let parts = effect::parts(&statement, &mut Values::new(&place, &mut param));
    let columns = parts.iter().flat_map(|part| &part.writes);
    let has_hole = columns.clone().any(|write| write.field.starts_with(HOLE))
        || parts.iter().any(|part| match &part.rows {
            RowChoice::Where { columns, .. } => columns.iter().any(|it| it.starts_with(HOLE)),
            _ => false,
        });
    match has_hole {
        true => Err("which columns it writes is known only when it runs".to_owned()),
        false => Ok(parts),
    }
}

/// A value that the code gives: where it comes from is not followed to its origin, so it may be the
/// event's or not. What is known to reach the call is told.
fn parameter(one: &MappedEffect, text: &str, here: &Place) -> Value {
    let reaching: Vec<String> = one
        .draws
        .iter()
        .filter(|draw| draw.source != ValueSource::Unknown)
        .map(|draw| format!("{} at {}", draw.source.word(), draw.place))
        .collect();
    let note = match reaching.is_empty() {
        true => "which value the code gives here is not followed".to_owned(),
        false => format!(
            "which value the code gives here is not followed; the call is given: {}",
            reaching.join(", ")
        ),
    };
    Value {
        text: text.into(),
        place: here.clone(),
        draws: vec![Draw {
            source: ValueSource::Unknown,
            what: text.into(),
            place: here.clone(),
            field: None,
            note: Some(note.into()),
        }],
        null: Nullness::Unknown,
        constant: None,
        fails: None,
        shape: Shape::Plain,
    }
}
