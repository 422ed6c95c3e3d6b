//! One tolerant lexer for the SQL of every dialect: tokens with byte offsets, in linear time.
//!
//! It never fails: what is never closed becomes one [`TokenKind::Broken`] token that reaches to the
//! end of the text, and the reader above decides what that means.

use crate::model::schema::Dialect;

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

/// Where the dialects differ in their tokens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    pub(super) dialect: Dialect,
    /// MySQL, MariaDB, TiDB.
    pub(super) mysql: bool,
    pub(super) postgres: bool,
    pub(super) sqlite: bool,
}

impl Rules {
    pub(super) fn of(dialect: Dialect) -> Self {
        Self {
            dialect,
            mysql: matches!(dialect, Dialect::Mysql | Dialect::Mariadb | Dialect::Tidb),
            postgres: dialect == Dialect::Postgres,
            sqlite: dialect == Dialect::Sqlite,
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
            b'\'' => self.quoted(start, start, TokenKind::String, self.rules.mysql),
            b'"' if self.rules.mysql => self.quoted(start, start, TokenKind::String, true),
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
                    match scan::block_comment(self.bytes, start, self.rules) {
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

    /// MySQL takes `--` for a comment only before a blank.
    pub(super) fn dashes_open_comment(&self, at: usize) -> bool {
        !self.rules.mysql || self.byte(at + 2) <= b' '
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
                b'n' if !self.rules.sqlite => Some(self.rules.mysql),
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
mod tests {
    use super::*;

    fn lex(text: &str, dialect: Dialect) -> Vec<(TokenKind, String)> {
        let mut lexer = Lexer::new(text, dialect);
        let mut tokens = Vec::new();
        loop {
            let token = lexer.advance();
            if token.kind == TokenKind::End {
                return tokens;
            }
            let text = text.get(token.start as usize..token.end as usize);
            tokens.push((token.kind, text.unwrap_or("?").to_owned()));
        }
    }

    fn texts(text: &str, dialect: Dialect) -> Vec<String> {
        lex(text, dialect)
            .into_iter()
            .map(|token| token.1)
            .collect()
    }

    #[test]
    fn every_way_to_quote_a_name() {
        assert_eq!(
            texts("[a b] \"c\"\"d\" `e`", Dialect::Sqlite),
            ["[a b]", "\"c\"\"d\"", "`e`"]
        );
        assert_eq!(lex("\"a\"", Dialect::Mysql)[0].0, TokenKind::String);
        assert_eq!(
            lex("U&\"\\0061\"", Dialect::Postgres)[0].0,
            TokenKind::Quoted
        );
    }

    #[test]
    fn strings_end_where_their_dialect_ends_them() {
        assert_eq!(texts(r"'a\' b", Dialect::Postgres), [r"'a\'", "b"]);
        assert_eq!(texts(r"'a\'' b", Dialect::Mysql), [r"'a\''", "b"]);
        assert_eq!(texts(r"E'a\'' b", Dialect::Postgres), [r"E'a\''", "b"]);
        assert_eq!(
            texts("$x$ ; $$ ' $x$ b", Dialect::Postgres),
            ["$x$ ; $$ ' $x$", "b"]
        );
        assert_eq!(texts("a$b$c", Dialect::Postgres), ["a$b$c"]);
        assert_eq!(
            lex("'open", Dialect::Sqlite),
            [(TokenKind::Broken, "'open".to_owned())]
        );
    }

    #[test]
    fn comments_by_dialect() {
        assert_eq!(
            texts("a /* /* */ b */ c -- d\n e", Dialect::Postgres),
            ["a", "c", "e"]
        );
        assert_eq!(texts("a /* /* */ b", Dialect::Mysql), ["a", "b"]);
        assert_eq!(
            texts("a --b\n# c\n-- d\n e", Dialect::Mysql),
            ["a", "-", "-", "b", "e"]
        );
        assert_eq!(texts("a /* open", Dialect::Sqlite), ["a"]);
        assert_eq!(lex("/* open", Dialect::Mysql)[0].0, TokenKind::Broken);
    }

    #[test]
    fn executable_comments_are_code_where_the_engine_runs_them() {
        assert_eq!(texts("a /*!50100 b */ c", Dialect::Mysql), ["a", "b", "c"]);
        assert_eq!(texts("a /*T![x] b */ c", Dialect::Tidb), ["a", "b", "c"]);
        assert_eq!(
            texts("a /*M!100100 b */ c", Dialect::Mariadb),
            ["a", "b", "c"]
        );
        assert_eq!(texts("a /*M!100100 b */ c", Dialect::Mysql), ["a", "c"]);
        assert_eq!(texts("a /*!50700 b */ c", Dialect::Mariadb), ["a", "c"]);
        assert_eq!(texts("a /*!50100 b */ c", Dialect::Postgres), ["a", "c"]);
    }

    #[test]
    fn numbers_parameters_operators() {
        assert_eq!(
            texts("1.5e-3 .5 0xFF a::b <> ->> :x ?", Dialect::Postgres),
            [
                "1.5e-3", ".5", "0xFF", "a", "::", "b", "<>", "->>", ":x", "?"
            ]
        );
        assert_eq!(lex("1st", Dialect::Mysql)[0].0, TokenKind::Word);
    }
}
