//! Single values: literals, names, calls, what stands in parentheses.

use crate::sql::columns::pass_type;
use crate::sql::lexer::TokenKind;
use crate::sql::precedence;
use crate::sql::statement::Placeholder;

use super::super::{Term, spans};
use super::Reader;

impl Reader<'_> {
    pub(super) fn operand(&mut self) -> Option<Term> {
        let token = self.cursor.peek()?;
        let source = self.cursor.source(token);
        match token.kind {
            TokenKind::Punct(b'(') => self.group(),
            TokenKind::String => {
                self.cursor.step();
                let text = source.trim_start_matches(['E', 'N', 'e', 'n']);
                let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
                Some(Term::Text(inner.replace("''", "'").into()))
            }
            TokenKind::Number => {
                self.cursor.step();
                source.parse().ok().map(Term::Number)
            }
            TokenKind::Parameter => {
                self.cursor.step();
                Some(Term::Placeholder(self.placeholder(source)))
            }
            TokenKind::Quoted => self.named(),
            TokenKind::Word => self.word(),
            _ => None,
        }
    }

    fn placeholder(&mut self, source: &str) -> Placeholder {
        let name = source.trim_start_matches(['?', '$', ':', '@']);
        if let Ok(number) = name.parse::<u32>() {
            return Placeholder::Position(number);
        }
        if name.is_empty() {
            self.counted += 1;
            return Placeholder::Position(self.counted);
        }
        Placeholder::Name(name.into())
    }

    fn group(&mut self) -> Option<Term> {
        self.cursor.step();
        if self.cursor.is("SELECT") {
            // A query as a value.
            return None;
        }
        let first = self.term(0)?;
        if self.cursor.eat_punct(b')') {
            return Some(first);
        }
        self.cursor.eat_punct(b',').then_some(())?;
        let mut row = vec![first];
        row.extend(self.arguments()?);
        Some(Term::Row(row))
    }

    fn word(&mut self) -> Option<Term> {
        const CLOCKS: [&str; 4] = [
            "CURRENT_TIMESTAMP",
            "LOCALTIMESTAMP",
            "LOCALTIME",
            "CURRENT_DATE",
        ];
        if self.cursor.eat("EXISTS") {
            self.cursor.eat_punct(b'(').then_some(())?;
            let query = self.query()?;
            self.cursor.eat_punct(b')').then_some(())?;
            return Some(Term::Exists(Box::new(query)));
        }
        if self.cursor.eat("NULL") {
            return Some(Term::Null);
        }
        if self.cursor.is_any(&["TRUE", "FALSE"]) {
            let is = self.cursor.is("TRUE");
            self.cursor.step();
            return Some(Term::Bool(is));
        }
        if self.cursor.is_any(&CLOCKS) {
            self.cursor.step();
            if self.cursor.is_punct(b'(') {
                self.cursor.parens().ok()?;
            }
            return Some(Term::Clock);
        }
        if self.cursor.eat("INTERVAL") {
            let amount = self.term(7)?;
            let mut unit = None;
            if self.cursor.is_name() && !precedence::is_reserved(&self.cursor) {
                let token = self.cursor.peek()?;
                unit = spans::unit(self.cursor.source(token));
                if unit.is_some() {
                    self.cursor.step();
                }
            }
            return Some(Term::Span(Box::new(amount), unit));
        }
        if self.cursor.is("CASE") || precedence::is_reserved(&self.cursor) {
            return None;
        }
        self.named()
    }

    fn named(&mut self) -> Option<Term> {
        let name = self.cursor.qualified().ok()?;
        if !self.cursor.eat_punct(b'(') {
            return Some(Term::Column(name.schema, name.name));
        }
        let word = name.name.to_lowercase();
        if word == "cast" {
            let value = self.term(0)?;
            self.cursor.eat("AS").then_some(())?;
            pass_type(&mut self.cursor);
            return self.cursor.eat_punct(b')').then_some(value);
        }
        if self.cursor.eat_punct(b'*') {
            self.cursor.eat_punct(b')').then_some(())?;
            return Some(Term::Call(word.into(), Vec::new()));
        }
        let given = self.arguments()?;
        // A window function is more than its arguments.
        if self.cursor.is("OVER") || self.cursor.is("FILTER") {
            return None;
        }
        Some(Term::Call(word.into(), given))
    }
}
