//! All names that a tree declares as functions, and all that it calls.

use std::collections::BTreeSet;
use std::sync::Arc;

use outbox_audit::model::source::{Block, Expr, ExprKind, Pattern, SourceFile, StmtKind};

/// Names of functions and of calls.
#[derive(Default)]
pub(crate) struct Named {
    pub(crate) declares: BTreeSet<Arc<str>>,
    pub(crate) calls: BTreeSet<Arc<str>>,
}

impl Named {
    /// Those of a file.
    pub(crate) fn of(file: &SourceFile) -> Self {
        let mut out = Self::default();
        for function in &file.functions {
            out.declares.insert(Arc::clone(&function.name));
            out.block(&function.body);
        }
        for value in &file.values {
            out.exprs(value.value.as_slice());
        }
        out
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Let {
                    patterns,
                    values,
                    otherwise,
                    ..
                } => {
                    self.patterns(patterns);
                    self.exprs(values);
                    self.block(otherwise);
                }
                StmtKind::Assign {
                    targets, values, ..
                } => {
                    self.exprs(targets);
                    self.exprs(values);
                }
                StmtKind::Expr(value) | StmtKind::Defer(value) | StmtKind::Spawn(value) => {
                    self.expr(value);
                }
                StmtKind::If {
                    condition,
                    then,
                    otherwise,
                } => {
                    self.expr(condition);
                    self.block(then);
                    self.block(otherwise);
                }
                StmtKind::Loop { over, body, .. } => {
                    self.exprs(over.as_slice());
                    self.block(body);
                }
                StmtKind::Match { of, arms } => {
                    self.exprs(of.as_slice());
                    for arm in arms {
                        self.patterns(&arm.patterns);
                        self.exprs(arm.guard.as_slice());
                        self.block(&arm.body);
                    }
                }
                StmtKind::Return(values) => self.exprs(values),
                StmtKind::Leave(_) => {}
                StmtKind::Block(block) => self.block(block),
                StmtKind::With { of, body, .. } => {
                    self.expr(of);
                    self.block(body);
                }
                StmtKind::Try { body, finally, .. } => {
                    self.block(body);
                    self.block(finally);
                }
            }
        }
    }

    fn patterns(&mut self, all: &[Pattern]) {
        for pattern in all {
            if let Pattern::Value(value) = pattern {
                self.expr(value);
            }
        }
    }

    fn exprs(&mut self, all: &[Expr]) {
        for expr in all {
            self.expr(expr);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Field { of, .. } | ExprKind::Not(of) => self.expr(of),
            ExprKind::Cast { value, .. } => self.expr(value),
            ExprKind::Index { of, by } => {
                self.expr(of);
                self.expr(by);
            }
            ExprKind::Call(call) => {
                match &call.callee.kind {
                    ExprKind::Name(name) | ExprKind::Field { name, .. } if &**name != "<-" => {
                        let last = name.rsplit("::").next().unwrap_or(name);
                        self.calls.insert(last.into());
                    }
                    _ => {}
                }
                self.expr(&call.callee);
                self.exprs(&call.args);
            }
            ExprKind::Closure(closure) => self.block(&closure.body),
            ExprKind::Make { fields, .. } => {
                for field in fields {
                    self.exprs(field.key.as_slice());
                    self.expr(&field.value);
                }
            }
            ExprKind::Binary { left, right, .. } => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Block(block) => self.block(block),
            ExprKind::Other(parts) => self.exprs(parts),
            ExprKind::Text(_)
            | ExprKind::Number(_)
            | ExprKind::Bool(_)
            | ExprKind::Nil
            | ExprKind::Name(_)
            | ExprKind::Type(_) => {}
        }
    }
}
