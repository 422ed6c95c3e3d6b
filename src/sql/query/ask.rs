//! Asks a condition of rows, with the three values of SQL and a fourth: not known.

mod functions;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::sql::statement::Placeholder;

use super::{Comparison, Query, Term, spans};
use functions::{call, in_query};

/// A value of a column or of a part of a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// NULL.
    Null,
    /// TRUE or FALSE.
    Bool(bool),
    /// A number.
    Number(i64),
    /// A text.
    Text(Arc<str>),
    /// A moment, in microseconds from [`Value::NOW`].
    Moment(i64),
    /// A span of time in microseconds, where it is known.
    Span(Option<i64>),
    /// An id, by its rank.
    Id(i64),
    /// A value that the caller gives and that is not known: as a moment it is a cutoff in the past,
    /// as an id the one meant.
    Given,
    /// Not known.
    Unknown,
}

impl Value {
    /// The present.
    pub const NOW: i64 = 0;
    /// The id that a caller means.
    pub const MEANT: i64 = 7;
}

/// A row by its columns, names in lower case.
pub type Row = BTreeMap<String, Value>;

/// What a condition is asked of.
#[derive(Debug)]
pub struct World<'w> {
    /// Rows by table, names in lower case.
    pub tables: BTreeMap<String, Vec<Row>>,
    /// What the caller gives.
    pub given: &'w dyn Given,
    /// What a span that is not known is taken for, in microseconds.
    pub span: i64,
}

/// What the caller of a statement gives for its placeholders.
pub trait Given: std::fmt::Debug {
    /// The value of one.
    fn value(&self, placeholder: &Placeholder) -> Value;
}

/// Tables with one row each, by what the query calls them.
type Scope<'r> = Vec<(String, Option<&'r Row>)>;

/// True if the condition holds of a row, false if not, none if that is not known.
pub fn holds(term: &Term, row: &Row, table: &str, world: &World<'_>) -> Option<bool> {
    let scope: Scope<'_> = vec![(table.to_lowercase(), Some(row))];
    truth(&value(term, &scope, world))
}

/// The value of a term for a row.
pub fn computed(term: &Term, row: &Row, table: &str, world: &World<'_>) -> Value {
    let scope: Scope<'_> = vec![(table.to_lowercase(), Some(row))];
    value(term, &scope, world)
}

/// The rows of the first table that a query chooses, by number; none if that is not known.
pub fn chosen(query: &Query, world: &World<'_>) -> Option<Vec<usize>> {
    rows(query, &Vec::new(), world)
}

fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(is) => Some(*is),
        Value::Null => Some(false),
        Value::Number(number) => Some(*number != 0),
        _ => None,
    }
}

fn rows(query: &Query, outer: &Scope<'_>, world: &World<'_>) -> Option<Vec<usize>> {
    let mut found = Vec::new();
    let first = query.tables.first()?;
    let base = world.tables.get(&first.table.to_lowercase())?;
    for (at, row) in base.iter().enumerate() {
        let mut scope = outer.clone();
        scope.push((first.alias.to_lowercase(), Some(row)));
        if any(query, 1, scope, world)? {
            found.push(at);
        }
    }
    Some(found)
}

fn any(query: &Query, next: usize, scope: Scope<'_>, world: &World<'_>) -> Option<bool> {
    let Some(source) = query.tables.get(next) else {
        return match &query.only_if {
            Some(term) => truth(&value(term, &scope, world)),
            None => Some(true),
        };
    };
    let partners = world.tables.get(&source.table.to_lowercase())?;
    let alias = source.alias.to_lowercase();
    let mut joined = false;
    for row in partners {
        let mut inner = scope.clone();
        inner.push((alias.clone(), Some(row)));
        let fits = match &source.on {
            Some(on) => truth(&value(on, &inner, world))?,
            None => true,
        };
        if fits {
            joined = true;
            if any(query, next + 1, inner, world)? {
                return Some(true);
            }
        }
    }
    if source.left && !joined {
        let mut inner = scope;
        inner.push((alias, None));
        return any(query, next + 1, inner, world);
    }
    Some(false)
}

