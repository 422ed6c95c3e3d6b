//! INSERT and REPLACE.

use crate::model::schema::{ConflictClause, Dialect};
use crate::sql::cursor::Cursor;

use super::ast::{Expression, Insert, InsertVerb, Name, Rows};
use super::expression::{Scope, column, opens_query, value};
use super::{NotUnderstood, conflict, query, returning, update};

/// More rows than anybody writes in one statement.
const MOST: usize = 10_000;

/// Words that may follow the last value.
const ENDS: [&str; 4] = ["ON", "RETURNING", "AS", "WHERE"];

/// Reads at the word INSERT or REPLACE.
pub(super) fn insert(cursor: &mut Cursor<'_>, scope: &Scope) -> Result<Insert, NotUnderstood> {
    let verb = verb(cursor)?;
    cursor.eat("INTO");
    let table = cursor.qualified()?;
    if cursor.eat("AS") {
        cursor.name()?;
    }
    let mut scope = scope.clone();
    scope.values_call = !matches!(cursor.dialect, Dialect::Postgres | Dialect::Sqlite);
    let mut columns = Vec::new();
    if cursor.is_punct(b'(') && !opens_query(cursor) {
        columns = names(cursor)?;
    }
    if cursor.eat("OVERRIDING") {
        cursor.eat_any(&["SYSTEM", "USER"]);
        cursor.expect("VALUE")?;
    }
    let at = cursor.stop();
    let rows = if cursor.eat_all(&["DEFAULT", "VALUES"]) {
        Rows::Defaults
    } else if cursor.eat_any(&["VALUES", "VALUE"]) {
        Rows::Values(rows(cursor, &scope)?)
    } else if scope.values_call && columns.is_empty() && cursor.eat("SET") {
        let set = update::assignments(cursor, &scope, &ENDS)?;
        let (names, values) = set.into_iter().map(|it| (it.column, it.value)).unzip();
        columns = names;
        Rows::Values(vec![values])
    } else {
        query::rows(cursor, &scope)?
    };
    if !fits(&columns, &rows) {
        let count = columns.len();
        let why = format!("it names {count} columns and gives another number of values");
        return Err(NotUnderstood::at(at, why));
    }
    if scope.values_call && cursor.eat("AS") {
        scope.proposed = Some(cursor.name()?);
        if cursor.is_punct(b'(') {
            let why = "names for the columns of the new row are not followed";
            return Err(NotUnderstood::at(cursor.stop(), why));
        }
    }
    let arms = conflict::arms(cursor, &scope)?;
    let returning = returning(cursor);
    Ok(Insert {
        table,
        columns,
        rows,
        verb,
        arms,
        returning,
    })
}

fn verb(cursor: &mut Cursor<'_>) -> Result<InsertVerb, NotUnderstood> {
    const CLAUSES: [(&str, ConflictClause); 5] = [
        ("ROLLBACK", ConflictClause::Rollback),
        ("ABORT", ConflictClause::Abort),
        ("FAIL", ConflictClause::Fail),
        ("IGNORE", ConflictClause::Ignore),
        ("REPLACE", ConflictClause::Replace),
    ];
    let replace = cursor.is("REPLACE");
    let at = cursor.stop();
    cursor.step();
    let mysql = !matches!(cursor.dialect, Dialect::Postgres | Dialect::Sqlite);
    if replace && cursor.dialect == Dialect::Postgres {
        return Err(NotUnderstood::at(at, "PostgreSQL has no REPLACE"));
    }
    if mysql {
        cursor.eat_any(&["LOW_PRIORITY", "HIGH_PRIORITY", "DELAYED"]);
    }
    if mysql && cursor.eat("IGNORE") {
        return Ok(InsertVerb::Ignore);
    }
    if cursor.dialect == Dialect::Sqlite && cursor.eat("OR") {
        let stop = cursor.stop();
        let found = CLAUSES.into_iter().find(|(word, _)| cursor.eat(word));
        return match found {
            Some((_, clause)) => Ok(InsertVerb::Or(clause)),
            None => Err(stop.into()),
        };
    }
    Ok(match replace {
        true => InsertVerb::Replace,
        false => InsertVerb::Plain,
    })
}

/// `(a, b, …)`.
pub(super) fn names(cursor: &mut Cursor<'_>) -> Result<Vec<Name>, NotUnderstood> {
    let mut inside = cursor.parens()?;
    let mut names = Vec::new();
    while !inside.at_end() {
        names.push(column(&mut inside)?);
        if !inside.at_end() {
            inside.expect_punct(b',')?;
        }
    }
    Ok(names)
}

fn rows(cursor: &mut Cursor<'_>, scope: &Scope) -> Result<Vec<Vec<Expression>>, NotUnderstood> {
    let mut rows = Vec::new();
    loop {
        cursor.eat("ROW");
        rows.push(values(cursor, scope)?);
        if rows.len() > MOST {
            return Err(NotUnderstood::at(cursor.stop(), "it has too many rows"));
        }
        if !cursor.eat_punct(b',') {
            return Ok(rows);
        }
    }
}

/// `(value, …)`.
pub(super) fn values(
    cursor: &mut Cursor<'_>,
    scope: &Scope,
) -> Result<Vec<Expression>, NotUnderstood> {
    let mut inside = cursor.parens()?;
    let mut values = Vec::new();
    while !inside.at_end() {
        values.push(value(&mut inside, &[], scope)?);
        if !inside.at_end() {
            inside.expect_punct(b',')?;
        }
    }
    Ok(values)
}

/// True if every row has a value for every column that is named.
fn fits(columns: &[Name], rows: &Rows) -> bool {
    let fits = |values: &[Expression]| columns.is_empty() || values.len() == columns.len();
    match rows {
        Rows::Values(rows) => rows.iter().all(|row| fits(row)),
        Rows::IfAbsent(row, _) => fits(row),
        Rows::Defaults | Rows::Query(_) => true,
    }
}
