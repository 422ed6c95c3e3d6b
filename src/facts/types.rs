//! Type errors that show from the literals of an expression alone.

use crate::expr::{BinaryOp, Expr, ExprKind, UnaryOp};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Text,
    Bool,
}

/// The sentence that says why a node fails whatever the record holds, when it does.
///
/// Source: expr-lang v1.17 checker/checker.go: arithmetic wants numbers (`+` also two strings),
/// comparison wants equal kinds, logic wants booleans.
pub(super) fn mismatch(expr: &Expr, text: &str) -> Option<String> {
    let (op, left, right) = match &expr.kind {
        ExprKind::Binary { op, left, right } => (*op, left, right),
        ExprKind::Unary {
            op: UnaryOp::Neg | UnaryOp::Plus,
            operand,
        } => {
            return (kind_of(operand)? != Kind::Number)
                .then(|| format!("`{}` is a sign before no number", expr.span.slice(text)));
        }
        _ => return None,
    };
    let (left, right) = (kind_of(left), kind_of(right));
    let wrong = match op {
        BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem | BinaryOp::Pow => {
            [left, right]
                .iter()
                .flatten()
                .any(|kind| *kind != Kind::Number)
        }
        BinaryOp::Add | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
            [left, right]
                .iter()
                .flatten()
                .any(|kind| *kind == Kind::Bool)
                || matches!((left, right), (Some(left), Some(right)) if left != right)
        }
        BinaryOp::And | BinaryOp::Or => [left, right]
            .iter()
            .flatten()
            .any(|kind| *kind != Kind::Bool),
        _ => false,
    };
    wrong.then(|| {
        format!(
            "`{}` joins values of kinds that do not go together",
            expr.span.slice(text)
        )
    })
}

fn kind_of(expr: &Expr) -> Option<Kind> {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Float(_) => Some(Kind::Number),
        ExprKind::Str(_) => Some(Kind::Text),
        ExprKind::Bool(_) => Some(Kind::Bool),
        _ => None,
    }
}
