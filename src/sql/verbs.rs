//! What a SQL text writes, by its verbs: table by table, without reading every clause.
//!
//! Text that is put together at run time has holes, and not every clause of it can be read; which
//! table it writes, and how, mostly can. [`super::statement`] reads what stands complete.

use crate::model::effect::EffectKind;
use crate::model::schema::Dialect;

use super::cursor::Cursor;
use super::lexer::{Lexer, Token, TokenKind};
use super::routines;
use super::statement::{self, Form, Statement};

/// A write to a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableWrite {
    /// What it does.
    pub kind: EffectKind,
    /// The table, unqualified, as the engine keeps the name.
    pub table: String,
}

/// What a text does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verbs {
    /// It reads, or sets a property of the session; nothing is left behind.
    Reads,
    /// The same, and it calls a routine whose text is elsewhere: its name.
    Calls(String),
    /// It writes these.
    Writes(Vec<TableWrite>),
    /// It changes the schema, or runs a routine whose text is elsewhere: the word.
    Other(String),
    /// It is no SQL that begins with a known verb.
    NotSql,
}

/// Words that begin statements which leave no row behind.
const READING: &[&str] = &[
    "SELECT",
    "SHOW",
    "SET",
    "BEGIN",
    "START",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT",
    "RELEASE",
    "EXPLAIN",
    "PRAGMA",
    "VALUES",
    "USE",
    "DESCRIBE",
    "LOCK",
    "UNLOCK",
    "ANALYZE",
    "LISTEN",
    "UNLISTEN",
    "TABLE",
    "CHECKPOINT",
    "KILL",
    "DECLARE",
    "FETCH",
    "CLOSE",
    "DISCARD",
    "VACUUM",
];

/// Words that begin statements with effects that are no rows of a named table.
const OTHER: &[&str] = &[
    "CALL", "DO", "EXEC", "EXECUTE", "CREATE", "ALTER", "DROP", "GRANT", "REVOKE", "COPY", "LOAD",
    "NOTIFY", "RENAME", "REINDEX", "REFRESH", "COMMENT", "HANDLER", "OPTIMIZE",
];

/// Reads the verbs of a text.
pub fn verbs(text: &str, dialect: Dialect) -> Verbs {
    let tokens = tokens(text, dialect);
    let mut writes = Vec::new();
    let mut other = None;
    let mut calls = None;
    let mut any = false;
    for part in tokens.split(|token| token.kind == TokenKind::Terminator) {
        let cursor = Cursor::new(text, part, dialect);
        if cursor.at_end() {
            continue;
        }
        let before = writes.len();
        if cursor.is_any(READING) || cursor.is("WITH") {
            any = true;
            nested(cursor, &mut writes);
            called(cursor, &mut writes);
            calls = calls.or_else(|| routines::unknown(cursor));
        } else if cursor.is_any(&["INSERT", "REPLACE", "UPDATE", "DELETE", "MERGE", "TRUNCATE"]) {
            any = true;
            nested(cursor, &mut writes);
            if writes.len() == before {
                other.get_or_insert_with(|| first_word(&cursor));
            }
        } else if cursor.is_any(OTHER) {
            any = true;
            other.get_or_insert_with(|| first_word(&cursor));
        }
    }
    if let ([write], None) = (&mut writes[..], &other) {
        refine(text, dialect, write);
    }
    match (any, writes.is_empty(), other) {
        (_, false, _) => Verbs::Writes(writes),
        (_, true, Some(word)) => Verbs::Other(word),
        (true, true, None) if calls.is_some() => Verbs::Calls(calls.unwrap_or_default()),
        (true, true, None) => Verbs::Reads,
        (false, true, None) => Verbs::NotSql,
    }
}

fn tokens(text: &str, dialect: Dialect) -> Vec<Token> {
    let mut lexer = Lexer::new(text, dialect);
    let mut tokens = Vec::new();
    loop {
        let token = lexer.advance();
        match token.kind {
            TokenKind::End | TokenKind::Broken => return tokens,
            _ => tokens.push(token),
        }
    }
}

