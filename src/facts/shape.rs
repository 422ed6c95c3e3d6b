//! How an expression makes its value, and whether the value can be NULL.

use crate::expr::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::model::value::{Nullness, Root, Shape};
use crate::rules::NameKind;

use super::environment::Environment;

/// The shape of an expression.
pub(super) fn shape_of(expr: &Expr, environment: Environment<'_>) -> Shape {
    match &expr.kind {
        ExprKind::Nil
        | ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Str(_)
        | ExprKind::Bytes(_) => Shape::Constant,
        ExprKind::Chain(inner) => shape_of(inner, environment),
        ExprKind::Ident(_) => Shape::Plain,
        ExprKind::Member { object, .. } if is_name(object, environment) => Shape::Plain,
        ExprKind::Binary {
            op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div,
            left,
            right,
        } if is_plain(left, environment)
            || is_plain(right, environment)
            || shape_of(left, environment) == Shape::Accumulates =>
        {
            Shape::Accumulates
        }
        ExprKind::Unary {
            op: UnaryOp::Not | UnaryOp::Neg,
            operand,
        } if is_plain(operand, environment) => Shape::Toggles,
        ExprKind::Coalesce { left, .. } if is_plain(left, environment) => Shape::FillsEmpty,
        ExprKind::Conditional {
            condition,
            then: Some(then),
            otherwise,
            ..
        } if keeps_unless_empty(condition, then, otherwise, environment) => Shape::FillsEmpty,
        ExprKind::Call { args, .. } | ExprKind::Builtin { args, .. } => {
            call(expr, args, environment)
        }
        _ => Shape::Computed,
    }
}

/// True of `f == nil ? x : f` and `f != nil ? f : x`, also with `""` for nil: what is there stays.
fn keeps_unless_empty(
    condition: &Expr,
    then: &Expr,
    otherwise: &Expr,
    environment: Environment<'_>,
) -> bool {
    let ExprKind::Binary { op, left, right } = &condition.kind else {
        return false;
    };
    let kept = match op {
        BinaryOp::Eq => otherwise,
        BinaryOp::Ne => then,
        _ => return false,
    };
    let is_empty = match &right.kind {
        ExprKind::Nil => true,
        ExprKind::Str(text) => text.is_empty(),
        _ => false,
    };
    is_empty && is_plain(left, environment) && same_name(left, kept)
}

/// True if two plain expressions name the same field in the same way.
fn same_name(one: &Expr, other: &Expr) -> bool {
    match (&one.kind, &other.kind) {
        (ExprKind::Ident(one), ExprKind::Ident(other)) => one == other,
        (ExprKind::Str(one), ExprKind::Str(other)) => one == other,
        (
            ExprKind::Member {
                object: one,
                property: of_one,
                ..
            },
            ExprKind::Member {
                object: other,
                property: of_other,
                ..
            },
        ) => same_name(one, other) && same_name(of_one, of_other),
        _ => false,
    }
}

fn call(expr: &Expr, args: &[Expr], environment: Environment<'_>) -> Shape {
    let name = match &expr.kind {
        ExprKind::Builtin { name, .. } => name.as_str(),
        ExprKind::Call { callee, .. } => match &callee.kind {
            ExprKind::Ident(name) => name.as_str(),
            _ => return Shape::Computed,
        },
        _ => return Shape::Computed,
    };
    let normalises = environment
        .language
        .function(name)
        .is_some_and(|rule| rule.idempotent);
    match args {
        [only] if normalises && is_plain(only, environment) => Shape::Normalises,
        _ => Shape::Computed,
    }
}

fn is_plain(expr: &Expr, environment: Environment<'_>) -> bool {
    shape_of(expr, environment) == Shape::Plain
}

fn is_name(expr: &Expr, environment: Environment<'_>) -> bool {
    match &expr.kind {
        ExprKind::Ident(name) => environment.language.name(name).is_some(),
        ExprKind::Chain(inner) => is_name(inner, environment),
        _ => false,
    }
}

/// Whether an expression can evaluate to nil.
pub(super) fn null_of(expr: &Expr, environment: Environment<'_>) -> Nullness {
    match &expr.kind {
        ExprKind::Nil => Nullness::Always,
        ExprKind::Chain(inner) => null_of(inner, environment),
        ExprKind::Coalesce { left, right } => match null_of(left, environment) {
            Nullness::Never => Nullness::Never,
            Nullness::Always => null_of(right, environment),
            Nullness::Maybe | Nullness::Unknown => match null_of(right, environment) {
                Nullness::Always => Nullness::Maybe,
                other => other,
            },
        },
        ExprKind::Conditional {
            condition,
            then,
            otherwise,
            ..
        } => {
            let then = then.as_deref().unwrap_or(condition);
            either(null_of(then, environment), null_of(otherwise, environment))
        }
        ExprKind::Let { body, .. } => null_of(body, environment),
        ExprKind::Sequence(items) => items
            .last()
            .map_or(Nullness::Unknown, |last| null_of(last, environment)),
        ExprKind::Ident(name) => environment.null_of(environment.record, name),
        ExprKind::Member {
            object, property, ..
        } => member_null(object, property, environment),
        ExprKind::Builtin { name, args, .. } => function_null(name, args, environment),
        ExprKind::Call { callee, args, .. } => match &callee.kind {
            ExprKind::Ident(name) => function_null(name, args, environment),
            _ => Nullness::Unknown,
        },
        // Arithmetic, comparison and logic give a value or fail.
        _ => Nullness::Never,
    }
}

fn member_null(object: &Expr, property: &Expr, environment: Environment<'_>) -> Nullness {
    let (ExprKind::Ident(name), ExprKind::Str(key)) = (&object.kind, &property.kind) else {
        return Nullness::Maybe;
    };
    match environment.language.name(name) {
        Some(NameKind::Record) => environment.null_of(environment.record, key),
        Some(NameKind::Prior) => environment.null_of(Root::Prior, key),
        _ => Nullness::Maybe,
    }
}

fn function_null(name: &str, args: &[Expr], environment: Environment<'_>) -> Nullness {
    match environment.language.function(name) {
        Some(rule) if rule.never_nil => Nullness::Never,
        Some(rule) if rule.passes_nil => args
            .iter()
            .map(|arg| null_of(arg, environment))
            .reduce(either)
            .unwrap_or(Nullness::Unknown),
        _ => Nullness::Unknown,
    }
}

/// What two values that may each be taken have in common.
pub(super) fn either(left: Nullness, right: Nullness) -> Nullness {
    match (left, right) {
        (same, other) if same == other => same,
        (Nullness::Unknown, _) | (_, Nullness::Unknown) => Nullness::Unknown,
        _ => Nullness::Maybe,
    }
}
