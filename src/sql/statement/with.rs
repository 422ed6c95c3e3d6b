//! `WITH name AS (query), …` in front of a statement.
//!
//! What the queries give is live state to the statement behind them: it reads their rows as it
//! reads those of any table.

use crate::model::schema::Dialect;
use crate::sql::cursor::Cursor;

use super::ast::{Expression, Statement};
use super::expression::{Scope, expression};
use super::{NotUnderstood, statement};

/// Reads behind the word WITH, and the statement that follows.
pub(super) fn with(cursor: &mut Cursor<'_>, scope: &Scope) -> Result<Statement, NotUnderstood> {
    cursor.eat("RECURSIVE");
    let mut names = Vec::new();
    let mut queries = Vec::new();
    loop {
        names.push(cursor.name()?);
        if cursor.is_punct(b'(') {
            cursor.parens()?;
        }
        cursor.expect("AS")?;
        cursor.eat("NOT");
        cursor.eat("MATERIALIZED");
        let at = cursor.stop();
        let query = query(cursor.parens()?, scope);
        queries.push(query.map_err(|why| NotUnderstood::at(at, why))?);
        if !cursor.eat_punct(b',') {
            break;
        }
    }
    let at = cursor.stop();
    let mysql = !matches!(cursor.dialect, Dialect::Postgres | Dialect::Sqlite);
    if mysql && cursor.is_any(&["INSERT", "REPLACE"]) {
        let why = "these engines take WITH behind the table, not before INSERT";
        return Err(NotUnderstood::at(at, why));
    }
    if cursor.is("WITH") {
        return Err(at.into());
    }
    let main = statement(cursor, scope)?;
    let table = match &main {
        Statement::Insert(insert) => &insert.table,
        Statement::Update(update) => &update.table,
        Statement::Delete(delete) => &delete.table,
        Statement::Merge(_) | Statement::With(..) => {
            let why = "a MERGE behind WITH is not followed";
            return Err(NotUnderstood::at(at, why));
        }
    };
    if names
        .iter()
        .any(|name| name.eq_ignore_ascii_case(&table.name))
    {
        let why = "a query in front has the name of the table that is written";
        return Err(NotUnderstood::at(at, why));
    }
    Ok(Statement::With(queries, Box::new(main)))
}

/// A query that only reads, and reads tables.
fn query(inside: Cursor<'_>, scope: &Scope) -> Result<Expression, &'static str> {
    let mut words = inside;
    let mut reads = false;
    while !words.at_end() {
        if words.eat_all(&["FOR", "UPDATE"]) || words.eat_all(&["FOR", "NO", "KEY", "UPDATE"]) {
            continue;
        }
        if words.is_any(&["INSERT", "UPDATE", "DELETE", "MERGE"]) {
            return Err("a query in front that writes is not followed");
        }
        reads |= words.is("FROM");
        words.step();
    }
    match reads {
        true => Ok(expression(inside, scope)),
        false => Err("a query in front that reads no table is not followed"),
    }
}
