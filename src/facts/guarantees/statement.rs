//! What a statement of an outline does, as far as guarantees ask: tables, columns, constants, locks.
//!
//! Writes are read by the reader of statements; queries by their tokens, as recursive ones with locks
//! are no form that the other readers know.

use std::sync::Arc;

use crate::model::guarantee::{Ran, Test, Verb, Write};
use crate::model::map::HOLE;
use crate::model::schema::{Dialect, SqlLiteral};
use crate::sql::lexer::{Token, TokenKind, tokens_of};
use crate::sql::statement::{
    self, ArmAction, ConflictArm, DrawSource, Expression, Form, Placeholder, Rows, Statement,
};

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

struct Tokens<'t> {
    text: &'t str,
    tokens: &'t [Token],
}

impl Tokens<'_> {
    fn source(&self, at: usize) -> &str {
        let token = self.tokens.get(at);
        let source = token.and_then(|it| self.text.get(it.start as usize..it.end as usize));
        source.unwrap_or_default()
    }

    fn is(&self, at: usize, mark: u8) -> bool {
        self.tokens
            .get(at)
            .is_some_and(|it| it.kind == TokenKind::Punct(mark))
    }

    /// A name or word in lower case.
    fn word(&self, at: usize) -> Option<String> {
        let token = self.tokens.get(at)?;
        matches!(token.kind, TokenKind::Word | TokenKind::Quoted).then(|| {
            self.source(at)
                .trim_matches(['"', '`', '[', ']'])
                .to_ascii_lowercase()
        })
    }

    fn literal(&self, at: usize) -> &str {
        let source = self.source(at);
        source
            .trim_start_matches(['E', 'e', 'N', 'n'])
            .trim_matches('\'')
    }

    /// A table by name, and where its name ends.
    fn table(&self, at: usize) -> Option<(Arc<str>, usize)> {
        let mut at = at;
        while matches!(self.word(at).as_deref(), Some("only" | "lateral")) {
            at += 1;
        }
        let mut name = self.word(at)?;
        at += 1;
        while self.is(at, b'.') {
            name = self.word(at + 1)?;
            at += 2;
        }
        Some((name.into(), at))
    }

    /// The tables behind FROM or JOIN: one, and those behind commas.
    fn tables_behind(&self, at: usize) -> Vec<Arc<str>> {
        let mut found = Vec::new();
        let mut next = at + 1;
        while let Some((table, end)) = self.table(next) {
            if matches!(&*table, "select" | "values" | "unnest" | "generate_series")
                || self.is(end, b'(')
            {
                break;
            }
            found.push(table);
            let mut comma = end;
            if self.word(comma).as_deref() == Some("as") {
                comma += 1;
            }
            if self.word(comma).is_some() && self.is(comma + 1, b',') {
                comma += 1;
            }
            if !self.is(comma, b',') {
                break;
            }
            next = comma + 1;
        }
        found
    }

    /// The name of a query in WITH, whose `AS` stands there.
    fn cte(&self, at: usize) -> Option<String> {
        let mut before = at.checked_sub(1)?;
        if self.is(before, b')') {
            while before > 0 && !self.is(before, b'(') {
                before -= 1;
            }
            before = before.checked_sub(1)?;
        }
        let name = self.word(before)?;
        let front = before.checked_sub(1)?;
        let with = matches!(self.word(front).as_deref(), Some("with" | "recursive"));
        (with || self.is(front, b',')).then_some(name)
    }

    fn columns_behind(&self, at: usize) -> Vec<Arc<str>> {
        let mut columns = Vec::new();
        let mut at = at;
        while let Some((column, end)) = self.table(at) {
            columns.push(column);
            at = end;
            while matches!(
                self.word(at).as_deref(),
                Some("asc" | "desc" | "nulls" | "first" | "last")
            ) {
                at += 1;
            }
            // A column with more behind it is an expression.
            let ends = self
                .tokens
                .get(at)
                .is_none_or(|token| matches!(token.kind, TokenKind::Punct(b',' | b')')));
            let clause = matches!(
                self.word(at).as_deref(),
                Some("for" | "limit" | "offset" | "fetch" | "union" | "returning")
            );
            if !ends && !clause {
                columns.pop();
                columns.push("?".into());
                break;
            }
            if !self.is(at, b',') {
                break;
            }
            at += 1;
        }
        columns
    }

    /// True of a column that is compared with `=`, IN or IS NOT DISTINCT FROM.
    fn equal_behind(&self, at: usize) -> bool {
        let next = at + 1;
        if self.is(next, b'=') || self.source(next) == "=" {
            return true;
        }
        let words = |from: usize, wanted: &[&str]| {
            let mut each = wanted.iter().enumerate();
            each.all(|(step, word)| self.word(from + step).as_deref() == Some(word))
        };
        words(next, &["in"]) || words(next, &["is", "not", "distinct", "from"])
    }

    /// Columns of `(a, b) = (…)`.
    fn rows_compared(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        for at in 0..self.tokens.len() {
            if self.is(at, b'(') {
                open.push(at);
            } else if self.is(at, b')')
                && let Some(from) = open.pop()
            {
                let compared = self.is(at + 1, b'=') || self.word(at + 1).as_deref() == Some("in");
                if compared && self.is(from + 2, b',') {
                    found.extend((from + 1..at).filter_map(|at| self.word(at)));
                }
            }
        }
        found
    }

    /// PostgreSQL's functions of advisory locks.
    fn advisory(&self, at: usize, word: &str, ran: &Ran) -> Option<Advisory> {
        let rest = word.strip_prefix("pg_")?;
        let (tries, rest) = match rest.strip_prefix("try_") {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let rest = rest.strip_prefix("advisory_")?;
        let unlocks = rest.starts_with("unlock");
        let of_transaction = rest.starts_with("xact_");
        if !self.is(at + 1, b'(') || !(unlocks || rest.contains("lock")) {
            return None;
        }
        let mut depth = 0usize;
        let mut parts = 1usize;
        let mut text = false;
        for inner in at + 1..self.tokens.len() {
            match self.tokens[inner].kind {
                TokenKind::Punct(b'(') => depth += 1,
                TokenKind::Punct(b')') => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                TokenKind::Punct(b',') if depth == 1 => parts += 1,
                TokenKind::String => text |= self.literal(inner).chars().any(char::is_alphabetic),
                _ => {}
            }
        }
        let given = ran
            .given
            .iter()
            .chain(ran.named.iter().map(|(_, value)| value));
        let named = given.clone().any(|value| {
            let mut texts = value.literals.iter();
            texts.any(|text| text.chars().any(char::is_alphabetic) && &**text != "None")
        });
        Some(Advisory {
            unlocks,
            of_transaction,
            namespaced: parts > 1 || text || named,
            tries,
        })
    }
}
