//! Reads a query or a condition. What is not known ends the reading: nothing is guessed.

mod operand;

use std::sync::Arc;

use crate::model::schema::Dialect;
use crate::sql::columns::pass_type;
use crate::sql::cursor::Cursor;
use crate::sql::lexer::{Lexer, Token, TokenKind};
use crate::sql::precedence;

use super::{Comparison, Query, Source, Term};

/// Deeper nesting is not read.
const MAX_DEPTH: u32 = 48;
/// Nor are longer texts, in tokens.
const MAX_TOKENS: usize = 4_000;

/// A query; none if it is more than is read.
pub fn query(text: &str, dialect: Dialect) -> Option<Query> {
    let tokens = tokens(text, dialect)?;
    let mut reader = Reader::new(text, &tokens, dialect);
    let query = reader.query()?;
    reader.cursor.at_end().then_some(query)
}

/// A condition; placeholders before it in its statement are counted.
pub fn condition(text: &str, before: u32, dialect: Dialect) -> Option<Term> {
    let tokens = tokens(text, dialect)?;
    let mut reader = Reader::new(text, &tokens, dialect);
    reader.counted = before;
    let term = reader.term(0)?;
    reader.cursor.at_end().then_some(term)
}

fn tokens(text: &str, dialect: Dialect) -> Option<Vec<Token>> {
    let mut lexer = Lexer::new(text, dialect);
    let mut tokens = Vec::new();
    loop {
        let token = lexer.advance();
        match token.kind {
            TokenKind::End | TokenKind::Terminator => return Some(tokens),
            TokenKind::Broken => return None,
            _ if tokens.len() > MAX_TOKENS => return None,
            _ => tokens.push(token),
        }
    }
}

