//! Reads operators, choices, `let` and sequences: the frame that calls, members and literals hang in.
//!
//! Follows expr-lang v1.17 parser/parser.go function by function, so that both take the same texts.

use super::ast::{
    BinaryOp, CallForm, ComparisonStep, ConditionalForm, Expr, ExprKind, Span32, UnaryOp,
};
use super::lexer::Lexer;
use super::number::number;
use super::precedence::{Binding, Infix, infix, may_be_negated, prefix};
use super::token::{Token, TokenKind};
use super::{MAX_HEIGHT, MAX_NESTING, MAX_NODES, ParseError};

type Parsed = Result<Expr, ParseError>;

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
pub(super) fn parse(text: &str) -> Parsed {
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
        TokenKind::End => Ok(expr),
        _ => Err(parser.unexpected("an operator or the end of the expression")),
    }
}

impl<'a> Parser<'a> {
    /// `a; b; c`, or just one expression (source: `parseSequenceExpression`).
    pub(super) fn sequence(&mut self) -> Parsed {
        let start = self.current.span.start;
        let first = self.expression(0)?;
        let mut rest = Vec::new();
        while self.current.is_operator(";") {
            self.advance()?;
            if self.current.kind == TokenKind::End {
                break;
            }
            rest.push(self.expression(0)?);
        }
        if rest.is_empty() {
            return Ok(first);
        }
        rest.insert(0, first);
        self.node(ExprKind::Sequence(rest), start)
    }

