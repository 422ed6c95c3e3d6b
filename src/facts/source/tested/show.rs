//! Expressions of a test as text, and what their names tell.

use std::fmt::Write as _;

use crate::facts::source::walk::{self, Part};
use crate::model::source::{Block, Expr, ExprKind, Operator, StmtKind};

/// How often a loop surely runs: a constant bound, or once.
pub(super) fn rounds(over: Option<&Expr>, each: bool, body: &Block) -> usize {
    let leaves = body
        .stmts
        .iter()
        .any(|stmt| matches!(stmt.kind, StmtKind::Leave(_) | StmtKind::Return(_)));
    if leaves {
        return 1;
    }
    over.and_then(|over| bound(over, each)).unwrap_or(1).max(1)
}

/// How often something goes over a list, or counts to a number, that is written down.
pub(super) fn bound(over: &Expr, each: bool) -> Option<usize> {
    match &over.kind {
        // `range 2`, and `range(2)`.
        ExprKind::Number(_) if each => number(over),
        ExprKind::Call(call) if each => match (&call.callee.kind, call.args.as_slice()) {
            (ExprKind::Name(name), [to]) if &**name == "range" => number(to),
            _ => None,
        },
        // `0..2`.
        ExprKind::Other(parts) if each => match parts.as_slice() {
            [from, to] => number(from)
                .zip(number(to))
                .map(|(from, to)| to.saturating_sub(from)),
            _ => None,
        },
        ExprKind::Binary {
            op: Operator::Less,
            right,
            ..
        } if !each => number(right),
        ExprKind::Make { fields, .. } if each => Some(fields.len()),
        _ => None,
    }
}

fn number(expr: &Expr) -> Option<usize> {
    match &expr.kind {
        ExprKind::Number(text) => text.parse().ok(),
        _ => None,
    }
}

/// `n` of `n < 2`.
pub(super) fn counter(over: &Expr) -> Option<&str> {
    match &over.kind {
        ExprKind::Binary { left, .. } => walk::whole(left),
        _ => None,
    }
}

/// True if a name stands in what is shown.
pub(super) fn speaks_of(shown: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    shown.split(|c| !is_part(c)).any(|word| word == name)
}

/// True of a condition that only asks whether there was an error: it says nothing about rows.
pub(super) fn is_about_errors(condition: &Expr) -> bool {
    match &condition.kind {
        ExprKind::Binary {
            op: Operator::And | Operator::Or,
            left,
            right,
        } => is_about_errors(left) && is_about_errors(right),
        ExprKind::Binary {
            op: Operator::NotEqual,
            left,
            right,
        } => is_nil(left) || is_nil(right),
        ExprKind::Bool(_) => true,
        _ => false,
    }
}

/// True of `err == nil`.
pub(super) fn asks_for_success(condition: &Expr) -> bool {
    match &condition.kind {
        ExprKind::Binary {
            op: Operator::Equal,
            left,
            right,
        } => is_nil(left) || is_nil(right),
        _ => false,
    }
}

fn is_nil(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Nil)
}

/// True if nothing of an expression can differ: comparing it compares nothing.
pub(super) fn is_constant(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Text(_) | ExprKind::Number(_) | ExprKind::Bool(_) | ExprKind::Nil => true,
        ExprKind::Binary { left, right, .. } => is_constant(left) && is_constant(right),
        ExprKind::Not(of) => is_constant(of),
        _ => false,
    }
}

/// An expression as text: the same text where it is the same value at two places, as far as names tell.
pub(super) fn show(expr: &Expr, out: &mut String) {
    match &expr.kind {
        ExprKind::Name(name) => out.push_str(name),
        ExprKind::Text(text) => _ = write!(out, "{text:?}"),
        ExprKind::Number(text) => out.push_str(text),
        ExprKind::Bool(truth) => _ = write!(out, "{truth}"),
        ExprKind::Nil => out.push_str("nil"),
        ExprKind::Field { of, name, .. } => {
            show(of, out);
            _ = write!(out, ".{name}");
        }
        // `event.clone()`, `event.copy()`: a method that is given nothing gives what its value is.
        ExprKind::Call(call) if call.args.is_empty() && is_copy(&call.callee) => {
            if let ExprKind::Field { of, .. } = &call.callee.kind {
                show(of, out);
            }
        }
        // Made anew at each place; in a loop it is the same text.
        _ => {
            _ = write!(out, "@{}:{}(", expr.at.line, expr.at.column);
            walk::parts(expr, &mut |part| {
                if let Part::Expr(inner) = part {
                    show(inner, out);
                    out.push(' ');
                }
            });
            out.push(')');
        }
    }
}

/// True of a method by which a language hands over a copy.
fn is_copy(callee: &Expr) -> bool {
    matches!(
        &callee.kind,
        ExprKind::Field { name, .. } if matches!(&**name, "clone" | "copy" | "to_owned" | "deepcopy")
    )
}
