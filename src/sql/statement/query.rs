//! The queries that give an insert its rows.

use crate::sql::cursor::Cursor;

use super::NotUnderstood;
use super::ast::{Lookup, Rows};
use super::condition::condition;
use super::expression::{Scope, expression, value};

/// The rows of `INSERT … SELECT`.
pub(super) fn rows(cursor: &mut Cursor<'_>, scope: &Scope) -> Result<Rows, NotUnderstood> {
    let mut whole = *cursor;
    let in_parens = whole.is_punct(b'(');
    let inside = match in_parens {
        true => whole.parens()?,
        false => *cursor,
    };
    if !inside.is_any(&["SELECT", "WITH", "TABLE"]) {
        return Err(cursor.stop().into());
    }
    if let Some((found, rest)) = single_row(inside, scope) {
        if in_parens && !rest.at_end() {
            return Err(rest.stop().into());
        }
        *cursor = match in_parens {
            true => whole,
            false => rest,
        };
        return Ok(found);
    }
    // A query over tables. ON stands in joins too.
    let mut end = inside;
    while !end.at_end() && !end.is_punct(b')') {
        end.skip_to(&["ON", "RETURNING"]);
        if end.are(&["ON", "CONFLICT"]) || end.are(&["ON", "DUPLICATE"]) || end.is("RETURNING") {
            break;
        }
        end.step();
    }
    let query = expression(end.since(&inside), scope);
    *cursor = match in_parens {
        true => whole,
        false => end,
    };
    Ok(Rows::Query(query))
}

/// `SELECT values [FROM dual] [WHERE NOT EXISTS (…)]`: one row at most.
fn single_row<'t>(mut cursor: Cursor<'t>, scope: &Scope) -> Option<(Rows, Cursor<'t>)> {
    const ENDS: [&str; 12] = [
        "FROM",
        "WHERE",
        "ON",
        "RETURNING",
        "LIMIT",
        "UNION",
        "ORDER",
        "GROUP",
        "HAVING",
        "EXCEPT",
        "INTERSECT",
        "AS",
    ];
    if !cursor.eat("SELECT") || cursor.is_any(&["DISTINCT", "ALL"]) {
        return None;
    }
    let mut values = Vec::new();
    loop {
        values.push(value(&mut cursor, &ENDS, scope).ok()?);
        if cursor.eat("AS") {
            cursor.name().ok()?;
        }
        if !cursor.eat_punct(b',') {
            break;
        }
    }
    if values.iter().any(|value| &*value.text == "*") {
        return None;
    }
    if cursor.eat("FROM") && !cursor.eat("DUAL") {
        return None;
    }
    if !cursor.eat("WHERE") {
        let ended = cursor.at_end() || cursor.is_any(&["ON", "RETURNING"]);
        return ended.then_some((Rows::Values(vec![values]), cursor));
    }
    if !cursor.eat_all(&["NOT", "EXISTS"]) {
        return None;
    }
    let lookup = lookup(cursor.parens().ok()?, scope)?;
    if cursor.eat("LIMIT") {
        cursor.step();
    }
    Some((Rows::IfAbsent(values, lookup), cursor))
}

/// `SELECT … FROM table WHERE column = value …`.
fn lookup(mut inside: Cursor<'_>, scope: &Scope) -> Option<Lookup> {
    if !inside.eat("SELECT") {
        return None;
    }
    inside.skip_to(&["FROM"]);
    while inside.eat_punct(b',') {
        inside.skip_to(&["FROM"]);
    }
    if !inside.eat("FROM") {
        return None;
    }
    let table = inside.qualified().ok()?;
    inside.eat("AS");
    if inside.is_name() && !inside.is("WHERE") {
        inside.name().ok()?;
    }
    if !inside.eat("WHERE") {
        return None;
    }
    let condition = condition(&mut inside, scope, &["LIMIT", "FOR", "ORDER"]).ok()?;
    let equals = condition.only_equals.then_some(condition.equals);
    Some(Lookup { table, equals })
}
