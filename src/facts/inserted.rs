//! The row as it is really inserted: assignments, synchronous flows, the platform, column defaults.

use std::sync::Arc;

use crate::model::effect::{Effect, EffectKind};
use crate::model::place::Place;
use crate::model::schema::{Column, Dialect, SqlLiteral, Table, Volatility};
use crate::model::value::{Draw, Literal, Nullness, Root, Shape, Value, ValueSource};
use crate::rules::PlatformRule;
use crate::sql::predicate;

use super::formula::{drawn_from, literal};

/// Where a column's value comes from.
#[derive(Debug, Clone)]
pub(super) struct Inserted {
    /// The value.
    pub(super) value: Value,
    /// The synchronous flow that may change it after the lookup and before the insert.
    pub(super) rewritten_by: Option<Arc<str>>,
}

/// The sets of synchronous flows that run inside an insert, with the title of their flow.
pub(super) type Rewrites<'a> = [(Arc<str>, &'a Effect)];

/// The value that lands in a column.
pub(super) fn inserted_value(
    effect: &Effect,
    column: &str,
    table: Option<&Table>,
    platform: Option<&PlatformRule>,
    rewrites: &Rewrites<'_>,
) -> Inserted {
    let own = own_value(effect, column, table, platform);
    let rewrite = rewrites.iter().find_map(|(title, set)| {
        debug_assert_eq!(set.kind, EffectKind::RecordSet);
        let write = set
            .writes
            .iter()
            .find(|write| write.field.eq_ignore_ascii_case(column))?;
        Some((title, write))
    });
    match rewrite {
        None => Inserted {
            value: own,
            rewritten_by: None,
        },
        Some((title, write)) => {
            let mut value = substituted(&write.value, effect, table, platform);
            // The flow may or may not run: both values count.
            value.draws.extend(own.draws);
            value.constant = None;
            value.null = super::shape::either(value.null, own.null);
            Inserted {
                value,
                rewritten_by: Some(Arc::clone(title)),
            }
        }
    }
}

/// A value of a synchronous flow, with each field of the record being written replaced by what the
/// write itself assigns to that field.
pub(super) fn substituted(
    value: &Value,
    effect: &Effect,
    table: Option<&Table>,
    platform: Option<&PlatformRule>,
) -> Value {
    let mut result = value.clone();
    result.draws = value
        .draws
        .iter()
        .flat_map(|draw| match &draw.field {
            Some(field) if field.root == Root::Written => {
                own_value(effect, &field.name, table, platform).draws
            }
            _ => vec![draw.clone()],
        })
        .collect();
    result
}

fn own_value(
    effect: &Effect,
    column: &str,
    table: Option<&Table>,
    platform: Option<&PlatformRule>,
) -> Value {
    if let Some(write) = effect
        .writes
        .iter()
        .find(|write| write.field.eq_ignore_ascii_case(column))
    {
        return write.value.clone();
    }
    if let Some(number) = effect
        .numbers
        .iter()
        .find(|number| number.field.eq_ignore_ascii_case(column))
    {
        return drawn_from(
            ValueSource::Sequence,
            "its auto-number",
            number.place.clone(),
            Nullness::Never,
        );
    }
    if let Some(value) = generated_value(effect, column, platform) {
        return value;
    }
    let Some(table) = table else {
        return unknown_value(column, effect.place.clone());
    };
    match table.column(column) {
        Some(column) => default_value(column, &table.place),
        None => unknown_value(column, table.place.clone()),
    }
}

/// What the platform fills in by itself.
fn generated_value(
    effect: &Effect,
    column: &str,
    platform: Option<&PlatformRule>,
) -> Option<Value> {
    let rule = platform?.generated.iter().find(|rule| {
        rule.fields
            .iter()
            .any(|field| field.eq_ignore_ascii_case(column))
    })?;
    let place = effect.place.clone();
    Some(match &rule.constant {
        Some(text) => literal(Literal::Number(Arc::clone(text)), Arc::clone(text), place),
        None => drawn_from(
            rule.draws,
            match rule.draws {
                ValueSource::Random => "an id generated at each insert",
                ValueSource::Clock => "the time of the insert",
                _ => "the user of the event",
            },
            place,
            Nullness::Never,
        ),
    })
}

fn default_value(column: &Column, table: &Place) -> Value {
    let place = match &column.place {
        Place::CommandLine => table.clone(),
        place => place.clone(),
    };
    if column.auto_number {
        let what = "a number that the database draws";
        return drawn_from(ValueSource::Sequence, what, place, Nullness::Never);
    }
    if let Some(expression) = &column.generated {
        return Value {
            text: Arc::clone(expression),
            draws: vec![Draw {
                source: ValueSource::Unknown,
                what: Arc::clone(expression),
                place: place.clone(),
                field: None,
                note: Some("a generated column".into()),
            }],
            place,
            null: Nullness::Unknown,
            constant: None,
            fails: None,
            shape: Shape::Computed,
        };
    }
    let Some(default) = &column.default else {
        return literal(Literal::Null, "NULL".into(), place);
    };
    match default.volatility {
        Volatility::Constant => constant(&default.text, place),
        Volatility::Volatile => {
            drawn_from(ValueSource::Sequence, &default.text, place, Nullness::Never)
        }
        Volatility::Unknown => drawn_from(
            ValueSource::Unknown,
            &default.text,
            place,
            Nullness::Unknown,
        ),
    }
}

/// A constant default: its literal with the casts that engines print taken off, or a computation
/// that gives the same each time.
fn constant(text: &Arc<str>, place: Place) -> Value {
    // The engine is not known here; only PostgreSQL writes casts with colons.
    let dialect = match text.contains("::") {
        true => Dialect::Postgres,
        false => Dialect::Sqlite,
    };
    let found = match predicate::literal(text, dialect) {
        Some(SqlLiteral::Null) => Literal::Null,
        Some(SqlLiteral::Bool(value)) => Literal::Bool(value),
        Some(SqlLiteral::Number(number)) => Literal::Number(number),
        Some(SqlLiteral::String(text)) => Literal::String(text),
        None => {
            return Value {
                text: Arc::clone(text),
                place,
                draws: Vec::new(),
                null: Nullness::Unknown,
                constant: None,
                fails: None,
                shape: Shape::Computed,
            };
        }
    };
    literal(found, Arc::clone(text), place)
}

fn unknown_value(column: &str, place: Place) -> Value {
    drawn_from(ValueSource::Unknown, column, place, Nullness::Unknown)
}
