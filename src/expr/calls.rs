//! Reads calls: plain functions, builtins, and the predicates that some builtins take.

use super::ParseError;
use super::ast::{CallForm, Expr, ExprKind, Span32};
use super::builtins::{Parameter, builtin, predicate_parameters};
use super::parser::{Parsed, Parser};

impl<'a> Parser<'a> {
    /// The brackets after the function `name` and its node; `piped` is its first argument in a pipe
    /// (source: expr-lang v1.17 parser/parser.go, `parseCall`).
    pub(super) fn call(
        &mut self,
        name: &'a str,
        name_span: Span32,
        piped: Option<Box<Expr>>,
        start: u32,
        form: CallForm,
    ) -> Parsed {
        if let Some(parameters) = predicate_parameters(name) {
            let args = self.predicate_arguments(name, parameters, piped)?;
            return self.node(
                ExprKind::Builtin {
                    name: name.to_owned(),
                    name_span,
                    args,
                    form,
                },
                start,
            );
        }
        if builtin(name).is_some() {
            let args = self.arguments(piped)?;
            return self.node(
                ExprKind::Builtin {
                    name: name.to_owned(),
                    name_span,
                    args,
                    form,
                },
                start,
            );
        }
        self.count_nodes(1)?;
        let callee = Box::new(Expr::new(ExprKind::Ident(name.to_owned()), name_span));
        let args = self.arguments(piped)?;
        self.node(ExprKind::Call { callee, args, form }, start)
    }

    /// The arguments of the method `callee` and its node.
    pub(super) fn method(&mut self, callee: Box<Expr>, start: u32) -> Parsed {
        let args = self.arguments(None)?;
        self.node(
            ExprKind::Call {
                callee,
                args,
                form: CallForm::Plain,
            },
            start,
        )
    }

    /// `(a, b,)` of a function without a predicate; any number (source: `parseArguments`).
    fn arguments(&mut self, piped: Option<Box<Expr>>) -> Result<Vec<Expr>, ParseError> {
        self.expect_bracket('(')?;
        let mut args = Vec::from_iter(piped.map(|value| *value));
        let mut is_first = true;
        while !self.current.is_bracket(')') {
            if !is_first {
                self.expect_operator(",", "an operator, `,` or `)`")?;
                if self.current.is_bracket(')') {
                    break;
                }
            }
            is_first = false;
            args.push(*self.expression(0)?);
        }
        self.expect_bracket(')')?;
        Ok(args)
    }

    /// `(a, predicate)` of the builtin `name` (source: `parseCall`).
    fn predicate_arguments(
        &mut self,
        name: &str,
        parameters: &[Parameter],
        piped: Option<Box<Expr>>,
    ) -> Result<Vec<Expr>, ParseError> {
        self.expect_bracket('(')?;
        let mut args = Vec::from_iter(piped.map(|value| *value));
        let mut is_first = true;
        for parameter in parameters.iter().skip(args.len()) {
            if self.current.is_bracket(')') {
                if parameter.is_optional {
                    break;
                }
                let missing = if parameter.is_predicate {
                    "its predicate"
                } else {
                    "what it works on"
                };
                return Err(self.error(format!("`{name}` lacks {missing}")));
            }
            if !is_first {
                self.expect_operator(",", "an operator, `,` or `)`")?;
            }
            is_first = false;
            args.push(if parameter.is_predicate {
                *self.closure()?
            } else {
                *self.expression(0)?
            });
        }
        if self.current.is_operator(",") {
            self.advance()?;
        }
        self.expect_bracket(')')?;
        Ok(args)
    }

    /// A predicate, bare or as `{ a; b }` (source: `parsePredicate`).
    fn closure(&mut self) -> Parsed {
        let start = self.current.span.start;
        self.closures += 1;
        let body = if self.current.is_bracket('{') {
            self.advance()?;
            let body = self.sequence()?;
            self.expect_bracket('}')?;
            body
        } else {
            let body = self.expression(0)?;
            if self.current.is_operator(";") {
                return Err(self
                    .error("a predicate of several steps needs `{` and `}` around it".to_owned()));
            }
            body
        };
        self.closures -= 1;
        self.node(ExprKind::Closure { body }, start)
    }
}
