//! Spans of time, and what is computed of them and of numbers.

use std::sync::Arc;

use crate::model::source::{Expr, ExprKind, Operator};
use crate::rules::{QueueRule, QueueWord};

use super::super::frame::{Analysis, Frame};
use super::super::walk::{self, Part};
use super::value::{Env, Kind, Val};
use super::walk::Walk;

/// Constants that are made of constants are looked up so deep.
const MAX_DEPTH: usize = 16;

impl<'a> Analysis<'a> {
    /// The rule that says how long a constant of a library is.
    pub(in crate::facts::source) fn span_rule(
        &self,
        expr: &'a Expr,
        frame: &Frame<'a, '_>,
    ) -> Option<&'a QueueRule> {
        let ExprKind::Field { of, name, .. } = &expr.kind else {
            return None;
        };
        let full = format!("{}.{name}", self.package_of(of, frame)?);
        self.rules.queue.iter().find(|rule| {
            rule.language == frame.file.language
                && rule.means == QueueWord::Span
                && rule.arg.is_none()
                && rule.call.function.iter().any(|named| **named == *full)
        })
    }
}

impl Analysis<'_> {
    /// True if a constant of a package is made of the span that a rule is about.
    pub(in crate::facts::source) fn names_span(&self, rule: &QueueRule) -> bool {
        let mut values = self.program.values();
        values.any(|(file, value)| {
            let mut open: Vec<&Expr> = value.value.iter().collect();
            let frame = Frame::outside(file, 0);
            while let Some(expr) = open.pop() {
                if self
                    .span_rule(expr, &frame)
                    .is_some_and(|found| found.id == rule.id)
                {
                    return true;
                }
                walk::parts(expr, &mut |part| {
                    if let Part::Expr(inner) = part {
                        open.push(inner);
                    }
                });
            }
            false
        })
    }
}

impl<'a> Walk<'a, '_> {
    /// The span or number that a constant is made of.
    pub(super) fn made_constant(
        &mut self,
        expr: &'a Expr,
        frame: &Frame<'a, '_>,
    ) -> Option<Val<'a>> {
        if let Some(rule) = self.analysis.span_rule(expr, frame) {
            return Some(Val::of(Kind::Span(rule.nanos?)));
        }
        let full = match &expr.kind {
            ExprKind::Name(name) => self.analysis.program.named(frame.file, name),
            ExprKind::Field { of, name, .. } => {
                format!("{}.{name}", self.analysis.package_of(of, frame)?)
            }
            _ => return None,
        };
        let (file, value) = self.analysis.program.value_named(&full)?;
        let value = value.value.as_ref()?;
        let computes = matches!(
            value.kind,
            ExprKind::Binary { .. }
                | ExprKind::Name(_)
                | ExprKind::Field { .. }
                | ExprKind::Cast { .. }
                | ExprKind::Call(_)
                | ExprKind::Number(_)
        );
        if !computes || self.constants >= MAX_DEPTH {
            return None;
        }
        self.constants += 1;
        let outside = Frame::outside(file, frame.depth);
        let val = self.eval(value, &outside, &mut Env::default());
        self.constants -= 1;
        matches!(val.kind, Kind::Span(_) | Kind::Text(_)).then_some(val)
    }
}

/// `left op right` of spans and numbers; none where it is not known.
pub(super) fn computed<'a>(op: Operator, left: &Val<'a>, right: &Val<'a>) -> Option<Kind<'a>> {
    let number = |val: &Val<'a>| val.text()?.parse::<i64>().ok();
    let text = |number: i64| Kind::Text(Arc::from(number.to_string()));
    match (op, &left.kind, &right.kind) {
        (Operator::Multiply, Kind::Span(one), Kind::Span(two)) => {
            one.checked_mul(*two).map(Kind::Span)
        }
        (Operator::Multiply, Kind::Span(span), _) => {
            span.checked_mul(number(right)?).map(Kind::Span)
        }
        (Operator::Multiply, _, Kind::Span(span)) => {
            span.checked_mul(number(left)?).map(Kind::Span)
        }
        (Operator::Divide, Kind::Span(one), Kind::Span(two)) => one.checked_div(*two).map(text),
        (Operator::Divide, Kind::Span(span), _) => span.checked_div(number(right)?).map(Kind::Span),
        (Operator::Add, Kind::Span(one), Kind::Span(two)) => one.checked_add(*two).map(Kind::Span),
        (Operator::Subtract, Kind::Span(one), Kind::Span(two)) => {
            one.checked_sub(*two).map(Kind::Span)
        }
        (Operator::Subtract, Kind::Text(none), Kind::Span(span)) if &**none == "0" => {
            span.checked_neg().map(Kind::Span)
        }
        (Operator::Multiply, ..) => number(left)?.checked_mul(number(right)?).map(text),
        (Operator::Divide, ..) => number(left)?.checked_div(number(right)?).map(text),
        (Operator::Subtract, ..) => number(left)?.checked_sub(number(right)?).map(text),
        _ => None,
    }
}
