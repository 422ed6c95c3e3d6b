//! Cuts the text of an expression into tokens, one at a time and each byte once.

use super::ParseError;
use super::ast::Span32;
use super::quoted;
use super::token::{Token, TokenKind};

const DECIMAL: &str = "0123456789_";

/// The rest of a text that is still to be cut (source: expr-lang v1.17 parser/lexer/state.go).
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// Whether the last token was a `#`, which a name may follow without a space.
    after_hash: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            after_hash: false,
        }
    }

    /// The next token; [`TokenKind::End`] again and again once the text is used up.
    pub(super) fn next_token(&mut self) -> Result<Token<'a>, ParseError> {
        if std::mem::take(&mut self.after_hash)
            && let Some(name) = self.pointer_name()
        {
            return Ok(name);
        }
        self.skip_blank()?;
        let start = self.at;
        let kind = self.kind(start)?;
        Ok(Token {
            kind,
            span: Span32 {
                start: offset(start),
                end: offset(self.at),
            },
        })
    }

    fn kind(&mut self, start: usize) -> Result<TokenKind<'a>, ParseError> {
        let Some(first) = self.bump() else {
            return Ok(TokenKind::End);
        };
        match first {
            '\'' | '"' => quoted::string(self, start, first).map(TokenKind::Str),
            '`' => quoted::raw_string(self, start).map(TokenKind::Str),
            'b' | 'B' if matches!(self.peek(), Some('\'' | '"')) => {
                let quote = self.bump().unwrap_or('"');
                quoted::bytes(self, start, quote).map(TokenKind::Bytes)
            }
            '0'..='9' => {
                self.at = start;
                self.number(start)
            }
            '.' if matches!(self.peek(), Some('0'..='9')) => self.number(start),
            '(' | ')' | '[' | ']' | '{' | '}' => Ok(TokenKind::Bracket(first)),
            '.' => Ok(self.operator(start, ".")),
            '?' => Ok(self.operator(start, ".?")),
            '|' => Ok(self.operator(start, "|")),
            ':' => Ok(self.operator(start, ":")),
            '&' | '!' | '=' | '*' | '<' | '>' => Ok(self.operator(start, "&=*")),
            ',' | ';' | '%' | '+' | '-' | '^' | '/' => Ok(self.operator(start, "")),
            '#' => {
                self.after_hash = true;
                Ok(self.operator(start, "#"))
            }
            letter if is_name_char(letter) => {
                self.skip_while(is_name_char);
                Ok(self.word(start))
            }
            other => Err(ParseError::at(
                start,
                format!(
                    "the character `{}` has no meaning here",
                    other.escape_debug()
                ),
            )),
        }
    }

    /// The name right after a `#`, which may start with a digit and may be a keyword
    /// (source: expr-lang v1.17 parser/lexer/state.go, `pointer`).
    fn pointer_name(&mut self) -> Option<Token<'a>> {
        let start = self.at;
        self.skip_while(is_name_char);
        let span = Span32 {
            start: offset(start),
            end: offset(self.at),
        };
        (self.at > start).then(|| Token {
            kind: TokenKind::Identifier(self.since(start)),
            span,
        })
    }

    /// Skips white space, `// …` and `/* … */`.
    fn skip_blank(&mut self) -> Result<(), ParseError> {
        loop {
            self.skip_while(char::is_whitespace);
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let Some(end) = memchr::memmem::find(comment.as_bytes(), b"*/") else {
                    return Err(ParseError::at(
                        self.at,
                        "the comment is not closed by `*/`".to_owned(),
                    ));
                };
                self.at += end + "/**/".len();
            } else {
                return Ok(());
            }
        }
    }

    /// Scans a number whose form is checked later (source: expr-lang v1.17 parser/lexer/state.go, `scanNumber`).
    fn number(&mut self, start: usize) -> Result<TokenKind<'a>, ParseError> {
        let mut digits = DECIMAL;
        if self.accept("0") {
            if self.accept("xX") {
                digits = "0123456789abcdefABCDEF_";
            } else if self.accept("oO") {
                digits = "01234567_";
            } else if self.accept("bB") {
                digits = "01_";
            }
        }
        self.skip_while(|c| digits.contains(c));
        let whole = self.at;
        if self.accept(".") {
            if self.peek() == Some('.') {
                // `1..2` is a range, not `1.` and `.2`.
                self.at = whole;
                return Ok(TokenKind::Number(self.since(start)));
            }
            self.skip_while(|c| digits.contains(c));
        }
        if self.accept("eE") {
            self.accept("+-");
            self.skip_while(|c| digits.contains(c));
        }
        match self.peek() {
            Some(next) if is_name_char(next) => Err(ParseError::at(
                self.at,
                format!(
                    "the number `{}` cannot be followed by `{next}`",
                    self.since(start)
                ),
            )),
            _ => Ok(TokenKind::Number(self.since(start))),
        }
    }

    fn operator(&mut self, start: usize, may_follow: &str) -> TokenKind<'a> {
        self.accept(may_follow);
        TokenKind::Operator(self.since(start))
    }

    fn word(&self, start: usize) -> TokenKind<'a> {
        let word = self.since(start);
        match word {
            "not" | "in" | "or" | "and" | "matches" | "contains" | "startsWith" | "endsWith"
            | "let" | "if" | "else" => TokenKind::Operator(word),
            _ => TokenKind::Identifier(word),
        }
    }

    fn accept(&mut self, any_of: &str) -> bool {
        let found = self.peek().filter(|c| any_of.contains(*c));
        self.at += found.map_or(0, char::len_utf8);
        found.is_some()
    }

    fn skip_while(&mut self, wanted: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !wanted(c)).unwrap_or(rest.len());
    }

    /// The next character, left in place.
    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Takes the next character.
    pub(super) fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Byte offset of the next character.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }
}

/// `at` as a stored offset; texts longer than that are refused before they are cut.
pub(super) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Whether `c` may be part of a name (source: expr-lang v1.17 parser/utils/utils.go, `IsAlphaNumeric`).
///
/// Go asks for the general category L, which the standard library does not tell apart from the
/// other alphabetic characters; so vowel marks and circled letters are let through although expr
/// refuses them in names.
fn is_name_char(c: char) -> bool {
    match c {
        '_' | '$' => true,
        _ if c.is_ascii() => c.is_ascii_alphanumeric(),
        _ if c.is_numeric() => is_decimal_digit(u32::from(c)),
        _ => c.is_alphabetic(),
    }
}

/// Whether `code`, outside ASCII, is of the general category Nd: every such block holds ten digits.
fn is_decimal_digit(code: u32) -> bool {
    let after = DECIMAL_ZEROS.partition_point(|zero| *zero <= code);
    after
        .checked_sub(1)
        .and_then(|at| DECIMAL_ZEROS.get(at))
        .is_some_and(|zero| code - zero < 10)
}

/// The zero of each block of decimal digits outside ASCII, in order (Unicode 14.0.0).
const DECIMAL_ZEROS: &[u32] = &[
    0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66,
    0x0DE6, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90,
    0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10,
    0x104A0, 0x10D30, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650,
    0x116C0, 0x11730, 0x118E0, 0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x16A60, 0x16AC0, 0x16B50,
    0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E950, 0x1FBF0,
];
