//! The state that all reading shares: the token in hand, the limits, and how nodes and errors are made.
//!
//! The files beside this one add the rules to it. Together they follow expr-lang v1.17
//! parser/parser.go function by function, so that both take the same texts.

use super::ast::{Expr, ExprKind, Span32};
use super::lexer::Lexer;
use super::token::{Token, TokenKind};
use super::{MAX_HEIGHT, MAX_NESTING, MAX_NODES, ParseError};

/// A node read; boxed because nearly every node goes into another, and to keep stack frames small.
pub(super) type Parsed = Result<Box<Expr>, ParseError>;

/// The state of one reading: one token in hand, at most one more looked at.
#[derive(Debug)]
pub(super) struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    pub(super) current: Token<'a>,
    ahead: Option<Token<'a>>,
    /// Where the last token taken ended.
    end: u32,
    nesting: u32,
    /// How many predicates the current place is inside of; pointers are only read in one.
    pub(super) closures: u32,
    nodes: u32,
}

/// Reads `text` as one expression (source: expr-lang v1.17 parser/parser.go, `Parse`).
pub(super) fn parse(text: &str) -> Result<Expr, ParseError> {
    if u32::try_from(text.len()).is_err() {
        return Err(ParseError::at(
            0,
            "the expression is longer than 4 GiB".to_owned(),
        ));
    }
    let mut lexer = Lexer::new(text);
    let current = lexer.next_token()?;
    let mut parser = Parser {
        text,
        lexer,
        current,
        ahead: None,
        end: 0,
        nesting: 0,
        closures: 0,
        nodes: 0,
    };
    let expr = parser.sequence()?;
    match parser.current.kind {
        TokenKind::End => Ok(*expr),
        _ => Err(parser.unexpected("an operator or the end of the expression")),
    }
}

impl<'a> Parser<'a> {
    /// A node from `start` to the last token taken, counted against the limits (source: `createNode`).
    pub(super) fn node(&mut self, kind: ExprKind, start: u32) -> Parsed {
        self.count_nodes(1)?;
        self.uncounted(kind, start)
    }

    /// A node that expr does not count.
    pub(super) fn uncounted(&mut self, kind: ExprKind, start: u32) -> Parsed {
        let expr = Expr::new(
            kind,
            Span32 {
                start,
                end: self.end,
            },
        );
        if expr.height() > MAX_HEIGHT {
            return Err(self.error(format!(
                "the expression chains more than {MAX_HEIGHT} operations"
            )));
        }
        Ok(Box::new(expr))
    }

    /// Counts `more` nodes against the limit.
    pub(super) fn count_nodes(&mut self, more: u32) -> Result<(), ParseError> {
        self.nodes += more;
        if self.nodes > MAX_NODES {
            return Err(self.error(format!(
                "the expression has more than the {MAX_NODES} nodes that expr allows"
            )));
        }
        Ok(())
    }

    /// Goes one level deeper; [`Self::leave`] comes back.
    pub(super) fn enter(&mut self) -> Result<(), ParseError> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(self.error(format!(
                "the expression is nested deeper than {MAX_NESTING} levels"
            )));
        }
        Ok(())
    }

    /// Comes back from a level that [`Self::enter`] went into.
    pub(super) fn leave(&mut self) {
        self.nesting = self.nesting.saturating_sub(1);
    }

    /// Takes the token in hand.
    pub(super) fn advance(&mut self) -> Result<Token<'a>, ParseError> {
        let next = match self.ahead.take() {
            Some(token) => token,
            None => self.lexer.next_token()?,
        };
        self.end = self.current.span.end;
        Ok(std::mem::replace(&mut self.current, next))
    }

    /// The token after the one in hand, left in place.
    pub(super) fn peek(&mut self) -> Result<&Token<'a>, ParseError> {
        let ahead = match self.ahead.take() {
            Some(token) => token,
            None => self.lexer.next_token()?,
        };
        Ok(self.ahead.insert(ahead))
    }

    /// Takes an identifier; `wanted` says in an error what it was to be.
    pub(super) fn name(&mut self, wanted: &str) -> Result<(&'a str, Span32), ParseError> {
        match self.current.kind {
            TokenKind::Identifier(name) => Ok((name, self.advance()?.span)),
            _ => Err(self.unexpected(wanted)),
        }
    }

    /// Takes the operator `text`; `wanted` says in an error what was expected.
    pub(super) fn expect_operator(&mut self, text: &str, wanted: &str) -> Result<(), ParseError> {
        if !self.current.is_operator(text) {
            return Err(self.unexpected(wanted));
        }
        self.advance().map(drop)
    }

    /// Takes the bracket `which`.
    pub(super) fn expect_bracket(&mut self, which: char) -> Result<(), ParseError> {
        if !self.current.is_bracket(which) {
            return Err(self.unexpected(&format!("`{which}`")));
        }
        self.advance().map(drop)
    }

    /// `token` as an error message shows it.
    pub(super) fn describe(&self, token: &Token<'_>) -> String {
        token.describe(self.text)
    }

    /// An error at the token in hand.
    pub(super) fn error(&self, message: String) -> ParseError {
        ParseError {
            offset: self.current.span.start,
            message,
        }
    }

    /// An error at the token in hand that should have been `wanted`.
    pub(super) fn unexpected(&self, wanted: &str) -> ParseError {
        self.error(format!(
            "expected {wanted}, found {}",
            self.describe(&self.current)
        ))
    }
}
