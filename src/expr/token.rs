//! The tokens that the lexer hands to the parser.

use super::ast::Span32;

/// One token with its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token<'a> {
    /// What it is.
    pub(super) kind: TokenKind<'a>,
    /// Where it is.
    pub(super) span: Span32,
}

/// What a token is (source: expr-lang v1.17 parser/lexer/token.go).
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind<'a> {
    /// A name, `true`, `false` and `nil` included.
    Identifier(&'a str),
    /// A number as written.
    Number(&'a str),
    /// A string, its escapes resolved.
    Str(String),
    /// A bytes literal, its escapes resolved.
    Bytes(Vec<u8>),
    /// Signs and the words `not in or and matches contains startsWith endsWith let if else`.
    Operator(&'a str),
    /// One of `( ) [ ] { }`.
    Bracket(char),
    /// Nothing is left.
    End,
}

impl Token<'_> {
    /// Whether this is the operator written `text`.
    pub(super) fn is_operator(&self, text: &str) -> bool {
        matches!(self.kind, TokenKind::Operator(found) if found == text)
    }

    /// Whether this is the bracket `which`.
    pub(super) fn is_bracket(&self, which: char) -> bool {
        self.kind == TokenKind::Bracket(which)
    }

    /// The token as an error message shows it, on one line; `text` is the text it was read from.
    pub(super) fn describe(&self, text: &str) -> String {
        const SHOWN: usize = 40;
        if self.kind == TokenKind::End {
            return "the end of the expression".to_owned();
        }
        let written = self.span.slice(text);
        let mut shown = String::new();
        for (at, c) in written.chars().enumerate() {
            if at == SHOWN {
                shown.push('…');
                break;
            }
            if c.is_control() {
                shown.extend(c.escape_default());
            } else {
                shown.push(c);
            }
        }
        format!("`{shown}`")
    }
}
