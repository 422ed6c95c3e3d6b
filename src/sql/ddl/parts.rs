//! The parts of a key: columns, prefixes, expressions, with collation and operator.

use std::sync::Arc;

use crate::model::schema::{Dialect, KeyPart};
use crate::sql::cursor::{Cursor, Stop};
use crate::sql::lexer::TokenKind;

/// Words that end the expression of a part.
const ENDS: [&str; 7] = [
    "COLLATE",
    "ASC",
    "DESC",
    "NULLS",
    "WITHOUT",
    "WITH",
    "AUTOINCREMENT",
];

/// More parts than any engine takes in one key.
const MOST: usize = 1_000;

/// Reads `(part, …)` at the cursor.
pub(super) fn key_parts(cursor: &mut Cursor<'_>) -> Result<Vec<KeyPart>, Stop> {
    let mut inside = cursor.parens()?;
    let mut parts = Vec::new();
    loop {
        if parts.len() >= MOST {
            return Err(inside.stop());
        }
        parts.push(key_part(&mut inside)?);
        // SQLite allows it behind the one column of a primary key.
        inside.eat("AUTOINCREMENT");
        if inside.at_end() {
            return Ok(parts);
        }
        inside.expect_punct(b',')?;
    }
}

/// Reads `(name, …)` at the cursor.
pub(super) fn names(cursor: &mut Cursor<'_>) -> Result<Vec<Arc<str>>, Stop> {
    let mut inside = cursor.parens()?;
    let mut names = Vec::new();
    loop {
        names.push(inside.name()?);
        // MySQL allows a length, SQLite an order, PostgreSQL 18 `PERIOD`; none of it names a column.
        inside.skip_to(&[]);
        if inside.at_end() {
            return Ok(names);
        }
        inside.expect_punct(b',')?;
    }
}

fn key_part(inside: &mut Cursor<'_>) -> Result<KeyPart, Stop> {
    let start = *inside;
    inside.skip_to(&ENDS);
    let span = inside.since(&start);
    if span.is_empty() {
        return Err(inside.stop());
    }
    let mut part = classify(span);
    if inside.eat("COLLATE") {
        part.collation = Some(inside.qualified()?.name);
        // PostgreSQL: the operator class stands behind the collation.
        if inside.dialect == Dialect::Postgres && !inside.is_any(&ENDS) && inside.is_name() {
            inside.qualified()?;
            if inside.is_punct(b'(') {
                inside.parens()?;
            }
        }
    }
    inside.eat_any(&["ASC", "DESC"]);
    if inside.eat("NULLS") && !inside.eat_any(&["FIRST", "LAST"]) {
        return Err(inside.stop());
    }
    if inside.eat("WITHOUT") {
        inside.expect("OVERLAPS")?;
        not_equality(&mut part, "WITHOUT OVERLAPS");
    } else if inside.eat("WITH") {
        let operator = *inside;
        inside.skip_to(&[]);
        let operator = inside.since(&operator);
        match operator.whole() {
            "" => return Err(inside.stop()),
            "=" => {}
            other => not_equality(&mut part, &format!("WITH {other}")),
        }
    }
    Ok(part)
}

/// A part that is not compared for equality is no column to anybody who looks for one.
fn not_equality(part: &mut KeyPart, how: &str) {
    let what = part.column.take().or(part.expression.take());
    part.expression = Some(format!("{} {how}", what.as_deref().unwrap_or("?")).into());
}

fn classify(span: Cursor<'_>) -> KeyPart {
    let plain = span.without_parens();
    if plain.len() == 1
        && let Some(name) = column(plain)
    {
        return KeyPart::column(name, true);
    }
    let stripped = plain.len() != span.len();
    if let Some(part) = prefixed(span) {
        return part;
    }
    if span.dialect == Dialect::Postgres
        && !stripped
        && let Some(part) = with_operator_class(span)
    {
        return part;
    }
    expression(plain)
}

fn column(mut span: Cursor<'_>) -> Option<Arc<str>> {
    const VALUES: [&str; 3] = ["NULL", "TRUE", "FALSE"];
    if span.is_any(&VALUES) {
        return None;
    }
    span.name().ok()
}

fn expression(span: Cursor<'_>) -> KeyPart {
    KeyPart {
        column: None,
        expression: Some(span.plain()),
        prefix_length: None,
        nullable: true,
        collation: None,
        folds: None,
    }
}

/// `name(10)` of MySQL; its expressions always stand in parentheses of their own.
fn prefixed(mut span: Cursor<'_>) -> Option<KeyPart> {
    if matches!(span.dialect, Dialect::Postgres | Dialect::Sqlite) || span.len() != 4 {
        return None;
    }
    let name = span.name().ok()?;
    let mut length = span.parens().ok()?;
    Some(KeyPart {
        prefix_length: Some(length.number()?),
        ..KeyPart::column(name, true)
    })
}

/// `name class`, `f(x) class`, `(expr) class`, the class with its own parameters.
fn with_operator_class(span: Cursor<'_>) -> Option<KeyPart> {
    let mut rest = span;
    let is_call = span
        .ahead(1)
        .is_some_and(|next| next.kind == TokenKind::Punct(b'('));
    if !rest.is_punct(b'(') {
        rest.qualified().ok()?;
        if is_call {
            rest.parens().ok()?;
        }
    } else {
        rest.parens().ok()?;
    }
    let what = rest.since(&span);
    if rest.at_end() || !rest.is_name() {
        return None;
    }
    rest.qualified().ok()?;
    if rest.is_punct(b'(') {
        rest.parens().ok()?;
    }
    if !rest.at_end() {
        return None;
    }
    let what = what.without_parens();
    match (what.len(), column(what)) {
        (1, Some(name)) => Some(KeyPart::column(name, true)),
        _ => Some(expression(what)),
    }
}
