//! What a statement of an outline does, as far as guarantees ask: tables, columns, constants, locks.
//!
//! Writes are read by the reader of statements; queries by their tokens, as recursive ones with locks
//! are no form that the other readers know.

use std::sync::Arc;

use crate::model::guarantee::{Ran, Test, Verb, Write};
use crate::model::map::HOLE;
use crate::model::schema::{Dialect, SqlLiteral};
use crate::sql::lexer::{TokenKind, tokens_of};
use crate::sql::statement::{
    self, ArmAction, ConflictArm, DrawSource, Expression, Form, Placeholder, Rows, Statement,
};

use super::tokens::Tokens;

/// A statement as guarantees look at it.
#[derive(Debug, Clone, Default)]
pub(super) struct Sql {
    /// Tables that it writes, and how.
    pub(super) writes: Vec<(Verb, Arc<str>)>,
    /// Tables that it reads.
    pub(super) reads: Vec<Arc<str>>,
    /// Columns that an insert names.
    pub(super) columns: Vec<Arc<str>>,
    /// Columns and what they are given; none where that is no constant.
    pub(super) sets: Vec<(Arc<str>, Option<Arc<str>>)>,
    /// Columns that are compared for equality.
    pub(super) equals: Vec<Arc<str>>,
    /// True if it locks the rows that it reads.
    pub(super) locks: bool,
    /// What it does to an advisory lock.
    pub(super) advisory: Option<Advisory>,
    /// Columns by which its rows are ordered.
    pub(super) order: Vec<Arc<str>>,
    /// Its names and words, in lower case, in order.
    pub(super) words: Vec<String>,
    /// Texts in it and texts that it is given.
    pub(super) literals: Vec<Arc<str>>,
    /// Arms of an insert for conflicts.
    pub(super) arms: Vec<ConflictArm>,
    /// True of a query that calls itself.
    pub(super) recursive: bool,
}

/// What a statement does to an advisory lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Advisory {
    /// True if it gives the lock back.
    pub(super) unlocks: bool,
    /// True if the lock is held to the end of the transaction, false to the end of the session.
    pub(super) of_transaction: bool,
    /// True if its key tells one use of locks from another.
    pub(super) namespaced: bool,
    /// True if it goes on without the lock where another holds it.
    pub(super) tries: bool,
}

impl Sql {
    /// Reads a statement; none if its text, or a table in it, is built at run time.
    pub(super) fn of(ran: &Ran, dialect: Dialect) -> Option<Self> {
        let text = ran.sql.as_deref()?.trim().trim_end_matches(';');
        let tokens = tokens_of(text, dialect)?;
        let mut sql = Self::default();
        let read = Tokens {
            text,
            tokens: &tokens,
        };
        sql.query(&read, ran);
        if let Ok(statement) = statement::parse(text, dialect) {
            sql.write(&statement, ran);
        }
        let tables = sql
            .reads
            .iter()
            .chain(sql.writes.iter().map(|(_, table)| table));
        let built = tables.clone().any(|table| table.starts_with(HOLE));
        (!built).then_some(sql)
    }

    /// True if a part of it is built at run time.
    pub(super) fn is_built(&self) -> bool {
        self.words.iter().any(|word| word.starts_with(HOLE))
    }

    /// True if it does that to that table.
    pub(super) fn does(&self, verb: Verb, table: &str) -> bool {
        match verb {
            Verb::Select => self.reads.iter().any(|it| same(it, table)),
            _ => self
                .writes
                .iter()
                .any(|(does, it)| *does == verb && same(it, table)),
        }
    }

    /// True if it writes a table in any way.
    pub(super) fn writes_to(&self, table: &str) -> bool {
        self.writes.iter().any(|(_, it)| same(it, table))
    }

    /// Whether it is a write that is asked for; none where a constant of it is not known.
    pub(super) fn is(&self, write: &Write) -> Option<bool> {
        let verb = match write.verb {
            Some(verb) => self.does(verb, &write.table),
            None => self.writes_to(&write.table),
        };
        if !verb {
            return Some(false);
        }
        let given = |column: &str| self.sets.iter().any(|(name, _)| same(name, column));
        if !write.columns.iter().all(|column| given(column)) {
            return Some(false);
        }
        let mut known = true;
        for (column, value) in &write.sets {
            let mut sets = self.sets.iter().filter(|(name, _)| same(name, column));
            match sets.next() {
                Some((_, Some(given))) if **given == **value => {}
                Some((_, None)) => known = false,
                _ => return Some(false),
            }
        }
        known.then_some(true)
    }

