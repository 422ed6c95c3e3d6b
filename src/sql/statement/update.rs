//! UPDATE and DELETE, and the assignments that other statements share.

use crate::sql::cursor::Cursor;

use super::ast::{Assignment, Delete, Update};
use super::condition::condition;
use super::expression::{Scope, column, value};
use super::{NotUnderstood, insert, returning};

/// Words that may follow a table's condition.
const ENDS: [&str; 3] = ["RETURNING", "ORDER", "LIMIT"];

/// Reads `a = x, (b, c) = (y, z), …` up to one of the words.
pub(super) fn assignments(
    cursor: &mut Cursor<'_>,
    scope: &Scope,
    ends: &[&str],
) -> Result<Vec<Assignment>, NotUnderstood> {
    let mut set = Vec::new();
    loop {
        if cursor.is_punct(b'(') {
            let columns = insert::names(cursor)?;
            equals(cursor)?;
            cursor.eat("ROW");
            let at = cursor.stop();
            let values = insert::values(cursor, scope)?;
            if values.len() != columns.len() {
                return Err(at.into());
            }
            let pairs = columns.into_iter().zip(values);
            set.extend(pairs.map(|(column, value)| Assignment { column, value }));
        } else {
            let column = column(cursor)?;
            equals(cursor)?;
            let value = value(cursor, ends, scope)?;
            set.push(Assignment { column, value });
        }
        if !cursor.eat_punct(b',') {
            return Ok(set);
        }
    }
}

fn equals(cursor: &mut Cursor<'_>) -> Result<(), NotUnderstood> {
    let found = cursor
        .peek()
        .is_some_and(|token| matches!(cursor.source(token), "=" | ":="));
    if !found {
        return Err(cursor.stop().into());
    }
    cursor.step();
    Ok(())
}

/// Reads behind the word UPDATE.
pub(super) fn update(cursor: &mut Cursor<'_>, scope: &Scope) -> Result<Update, NotUnderstood> {
    cursor.eat_any(&["LOW_PRIORITY", "IGNORE", "ONLY"]);
    let table = cursor.qualified()?;
    alias(cursor)?;
    if cursor.is_punct(b',') || cursor.is_any(&["JOIN", "INNER", "LEFT"]) {
        let why = "an update of joined tables is not followed";
        return Err(NotUnderstood::at(cursor.stop(), why));
    }
    cursor.expect("SET")?;
    let ends = ["WHERE", "FROM", "RETURNING", "ORDER", "LIMIT"];
    let set = assignments(cursor, scope, &ends)?;
    let mut chooses = other_tables(cursor, "FROM");
    let only_if = match cursor.eat("WHERE") {
        true => Some(condition(cursor, scope, &ENDS)?),
        false => None,
    };
    chooses |= tail(cursor)?;
    Ok(Update {
        table,
        set,
        only_if,
        chooses,
    })
}

/// Reads behind the word DELETE.
pub(super) fn delete(cursor: &mut Cursor<'_>, scope: &Scope) -> Result<Delete, NotUnderstood> {
    cursor.eat_any(&["LOW_PRIORITY", "QUICK", "IGNORE"]);
    cursor.expect("FROM")?;
    cursor.eat("ONLY");
    let table = cursor.qualified()?;
    alias(cursor)?;
    let mut chooses = other_tables(cursor, "USING");
    let only_if = match cursor.eat("WHERE") {
        true => Some(condition(cursor, scope, &ENDS)?),
        false => None,
    };
    chooses |= tail(cursor)?;
    Ok(Delete {
        table,
        only_if,
        chooses,
    })
}

/// `[AS] alias`.
pub(super) fn alias(cursor: &mut Cursor<'_>) -> Result<(), NotUnderstood> {
    const WORDS: [&str; 11] = [
        "SET",
        "WHERE",
        "USING",
        "RETURNING",
        "ORDER",
        "LIMIT",
        "ON",
        "JOIN",
        "INNER",
        "LEFT",
        "OR",
    ];
    if cursor.eat("AS") || (cursor.is_name() && !cursor.is_any(&WORDS)) {
        cursor.name()?;
    }
    Ok(())
}

/// Passes over `FROM …` or `USING …`; true if it stands there.
fn other_tables(cursor: &mut Cursor<'_>, word: &str) -> bool {
    let found = cursor.eat(word);
    if found {
        cursor.skip_to(&["WHERE", "RETURNING"]);
        while cursor.eat_punct(b',') {
            cursor.skip_to(&["WHERE", "RETURNING"]);
        }
    }
    found
}

/// `ORDER BY … LIMIT …` and `RETURNING`; true if a limit chooses among the rows.
fn tail(cursor: &mut Cursor<'_>) -> Result<bool, NotUnderstood> {
    if cursor.eat("ORDER") {
        cursor.expect("BY")?;
        cursor.skip_to(&["LIMIT", "RETURNING"]);
        while cursor.eat_punct(b',') {
            cursor.skip_to(&["LIMIT", "RETURNING"]);
        }
    }
    let limited = cursor.eat("LIMIT");
    if limited {
        cursor.skip_to(&["RETURNING"]);
    }
    returning(cursor);
    Ok(limited)
}
