//! A cursor over the tokens of one statement: what every parser of SQL parts is written with.

use std::sync::Arc;

use crate::model::schema::Dialect;

use super::lexer::{Token, TokenKind};
use super::literal;

/// Where parsing stopped: the reader makes a place of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop {
    /// Offset of the token that was not understood.
    pub start: u32,
    /// Offset just behind it.
    pub end: u32,
}

/// A name with the schema it is qualified by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QualifiedName {
    /// The last qualifier, if any.
    pub schema: Option<Arc<str>>,
    /// The name itself.
    pub name: Arc<str>,
}

/// Walks over tokens; copying it is the way to look ahead.
#[derive(Debug, Clone, Copy)]
pub struct Cursor<'t> {
    /// The text that the tokens point into.
    pub text: &'t str,
    /// The engine whose rules apply.
    pub dialect: Dialect,
    tokens: &'t [Token],
    at: usize,
}

impl<'t> Cursor<'t> {
    /// Starts at the first token.
    pub fn new(text: &'t str, tokens: &'t [Token], dialect: Dialect) -> Self {
        Self {
            text,
            dialect,
            tokens,
            at: 0,
        }
    }

    /// The token at the cursor.
    pub fn peek(&self) -> Option<Token> {
        self.tokens.get(self.at).copied()
    }

    /// The token that many places further on.
    pub fn ahead(&self, places: usize) -> Option<Token> {
        self.tokens.get(self.at + places).copied()
    }

