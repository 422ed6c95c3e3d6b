//! Reads what may follow an operand: members, methods, indexes and slices.

use super::ast::{Expr, ExprKind};
use super::parser::{Parsed, Parser};
use super::token::TokenKind;

impl Parser<'_> {
    /// Every member, index and slice after `node`, which began at `start`
    /// (source: expr-lang v1.17 parser/parser.go, `parsePostfixExpression`).
    pub(super) fn postfix(&mut self, mut node: Box<Expr>, start: u32) -> Parsed {
        loop {
            let optional = self.current.is_operator("?.");
            if optional || self.current.is_operator(".") {
                self.advance()?;
                node = if optional && self.current.is_bracket('[') {
                    self.index(node, start, true)?
                } else {
                    self.field(node, start, optional)?
                };
            } else if self.current.is_bracket('[') {
                node = self.index(node, start, false)?;
            } else {
                return Ok(node);
            }
        }
    }

    /// The name after a `.` or `?.`, and the arguments if it is a method.
    fn field(&mut self, node: Box<Expr>, start: u32, optional: bool) -> Parsed {
        let property_start = self.current.span.start;
        let name = match self.current.kind {
            TokenKind::Identifier(name) => name,
            // Words like `not` and `matches` are operators elsewhere, but good names of members.
            TokenKind::Operator(word) if word.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                word
            }
            _ => return Err(self.unexpected("the name of a member")),
        };
        self.advance()?;
        let property = self.node(ExprKind::Str(name.to_owned()), property_start)?;
        let (object, in_chain) = match node.kind {
            ExprKind::Chain(inner) => (inner, true),
            _ => (node, false),
        };
        let mut node = self.node(
            ExprKind::Member {
                object,
                property,
                optional,
                computed: false,
            },
            start,
        )?;
        if self.current.is_bracket('(') {
            node = self.method(node, start)?;
        }
        if in_chain || optional {
            node = self.node(ExprKind::Chain(node), start)?;
        }
        Ok(node)
    }

    /// `[key]`, or a slice `[from:to]` with either end left out.
    fn index(&mut self, object: Box<Expr>, start: u32, optional: bool) -> Parsed {
        self.advance()?;
        if self.current.is_operator(":") {
            return self.slice(object, None, start);
        }
        let property = self.expression(0)?;
        if self.current.is_operator(":") {
            return self.slice(object, Some(property), start);
        }
        self.expect_bracket(']')?;
        let node = self.node(
            ExprKind::Member {
                object,
                property,
                optional,
                computed: true,
            },
            start,
        )?;
        if optional {
            self.node(ExprKind::Chain(node), start)
        } else {
            Ok(node)
        }
    }

    /// The `:` of a slice and what follows. As in expr, a `?.` before the bracket has no effect on a slice.
    fn slice(&mut self, object: Box<Expr>, from: Option<Box<Expr>>, start: u32) -> Parsed {
        self.advance()?;
        let to = if self.current.is_bracket(']') {
            None
        } else {
            Some(self.expression(0)?)
        };
        self.expect_bracket(']')?;
        self.node(ExprKind::Slice { object, from, to }, start)
    }
}
