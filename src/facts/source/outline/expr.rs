//! Expressions: what is called in them, in order, and what they are about.

use std::sync::Arc;

use crate::model::guarantee::{Node, Test, What};
use crate::model::source::{Block, Expr, ExprKind, Operator};

use crate::rules::GuardRole;

use super::super::frame::Frame;
use super::super::scope::Bound;
use super::super::texts::called_name;
use super::super::trace::holds;
use super::super::walk::{Part, parts};
use super::walk::{MAX_CALLS, Walk, expr_merge};

/// More parts of one expression than this are not looked at.
const MAX_PARTS: usize = 400;

impl<'a> Walk<'a, '_> {
    /// The calls of an expression, in the order in which they are made.
    pub(super) fn eval(&mut self, expr: &'a Expr, frame: &Frame<'a, '_>, out: &mut Vec<Node>) {
        match &expr.kind {
            ExprKind::Call(call) => {
                if let ExprKind::Field { of, .. } = &call.callee.kind {
                    self.eval(of, frame, out);
                }
                for arg in &call.args {
                    self.eval(arg, frame, out);
                }
                self.call(call, frame, out);
            }
            ExprKind::Binary {
                op: Operator::And | Operator::Or,
                left,
                right,
            } => {
                self.eval(left, frame, out);
                let mut inner = Vec::new();
                self.eval(right, frame, &mut inner);
                if !inner.is_empty() {
                    let test = self.test(left, frame);
                    let what = What::Branch {
                        test,
                        arms: vec![inner, Vec::new()],
                    };
                    self.push(frame.file.place(expr.at), what, out);
                }
            }
            ExprKind::Closure(closure) => self.perhaps(&closure.body, expr, frame, out),
            ExprKind::Block(block) => self.block_value(block, frame, out),
            _ => parts(expr, &mut |part| match part {
                Part::Expr(inner) => self.eval(inner, frame, out),
                Part::Block(block) => self.block(block, frame, out),
                Part::Closure(closure) => self.perhaps(&closure.body, expr, frame, out),
            }),
        }
    }

    /// What may run, and runs somewhere else: returns of it end nothing here.
    fn perhaps(
        &mut self,
        block: &'a Block,
        expr: &'a Expr,
        frame: &Frame<'a, '_>,
        out: &mut Vec<Node>,
    ) {
        let mut inner = Vec::new();
        self.block(block, frame, &mut inner);
        if !inner.is_empty() {
            let what = What::Branch {
                test: Test::default(),
                arms: vec![inner, Vec::new()],
            };
            self.push(frame.file.place(expr.at), what, out);
        }
    }

    /// A block that is a value: what stands as a return in it is what it gives.
    fn block_value(&mut self, block: &'a Block, frame: &Frame<'a, '_>, out: &mut Vec<Node>) {
        let mut inner = Vec::new();
        self.block(block, frame, &mut inner);
        drop_returns(&mut inner);
        out.extend(inner);
    }

    /// What an expression is about.
    pub(super) fn test(&self, expr: &'a Expr, frame: &Frame<'a, '_>) -> Test {
        let mut test = Test {
            shown: shown(expr),
            ..Test::default()
        };
        test.constant = self.constant(expr, frame);
        test.no_row = self.no_row(expr, frame);
        let mut open = vec![expr];
        let mut left = MAX_PARTS;
        while let Some(expr) = open.pop() {
            left -= 1;
            if left == 0 {
                break;
            }
            match &expr.kind {
                ExprKind::Text(text) | ExprKind::Number(text) => {
                    test.literals.push(Arc::clone(text))
                }
                // A text in brackets is the name of a part: `row["status"]`.
                ExprKind::Index { of, by } if matches!(by.kind, ExprKind::Text(_)) => {
                    test.names
                        .push(format!("{}.{}", shown(of), shown(by)).into());
                    if matches!(of.kind, ExprKind::Call(_)) {
                        open.push(of);
                    }
                    continue;
                }
                ExprKind::Nil => test.literals.push("None".into()),
                ExprKind::Name(_) | ExprKind::Field { .. } => {
                    test.names.push(shown(expr));
                    match self.constant(expr, frame) {
                        Some(text) => test.literals.push(text),
                        None => test.literals.extend(self.parts_of(expr, frame)),
                    }
                    if let ExprKind::Field { of, .. } = &expr.kind
                        && !matches!(of.kind, ExprKind::Name(_) | ExprKind::Field { .. })
                    {
                        open.push(of);
                    }
                    continue;
                }
                ExprKind::Binary { op, .. } => {
                    test.either |= *op == Operator::Or;
                    test.ordered |= matches!(
                        op,
                        Operator::Less | Operator::AtMost | Operator::More | Operator::AtLeast
                    );
                }
                ExprKind::Call(call) => {
                    let name = called_name(call);
                    if name == "isinstance"
                        && let [_, of] = &call.args[..]
                    {
                        test.types.extend(self.types(of, frame));
                    }
                    test.calls.push(name.into());
                }
                _ => {}
            }
            let mut inner = Vec::new();
            parts(expr, &mut |part| match part {
                Part::Expr(expr) => inner.push(expr),
                Part::Block(_) | Part::Closure(_) => {}
            });
            open.extend(inner.into_iter().rev());
        }
        test
    }

    /// Whether a comparison of a row count holds where no row was changed; none if it tells nothing.
    fn no_row(&self, expr: &'a Expr, frame: &Frame<'a, '_>) -> Option<bool> {
        let counts = |expr: &'a Expr| match &expr.kind {
            ExprKind::Field { name, .. } => self.analysis.rules.guards.iter().any(|rule| {
                rule.language == frame.file.language
                    && rule.role == GuardRole::RowCount
                    && rule.fields.contains(name)
            }),
            _ => false,
        };
        match &expr.kind {
            ExprKind::Not(of) => self.no_row(of, frame).map(|holds| !holds),
            ExprKind::Binary { op, left, right } if counts(left) => {
                let number = self.constant(right, frame)?;
                match (holds(*op, 0, &number)?, holds(*op, 1, &number)?) {
                    (none, one) if none != one => Some(none),
                    _ => None,
                }
            }
            _ => counts(expr).then_some(false),
        }
    }

    /// The types that an expression names: one, or a tuple of them.
    fn types(&self, of: &'a Expr, frame: &Frame<'a, '_>) -> Vec<Arc<str>> {
        match &of.kind {
            ExprKind::Make { fields, .. } => {
                let each = fields.iter().map(|field| self.types(&field.value, frame));
                each.flatten().collect()
            }
            ExprKind::Binary { left, right, .. } => {
                [self.types(left, frame), self.types(right, frame)].concat()
            }
            _ => {
                let name = self.analysis.program.named(frame.file, &shown(of));
                vec![name.into()]
            }
        }
    }

    /// The texts of a list that a constant of the module holds.
    fn parts_of(&self, expr: &'a Expr, frame: &Frame<'a, '_>) -> Vec<Arc<str>> {
        let name = match &expr.kind {
            ExprKind::Name(name) if frame.binding(self.analysis, name, expr.at).is_none() => {
                self.analysis.program.named(frame.file, name)
            }
            ExprKind::Field { of, name, .. } => match self.analysis.package_of(of, frame) {
                Some(package) => format!("{package}.{name}"),
                None => return Vec::new(),
            },
            _ => return Vec::new(),
        };
        let Some((file, decl)) = self.analysis.program.value_named(&name) else {
            return Vec::new();
        };
        let Some(value) = decl.value.as_ref() else {
            return Vec::new();
        };
        let outside = Frame::outside(file, frame.depth + 1);
        let mut parts: Vec<&'a Expr> = vec![value];
        let mut found = Vec::new();
        while let Some(part) = parts.pop() {
            match &part.kind {
                ExprKind::Make { fields, .. } => {
                    parts.extend(fields.iter().rev().map(|it| &it.value))
                }
                ExprKind::Call(call) => parts.extend(call.args.iter().rev()),
                _ => found.extend(self.constant(part, &outside)),
            }
        }
        found
    }

    /// What several expressions are about.
    pub(super) fn tests(&self, all: &'a [Expr], frame: &Frame<'a, '_>) -> Test {
        match all {
            [one] => self.test(one, frame),
            _ => all.iter().fold(Test::default(), |mut test, one| {
                expr_merge(&mut test, self.test(one, frame));
                test
            }),
        }
    }

    /// The one text that an expression is; `None` is one too, also where it is given to a parameter.
    fn constant(&self, expr: &'a Expr, frame: &Frame<'a, '_>) -> Option<Arc<str>> {
        match &expr.kind {
            ExprKind::Nil => return Some("None".into()),
            ExprKind::Name(name) if frame.depth < MAX_CALLS => {
                if let Some(Bound::Param(at, _)) =
                    frame.binding(self.analysis, name, expr.at).map(|it| it.is)
                    && let Some((given, caller)) = frame.argument(self.analysis, at)
                {
                    return self.constant(given, caller);
                }
            }
            ExprKind::Text(_)
            | ExprKind::Number(_)
            | ExprKind::Bool(_)
            | ExprKind::Name(_)
            | ExprKind::Field { .. } => {}
            _ => return None,
        }
        self.analysis.refuel();
        let texts = self.analysis.texts(expr, frame);
        match (&texts.options[..], texts.complete) {
            ([one], true) => one.constant().map(Into::into),
            _ => None,
        }
    }
}

/// A value gives what stands behind `return`, and ends nothing.
fn drop_returns(nodes: &mut Vec<Node>) {
    nodes.retain(|node| !matches!(node.what, What::Return(_)));
    for node in nodes {
        match &mut node.what {
            What::Branch { arms, .. } => arms.iter_mut().for_each(drop_returns),
            What::Loop { body, .. } => drop_returns(body),
            _ => {}
        }
    }
}

/// An expression as far as a name or a path of names says it.
pub(super) fn shown(expr: &Expr) -> Arc<str> {
    match &expr.kind {
        ExprKind::Name(name) => Arc::clone(name),
        ExprKind::Field { of, name, .. } => format!("{}.{name}", shown(of)).into(),
        ExprKind::Text(text) | ExprKind::Number(text) => Arc::clone(text),
        ExprKind::Call(call) => format!("{}()", shown(&call.callee)).into(),
        ExprKind::Index { of, by } => format!("{}[{}]", shown(of), shown(by)).into(),
        ExprKind::Not(of) => format!("not {}", shown(of)).into(),
        _ => "…".into(),
    }
}
