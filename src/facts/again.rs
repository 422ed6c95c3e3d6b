//! Whether the condition of a flow lets a cycle go round once more.

use std::sync::Arc;

use crate::expr::{self, BinaryOp, Expr, ExprKind};
use crate::model::consumer::Consumer;
use crate::model::value::{Root, Value};

/// What a condition says to the next round, if it was true in this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Again {
    /// It is true again.
    Steady,
    /// It is false: it asks for a change of this field, and nothing in the cycle changes it.
    Ends(Arc<str>),
    /// It depends.
    Open,
}

/// What the conditions of a consumer say; `changes` tells the fields of its object that the cycle
/// writes.
pub(super) fn again(consumer: &Consumer, changes: &dyn Fn(&str) -> bool) -> Again {
    let mut result = Again::Steady;
    for condition in &consumer.trigger.conditions {
        match of_condition(condition, changes) {
            Again::Steady => {}
            Again::Open => result = Again::Open,
            ends => return ends,
        }
    }
    result
}

fn of_condition(condition: &Value, changes: &dyn Fn(&str) -> bool) -> Again {
    let stays = condition.draws.iter().all(|draw| {
        draw.field
            .as_ref()
            .is_some_and(|field| field.root == Root::Record && !changes(&field.name))
    });
    if stays {
        return Again::Steady;
    }
    let asked = expr::parse(&condition.text)
        .ok()
        .and_then(|tree| asked_change(&tree, changes));
    asked.map_or(Again::Open, Again::Ends)
}

/// The field of `record.f != prior.f`, alone or among conditions that must all hold.
fn asked_change(tree: &Expr, changes: &dyn Fn(&str) -> bool) -> Option<Arc<str>> {
    match &tree.kind {
        ExprKind::Binary {
            op: BinaryOp::And,
            left,
            right,
        } => asked_change(left, changes).or_else(|| asked_change(right, changes)),
        ExprKind::Binary {
            op: BinaryOp::Ne,
            left,
            right,
        } => {
            let (one, other) = (member_of(left)?, member_of(right)?);
            let both = matches!((one.0, other.0), ("record", "prior") | ("prior", "record"));
            (both && one.1 == other.1 && !changes(one.1)).then(|| one.1.into())
        }
        _ => None,
    }
}

fn member_of(expr: &Expr) -> Option<(&str, &str)> {
    let ExprKind::Member {
        object, property, ..
    } = &expr.kind
    else {
        return None;
    };
    match (&object.kind, &property.kind) {
        (ExprKind::Ident(root), ExprKind::Str(name)) => Some((root, name)),
        _ => None,
    }
}