    /// True behind the last token.
    pub fn at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// Passes over one token.
    pub fn step(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len());
    }

    /// The source text of a token.
    pub fn source(&self, token: Token) -> &'t str {
        self.text
            .get(token.start as usize..token.end as usize)
            .unwrap_or("")
    }

    /// Offset of the token at the cursor; at the end, the end of the last token.
    pub fn offset(&self) -> u32 {
        match self.peek() {
            Some(token) => token.start,
            None => self.tokens.last().map_or(0, |token| token.end),
        }
    }

    /// Offset just behind the token before the cursor.
    pub fn end_of_last(&self) -> u32 {
        let last = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        last.map_or(self.offset(), |token| token.end)
    }

    /// A stop at the token at the cursor.
    pub fn stop(&self) -> Stop {
        match self.peek() {
            Some(token) => Stop {
                start: token.start,
                end: token.end,
            },
            None => Stop {
                start: self.offset(),
                end: self.offset(),
            },
        }
    }

    /// True if the token is that unquoted word, without regard to case.
    pub fn token_is(&self, token: Option<Token>, word: &str) -> bool {
        token.is_some_and(|token| {
            token.kind == TokenKind::Word && self.source(token).eq_ignore_ascii_case(word)
        })
    }

    /// True if the word stands at the cursor.
    pub fn is(&self, word: &str) -> bool {
        self.token_is(self.peek(), word)
    }

    /// True if one of the words stands at the cursor.
    pub fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    /// True if the words stand at the cursor in a row.
    pub fn are(&self, words: &[&str]) -> bool {
        words
            .iter()
            .enumerate()
            .all(|(places, word)| self.token_is(self.ahead(places), word))
    }

    /// Passes over the word if it stands there.
    pub fn eat(&mut self, word: &str) -> bool {
        let found = self.is(word);
        if found {
            self.step();
        }
        found
    }

    /// Passes over the words if all stand there in a row.
    pub fn eat_all(&mut self, words: &[&str]) -> bool {
        let found = self.are(words);
        if found {
            self.at += words.len();
        }
        found
    }

    /// Passes over one of the words if it stands there.
    pub fn eat_any(&mut self, words: &[&str]) -> bool {
        words.iter().any(|word| self.eat(word))
    }

    /// Passes over the word or stops.
    pub fn expect(&mut self, word: &str) -> Result<(), Stop> {
        match self.eat(word) {
            true => Ok(()),
            false => Err(self.stop()),
        }
    }

    /// True if that character stands at the cursor.
    pub fn is_punct(&self, byte: u8) -> bool {
        self.peek()
            .is_some_and(|token| token.kind == TokenKind::Punct(byte))
    }

    /// True if that character stands so many places further on.
    pub fn token_is_punct(&self, places: usize, byte: u8) -> bool {
        self.ahead(places)
            .is_some_and(|token| token.kind == TokenKind::Punct(byte))
    }

    /// Passes over the character if it stands there.
    pub fn eat_punct(&mut self, byte: u8) -> bool {
        let found = self.is_punct(byte);
        if found {
            self.step();
        }
        found
    }

    /// Passes over the character or stops.
    pub fn expect_punct(&mut self, byte: u8) -> Result<(), Stop> {
        match self.eat_punct(byte) {
            true => Ok(()),
            false => Err(self.stop()),
        }
    }

    /// True if a name can stand at the cursor. SQLite takes strings for names, MySQL `"x"`.
    pub fn is_name(&self) -> bool {
        self.peek().is_some_and(|token| match token.kind {
            TokenKind::Word | TokenKind::Quoted => true,
            TokenKind::String => match self.dialect {
                Dialect::Sqlite => self.source(token).starts_with('\''),
                Dialect::Postgres => false,
                _ => self.source(token).starts_with('"'),
            },
            _ => false,
        })
    }

    /// A name, without its quotes.
    pub fn name(&mut self) -> Result<Arc<str>, Stop> {
        match self.peek() {
            Some(token) if self.is_name() => {
                self.step();
                Ok(literal::name(self.source(token), self.dialect).into())
            }
            _ => Err(self.stop()),
        }
    }

    /// A name that may be qualified; of several qualifiers the last counts.
    pub fn qualified(&mut self) -> Result<QualifiedName, Stop> {
        let mut schema = None;
        let mut name = self.name()?;
        while self.eat_punct(b'.') {
            schema = Some(name);
            name = self.name()?;
        }
        Ok(QualifiedName { schema, name })
    }

    /// Passes over a parenthesis with all it holds and gives what stands inside as a cursor.
    pub fn parens(&mut self) -> Result<Cursor<'t>, Stop> {
        let open = self.stop();
        self.expect_punct(b'(')?;
        let start = self.at;
        let mut depth = 1u32;
        while let Some(token) = self.peek() {
            match token.kind {
                TokenKind::Punct(b'(') => depth += 1,
                TokenKind::Punct(b')') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let inside = Cursor {
                    tokens: self.tokens.get(start..self.at).unwrap_or_default(),
                    at: 0,
                    ..*self
                };
                self.step();
                return Ok(inside);
            }
            self.step();
        }
        Err(open)
    }

    /// The tokens passed since an earlier copy of this cursor, as a cursor of their own.
    pub fn since(&self, start: &Cursor<'t>) -> Cursor<'t> {
        Cursor {
            tokens: self.tokens.get(start.at..self.at).unwrap_or_default(),
            at: 0,
            ..*self
        }
    }

    /// The first so many of all its tokens.
    pub fn first(&self, count: usize) -> Cursor<'t> {
        Cursor {
            tokens: self.tokens.get(..count).unwrap_or(self.tokens),
            at: 0,
            ..*self
        }
    }

    /// How many tokens it spans.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// True if it spans no token.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Goes to the end.
    pub fn finish(&mut self) {
        self.at = self.tokens.len();
    }

    /// What stands inside the parentheses that enclose all its tokens. Each pair costs a walk over
    /// what it holds, so deeper ones than anybody writes are left standing.
    pub fn without_parens(&self) -> Cursor<'t> {
        let mut inside = *self;
        for _ in 0..64 {
            let mut probe = inside;
            match probe.parens() {
                Ok(content) if probe.at_end() => inside = content,
                _ => break,
            }
        }
        inside
    }

    /// The source text from the first to the last of all its tokens.
    pub fn whole(&self) -> &'t str {
        match (self.tokens.first(), self.tokens.last()) {
            (Some(first), Some(last)) => self
                .text
                .get(first.start as usize..last.end as usize)
                .unwrap_or(""),
            _ => "",
        }
    }

    /// All its tokens as text on one line: blanks single, comments left out.
    pub fn plain(&self) -> Arc<str> {
        let whole = self.whole();
        let is_plain = !whole
            .bytes()
            .zip(whole.bytes().skip(1).chain([b'x']))
            .any(|pair| {
                matches!(
                    pair,
                    (b'\t' | b'\n' | b'\r', _)
                        | (b' ', b' ')
                        | (b'-', b'-')
                        | (b'/', b'*')
                        | (b'*', b'/')
                        | (b'#', _)
                )
            });
        if is_plain {
            return whole.into();
        }
        let mut line = String::with_capacity(whole.len());
        let mut end = None;
        for token in self.tokens {
            if end.is_some_and(|end| end < token.start) {
                line.push(' ');
            }
            line.push_str(self.source(*token));
            end = Some(token.end);
        }
        line.into()
    }

    /// Passes over everything up to one of the words or a comma outside parentheses.
    pub fn skip_to(&mut self, words: &[&str]) {
        let mut brackets = 0u32;
        while let Some(token) = self.peek() {
            match token.kind {
                TokenKind::Punct(b'[') => brackets += 1,
                TokenKind::Punct(b']') => brackets = brackets.saturating_sub(1),
                TokenKind::Punct(b',' | b')') if brackets == 0 => return,
                TokenKind::Punct(b'(') => {
                    if self.parens().is_err() {
                        self.finish();
                    }
                    continue;
                }
                _ if brackets == 0 && self.is_any(words) => return,
                _ => {}
            }
            self.step();
        }
    }

    /// True if that number stands at the cursor.
    pub fn is_number(&self, digits: &str) -> bool {
        self.peek()
            .is_some_and(|token| token.kind == TokenKind::Number && self.source(token) == digits)
    }

    /// An unsigned number that fits.
    pub fn number(&mut self) -> Option<u32> {
        let token = self.peek()?;
        let number = self.source(token).parse().ok()?;
        self.step();
        Some(number)
    }
}