fn value(term: &Term, scope: &Scope<'_>, world: &World<'_>) -> Value {
    match term {
        Term::Text(text) => Value::Text(Arc::clone(text)),
        Term::Number(number) => Value::Number(*number),
        Term::Null => Value::Null,
        Term::Bool(is) => Value::Bool(*is),
        Term::Span(amount, unit) => match (value(amount, scope, world), unit) {
            (Value::Null, _) => Value::Null,
            (Value::Number(number), Some(unit)) => Value::Span(number.checked_mul(*unit)),
            (Value::Text(text), Some(unit)) => {
                let number = text.parse::<i64>().ok();
                Value::Span(number.and_then(|number| number.checked_mul(*unit)))
            }
            (Value::Text(text), None) => Value::Span(spans::of_text(&text)),
            _ => Value::Span(None),
        },
        Term::Clock => Value::Moment(Value::NOW),
        Term::Placeholder(placeholder) => world.given.value(placeholder),
        Term::Column(of, name) => column(of.as_deref(), name, scope),
        Term::Row(_) => Value::Unknown,
        Term::Not(of) => match value(of, scope, world) {
            Value::Null => Value::Null,
            value => truth(&value).map_or(Value::Unknown, |is| Value::Bool(!is)),
        },
        Term::And(left, right) => both(
            value(left, scope, world),
            || value(right, scope, world),
            false,
        ),
        Term::Or(left, right) => both(
            value(left, scope, world),
            || value(right, scope, world),
            true,
        ),
        Term::IsNull(of) => match value(of, scope, world) {
            Value::Null => Value::Bool(true),
            // What a caller gives may be NULL.
            Value::Unknown | Value::Given => Value::Unknown,
            _ => Value::Bool(false),
        },
        Term::Compare(how, left, right) => compared(*how, left, right, scope, world),
        Term::In(of, list) => {
            let equal = list
                .iter()
                .map(|item| compared(Comparison::Equal, of, item, scope, world));
            equal.fold(Value::Bool(false), |before, next| {
                both(before, || next, true)
            })
        }
        Term::InQuery(of, query) => in_query(of, query, scope, world),
        Term::Exists(query) => match rows(query, scope, world) {
            Some(found) => Value::Bool(!found.is_empty()),
            None => Value::Unknown,
        },
        Term::Arithmetic(how, left, right) => {
            let (left, right) = (value(left, scope, world), value(right, scope, world));
            sum(how, left, right, world)
        }
        Term::Call(name, given) => call(name, given, scope, world),
    }
}

/// `a AND b`, `a OR b`; `decides` is the value that decides alone.
fn both(left: Value, right: impl FnOnce() -> Value, decides: bool) -> Value {
    let is = |value: &Value| match value {
        Value::Null => None,
        value => truth(value),
    };
    if is(&left) == Some(decides) {
        return Value::Bool(decides);
    }
    let right = right();
    if is(&right) == Some(decides) {
        return Value::Bool(decides);
    }
    let unknown = |value: &Value| *value != Value::Null && truth(value).is_none();
    if unknown(&left) || unknown(&right) {
        return Value::Unknown;
    }
    if left == Value::Null || right == Value::Null {
        return Value::Null;
    }
    Value::Bool(!decides)
}

fn column(of: Option<&str>, name: &str, scope: &Scope<'_>) -> Value {
    let name = name.to_lowercase();
    for (alias, row) in scope.iter().rev() {
        if of.is_some_and(|of| !of.eq_ignore_ascii_case(alias)) {
            continue;
        }
        match row {
            None => return Value::Null,
            Some(row) => {
                if let Some(value) = row.get(&name) {
                    return value.clone();
                }
            }
        }
    }
    Value::Unknown
}

