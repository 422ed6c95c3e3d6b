//! Statement by statement, with the conditions around each.

use std::rc::Rc;
use std::sync::Arc;

use crate::model::source::{Block, Expr, ExprKind, Language, Leaves, Pattern, Stmt, StmtKind};

use super::super::frame::Frame;
use super::Inside;
use super::bound::{assign, bind};
use super::results::Gives;
use super::value::{Env, Kind, Val};
use super::walk::{Deferred, Walk};

/// How a block ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// What stands behind it runs.
    On,
    /// It does not.
    Ends,
}

impl<'a> Walk<'a, '_> {
    /// A block of its own: names that it declares end with it, conditions on what stands behind go on.
    pub(super) fn block(
        &mut self,
        block: &'a Block,
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
    ) -> Flow {
        let mut hidden: Vec<(Arc<str>, Option<Val<'a>>)> = Vec::new();
        let mut flow = Flow::On;
        let gives = self.gives;
        for (at, stmt) in block.stmts.iter().enumerate() {
            self.gives = match at + 1 == block.stmts.len() {
                true => gives,
                false => Gives::Nothing,
            };
            if self.left == 0 {
                self.trace.whole = false;
                break;
            }
            self.left -= 1;
            // In Python a name lives until its function ends.
            if let StmtKind::Let { patterns, .. } = &stmt.kind
                && frame.file.language != Language::Python
            {
                for name in patterns.iter().flat_map(Pattern::names) {
                    if !hidden.iter().any(|(known, _)| known == name) {
                        hidden.push((Arc::clone(name), env.get(name).cloned()));
                    }
                }
            }
            flow = self.stmt(stmt, frame, env);
            if flow == Flow::Ends {
                break;
            }
        }
        self.gives = gives;
        for (name, before) in hidden {
            let names = Rc::make_mut(env);
            match before {
                Some(before) => names.insert(name, before),
                None => names.remove(&name),
            };
        }
        flow
    }

    fn stmt(&mut self, stmt: &'a Stmt, frame: &Frame<'a, '_>, env: &mut Env<'a>) -> Flow {
        let goes_on = matches!(
            stmt.kind,
            StmtKind::Expr(_) | StmtKind::If { .. } | StmtKind::Match { .. } | StmtKind::Block(_)
        );
        // `[f(x) for x in all]` is a loop that gives what its body gives.
        let is_value = matches!(stmt.kind, StmtKind::Loop { .. })
            && frame.file.language == Language::Python
            && self.gives == Gives::Block;
        if !goes_on && !is_value {
            self.gives = Gives::Nothing;
        }
        match &stmt.kind {
            StmtKind::Let {
                patterns,
                values,
                otherwise,
                ..
            } => {
                let from = self.next();
                let given = self.values(values, patterns.len(), frame, env);
                if patterns
                    .last()
                    .is_some_and(|last| last.names().iter().all(|name| &***name == "_"))
                {
                    self.drops(from, stmt, frame);
                }
                if let ([pattern], [val, ..]) = (&patterns[..], &given[..]) {
                    self.or_else(pattern, val, otherwise, frame, env);
                }
                for (pattern, val) in patterns.iter().zip(given) {
                    bind(pattern, val, env);
                }
                Flow::On
            }
            StmtKind::Assign {
                targets,
                values,
                op,
            } => {
                let from = self.next();
                let given = self.values(values, targets.len(), frame, env);
                if matches!(targets.last().map(|last| &last.kind), Some(ExprKind::Name(name)) if &**name == "_")
                {
                    self.drops(from, stmt, frame);
                }
                for (target, val) in targets.iter().zip(given) {
                    let adds = *op != crate::model::source::AssignOp::Set;
                    let val = if adds {
                        Val::of(Kind::Raised).taking(&val)
                    } else {
                        val
                    };
                    assign(target, val, env);
                }
                Flow::On
            }
            StmtKind::Expr(expr) => self.alone(expr, stmt, frame, env),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => self.branch(condition, then, otherwise, frame, env),
            StmtKind::Loop { .. } => self.looped(stmt, frame, env),
            StmtKind::Match { of, arms } => {
                let in_choice = std::mem::replace(&mut self.in_choice, true);
                let flow = self.arms(of.as_ref(), arms, frame, env);
                self.in_choice = in_choice;
                flow
            }
            StmtKind::Return(values) => self.returns(values, stmt, frame, env),
            StmtKind::Leave(leaves) => {
                let of_choice = self.in_choice && frame.file.language == Language::Go;
                match leaves {
                    Leaves::Round => {}
                    Leaves::Inner if of_choice => {}
                    _ => self.leaves(frame.file.place(stmt.at)),
                }
                Flow::Ends
            }
            StmtKind::Defer(expr) => {
                let number = self.number();
                let runs = match &expr.kind {
                    ExprKind::Call(call) if matches!(call.callee.kind, ExprKind::Call(_)) => {
                        Some(self.eval(&call.callee, frame, env))
                    }
                    _ => None,
                };
                let mut within = self.within.clone();
                within.push(Inside::Defer(number));
                let env = env.clone();
                if let Some(deferred) = self.deferred.last_mut() {
                    deferred.push(Deferred {
                        expr,
                        runs,
                        within,
                        env,
                    });
                }
                Flow::On
            }
            StmtKind::Spawn(expr) => {
                let number = self.number();
                let mut beside = env.clone();
                self.inside(Inside::Spawn(number), |walk| {
                    walk.eval(expr, frame, &mut beside)
                });
                Flow::On
            }
            StmtKind::Block(block) => self.block(block, frame, env),
            StmtKind::With { of, name, body } => self.scope(of, name.as_ref(), body, frame, env),
            StmtKind::Try {
                body,
                handlers,
                finally,
            } => self.caught(stmt, body, handlers, finally, frame, env),
        }
    }

    /// The values of a list of expressions, or of the results of one call.
    pub(super) fn values(
        &mut self,
        values: &'a [Expr],
        count: usize,
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
    ) -> Vec<Val<'a>> {
        let mut given = match values {
            [one] if count > 1 => self.results(one, frame, env),
            _ => values
                .iter()
                .map(|value| self.eval(value, frame, env))
                .collect(),
        };
        let rest = match given.first() {
            Some(first) => Val::default().taking(first),
            None => Val::default(),
        };
        given.resize(given.len().max(count), rest);
        given
    }
}
