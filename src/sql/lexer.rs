//! One tolerant lexer for the SQL of every dialect: tokens with byte offsets, in linear time.
//!
//! It never fails: what is never closed becomes one [`TokenKind::Broken`] token that reaches to the
//! end of the text, and the reader above decides what that means.

use crate::model::schema::Dialect;

use super::mode::Rules;
use super::scan;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// An unquoted identifier or keyword.
    Word,
    /// A quoted identifier: `"x"`, `` `x` ``, `[x]`, `U&"x"`.
    Quoted,
    /// A string or blob literal in any of its spellings.
    String,
    /// A number.
    Number,
    /// A placeholder or variable: `?`, `$1`, `:name`, `@name`.
    Parameter,
    /// One character of punctuation.
    Punct(u8),
    /// An operator of two or three characters.
    Operator,
    /// The end of a statement: `;` or what `DELIMITER` made of it.
    Terminator,
    /// A string, quoted name or comment that is never closed.
    Broken,
    /// The end of the text.
    End,
}

/// A token by its byte offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset just behind the last byte.
    pub end: u32,
}

/// All tokens of one expression; none if something in it is never closed, or a statement ends in it.
pub fn tokens_of(text: &str, dialect: Dialect) -> Option<Vec<Token>> {
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

/// Reads tokens one after another.
#[derive(Debug, Clone)]
pub struct Lexer<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    pub(super) rules: Rules,
    /// `/*! … */` blocks that are open: their content is code.
    open_code: u32,
    /// What ends a statement when it is not `;`.
    pub(super) delimiter: Option<&'a [u8]>,
}

impl<'a> Lexer<'a> {
    /// Starts at the beginning; a byte order mark is passed over, and text behind 4 GiB is not read.
    pub fn new(text: &'a str, dialect: Dialect) -> Self {
        let bytes = text.as_bytes();
        let bytes = bytes.get(..u32::MAX as usize).unwrap_or(bytes);
        Self {
            bytes,
            at: if bytes.starts_with(b"\xEF\xBB\xBF") {
                3
            } else {
                0
            },
            rules: Rules::of(dialect),
            open_code: 0,
            delimiter: None,
        }
    }

    /// The offset of the next byte to read.
    pub fn position(&self) -> u32 {
        self.at as u32
    }

    pub(super) fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    fn token(&mut self, kind: TokenKind, start: usize, end: usize) -> Token {
        let end = end.min(self.bytes.len());
        self.at = end;
        Token {
            kind,
            start: start as u32,
            end: end as u32,
        }
    }