fn compared(
    how: Comparison,
    left: &Term,
    right: &Term,
    scope: &Scope<'_>,
    world: &World<'_>,
) -> Value {
    if let (Term::Row(left), Term::Row(right)) = (left, right) {
        return by_parts(how, left, right, scope, world);
    }
    let (left, right) = (value(left, scope, world), value(right, scope, world));
    if how == Comparison::Same && (left == Value::Null || right == Value::Null) {
        return Value::Bool(left == right);
    }
    if left == Value::Null || right == Value::Null {
        return Value::Null;
    }
    // A number or stamp that a caller asks for is the one that it read.
    let stamp = |one: &Value, two: &Value| {
        matches!(one, Value::Number(_) | Value::Moment(_)) && *two == Value::Given
    };
    if stamp(&left, &right) || stamp(&right, &left) {
        match how {
            Comparison::Equal | Comparison::Same => return Value::Bool(true),
            Comparison::Differ => return Value::Bool(false),
            _ => {}
        }
    }
    match order(&left, &right, world) {
        Some(order) => Value::Bool(match how {
            Comparison::Equal | Comparison::Same => order.is_eq(),
            Comparison::Differ => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::AtMost => order.is_le(),
            Comparison::More => order.is_gt(),
            Comparison::AtLeast => order.is_ge(),
        }),
        None => Value::Unknown,
    }
}

/// `(a, b) < (c, d)`: the first part that differs decides.
fn by_parts(
    how: Comparison,
    left: &[Term],
    right: &[Term],
    scope: &Scope<'_>,
    world: &World<'_>,
) -> Value {
    let (Some(first), Some(second)) = (left.split_first(), right.split_first()) else {
        return Value::Unknown;
    };
    if left.len() != right.len() {
        return Value::Unknown;
    }
    if first.1.is_empty() {
        return compared(how, first.0, second.0, scope, world);
    }
    let strict = match how {
        Comparison::Less | Comparison::AtMost => Comparison::Less,
        Comparison::More | Comparison::AtLeast => Comparison::More,
        Comparison::Equal | Comparison::Same => {
            let head = compared(how, first.0, second.0, scope, world);
            return both(
                head,
                || by_parts(how, first.1, second.1, scope, world),
                false,
            );
        }
        Comparison::Differ => {
            let head = compared(how, first.0, second.0, scope, world);
            return both(
                head,
                || by_parts(how, first.1, second.1, scope, world),
                true,
            );
        }
    };
    let head = compared(strict, first.0, second.0, scope, world);
    both(
        head,
        || {
            let same = compared(Comparison::Equal, first.0, second.0, scope, world);
            both(
                same,
                || by_parts(how, first.1, second.1, scope, world),
                false,
            )
        },
        true,
    )
}

fn order(left: &Value, right: &Value, world: &World<'_>) -> Option<Ordering> {
    match (left, right) {
        (Value::Text(left), Value::Text(right)) => Some(left.cmp(right)),
        (Value::Number(left), Value::Number(right))
        | (Value::Moment(left), Value::Moment(right))
        | (Value::Id(left), Value::Id(right)) => Some(left.cmp(right)),
        (Value::Bool(left), Value::Bool(right)) => Some(left.cmp(right)),
        (Value::Moment(left), Value::Given) => Some(left.cmp(&(Value::NOW - world.span))),
        (Value::Id(left), Value::Given) => Some(left.cmp(&Value::MEANT)),
        (Value::Given, Value::Moment(_) | Value::Id(_)) => {
            order(right, left, world).map(Ordering::reverse)
        }
        _ => None,
    }
}

fn sum(how: &str, left: Value, right: Value, world: &World<'_>) -> Value {
    let span = |value: &Value| match value {
        Value::Span(span) => Some(span.unwrap_or(world.span)),
        Value::Given => Some(world.span),
        _ => None,
    };
    match (how, left, right) {
        (_, Value::Null, _) | (_, _, Value::Null) => Value::Null,
        ("+", Value::Number(left), Value::Number(right)) => {
            Value::Number(left.saturating_add(right))
        }
        ("-", Value::Number(left), Value::Number(right)) => {
            Value::Number(left.saturating_sub(right))
        }
        ("+", Value::Moment(at), right) => span(&right).map_or(Value::Unknown, |span| {
            Value::Moment(at.saturating_add(span))
        }),
        ("-", Value::Moment(at), right) => span(&right).map_or(Value::Unknown, |span| {
            Value::Moment(at.saturating_sub(span))
        }),
        ("*", Value::Span(Some(span)), Value::Number(times))
        | ("*", Value::Number(times), Value::Span(Some(span))) => {
            Value::Span(span.checked_mul(times))
        }
        ("*", Value::Span(_), _) | ("*", _, Value::Span(_)) => Value::Span(None),
        _ => Value::Unknown,
    }
}
