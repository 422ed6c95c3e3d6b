//! Reads what has a body: sequences, `let` and `if`.

use super::ast::{ConditionalForm, ExprKind};
use super::parser::{Parsed, Parser};
use super::token::TokenKind;

impl Parser<'_> {
    /// `a; b; c`, or just one expression (source: expr-lang v1.17 parser/parser.go, `parseSequenceExpression`).
    pub(super) fn sequence(&mut self) -> Parsed {
        let start = self.current.span.start;
        let first = self.expression(0)?;
        let mut rest = Vec::new();
        while self.current.is_operator(";") {
            self.advance()?;
            if self.current.kind == TokenKind::End {
                break;
            }
            rest.push(*self.expression(0)?);
        }
        if rest.is_empty() {
            return Ok(first);
        }
        rest.insert(0, *first);
        self.node(ExprKind::Sequence(rest), start)
    }

    /// `let name = value; body` (source: `parseVariableDeclaration`).
    pub(super) fn declaration(&mut self) -> Parsed {
        let start = self.current.span.start;
        self.advance()?;
        let (name, name_span) = self.name("a variable name after `let`")?;
        self.expect_operator("=", "`=` after the variable name")?;
        let value = self.expression(0)?;
        self.expect_operator(";", "an operator, or `;` after the value of the variable")?;
        let body = self.sequence()?;
        self.node(
            ExprKind::Let {
                name: name.to_owned(),
                name_span,
                value,
                body,
            },
            start,
        )
    }

    /// `if a { b } else { c }` (source: `parseConditionalIf`).
    pub(super) fn conditional_if(&mut self) -> Parsed {
        let start = self.current.span.start;
        self.advance()?;
        let condition = self.expression(0)?;
        let then = Some(self.block()?);
        self.expect_operator("else", "`else`, without which there is no `if`")?;
        let otherwise = if self.current.is_operator("if") {
            self.enter()?;
            let nested = self.conditional_if()?;
            self.leave();
            nested
        } else {
            self.block()?
        };
        self.uncounted(
            ExprKind::Conditional {
                form: ConditionalForm::If,
                condition,
                then,
                otherwise,
            },
            start,
        )
    }

    fn block(&mut self) -> Parsed {
        self.expect_bracket('{')?;
        let body = self.sequence()?;
        self.expect_bracket('}')?;
        Ok(body)
    }
}