fn first_word(cursor: &Cursor<'_>) -> String {
    cursor
        .peek()
        .map_or_else(String::new, |token| cursor.source(token).to_uppercase())
}

/// Every write of a statement: its own, and those of the queries in its WITH.
fn nested(mut cursor: Cursor<'_>, writes: &mut Vec<TableWrite>) {
    let mut first = true;
    let mut before_is_for = false;
    while !cursor.at_end() {
        let starts = first || cursor_follows_open(&cursor);
        let mut at = cursor;
        if !before_is_for && let Some(write) = write(&mut at, starts) {
            writes.push(write);
            cursor = at;
            first = false;
            continue;
        }
        // `FOR UPDATE`, `ON UPDATE`, `DO UPDATE`, `KEY UPDATE`, `WHEN … THEN INSERT`.
        before_is_for = cursor.is_any(&["FOR", "ON", "DO", "KEY", "THEN", "OR", "AFTER", "BEFORE"]);
        cursor.step();
        first = false;
    }
}

/// Functions that leave something behind although a query calls them. What `nextval` draws is a
/// number that nobody misses.
const WRITING: &[(&str, EffectKind)] = &[
    ("setval", EffectKind::Update),
    ("pg_notify", EffectKind::Publish),
];

/// The functions of a query that write: what they act on is their first argument.
fn called(mut cursor: Cursor<'_>, writes: &mut Vec<TableWrite>) {
    while !cursor.at_end() {
        let found = WRITING.iter().find(|(name, _)| cursor.is(name));
        if let Some((_, kind)) = found.filter(|_| cursor.token_is_punct(1, b'(')) {
            let on = cursor.ahead(2).map_or("?", |token| cursor.source(token));
            let write = TableWrite {
                kind: *kind,
                table: on.trim_matches('\'').to_owned(),
            };
            if !writes.contains(&write) {
                writes.push(write);
            }
        }
        cursor.step();
    }
}

/// True at a token that can begin a statement of its own.
fn cursor_follows_open(cursor: &Cursor<'_>) -> bool {
    cursor.is_any(&["INSERT", "UPDATE", "DELETE", "MERGE"])
}

fn write(cursor: &mut Cursor<'_>, starts: bool) -> Option<TableWrite> {
    if !starts {
        return None;
    }
    let skipped = [
        "LOW_PRIORITY",
        "DELAYED",
        "HIGH_PRIORITY",
        "QUICK",
        "INTO",
        "ONLY",
        "FROM",
        "TABLE",
    ];
    let mut kind = if cursor.eat("INSERT") {
        EffectKind::Insert
    } else if cursor.eat("REPLACE") || cursor.eat("MERGE") {
        EffectKind::Upsert
    } else if cursor.eat("UPDATE") {
        EffectKind::Update
    } else if cursor.eat("DELETE") || cursor.eat("TRUNCATE") {
        EffectKind::Delete
    } else {
        return None;
    };
    if cursor.eat("OR") {
        if cursor.is("REPLACE") {
            kind = EffectKind::Upsert;
        }
        cursor.step();
    }
    cursor.eat("IGNORE");
    while cursor.eat_any(&skipped) {}
    let table = cursor.qualified().ok()?.name.to_string();
    if kind == EffectKind::Insert && overwrites(*cursor) {
        kind = EffectKind::Upsert;
    }
    Some(TableWrite { kind, table })
}

/// True if a conflict changes the row in the way.
fn overwrites(mut cursor: Cursor<'_>) -> bool {
    while !cursor.at_end() {
        if cursor.are(&["DO", "UPDATE"]) || cursor.are(&["DUPLICATE", "KEY", "UPDATE"]) {
            return true;
        }
        cursor.step();
    }
    false
}

