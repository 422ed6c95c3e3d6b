//! Where a value comes from: through names, parameters, receivers and functions of the tree.

use crate::model::source::{AssignOp, Expr, ExprKind, Function, StmtKind};

use super::frame::{Analysis, Frame, MAX_DEPTH};
use super::resolve::Callee;
use super::scope::Bound;
use super::texts::MAX_IMPLEMENTATIONS;

impl<'a> Analysis<'a> {
    /// The expressions that a value comes from: through names, parameters, receivers and functions
    /// of the tree, each with the frame in which it stands.
    pub(super) fn origins(
        &self,
        expr: &'a Expr,
        result: usize,
        frame: &Frame<'a, '_>,
        seen: &mut dyn FnMut(&'a Expr, &Frame<'a, '_>),
    ) {
        if frame.depth > MAX_DEPTH || !self.burns() {
            seen(expr, frame);
            return;
        }
        let inner = Frame {
            depth: frame.depth + 1,
            ..*frame
        };
        match &expr.kind {
            ExprKind::Name(name) => {
                let Some(binding) = frame.binding(self, name, expr.at).copied() else {
                    let name = self.program.named(frame.file, name);
                    if let Some((file, value)) = self.program.value_named(&name)
                        && let Some(value) = &value.value
                    {
                        let outside = Frame::outside(file, inner.depth);
                        return self.origins(value, 0, &outside, seen);
                    }
                    return seen(expr, frame);
                };
                let next = match binding.is {
                    Bound::Receiver => frame.receiver(),
                    Bound::Param(at, _) => frame.argument(at),
                    Bound::Value {
                        value: Some(value),
                        result,
                        op: AssignOp::Set,
                        ..
                    } => return self.origins(value, result, &inner, seen),
                    // The items of a table that is written out.
                    Bound::Each(list, at) if at != 0 => {
                        return self.origins(list, 0, &inner, &mut |made, inside| {
                            let ExprKind::Make { fields, .. } = &made.kind else {
                                return seen(expr, frame);
                            };
                            for field in fields {
                                self.origins(&field.value, 0, inside, seen);
                            }
                        });
                    }
                    _ => None,
                };
                match next {
                    Some((next, caller)) => {
                        let caller = Frame {
                            depth: inner.depth,
                            ..*caller
                        };
                        self.origins(next, 0, &caller, seen);
                    }
                    None => seen(expr, frame),
                }
            }
            ExprKind::Field { of, name, .. } => {
                if let Some(package) = self.package_of(of, frame)
                    && let Some((file, value)) =
                        self.program.value_named(&format!("{package}.{name}"))
                    && let Some(value) = &value.value
                {
                    let outside = Frame::outside(file, inner.depth);
                    return self.origins(value, 0, &outside, seen);
                }
                seen(expr, frame);
            }
            ExprKind::Call(call) => match self.resolve(call, &inner) {
                Callee::Functions(ids, _) if ids.len() <= MAX_IMPLEMENTATIONS => {
                    let mut none = true;
                    for id in &ids {
                        let entered = inner.enter(self, *id, call);
                        for value in returned(self.program.function(*id), result) {
                            none = false;
                            match value {
                                Returned::Value(value) => self.origins(value, 0, &entered, seen),
                                Returned::All(value) => {
                                    self.origins(value, result, &entered, seen);
                                }
                            }
                        }
                    }
                    if none {
                        seen(expr, frame);
                    }
                }
                _ => seen(expr, frame),
            },
            ExprKind::Cast { value, .. } => self.origins(value, result, &inner, seen),
            _ => seen(expr, frame),
        }
    }
}

/// An expression that a function returns.
pub(super) enum Returned<'a> {
    /// The result that was asked for.
    Value(&'a Expr),
    /// A call whose results are all of them.
    All(&'a Expr),
}

/// What a function returns as one of its results; closures inside it return for themselves.
pub(super) fn returned(function: &Function, result: usize) -> Vec<Returned<'_>> {
    let mut found = Vec::new();
    let mut open: Vec<&crate::model::source::Stmt> = function.body.stmts.iter().rev().collect();
    if let Some(last) = function.body.stmts.last()
        && let StmtKind::Expr(value) = &last.kind
        && !function.returns.is_empty()
    {
        found.push(Returned::Value(value));
    }
    while let Some(stmt) = open.pop() {
        if let StmtKind::Return(values) = &stmt.kind {
            match values.get(result) {
                Some(value) if values.len() > 1 || result == 0 && function.returns.len() <= 1 => {
                    found.push(Returned::Value(value));
                }
                _ => found.extend(values.first().map(Returned::All)),
            }
        }
        super::walk::stmt_parts(stmt, &mut |part| {
            if let super::walk::Part::Block(block) = part {
                open.extend(block.stmts.iter().rev());
            }
        });
    }
    found
}
