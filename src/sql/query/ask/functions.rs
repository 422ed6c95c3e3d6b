//! Functions, and queries as lists.

use std::sync::Arc;

use super::{Comparison, Query, Scope, Term, Value, World, rows, spans, sum, value};

pub(super) fn in_query(of: &Term, query: &Query, scope: &Scope<'_>, world: &World<'_>) -> Value {
    let [Some(given)] = &query.gives[..] else {
        return Value::Unknown;
    };
    // `x IN (SELECT y …)` is `EXISTS (SELECT … AND y = x)` where neither is NULL.
    let mut narrowed = query.clone();
    let equal = Term::Compare(
        Comparison::Equal,
        Box::new(given.clone()),
        Box::new(outer_of(of, scope)),
    );
    narrowed.only_if = Some(match narrowed.only_if.take() {
        Some(before) => Term::And(Box::new(before), Box::new(equal)),
        None => equal,
    });
    match (value(of, scope, world), rows(&narrowed, scope, world)) {
        (Value::Null, _) => Value::Null,
        (_, Some(found)) => Value::Bool(!found.is_empty()),
        _ => Value::Unknown,
    }
}

/// A column of the outer query with its table in front, so that the inner one does not take it.
fn outer_of(term: &Term, scope: &Scope<'_>) -> Term {
    match term {
        Term::Column(None, name) => {
            let holder = scope
                .iter()
                .rev()
                .find(|(_, row)| row.is_some_and(|row| row.contains_key(&name.to_lowercase())));
            let alias = holder.map(|(alias, _)| Arc::from(alias.as_str()));
            Term::Column(alias, Arc::clone(name))
        }
        other => other.clone(),
    }
}

pub(super) fn call(name: &str, given: &[Term], scope: &Scope<'_>, world: &World<'_>) -> Value {
    let part = |at: usize| {
        given
            .get(at)
            .map_or(Value::Unknown, |term| value(term, scope, world))
    };
    match name {
        "now"
        | "sysdate"
        | "utc_timestamp"
        | "clock_timestamp"
        | "statement_timestamp"
        | "transaction_timestamp"
        | "current_timestamp"
        | "localtimestamp" => Value::Moment(Value::NOW),
        "make_interval" => Value::Span(None),
        "date_sub" | "subdate" if given.len() == 2 => sum("-", part(0), part(1), world),
        "date_add" | "adddate" if given.len() == 2 => sum("+", part(0), part(1), world),
        "datetime" | "strftime" => match given.last() {
            Some(Term::Text(text)) if &**text == "now" => Value::Moment(Value::NOW),
            Some(Term::Text(text)) if text.starts_with(['-', '+']) => {
                let span = spans::of_text(text).unwrap_or(-world.span);
                Value::Moment(Value::NOW.saturating_add(span))
            }
            Some(Term::Placeholder(_)) if given.len() > 1 => {
                Value::Moment(Value::NOW.saturating_sub(world.span))
            }
            _ => Value::Unknown,
        },
        "coalesce" | "ifnull" => {
            for term in given {
                match value(term, scope, world) {
                    Value::Null => {}
                    Value::Given => return Value::Unknown,
                    known => return known,
                }
            }
            Value::Null
        }
        "lower" | "upper" | "trim" | "binary" if given.len() == 1 => part(0),
        _ => Value::Unknown,
    }
}