    /// The next token; comments and blanks are passed over.
    pub fn advance(&mut self) -> Token {
        if let Some(broken) = self.blanks() {
            return broken;
        }
        let start = self.at;
        if start >= self.bytes.len() {
            return self.token(TokenKind::End, start, start);
        }
        if let Some(delimiter) = self.delimiter
            && self
                .bytes
                .get(start..)
                .is_some_and(|rest| rest.starts_with(delimiter))
        {
            return self.token(TokenKind::Terminator, start, start + delimiter.len());
        }
        let byte = self.byte(start);
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'_' | 0x80.. => self.word(start),
            b'0'..=b'9' => self.number(start),
            b'.' if self.byte(start + 1).is_ascii_digit() => self.number(start),
            b'\'' => self.quoted(start, start, TokenKind::String, self.rules.backslashes()),
            b'"' if self.rules.mysql && !self.rules.mode.ansi_quotes => {
                self.quoted(start, start, TokenKind::String, self.rules.backslashes())
            }
            b'"' | b'`' => self.quoted(start, start, TokenKind::Quoted, false),
            b'[' if self.rules.sqlite => match memchr::memchr(b']', self.rest(start)) {
                Some(length) => self.token(TokenKind::Quoted, start, start + length + 1),
                None => self.token(TokenKind::Broken, start, self.bytes.len()),
            },
            b'$' => self.dollar(start),
            b';' if self.delimiter.is_none() => self.token(TokenKind::Terminator, start, start + 1),
            b'?' => self.token(TokenKind::Parameter, start, start + 1),
            b':' if scan::starts_word(self.byte(start + 1)) => self.parameter(start, start + 1),
            b'@' if scan::starts_word(self.byte(start + 1)) => self.parameter(start, start + 1),
            b'@' if self.byte(start + 1) == b'@' && scan::starts_word(self.byte(start + 2)) => {
                self.parameter(start, start + 2)
            }
            _ => {
                let length = scan::operator(self.rest(start));
                match length {
                    0 | 1 => self.token(TokenKind::Punct(byte), start, start + 1),
                    _ => self.token(TokenKind::Operator, start, start + length),
                }
            }
        }
    }

    pub(super) fn rest(&self, at: usize) -> &'a [u8] {
        self.bytes.get(at..).unwrap_or_default()
    }

    /// Passes over blanks and comments; a comment that is never closed is a broken token, except
    /// where the engine lets the end of the text close it.
    fn blanks(&mut self) -> Option<Token> {
        loop {
            match self.byte(self.at) {
                0..=b' ' if self.at < self.bytes.len() => self.at += 1,
                b'-' if self.byte(self.at + 1) == b'-' && self.dashes_open_comment(self.at) => {
                    self.at = scan::line_end(self.bytes, self.at);
                }
                b'#' if self.rules.mysql => self.at = scan::line_end(self.bytes, self.at),
                b'*' if self.open_code > 0 && self.byte(self.at + 1) == b'/' => {
                    self.open_code -= 1;
                    self.at += 2;
                }
                b'/' if self.byte(self.at + 1) == b'*' => {
                    let start = self.at;
                    if let Some(code) = scan::executable(self.rest(start), self.rules) {
                        self.open_code += 1;
                        self.at = start + code;
                        continue;
                    }
                    let nesting = scan::nesting(self.rest(start), self.rules);
                    match scan::block_comment(self.bytes, start, nesting, self.rules) {
                        Some(end) => self.at = end,
                        None => {
                            let end = self.bytes.len();
                            return Some(self.token(TokenKind::Broken, start, end));
                        }
                    }
                }
                _ => return None,
            }
        }
    }

    /// MySQL takes `--` for a comment only before a blank; a line of nothing but dashes is a ruler
    /// that clients leave out.
    pub(super) fn dashes_open_comment(&self, at: usize) -> bool {
        if !self.rules.mysql || self.byte(at + 2) <= b' ' {
            return true;
        }
        let begins = at
            .checked_sub(1)
            .is_none_or(|before| self.byte(before) == b'\n');
        let end = scan::line_end(self.bytes, at);
        let line = self.bytes.get(at..end).unwrap_or_default();
        begins && line.trim_ascii_end().iter().all(|byte| *byte == b'-')
    }

    fn quoted(&mut self, start: usize, open: usize, kind: TokenKind, backslash: bool) -> Token {
        match scan::quoted(self.bytes, open, backslash) {
            Some(end) => self.token(kind, start, end),
            None => self.token(TokenKind::Broken, start, self.bytes.len()),
        }
    }

    fn word(&mut self, start: usize) -> Token {
        let mut end = scan::word_end(self.bytes, start);
        let quote = self.byte(end);
        if quote == b'\'' && end == start + 1 {
            let backslash = match self.byte(start) | 0x20 {
                b'e' if self.rules.postgres => Some(true),
                b'x' => Some(false),
                b'b' if !self.rules.sqlite => Some(false),
                b'n' if !self.rules.sqlite => Some(self.rules.backslashes()),
                _ => None,
            };
            if let Some(backslash) = backslash {
                return self.quoted(start, end, TokenKind::String, backslash);
            }
        }
        if self.rules.postgres
            && quote == b'&'
            && end == start + 1
            && self.byte(start) | 0x20 == b'u'
        {
            match self.byte(end + 1) {
                b'\'' => return self.quoted(start, end + 1, TokenKind::String, false),
                b'"' => return self.quoted(start, end + 1, TokenKind::Quoted, false),
                _ => {}
            }
        }
        if let Some(delimiter) = self.delimiter
            && let Some(found) = self
                .bytes
                .get(start..end)
                .and_then(|word| memchr::memmem::find(word, delimiter))
        {
            end = start + found;
        }
        self.token(TokenKind::Word, start, end)
    }

    fn number(&mut self, start: usize) -> Token {
        let end = scan::number_end(self.bytes, start);
        if scan::is_word(self.byte(end)) && self.byte(start) != b'.' {
            // `1st` is a name in MySQL; elsewhere it is nothing, and one word is as good as two.
            return self.word(start);
        }
        self.token(TokenKind::Number, start, end)
    }

    fn parameter(&mut self, start: usize, name: usize) -> Token {
        let end = scan::word_end(self.bytes, name);
        self.token(TokenKind::Parameter, start, end)
    }

    fn dollar(&mut self, start: usize) -> Token {
        if self.rules.postgres {
            if let Some(open) = scan::dollar_tag(self.rest(start)) {
                let tag = self.bytes.get(start..start + open).unwrap_or_default();
                return match memchr::memmem::find(self.rest(start + open), tag) {
                    Some(length) => {
                        self.token(TokenKind::String, start, start + open + length + tag.len())
                    }
                    None => self.token(TokenKind::Broken, start, self.bytes.len()),
                };
            }
            if self.byte(start + 1).is_ascii_digit() {
                return self.parameter(start, start + 1);
            }
        }
        if self.rules.mysql {
            return self.word(start);
        }
        if scan::is_word(self.byte(start + 1)) {
            return self.parameter(start, start + 1);
        }
        self.token(TokenKind::Punct(b'$'), start, start + 1)
    }
}

#[cfg(test)]
mod tests;
