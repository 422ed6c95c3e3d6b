//! Numbers beside numbers: what a comparison says of a count of rows.

use crate::model::source::{Expr, ExprKind, Operator};

use super::condition::Test;
use super::state::{Set, Val};

/// A whole number that is written out.
pub(super) fn number(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Number(number) => number.parse().ok(),
        _ => None,
    }
}

/// A number of rows beside a number: what each answer says of whether there are any. A number of rows
/// is never less than zero.
pub(super) fn counted(val: &Val, op: Operator, number: i64) -> Test {
    let holds = |rows: i64| match op {
        Operator::Less => rows < number,
        Operator::AtMost => rows <= number,
        Operator::More => rows > number,
        Operator::AtLeast => rows >= number,
        _ => rows == number,
    };
    let some = [1, 2, number.max(1), number.saturating_add(1).max(1)];
    // What is known where the answer is this; none if it never is.
    let known = |truth: bool| {
        let none = holds(0) == truth;
        let any = some.iter().any(|rows| holds(*rows) == truth);
        match (none, any) {
            (true, true) => Some(Set::new()),
            (true, false) => val.no.clone(),
            (false, true) => val.yes.clone(),
            (false, false) => None,
        }
    };
    Test {
        yes: known(true),
        no: known(false),
        error_of: None,
    }
}

pub(super) fn mirrored(op: Operator) -> Operator {
    match op {
        Operator::Less => Operator::More,
        Operator::AtMost => Operator::AtLeast,
        Operator::More => Operator::Less,
        Operator::AtLeast => Operator::AtMost,
        same => same,
    }
}
