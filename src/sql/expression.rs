//! Expressions as engines print them and as people write them, made comparable.

use crate::model::schema::Dialect;

use super::cursor::Cursor;
use super::lexer::{Lexer, Token, TokenKind};

/// Words behind which a parenthesis groups and calls nothing.
const NO_FUNCTIONS: [&str; 14] = [
    "AND", "OR", "NOT", "IN", "ANY", "ALL", "SOME", "WHEN", "THEN", "ELSE", "CASE", "IS", "LIKE",
    "BETWEEN",
];

/// The expression without the parentheses around all of it.
pub fn bare(text: &str, dialect: Dialect) -> String {
    let Some(tokens) = tokens(text, dialect) else {
        return text.to_owned();
    };
    let inside = Cursor::new(text, &tokens, dialect).without_parens().whole();
    let is_empty = inside.is_empty();
    if is_empty { text } else { inside }.to_owned()
}

/// A form in which what an engine prints equals what it was given: without casts, without
/// parentheses that call nothing, names in lower case and without quotes or schemas. How operators
/// are grouped is not compared, for engines write out what the reader knows anyway.
pub fn normal(text: &str, dialect: Dialect) -> String {
    let Some(tokens) = tokens(text, dialect) else {
        return text.to_owned();
    };
    let mut writer = Writer {
        cursor: Cursor::new(text, &tokens, dialect),
        words: Vec::new(),
        open: Vec::new(),
    };
    while let Some(token) = writer.cursor.peek() {
        writer.token(token);
    }
    writer.words.join(" ")
}

fn tokens(text: &str, dialect: Dialect) -> Option<Vec<Token>> {
    let mut lexer = Lexer::new(text, dialect);
    let mut tokens = Vec::new();
    loop {
        let token = lexer.advance();
        match token.kind {
            TokenKind::End => return Some(tokens),
            TokenKind::Broken | TokenKind::Terminator => return None,
            _ => tokens.push(token),
        }
    }
}

/// What a parenthesis that stands open does.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    Call,
    Group,
    /// `CAST(x AS type)`: of it only `x` counts.
    Cast,
}

struct Writer<'t> {
    cursor: Cursor<'t>,
    words: Vec<String>,
    open: Vec<Open>,
}

impl Writer<'_> {
    fn token(&mut self, token: Token) {
        let source = self.cursor.source(token);
        match token.kind {
            TokenKind::Punct(b'(') => {
                self.open.push(Open::Group);
                self.cursor.step();
            }
            TokenKind::Punct(b')') => {
                if self.open.pop() == Some(Open::Call) {
                    self.words.push(")".to_owned());
                }
                self.cursor.step();
            }
            _ if source == "::" => {
                self.cursor.step();
                self.skip_type();
            }
            TokenKind::Word if self.cursor.is("AS") && self.open.last() == Some(&Open::Cast) => {
                while !self.cursor.at_end() && !self.cursor.is_punct(b')') {
                    if self.cursor.parens().is_err() {
                        self.cursor.step();
                    }
                }
            }
            TokenKind::Word | TokenKind::Quoted => self.name(),
            _ => {
                self.words.push(match source {
                    "!=" => "<>".to_owned(),
                    other => other.to_owned(),
                });
                self.cursor.step();
            }
        }
    }

    fn name(&mut self) {
        let is_word = self
            .cursor
            .peek()
            .is_some_and(|token| token.kind == TokenKind::Word);
        let keyword = self.cursor.is_any(&NO_FUNCTIONS);
        let cast = self.cursor.is("CAST");
        let start = self.cursor;
        let Ok(name) = self.cursor.qualified() else {
            self.cursor = start;
            if let Some(token) = self.cursor.peek() {
                self.words.push(self.cursor.source(token).to_owned());
            }
            self.cursor.step();
            return;
        };
        let name = name.name.to_lowercase();
        // A character set in front of a string: `_utf8mb4'x'`.
        let introduces = is_word
            && name.starts_with('_')
            && self
                .cursor
                .peek()
                .is_some_and(|token| token.kind == TokenKind::String);
        if introduces {
            return;
        }
        if self.cursor.is_punct(b'(') && !keyword {
            self.cursor.step();
            if cast {
                self.open.push(Open::Cast);
                return;
            }
            self.open.push(Open::Call);
            self.words.push(name);
            self.words.push("(".to_owned());
            return;
        }
        self.words.push(name);
    }

    /// Behind `::`.
    fn skip_type(&mut self) {
        let Ok(name) = self.cursor.qualified() else {
            return;
        };
        match name.name.to_ascii_lowercase().as_str() {
            "character" | "bit" => {
                self.cursor.eat("VARYING");
            }
            "double" => {
                self.cursor.eat("PRECISION");
            }
            _ => {}
        }
        if self.cursor.is_punct(b'(') && self.cursor.parens().is_err() {
            self.cursor.finish();
        }
        if self.cursor.eat_any(&["WITH", "WITHOUT"]) {
            self.cursor.eat_all(&["TIME", "ZONE"]);
        }
        while self.cursor.eat_punct(b'[') {
            self.cursor.eat_punct(b']');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_postgres_prints_equals_what_it_was_given() {
        let cases = [
            ("lower(a)", "lower((a)::text)"),
            ("coalesce(b, '')", "COALESCE(b, ''::text)"),
            ("a || '-' || b", "((((a)::text || '-'::text) || b))"),
            ("left(a, 5)", "\"left\"((a)::text, 5)"),
            (
                "kind != 'x'",
                "((kind)::text <> 'x'::character varying(20))",
            ),
            ("data->>'id'", "(data ->> 'id'::text)"),
            ("cast(a as text)", "(a)::text"),
            ("f(a)", "public.f(a)"),
            ("state = 'a'", "(state = 'a'::public.state[])"),
            (
                "at > '2020-01-01'",
                "(at > '2020-01-01'::timestamp without time zone)",
            ),
        ];
        for (written, printed) in cases {
            assert_eq!(
                normal(written, Dialect::Postgres),
                normal(printed, Dialect::Postgres),
                "{written}"
            );
        }
        let different = [
            ("lower(a)", "upper(a)"),
            ("a || 'X'", "a || 'x'"),
            ("f(a, b)", "f(b, a)"),
        ];
        for (one, other) in different {
            assert_ne!(
                normal(one, Dialect::Postgres),
                normal(other, Dialect::Postgres)
            );
        }
    }

    #[test]
    fn what_mysql_prints_equals_what_it_was_given() {
        let normal = |text| normal(text, Dialect::Mysql);
        assert_eq!(normal("lower(k)"), normal("lower(`k`)"));
        assert_eq!(normal("concat(a, '-')"), normal("concat(`a`,_utf8mb4'-')"));
    }

    #[test]
    fn only_parentheses_around_all_of_it_are_taken_off() {
        assert_eq!(bare("((a || b))", Dialect::Postgres), "a || b");
        assert_eq!(bare("(a) || (b)", Dialect::Postgres), "(a) || (b)");
    }
}
