//! A statement by its tokens: names, tables, columns, the functions of advisory locks.

use std::sync::Arc;

use crate::model::guarantee::Ran;
use crate::sql::lexer::{Token, TokenKind};

use super::statement::Advisory;

/// The tokens of a text.
pub(super) struct Tokens<'t> {
    pub(super) text: &'t str,
    pub(super) tokens: &'t [Token],
}

impl Tokens<'_> {
    pub(super) fn source(&self, at: usize) -> &str {
        let token = self.tokens.get(at);
        let source = token.and_then(|it| self.text.get(it.start as usize..it.end as usize));
        source.unwrap_or_default()
    }

    pub(super) fn is(&self, at: usize, mark: u8) -> bool {
        self.tokens
            .get(at)
            .is_some_and(|it| it.kind == TokenKind::Punct(mark))
    }

    /// A name or word in lower case.
    pub(super) fn word(&self, at: usize) -> Option<String> {
        let token = self.tokens.get(at)?;
        matches!(token.kind, TokenKind::Word | TokenKind::Quoted).then(|| {
            self.source(at)
                .trim_matches(['"', '`', '[', ']'])
                .to_ascii_lowercase()
        })
    }

    pub(super) fn literal(&self, at: usize) -> &str {
        let source = self.source(at);
        source
            .trim_start_matches(['E', 'e', 'N', 'n'])
            .trim_matches('\'')
    }

    /// A table by name, and where its name ends.
    pub(super) fn table(&self, at: usize) -> Option<(Arc<str>, usize)> {
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
    pub(super) fn tables_behind(&self, at: usize) -> Vec<Arc<str>> {
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
    pub(super) fn cte(&self, at: usize) -> Option<String> {
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

    pub(super) fn columns_behind(&self, at: usize) -> Vec<Arc<str>> {
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
    pub(super) fn equal_behind(&self, at: usize) -> bool {
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
    pub(super) fn rows_compared(&self) -> Vec<String> {
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
    pub(super) fn advisory(&self, at: usize, word: &str, ran: &Ran) -> Option<Advisory> {
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
