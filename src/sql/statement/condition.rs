//! Conditions on rows, and the equalities in them.

use crate::sql::cursor::Cursor;

use super::NotUnderstood;
use super::ast::{Condition, Expression, Name};
use super::expression::{Scope, column, expression, value};

/// Reads a condition up to one of the words.
pub(super) fn condition(
    cursor: &mut Cursor<'_>,
    scope: &Scope,
    ends: &[&str],
) -> Result<Condition, NotUnderstood> {
    let start = *cursor;
    let whole = value(cursor, ends, scope)?;
    if cursor.is_punct(b',') {
        return Err(cursor.stop().into());
    }
    Ok(conjuncts(cursor.since(&start), scope, whole))
}

/// `column = value AND column < value AND …`.
fn conjuncts(span: Cursor<'_>, scope: &Scope, whole: Expression) -> Condition {
    let mut condition = Condition {
        whole,
        equals: Vec::new(),
        newer: Vec::new(),
        only_equals: true,
        only_known: true,
    };
    let mut span = span.without_parens();
    let mut between = false;
    let mut start = span;
    loop {
        span.skip_to(&["AND", "OR", "BETWEEN", "CASE"]);
        if span.is_any(&["OR", "CASE"]) || span.is_punct(b',') {
            condition.equals.clear();
            condition.newer.clear();
            condition.only_equals = false;
            condition.only_known = false;
            return condition;
        }
        if span.eat("BETWEEN") {
            between = true;
            continue;
        }
        if std::mem::take(&mut between) && span.eat("AND") {
            continue;
        }
        let part = span.since(&start);
        if let Some(found) = equality(part, scope) {
            condition.equals.extend(found);
        } else {
            condition.only_equals = false;
            match less(part, scope) {
                Some(found) => condition.newer.push(found),
                None => condition.only_known = false,
            }
        }
        if !span.eat("AND") {
            let whole = span.at_end();
            condition.only_equals &= whole;
            condition.only_known &= whole;
            return condition;
        }
        start = span;
    }
}

/// `column < value` or `value > column`.
fn less(span: Cursor<'_>, scope: &Scope) -> Option<(Name, Expression)> {
    let mut span = span.without_parens();
    let begin = span;
    if let Ok(name) = column(&mut span)
        && span.eat_punct(b'<')
    {
        let start = span;
        span.finish();
        let right = span.since(&start);
        return (!right.is_empty()).then(|| (name, expression(right, scope)));
    }
    span = begin;
    while !span.at_end() && !span.is_punct(b'>') {
        span.step();
    }
    let left = span.since(&begin);
    if left.is_empty() || !span.eat_punct(b'>') {
        return None;
    }
    let name = column(&mut span).ok().filter(|_| span.at_end())?;
    Some((name, expression(left, scope)))
}

/// One equality, or several behind `(a, b) = (x, y)`.
fn equality(span: Cursor<'_>, scope: &Scope) -> Option<Vec<(Name, Expression)>> {
    let mut span = span.without_parens();
    let begin = span;
    if span.is_punct(b'(') {
        let mut left = span.parens().ok()?;
        eat_equal(&mut span)?;
        let mut right = span.parens().ok().filter(|_| span.at_end())?;
        let mut pairs = Vec::new();
        while !left.at_end() {
            let name = column(&mut left).ok()?;
            pairs.push((name, value(&mut right, &[], scope).ok()?));
            if left.eat_punct(b',') != right.eat_punct(b',') {
                return None;
            }
        }
        return right.at_end().then_some(pairs);
    }
    if span.is_name()
        && let Ok(name) = column(&mut span)
        && eat_equal(&mut span).is_some()
    {
        if span.is_any(&["ANY", "ALL", "SOME"]) {
            return None;
        }
        let start = span;
        span.finish();
        let right = span.since(&start);
        return (!right.is_empty()).then(|| vec![(name, expression(right, scope))]);
    }
    // `$1 = id`.
    span = begin;
    span.step();
    let left = span.since(&begin);
    eat_equal(&mut span)?;
    let name = column(&mut span).ok().filter(|_| span.at_end())?;
    Some(vec![(name, expression(left, scope))])
}

fn eat_equal(span: &mut Cursor<'_>) -> Option<()> {
    let token = span.peek()?;
    matches!(span.source(token), "=" | "==" | "<=>").then(|| span.step())
}
