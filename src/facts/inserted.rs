//! The row as it is really inserted: assignments, synchronous flows, the platform, column defaults.

use std::sync::Arc;

use crate::model::effect::{Effect, EffectKind};
use crate::model::place::Place;
use crate::model::schema::{Column, Dialect, SqlLiteral, Table, Volatility};
use crate::model::value::{Draw, Literal, Nullness, Root, Shape, Value, ValueSource};
use crate::rules::PlatformRule;
use crate::sql::constant::{Constant, constant};

use super::formula::{drawn_from, literal};

/// Where a column's value comes from.
#[derive(Debug, Clone)]
pub(super) struct Inserted {
    /// The value.
    pub(super) value: Value,
    /// The synchronous flow that may change it after the lookup and before the insert.
    pub(super) rewritten_by: Option<Arc<str>>,
}

/// A table that was read, and the engine whose rules apply.
pub(super) type Known<'a> = (&'a Table, Option<Dialect>);

/// The sets of synchronous flows that run inside an insert, with the title of their flow.
pub(super) type Rewrites<'a> = [(Arc<str>, &'a Effect)];

/// The value that lands in a column; the table comes with the dialect of its schema.
pub(super) fn inserted_value(
    effect: &Effect,
    column: &str,
    table: Option<Known<'_>>,
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
    table: Option<Known<'_>>,
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
    table: Option<Known<'_>>,
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
    let Some((table, dialect)) = table else {
        return unknown_value(column, effect.place.clone());
    };
    match table.column(column) {
        Some(column) => default_value(column, dialect, &table.place),
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

fn default_value(column: &Column, dialect: Option<Dialect>, table: &Place) -> Value {
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
        let mysql = matches!(
            dialect,
            Some(Dialect::Mysql | Dialect::Mariadb | Dialect::Tidb)
        );
        let is_timestamp = column
            .data_type
            .to_ascii_lowercase()
            .starts_with("timestamp");
        if mysql && is_timestamp && !column.nullable {
            // Under the old rules the first of a table has the clock for its default.
            let what = "a default that explicit_defaults_for_timestamp decides";
            return drawn_from(ValueSource::Unknown, what, place, Nullness::Unknown);
        }
        return literal(Literal::Null, "NULL".into(), place);
    };
    match default.volatility {
        Volatility::Constant => constant_value(&default.text, dialect, place),
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

/// A default that never varies.
fn constant_value(text: &Arc<str>, dialect: Option<Dialect>, place: Place) -> Value {
    let Some(dialect) = dialect else {
        return literal(bare_constant(text), Arc::clone(text), place);
    };
    let known = match constant(text, dialect) {
        Constant::Literal(SqlLiteral::Null) => Literal::Null,
        Constant::Literal(SqlLiteral::Bool(value)) => Literal::Bool(value),
        Constant::Literal(SqlLiteral::Number(number)) => Literal::Number(number),
        Constant::Literal(SqlLiteral::String(text)) => Literal::String(text),
        Constant::NotNull => return computed(text, place, Nullness::Never),
        Constant::Computed => return computed(text, place, Nullness::Unknown),
    };
    literal(known, Arc::clone(text), place)
}

/// A value that is the same each time, and is not worked out.
fn computed(text: &Arc<str>, place: Place, null: Nullness) -> Value {
    Value {
        text: Arc::clone(text),
        place,
        draws: Vec::new(),
        null,
        constant: None,
        fails: None,
        shape: Shape::Computed,
    }
}

/// A default of a metadata file, where a text may stand without quotes: numbers stay as written.
fn bare_constant(text: &str) -> Literal {
    let bare = text.trim().trim_matches(['(', ')']);
    if let Some(inner) = bare
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''))
    {
        return Literal::String(inner.replace("''", "'").into());
    }
    match bare.to_ascii_lowercase().as_str() {
        "null" => Literal::Null,
        "true" => Literal::Bool(true),
        "false" => Literal::Bool(false),
        lower if lower.parse::<f64>().is_ok() => Literal::Number(bare.into()),
        _ => Literal::String(bare.into()),
    }
}

fn unknown_value(column: &str, place: Place) -> Value {
    drawn_from(ValueSource::Unknown, column, place, Nullness::Unknown)
}
