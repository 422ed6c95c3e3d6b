//! Where a value comes from: through names, parameters, receivers and functions of the tree.

use crate::model::source::{
    AssignOp, Block, Expr, ExprKind, Function, Language, Operator, StmtKind,
};

use super::frame::{Analysis, Frame, MAX_DEPTH};
use super::resolve::Callee;
use super::scope::Bound;
use super::texts::MAX_IMPLEMENTATIONS;

/// Methods of tables that give a value of it.
const LOOKUPS: &[&str] = &["get", "pop", "setdefault"];

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
                    Bound::Param(at, _) => frame.argument(self, at),
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
                let next = match (next, binding.is) {
                    (None, Bound::Param(at, _)) => {
                        let function = frame.function(self);
                        let param = function.and_then(|function| function.params.get(at));
                        let default = param.and_then(|param| param.default.as_deref());
                        if let Some(default) = default.filter(|_| frame.entry.is_some()) {
                            let outside = Frame::outside(frame.file, inner.depth);
                            return self.origins(default, 0, &outside, seen);
                        }
                        None
                    }
                    (next, _) => next,
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
                _ => match &call.callee.kind {
                    ExprKind::Field { of, name, .. }
                        if frame.file.language == Language::Python
                            && LOOKUPS.contains(&&**name) =>
                    {
                        self.looked_up(of, expr, &inner, seen);
                    }
                    _ => seen(expr, frame),
                },
            },
            ExprKind::Cast { value, .. } => self.origins(value, result, &inner, seen),
            // A value looked up in a table that is written out.
            ExprKind::Index { of, .. } if frame.file.language == Language::Python => {
                self.looked_up(of, expr, &inner, seen);
            }
            ExprKind::Block(block) if frame.file.language == Language::Python => {
                match given(block) {
                    Some(values) => {
                        for value in values {
                            self.origins(value, result, &inner, seen);
                        }
                    }
                    None => seen(expr, frame),
                }
            }
            ExprKind::Binary {
                op: Operator::Or | Operator::And,
                left,
                right,
            } if frame.file.language == Language::Python => {
                self.origins(left, result, &inner, seen);
                self.origins(right, result, &inner, seen);
            }
            _ => seen(expr, frame),
        }
    }
}

impl<'a> Analysis<'a> {
    /// The values of a table that is written out; the lookup itself where it is not.
    fn looked_up(
        &self,
        table: &'a Expr,
        lookup: &'a Expr,
        frame: &Frame<'a, '_>,
        seen: &mut dyn FnMut(&'a Expr, &Frame<'a, '_>),
    ) {
        let mut made = Vec::new();
        self.origins(table, 0, frame, &mut |origin, _| {
            if let ExprKind::Make { fields, .. } = &origin.kind {
                made.extend(fields.iter().map(|field| &field.value));
            }
        });
        if made.is_empty() {
            return seen(lookup, frame);
        }
        self.origins(table, 0, frame, &mut |origin, inside| {
            if let ExprKind::Make { fields, .. } = &origin.kind {
                for field in fields {
                    self.origins(&field.value, 0, inside, seen);
                }
            }
        });
    }
}

/// The expressions that a block as a value can give; none for a loop.
pub(super) fn given(block: &Block) -> Option<Vec<&Expr>> {
    match &block.stmts.last()?.kind {
        StmtKind::Expr(last) => Some(vec![last]),
        StmtKind::If {
            then, otherwise, ..
        } => {
            let mut values = given(then)?;
            values.extend(given(otherwise)?);
            Some(values)
        }
        _ => None,
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
