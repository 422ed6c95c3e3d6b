//! Reads what may follow an operand: members, methods, indexes and slices.

use super::ParseError;
use super::ast::{Expr, ExprKind};
use super::parser::Parser;
use super::token::TokenKind;

impl Parser<'_> {
    /// Every member, index and slice after `node`, which began at `start`
    /// (source: expr-lang v1.17 parser/parser.go, `parsePostfixExpression`).
    pub(super) fn postfix(&mut self, mut node: Expr, start: u32) -> Result<Expr, ParseError> {
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
    fn field(&mut self, node: Expr, start: u32, optional: bool) -> Result<Expr, ParseError> {
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
        let property = Box::new(self.node(ExprKind::Str(name.to_owned()), property_start)?);
        let (object, in_chain) = match node {
            Expr {
                kind: ExprKind::Chain(inner),
                ..
            } => (inner, true),
            other => (Box::new(other), false),
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
            node = self.node(ExprKind::Chain(Box::new(node)), start)?;
        }
        Ok(node)
    }

    /// `[key]`, or a slice `[from:to]` with either end left out.
    fn index(&mut self, object: Expr, start: u32, optional: bool) -> Result<Expr, ParseError> {
        self.advance()?;
        let object = Box::new(object);
        if self.current.is_operator(":") {
            return self.slice(object, None, start);
        }
        let property = Box::new(self.expression(0)?);
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
            self.node(ExprKind::Chain(Box::new(node)), start)
        } else {
            Ok(node)
        }
    }

    /// The `:` of a slice and what follows. As in expr, a `?.` before the bracket has no effect on a slice.
    fn slice(
        &mut self,
        object: Box<Expr>,
        from: Option<Box<Expr>>,
        start: u32,
    ) -> Result<Expr, ParseError> {
        self.advance()?;
        let to = if self.current.is_bracket(']') {
            None
        } else {
            Some(Box::new(self.expression(0)?))
        };
        self.expect_bracket(']')?;
        self.node(ExprKind::Slice { object, from, to }, start)
    }
}
