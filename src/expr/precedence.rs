//! The operator tables: how tightly each operator binds, and to which side.

use super::ast::{BinaryOp, UnaryOp};

/// What the parser builds of an operator between two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Infix {
    /// A value handed to a function: `|`.
    Pipe,
    /// `..`.
    Range,
    /// `??`.
    Coalesce,
    /// `<`, `<=`, `>`, `>=`: several in a row are one chain.
    Compare(BinaryOp),
    /// Any other.
    Plain(BinaryOp),
}

/// Binding power of an operator between two operands; higher binds tighter
/// (source: expr-lang v1.17 parser/operator/operator.go, `Binary`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Binding {
    /// What it makes.
    pub(super) infix: Infix,
    /// Binding power, from 0 (`|`) to 500 (`??`).
    pub(super) precedence: u32,
    /// Whether the right operand may hold the same operator again (`**`).
    pub(super) right_associative: bool,
}

/// How the operator written as `text` binds between two operands; `None` where it cannot stand there.
pub(super) fn infix(text: &str) -> Option<Binding> {
    let (infix, precedence) = match text {
        "|" => (Infix::Pipe, 0),
        "or" | "||" => (Infix::Plain(BinaryOp::Or), 10),
        "and" | "&&" => (Infix::Plain(BinaryOp::And), 15),
        "==" => (Infix::Plain(BinaryOp::Eq), 20),
        "!=" => (Infix::Plain(BinaryOp::Ne), 20),
        "<" => (Infix::Compare(BinaryOp::Lt), 20),
        ">" => (Infix::Compare(BinaryOp::Gt), 20),
        "<=" => (Infix::Compare(BinaryOp::Le), 20),
        ">=" => (Infix::Compare(BinaryOp::Ge), 20),
        "in" => (Infix::Plain(BinaryOp::In), 20),
        "matches" => (Infix::Plain(BinaryOp::Matches), 20),
        "contains" => (Infix::Plain(BinaryOp::Contains), 20),
        "startsWith" => (Infix::Plain(BinaryOp::StartsWith), 20),
        "endsWith" => (Infix::Plain(BinaryOp::EndsWith), 20),
        ".." => (Infix::Range, 25),
        "+" => (Infix::Plain(BinaryOp::Add), 30),
        "-" => (Infix::Plain(BinaryOp::Sub), 30),
        "*" => (Infix::Plain(BinaryOp::Mul), 60),
        "/" => (Infix::Plain(BinaryOp::Div), 60),
        "%" => (Infix::Plain(BinaryOp::Rem), 60),
        "**" | "^" => (Infix::Plain(BinaryOp::Pow), 100),
        "??" => (Infix::Coalesce, 500),
        _ => return None,
    };
    let right_associative = infix == Infix::Plain(BinaryOp::Pow);
    Some(Binding {
        infix,
        precedence,
        right_associative,
    })
}

/// The operator written as `text` before one operand, and how tightly it binds it
/// (source: expr-lang v1.17 parser/operator/operator.go, `Unary`).
pub(super) fn prefix(text: &str) -> Option<(UnaryOp, u32)> {
    match text {
        "not" | "!" => Some((UnaryOp::Not, 50)),
        "-" => Some((UnaryOp::Neg, 90)),
        "+" => Some((UnaryOp::Plus, 90)),
        _ => None,
    }
}

/// Whether `not` may stand before the operator, as in `a not in b`
/// (source: expr-lang v1.17 parser/operator/operator.go, `AllowedNegateSuffix`).
pub(super) fn may_be_negated(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::In
            | BinaryOp::Matches
            | BinaryOp::Contains
            | BinaryOp::StartsWith
            | BinaryOp::EndsWith
    )
}
