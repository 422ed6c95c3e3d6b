//! Reads operands: prefix operators, parentheses, pointers, literals, names and calls.

use super::ParseError;
use super::ast::{CallForm, Expr, ExprKind, Span32};
use super::number::number;
use super::parser::{Parsed, Parser};
use super::precedence::prefix;
use super::token::TokenKind;

impl Parser<'_> {
    /// An operand with its prefix operators and its members (source: expr-lang v1.17 parser/parser.go, `parsePrimary`).
    pub(super) fn primary(&mut self) -> Parsed {
        let start = self.current.span.start;
        match self.current.kind {
            TokenKind::Operator(text) => {
                if let Some((op, precedence)) = prefix(text) {
                    self.advance()?;
                    let operand = self.expression(precedence)?;
                    let node = self.node(ExprKind::Unary { op, operand }, start)?;
                    return self.postfix(node, start);
                }
                if self.closures > 0 && (text == "#" || text == ".") {
                    return self.pointer(start);
                }
                if text == "::" {
                    self.advance()?;
                    let (name, span) = self.name("the name of a function after `::`")?;
                    let call = self.call(name, span, None, start, CallForm::Global)?;
                    return self.postfix(call, start);
                }
                Err(self.unexpected_operand())
            }
            TokenKind::Bracket('(') => {
                self.advance()?;
                let inner = self.sequence()?;
                self.expect_bracket(')')?;
                self.postfix(inner, start)
            }
            _ => self.secondary(start),
        }
    }

    /// `#`, `#name`, or nothing before a `.field` (source: `parsePrimary`).
    fn pointer(&mut self, start: u32) -> Parsed {
        let mut name = String::new();
        if self.current.is_operator("#") {
            self.advance()?;
            if let TokenKind::Identifier(found) = self.current.kind {
                found.clone_into(&mut name);
                self.advance()?;
            }
            let node = self.node(ExprKind::Pointer(name), start)?;
            return self.postfix(node, start);
        }
        self.count_nodes(1)?;
        let node = Box::new(Expr::new(
            ExprKind::Pointer(name),
            Span32 { start, end: start },
        ));
        self.postfix(node, start)
    }

    /// A literal, a name or a call (source: `parseSecondary`); literals other than strings take no members.
    fn secondary(&mut self, start: u32) -> Parsed {
        let node = match self.current.kind {
            TokenKind::Identifier(name) => {
                let span = self.advance()?.span;
                match name {
                    "true" => return self.node(ExprKind::Bool(true), start),
                    "false" => return self.node(ExprKind::Bool(false), start),
                    "nil" => return self.node(ExprKind::Nil, start),
                    _ if self.current.is_bracket('(') => {
                        self.call(name, span, None, start, CallForm::Plain)?
                    }
                    _ => self.node(ExprKind::Ident(name.to_owned()), start)?,
                }
            }
            TokenKind::Number(written) => {
                self.advance()?;
                let kind = number(written).map_err(|message| ParseError {
                    offset: start,
                    message,
                })?;
                return self.node(kind, start);
            }
            TokenKind::Str(_) | TokenKind::Bytes(_) => {
                let kind = match self.advance()?.kind {
                    TokenKind::Str(value) => ExprKind::Str(value),
                    TokenKind::Bytes(value) => ExprKind::Bytes(value),
                    _ => ExprKind::Nil,
                };
                self.node(kind, start)?
            }
            TokenKind::Bracket('[') => self.array()?,
            TokenKind::Bracket('{') => self.map()?,
            _ => return Err(self.unexpected_operand()),
        };
        self.postfix(node, start)
    }

    fn unexpected_operand(&self) -> ParseError {
        match self.current.kind {
            TokenKind::Operator("#" | ".") => self.error(format!(
                "{} refers to an element and can only be used in the predicate of a function like `filter`",
                self.describe(&self.current)
            )),
            TokenKind::Operator(word @ ("let" | "if")) => {
                self.error(format!("`{word}` cannot be an operand without parentheses around it"))
            }
            _ => self.unexpected("a value"),
        }
    }
}