struct Reader<'t> {
    cursor: Cursor<'t>,
    counted: u32,
    depth: u32,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, tokens: &'t [Token], dialect: Dialect) -> Self {
        Self {
            cursor: Cursor::new(text, tokens, dialect),
            counted: 0,
            depth: 0,
        }
    }

    fn query(&mut self) -> Option<Query> {
        self.cursor.eat("SELECT").then_some(())?;
        if self.cursor.is_any(&["DISTINCT", "ALL", "TOP"]) {
            return None;
        }
        let mut gives = Vec::new();
        loop {
            gives.push(self.given()?);
            if !self.cursor.eat_punct(b',') {
                break;
            }
        }
        self.cursor.eat("FROM").then_some(())?;
        let tables = self.tables()?;
        let only_if = match self.cursor.eat("WHERE") {
            true => Some(self.term(0)?),
            false => None,
        };
        let mut order = Vec::new();
        if self.cursor.eat_all(&["ORDER", "BY"]) {
            loop {
                let term = self.term(0)?;
                let down = self.cursor.eat("DESC");
                self.cursor.eat("ASC");
                order.push((Some(term), down));
                if !self.cursor.eat_punct(b',') {
                    break;
                }
            }
        }
        let mut limited = false;
        let mut locks = None;
        loop {
            if self.cursor.eat("LIMIT") {
                self.term(0)?;
                limited = true;
            } else if self.cursor.eat_all(&["FETCH", "FIRST"]) {
                self.cursor.skip_to(&["ONLY"]);
                self.cursor.eat("ONLY").then_some(())?;
                limited = true;
            } else if self.cursor.eat_all(&["FOR", "NO", "KEY", "UPDATE"])
                || self.cursor.eat_all(&["FOR", "UPDATE"])
            {
                if self.cursor.eat("OF") {
                    self.cursor.qualified().ok()?;
                }
                let skips = self.cursor.eat_all(&["SKIP", "LOCKED"]);
                self.cursor.eat("NOWAIT");
                locks = Some(skips);
            } else {
                break;
            }
        }
        Some(Query {
            gives,
            tables,
            only_if,
            order,
            limited,
            locks,
        })
    }

    fn given(&mut self) -> Option<Option<Term>> {
        if self.cursor.eat_punct(b'*') {
            return Some(None);
        }
        let start = self.cursor;
        if self.cursor.qualified_star() {
            return Some(None);
        }
        self.cursor = start;
        let term = self.term(0)?;
        if self.cursor.eat("AS") || (self.cursor.is_name() && !self.cursor.is("FROM")) {
            self.cursor.name().ok()?;
        }
        Some(Some(term))
    }

    fn tables(&mut self) -> Option<Vec<Source>> {
        let mut tables = vec![self.table(None, false)?];
        loop {
            if self.cursor.eat_punct(b',') || self.cursor.eat_all(&["CROSS", "JOIN"]) {
                tables.push(self.table(None, false)?);
                continue;
            }
            let left = self.cursor.eat("LEFT");
            if left {
                self.cursor.eat("OUTER");
            } else {
                self.cursor.eat("INNER");
            }
            if !self.cursor.eat("JOIN") {
                return (!left).then_some(tables);
            }
            let mut source = self.table(None, left)?;
            self.cursor.eat("ON").then_some(())?;
            source.on = Some(self.term(0)?);
            tables.push(source);
        }
    }

    fn table(&mut self, on: Option<Term>, left: bool) -> Option<Source> {
        const NO_ALIAS: [&str; 14] = [
            "WHERE", "JOIN", "LEFT", "INNER", "CROSS", "ON", "ORDER", "LIMIT", "FOR", "GROUP",
            "FETCH", "USE", "FORCE", "RIGHT",
        ];
        let table = self.cursor.qualified().ok()?.name;
        let named =
            self.cursor.eat("AS") || (self.cursor.is_name() && !self.cursor.is_any(&NO_ALIAS));
        let alias = match named {
            true => self.cursor.name().ok()?,
            false => Arc::clone(&table),
        };
        if self.cursor.eat_any(&["USE", "FORCE"]) {
            self.cursor.eat_any(&["INDEX", "KEY"]).then_some(())?;
            self.cursor.parens().ok()?;
        }
        Some(Source {
            table,
            alias,
            on,
            left,
        })
    }

    fn term(&mut self, least: u8) -> Option<Term> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let mut left = self.prefixed()?;
        loop {
            self.casts();
            let Some(operator) = precedence::infix(&self.cursor) else {
                break;
            };
            if operator.binds < least {
                break;
            }
            (0..operator.tokens).for_each(|_| self.cursor.step());
            left = self.operation(left, &operator.name, operator.binds)?;
        }
        self.depth -= 1;
        Some(left)
    }

    fn casts(&mut self) {
        while let Some(token) = self.cursor.peek() {
            if self.cursor.source(token) != "::" {
                return;
            }
            self.cursor.step();
            pass_type(&mut self.cursor);
        }
    }

    fn operation(&mut self, left: Term, name: &str, binds: u8) -> Option<Term> {
        let (plain, not) = match name.strip_prefix("not ") {
            Some(plain) => (plain, true),
            None => (name, false),
        };
        let negated = |term: Term| match not {
            true => Term::Not(Box::new(term)),
            false => term,
        };
        match plain {
            "is null" => return Some(Term::IsNull(Box::new(left))),
            "is not null" => {
                return Some(Term::Not(Box::new(Term::IsNull(Box::new(left)))));
            }
            "in" => return Some(negated(self.list(left)?)),
            "between" => {
                let low = self.term(binds + 1)?;
                self.cursor.eat("AND").then_some(())?;
                let high = self.term(binds + 1)?;
                let low = Term::Compare(Comparison::AtLeast, Box::new(left.clone()), Box::new(low));
                let high = Term::Compare(Comparison::AtMost, Box::new(left), Box::new(high));
                return Some(negated(Term::And(Box::new(low), Box::new(high))));
            }
            _ => {}
        }
        let right = Box::new(self.term(binds + 1)?);
        let left = Box::new(left);
        Some(match name {
            "and" | "&&" => Term::And(left, right),
            "or" => Term::Or(left, right),
            "||" if binds == 1 => Term::Or(left, right),
            "=" => Term::Compare(Comparison::Equal, left, right),
            "<>" => Term::Compare(Comparison::Differ, left, right),
            "<" => Term::Compare(Comparison::Less, left, right),
            "<=" => Term::Compare(Comparison::AtMost, left, right),
            ">" => Term::Compare(Comparison::More, left, right),
            ">=" => Term::Compare(Comparison::AtLeast, left, right),
            "<=>" | "is not distinct from" => Term::Compare(Comparison::Same, left, right),
            "is distinct from" => Term::Not(Box::new(Term::Compare(Comparison::Same, left, right))),
            // IS TRUE and the like are not read.
            "is" | "is not" | "collate" => return None,
            other => Term::Arithmetic(other.into(), left, right),
        })
    }

    fn list(&mut self, left: Term) -> Option<Term> {
        self.cursor.eat_punct(b'(').then_some(())?;
        if self.cursor.is("SELECT") {
            let query = self.query()?;
            self.cursor.eat_punct(b')').then_some(())?;
            return Some(Term::InQuery(Box::new(left), Box::new(query)));
        }
        Some(Term::In(Box::new(left), self.arguments()?))
    }

    /// What stands before a closing bracket, with it.
    fn arguments(&mut self) -> Option<Vec<Term>> {
        let mut list = Vec::new();
        if self.cursor.eat_punct(b')') {
            return Some(list);
        }
        loop {
            list.push(self.term(0)?);
            if self.cursor.eat_punct(b')') {
                return Some(list);
            }
            self.cursor.eat_punct(b',').then_some(())?;
        }
    }

    fn prefixed(&mut self) -> Option<Term> {
        let Some(operator) = precedence::prefix(&self.cursor) else {
            return self.operand();
        };
        self.cursor.step();
        let operand = self.term(operator.binds)?;
        match (operator.name.as_str(), operand) {
            ("not", operand) => Some(Term::Not(Box::new(operand))),
            ("-", Term::Number(number)) => Some(Term::Number(-number)),
            ("-", operand) => Some(Term::Arithmetic(
                "-".into(),
                Box::new(Term::Number(0)),
                Box::new(operand),
            )),
            ("+", operand) => Some(operand),
            _ => None,
        }
    }
}

impl Cursor<'_> {
    /// Passes over `t.*`.
    fn qualified_star(&mut self) -> bool {
        if self.name().is_err() {
            return false;
        }
        self.eat_punct(b'.') && self.eat_punct(b'*')
    }
}
