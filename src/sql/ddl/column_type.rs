//! The type of a column: every word up to the first constraint.

use std::sync::Arc;

use crate::model::schema::Dialect;
use crate::sql::cursor::{Cursor, Stop};
use crate::sql::lexer::TokenKind;

/// Words that begin a column constraint or attribute.
const CONSTRAINTS: [&str; 17] = [
    "CONSTRAINT",
    "PRIMARY",
    "UNIQUE",
    "NOT",
    "NULL",
    "DEFAULT",
    "CHECK",
    "REFERENCES",
    "COLLATE",
    "GENERATED",
    "AS",
    "ON",
    "DEFERRABLE",
    "INITIALLY",
    "FIRST",
    "AFTER",
    "USING",
];

/// Attributes that MySQL has beside them.
const MYSQL_ATTRIBUTES: [&str; 13] = [
    "AUTO_INCREMENT",
    "AUTO_RANDOM",
    "COMMENT",
    "KEY",
    "INVISIBLE",
    "VISIBLE",
    "COLUMN_FORMAT",
    "STORAGE",
    "SRID",
    "ENGINE_ATTRIBUTE",
    "VIRTUAL",
    "STORED",
    "WITH",
];

/// Attributes that PostgreSQL has beside them.
const POSTGRES_ATTRIBUTES: [&str; 4] = ["STORAGE", "COMPRESSION", "OPTIONS", "INVISIBLE"];

fn stops_type(cursor: &Cursor<'_>) -> bool {
    match cursor.dialect {
        // Any other word belongs to the type in SQLite, `AUTO_INCREMENT` too.
        Dialect::Sqlite => {
            cursor.is_any(CONSTRAINTS.get(..12).unwrap_or_default())
                && (!cursor.is("GENERATED") || cursor.token_is(cursor.ahead(1), "ALWAYS"))
        }
        Dialect::Postgres => cursor.is_any(&CONSTRAINTS) || cursor.is_any(&POSTGRES_ATTRIBUTES),
        _ => cursor.is_any(&CONSTRAINTS) || cursor.is_any(&MYSQL_ATTRIBUTES),
    }
}

/// The type: names, lengths, brackets, as far as no constraint begins.
pub(super) fn column_type(cursor: &mut Cursor<'_>) -> Result<Arc<str>, Stop> {
    let start = *cursor;
    let mut any = false;
    while let Some(token) = cursor.peek() {
        let charset = any && (cursor.are(&["CHARACTER", "SET"]) || cursor.is("CHARSET"));
        if charset && cursor.dialect != Dialect::Postgres {
            cursor.step();
            cursor.eat("SET");
            cursor.step();
            continue;
        }
        // `timestamp without time zone`: WITH and WITHOUT belong to the type there.
        if cursor.dialect == Dialect::Postgres && cursor.eat_any(&["WITH", "WITHOUT"]) {
            cursor.expect("TIME")?;
            cursor.expect("ZONE")?;
            continue;
        }
        match token.kind {
            TokenKind::Punct(b',' | b')') => break,
            TokenKind::Punct(b'(') if any => {
                cursor.parens()?;
            }
            TokenKind::Punct(b'[' | b']' | b'.' | b'%') if any => cursor.step(),
            TokenKind::Number if cursor.dialect == Dialect::Postgres => cursor.step(),
            TokenKind::Word if stops_type(cursor) => break,
            TokenKind::Word | TokenKind::Quoted => cursor.step(),
            TokenKind::String if cursor.is_name() => cursor.step(),
            _ => return Err(cursor.stop()),
        }
        any = true;
    }
    if !any && cursor.dialect != Dialect::Sqlite {
        return Err(cursor.stop());
    }
    if !any {
        return Ok("".into());
    }
    let text = cursor.since(&start).plain();
    Ok(match cursor.dialect {
        Dialect::Sqlite => dequoted(&text).into(),
        _ => text,
    })
}

/// SQLite takes the quotes off a type, so that `"INTEGER"` is INTEGER.
/// Source: `sqlite3DequoteToken`.
fn dequoted(text: &str) -> &str {
    let quotes = ['"', '\'', '`', '['];
    let inner = text.len().checked_sub(1).and_then(|end| text.get(1..end));
    match inner {
        Some(inner) if text.starts_with(quotes) && !inner.contains(quotes) => inner,
        _ => text,
    }
}