    /// An expression of operators that bind at least as tightly as `min` (source: `parseExpression`).
    pub(super) fn expression(&mut self, min: u32) -> Parsed {
        self.enter()?;
        let expr = if min == 0 && self.current.is_operator("let") {
            self.declaration()
        } else if min == 0 && self.current.is_operator("if") {
            self.conditional_if()
        } else {
            self.operators(min)
        }?;
        self.nesting -= 1;
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
                    operator.describe(self.text)
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
                        operand: Box::new(left),
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
                    found.describe(self.text)
                );
                Err(ParseError { offset, message })
            }
        }
    }

    /// What follows the operator just taken, joined with `left`.
    fn infix_operation(&mut self, left: Expr, start: u32, binding: Binding) -> Parsed {
        let above = binding.precedence + 1;
        match binding.infix {
            Infix::Pipe => {
                let (name, span) = self.name("the name of a function after `|`")?;
                self.call(name, span, Some(left), start, CallForm::Pipe)
            }
            Infix::Compare(op) => self.comparison(left, start, op, above),
            Infix::Range => {
                let to = Box::new(self.expression(above)?);
                self.node(
                    ExprKind::Range {
                        from: Box::new(left),
                        to,
                    },
                    start,
                )
            }
            Infix::Coalesce => {
                let right = Box::new(self.expression(above)?);
                self.node(
                    ExprKind::Coalesce {
                        left: Box::new(left),
                        right,
                    },
                    start,
                )
            }
            Infix::Plain(op) => {
                let min = if binding.right_associative {
                    binding.precedence
                } else {
                    above
                };
                let right = Box::new(self.expression(min)?);
                self.node(
                    ExprKind::Binary {
                        op,
                        left: Box::new(left),
                        right,
                    },
                    start,
                )
            }
        }
    }

    /// `a < b`, or a chain `a < b <= c` (source: `parseComparison`).
    fn comparison(&mut self, first: Expr, start: u32, op: BinaryOp, above: u32) -> Parsed {
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
                operand: self.expression(above)?,
            });
        }
        let first = Box::new(first);
        if rest.is_empty() {
            return self.node(
                ExprKind::Binary {
                    op,
                    left: first,
                    right: Box::new(operand),
                },
                start,
            );
        }
        rest.insert(0, ComparisonStep { op, operand });
        self.node(ExprKind::Comparison { first, rest }, start)
    }

    /// `let name = value; body` (source: `parseVariableDeclaration`).
    fn declaration(&mut self) -> Parsed {
        let start = self.current.span.start;
        self.advance()?;
        let (name, name_span) = self.name("a variable name after `let`")?;
        self.expect_operator("=", "`=` after the variable name")?;
        let value = Box::new(self.expression(0)?);
        self.expect_operator(";", "an operator, or `;` after the value of the variable")?;
        let body = Box::new(self.sequence()?);
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
    fn conditional_if(&mut self) -> Parsed {
        let start = self.current.span.start;
        self.advance()?;
        let condition = Box::new(self.expression(0)?);
        let then = Some(Box::new(self.block()?));
        self.expect_operator("else", "`else`, without which there is no `if`")?;
        let otherwise = Box::new(if self.current.is_operator("if") {
            self.enter()?;
            let nested = self.conditional_if()?;
            self.nesting -= 1;
            nested
        } else {
            self.block()?
        });
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

    /// `a ? b : c` and `a ?: c` after `a` (source: `parseConditional`).
    fn ternary(&mut self, mut left: Expr, start: u32) -> Parsed {
        while self.current.is_operator("?") {
            self.advance()?;
            let (form, then) = if self.current.is_operator(":") {
                self.advance()?;
                (ConditionalForm::Elvis, None)
            } else {
                let then = self.expression(0)?;
                self.expect_operator(":", "an operator, or `:` before the other value of `?`")?;
                (ConditionalForm::Ternary, Some(Box::new(then)))
            };
            let otherwise = Box::new(self.expression(0)?);
            let condition = Box::new(left);
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

    /// An operand with its prefix operators and its members (source: `parsePrimary`).
    fn primary(&mut self) -> Parsed {
        let start = self.current.span.start;
        match self.current.kind {
            TokenKind::Operator(text) => {
                if let Some((op, precedence)) = prefix(text) {
                    self.advance()?;
                    let operand = Box::new(self.expression(precedence)?);
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
        let node = Expr::new(ExprKind::Pointer(name), Span32 { start, end: start });
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

    /// A node from `start` to the last token taken, counted against the limits (source: `createNode`).
    pub(super) fn node(&mut self, kind: ExprKind, start: u32) -> Parsed {
        self.count_nodes(1)?;
        self.uncounted(kind, start)
    }

    fn uncounted(&mut self, kind: ExprKind, start: u32) -> Parsed {
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
        Ok(expr)
    }

    pub(super) fn count_nodes(&mut self, more: u32) -> Result<(), ParseError> {
        self.nodes += more;
        if self.nodes > MAX_NODES {
            return Err(self.error(format!(
                "the expression has more than the {MAX_NODES} nodes that expr allows"
            )));
        }
        Ok(())
    }

    fn enter(&mut self) -> Result<(), ParseError> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(self.error(format!(
                "the expression is nested deeper than {MAX_NESTING} levels"
            )));
        }
        Ok(())
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

    fn peek(&mut self) -> Result<&Token<'a>, ParseError> {
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

    pub(super) fn expect_bracket(&mut self, which: char) -> Result<(), ParseError> {
        if !self.current.is_bracket(which) {
            return Err(self.unexpected(&format!("`{which}`")));
        }
        self.advance().map(drop)
    }

    /// An error at the token in hand.
    pub(super) fn error(&self, message: String) -> ParseError {
        ParseError {
            offset: self.current.span.start,
            message,
        }
    }

    pub(super) fn unexpected(&self, wanted: &str) -> ParseError {
        self.error(format!(
            "expected {wanted}, found {}",
            self.current.describe(self.text)
        ))
    }

    fn unexpected_operand(&self) -> ParseError {
        match self.current.kind {
            TokenKind::Operator("#" | ".") => self.error(format!(
                "{} refers to an element and can only be used in the predicate of a function like `filter`",
                self.current.describe(self.text)
            )),
            TokenKind::Operator(word @ ("let" | "if")) => {
                self.error(format!("`{word}` cannot be an operand without parentheses around it"))
            }
            _ => self.unexpected("a value"),
        }
    }
}