    fn query(&mut self, read: &Tokens<'_>, ran: &Ran) {
        let mut depth = 0usize;
        let mut named: Vec<String> = Vec::new();
        for (at, token) in read.tokens.iter().enumerate() {
            match token.kind {
                TokenKind::Punct(b'(') => depth += 1,
                TokenKind::Punct(b')') => depth = depth.saturating_sub(1),
                TokenKind::String => self.literals.push(read.literal(at).into()),
                TokenKind::Word | TokenKind::Quoted => {}
                _ => continue,
            }
            let Some(word) = read.word(at) else { continue };
            match &*word {
                "from" | "join" if read.word(at.wrapping_sub(1)).as_deref() != Some("distinct") => {
                    let deletes = at > 0 && read.word(at - 1).as_deref() == Some("delete");
                    for table in read.tables_behind(at) {
                        match deletes {
                            true => self.writes.push((Verb::Delete, table)),
                            false => self.reads.push(table),
                        }
                    }
                }
                "into" => {
                    let table = read.table(at + 1).map(|(table, _)| table);
                    self.writes.extend(table.map(|table| (Verb::Insert, table)));
                }
                "update" => {
                    let locks = at > 0
                        && matches!(read.word(at - 1).as_deref(), Some("for" | "key" | "do"));
                    if locks {
                        self.locks |= read.word(at - 1).as_deref() != Some("do");
                    } else if let Some((table, end)) = read.table(at + 1) {
                        let sets = (end..end + 4).any(|at| read.word(at).as_deref() == Some("set"));
                        self.writes.extend(sets.then_some((Verb::Update, table)));
                    }
                }
                "share"
                    if at > 0 && matches!(read.word(at - 1).as_deref(), Some("for" | "key")) =>
                {
                    self.locks = true;
                }
                "recursive" => self.recursive = true,
                "as" if read.is(at + 1, b'(')
                    || read
                        .word(at + 1)
                        .as_deref()
                        .is_some_and(|it| it.ends_with("materialized")) =>
                {
                    named.extend(read.cte(at));
                }
                "order" if depth == 0 && read.word(at + 1).as_deref() == Some("by") => {
                    self.order = read.columns_behind(at + 2);
                }
                _ => {}
            }
            if let Some(advisory) = read.advisory(at, &word, ran) {
                self.advisory = Some(advisory);
            }
            if read.equal_behind(at) {
                self.equals.push(word.as_str().into());
            }
            self.words.push(word);
        }
        self.equals
            .extend(read.rows_compared().into_iter().map(Into::into));
        self.reads
            .retain(|table| !named.iter().any(|name| same(name, table)));
        let given = ran
            .given
            .iter()
            .chain(ran.named.iter().map(|(_, value)| value));
        self.literals
            .extend(given.flat_map(|test| test.literals.iter().cloned()));
    }

    fn write(&mut self, statement: &Statement, ran: &Ran) {
        match statement {
            Statement::Insert(insert) => {
                self.columns = insert
                    .columns
                    .iter()
                    .map(|it| Arc::clone(&it.name))
                    .collect();
                self.arms.clone_from(&insert.arms);
                let row = match &insert.rows {
                    Rows::Values(rows) => rows.first(),
                    Rows::IfAbsent(row, _) => Some(row),
                    _ => None,
                };
                let columns = self.columns.clone();
                for (at, column) in columns.into_iter().enumerate() {
                    let value = row.and_then(|row| row.get(at));
                    self.sets
                        .push((column, value.and_then(|it| constant(it, ran))));
                }
                for arm in &insert.arms {
                    if let ArmAction::Update { .. } = arm.action {
                        self.writes
                            .push((Verb::Update, Arc::clone(&insert.table.name)));
                    }
                }
            }
            Statement::Update(update) => {
                for set in &update.set {
                    let value = constant(&set.value, ran);
                    self.sets.push((Arc::clone(&set.column.name), value));
                }
            }
            Statement::With(_, inner) => self.write(inner, ran),
            _ => {}
        }
    }
}

/// The constant that a value is, in the text or among what is given.
fn constant(value: &Expression, ran: &Ran) -> Option<Arc<str>> {
    if let Form::Literal(literal) = &value.form {
        return Some(match literal {
            SqlLiteral::String(text) | SqlLiteral::Number(text) => Arc::clone(text),
            SqlLiteral::Bool(is) => is.to_string().into(),
            SqlLiteral::Null => "NULL".into(),
        });
    }
    let (Form::Plain, [draw]) = (&value.form, &value.draws[..]) else {
        return None;
    };
    match &draw.source {
        DrawSource::Placeholder(placeholder) => given(placeholder, ran)?.constant.clone(),
        _ => None,
    }
}

fn given<'r>(placeholder: &Placeholder, ran: &'r Ran) -> Option<&'r Test> {
    match placeholder {
        Placeholder::Position(at) => ran.given.get((*at as usize).checked_sub(1)?),
        Placeholder::Name(name) => {
            let mut named = ran.named.iter();
            named
                .find(|(known, _)| known == name)
                .map(|(_, value)| value)
        }
    }
}

/// True if two names of a database are the same; the schema in front does not count.
pub(super) fn same(one: &str, other: &str) -> bool {
    let bare = |name: &str| name.rsplit('.').next().unwrap_or(name).to_ascii_lowercase();
    bare(one) == bare(other)
}
