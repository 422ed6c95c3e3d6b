//! Reads operators between operands, from loosest to tightest, and the choice `a ? b : c` around them.

use super::ParseError;
use super::ast::{BinaryOp, CallForm, ComparisonStep, ConditionalForm, Expr, ExprKind, UnaryOp};
use super::parser::{Parsed, Parser};
use super::precedence::{Binding, Infix, infix, may_be_negated};
use super::token::TokenKind;

impl Parser<'_> {
    /// An expression of operators that bind at least as tightly as `min` (source: expr-lang v1.17 parser/parser.go, `parseExpression`).
    pub(super) fn expression(&mut self, min: u32) -> Parsed {
        self.enter()?;
        let expr = if min == 0 && self.current.is_operator("let") {
            self.declaration()
        } else if min == 0 && self.current.is_operator("if") {
            self.conditional_if()
        } else {
            self.operators(min)
        }?;
        self.leave();
        Ok(expr)
    }

    fn operators(&mut self, min: u32) -> Parsed {
        let start = self.current.span.start;
        let mut left = self.primary()?;
        let mut after_coalesce = false;
        while let TokenKind::Operator(text) = self.current.kind {
            let negated = text == "not";
            let Some(binding) = (if negated {
                self.negated_operator()?
            } else {
                infix(text)
            }) else {
                break;
            };
            if binding.precedence < min {
                break;
            }
            if negated {
                self.advance()?;
            }
            let operator = self.advance()?;
            if binding.infix != Infix::Pipe && after_coalesce && binding.infix != Infix::Coalesce {
                let message = format!(
                    "{} and `??` cannot be mixed without parentheses around one of them",
                    self.describe(&operator)
                );
                return Err(ParseError {
                    offset: operator.span.start,
                    message,
                });
            }
            left = self.infix_operation(left, start, binding)?;
            if negated {
                left = self.node(
                    ExprKind::Unary {
                        op: UnaryOp::Not,
                        operand: left,
                    },
                    start,
                )?;
            }
            after_coalesce = binding.infix == Infix::Coalesce;
        }
        if min == 0 {
            self.ternary(left, start)
        } else {
            Ok(left)
        }
    }

    /// The operator after the `not` in hand, as in `a not in b`.
    fn negated_operator(&mut self) -> Result<Option<Binding>, ParseError> {
        let ahead = self.peek()?;
        let binding = match &ahead.kind {
            TokenKind::Operator(text) => infix(text),
            // expr looks at the text of the token only, so a string serves as well: `a not "in" b`.
            TokenKind::Str(text) => infix(text),
            _ => None,
        };
        match binding {
            Some(Binding {
                infix: Infix::Plain(op),
                ..
            }) if may_be_negated(op) => Ok(binding),
            _ => {
                let (found, offset) = (ahead.clone(), ahead.span.start);
                let message = format!(
                    "expected `in`, `matches`, `contains`, `startsWith` or `endsWith` after `not`, found {}",
                    self.describe(&found)
                );
                Err(ParseError { offset, message })
            }
        }
    }

    /// What follows the operator just taken, joined with `left`.
    fn infix_operation(&mut self, left: Box<Expr>, start: u32, binding: Binding) -> Parsed {
        let above = binding.precedence + 1;
        match binding.infix {
            Infix::Pipe => {
                let (name, span) = self.name("the name of a function after `|`")?;
                self.call(name, span, Some(left), start, CallForm::Pipe)
            }
            Infix::Compare(op) => self.comparison(left, start, op, above),
            Infix::Range => {
                let to = self.expression(above)?;
                self.node(ExprKind::Range { from: left, to }, start)
            }
            Infix::Coalesce => {
                let right = self.expression(above)?;
                self.node(ExprKind::Coalesce { left, right }, start)
            }
            Infix::Plain(op) => {
                let min = if binding.right_associative {
                    binding.precedence
                } else {
                    above
                };
                let right = self.expression(min)?;
                self.node(ExprKind::Binary { op, left, right }, start)
            }
        }
    }

    /// `a < b`, or a chain `a < b <= c` (source: `parseComparison`).
    fn comparison(&mut self, first: Box<Expr>, start: u32, op: BinaryOp, above: u32) -> Parsed {
        let operand = self.expression(above)?;
        let mut rest = Vec::new();
        while let TokenKind::Operator(text) = self.current.kind
            && let Some(Binding {
                infix: Infix::Compare(op),
                ..
            }) = infix(text)
        {
            self.advance()?;
            // expr makes two nodes of each further step: the comparison and its `&&`.
            self.count_nodes(2)?;
            rest.push(ComparisonStep {
                op,
                operand: *self.expression(above)?,
            });
        }
        if rest.is_empty() {
            return self.node(
                ExprKind::Binary {
                    op,
                    left: first,
                    right: operand,
                },
                start,
            );
        }
        rest.insert(
            0,
            ComparisonStep {
                op,
                operand: *operand,
            },
        );
        self.node(ExprKind::Comparison { first, rest }, start)
    }

    /// `a ? b : c` and `a ?: c` after `a` (source: `parseConditional`).
    fn ternary(&mut self, mut left: Box<Expr>, start: u32) -> Parsed {
        while self.current.is_operator("?") {
            self.advance()?;
            let (form, then) = if self.current.is_operator(":") {
                self.advance()?;
                (ConditionalForm::Elvis, None)
            } else {
                let then = self.expression(0)?;
                self.expect_operator(":", "an operator, or `:` before the other value of `?`")?;
                (ConditionalForm::Ternary, Some(then))
            };
            let otherwise = self.expression(0)?;
            let condition = left;
            left = self.node(
                ExprKind::Conditional {
                    form,
                    condition,
                    then,
                    otherwise,
                },
                start,
            )?;
        }
        Ok(left)
    }
}