/// A statement that can be read as a whole may say more: that it adds to the stored value.
fn refine(text: &str, dialect: Dialect, write: &mut TableWrite) {
    let Ok(Statement::Update(update)) = statement::parse(text, dialect) else {
        return;
    };
    let kinds: Vec<EffectKind> = update
        .set
        .iter()
        .filter(|set| draws_itself(set))
        .map(|set| match set.value.form {
            Form::Arithmetic => EffectKind::Increment,
            Form::Negation => EffectKind::Toggle,
            _ => EffectKind::Update,
        })
        .collect();
    if let Some(kind) = kinds.iter().find(|kind| **kind != EffectKind::Update) {
        write.kind = *kind;
    }
}

fn draws_itself(set: &statement::Assignment) -> bool {
    set.value.draws.iter().any(|draw| match &draw.source {
        statement::DrawSource::Column { name, .. } => name.eq_ignore_ascii_case(&set.column.name),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Vec<(EffectKind, String)> {
        match verbs(text, Dialect::Postgres) {
            Verbs::Writes(writes) => writes
                .into_iter()
                .map(|write| (write.kind, write.table))
                .collect(),
            other => panic!("{text}: {other:?}"),
        }
    }

    fn one(kind: EffectKind, table: &str) -> Vec<(EffectKind, String)> {
        vec![(kind, table.to_owned())]
    }

    #[test]
    fn each_verb_names_its_table() {
        assert_eq!(
            written("INSERT INTO a.b (x) VALUES ($1)"),
            one(EffectKind::Insert, "b")
        );
        assert_eq!(
            written("update only t set x = 1"),
            one(EffectKind::Update, "t")
        );
        assert_eq!(
            written("DELETE FROM t WHERE id = $1"),
            one(EffectKind::Delete, "t")
        );
        assert_eq!(
            written("INSERT INTO t (x) VALUES (1) ON CONFLICT (x) DO UPDATE SET y = 2"),
            one(EffectKind::Upsert, "t")
        );
        assert_eq!(
            written("INSERT INTO t (x) VALUES (1) ON CONFLICT DO NOTHING"),
            one(EffectKind::Insert, "t")
        );
        assert_eq!(
            written("UPDATE t SET n = n + 1 WHERE id = $1"),
            one(EffectKind::Increment, "t")
        );
    }

    #[test]
    fn a_with_hides_no_write() {
        let text = "WITH gone AS (DELETE FROM a RETURNING id) INSERT INTO b SELECT id FROM gone";
        let wanted = vec![
            (EffectKind::Delete, "a".to_owned()),
            (EffectKind::Insert, "b".to_owned()),
        ];
        assert_eq!(written(text), wanted);
    }

    #[test]
    fn a_lock_is_no_write() {
        let text = "SELECT id FROM t WHERE s = 'delete from x' FOR UPDATE SKIP LOCKED";
        assert_eq!(verbs(text, Dialect::Postgres), Verbs::Reads);
    }

    #[test]
    fn functions_that_write_are_writes() {
        let drawn = "SELECT nextval('public.order_no')";
        assert_eq!(verbs(drawn, Dialect::Postgres), Verbs::Reads);
        let called = "SELECT pay.charge($1)";
        assert_eq!(
            verbs(called, Dialect::Postgres),
            Verbs::Calls("charge".to_owned())
        );
        assert_eq!(
            written("select pg_notify('orders', $1)"),
            one(EffectKind::Publish, "orders")
        );
        let text = "SELECT currval('order_no'), nextval FROM t";
        assert_eq!(verbs(text, Dialect::Postgres), Verbs::Reads);
    }

    #[test]
    fn what_is_no_sql_is_not_called_a_read() {
        assert_eq!(verbs("hello world", Dialect::Postgres), Verbs::NotSql);
        assert_eq!(
            verbs("call refresh()", Dialect::Postgres),
            Verbs::Other("CALL".to_owned())
        );
    }
}
