//! Statement by statement, with the conditions around each.

use std::rc::Rc;
use std::sync::Arc;

use crate::model::source::{Block, Expr, ExprKind, Language, Leaves, Pattern, Stmt, StmtKind};

use super::super::frame::Frame;
use super::bound::{assign, bind};
use super::value::{Env, Kind, Val};
use super::walk::{Deferred, Walk};
use super::{End, Inside};

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
        for stmt in &block.stmts {
            if self.left == 0 {
                self.trace.whole = false;
                break;
            }
            self.left -= 1;
            if let StmtKind::Let { patterns, .. } = &stmt.kind {
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
        match &stmt.kind {
            StmtKind::Let {
                patterns, values, ..
            } => {
                let from = self.next();
                let given = self.values(values, patterns.len(), frame, env);
                if patterns
                    .last()
                    .is_some_and(|last| last.names().iter().all(|name| &***name == "_"))
                {
                    self.drops(from, stmt, frame);
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
            StmtKind::Expr(expr) => {
                let from = self.next();
                let results = self.eval(expr, frame, env);
                self.drops(from, stmt, frame);
                // In Rust, the last expression is what the function gives.
                if frame.file.language == Language::Rust
                    && let Some(returned) = self.returned.last_mut()
                {
                    returned.push(vec![results]);
                }
                match &expr.kind {
                    ExprKind::Call(call) if matches!(&call.callee.kind, ExprKind::Name(name) if &**name == "panic") => {
                        Flow::Ends
                    }
                    _ => Flow::On,
                }
            }
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
            StmtKind::Return(values) => {
                let mut given = match values.len() {
                    0 => Vec::new(),
                    1 => self.results(&values[0], frame, env),
                    count => self.values(values, count, frame, env),
                };
                let end = end_of(given.last(), frame.file.language);
                self.told(&mut given, end);
                self.leaves(frame.file.place(stmt.at));
                for inside in &self.within[self.floor.min(self.within.len())..] {
                    let (at, arm) = match inside {
                        Inside::Then(at) => (*at, true),
                        Inside::Else(at) => (*at, false),
                        _ => continue,
                    };
                    if let Some(branch) = self.trace.branches.get_mut(at) {
                        branch.ends.push((arm, end));
                    }
                }
                if let Some(returned) = self.returned.last_mut() {
                    returned.push(given);
                }
                Flow::Ends
            }
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
            StmtKind::With { of, name, body } => {
                let val = self.eval(of, frame, env);
                if let Some(name) = name {
                    bind(name, val, env);
                }
                self.block(body, frame, env)
            }
            StmtKind::Try {
                body,
                handlers,
                finally,
            } => {
                let from = self.next();
                self.block(body, frame, env);
                let about = (from, self.next());
                for handler in handlers {
                    let branch = self.condition(&Val {
                        about: vec![about],
                        kind: Kind::Failed(true),
                        ..Val::default()
                    });
                    let place = frame.file.place(stmt.at);
                    self.trace.branches[branch].place = Some(place);
                    let mut inner = env.clone();
                    self.inside(Inside::Then(branch), |walk| {
                        walk.block(&handler.body, frame, &mut inner)
                    });
                }
                self.block(finally, frame, env)
            }
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

/// How a function ends that gives this last.
fn end_of(last: Option<&Val<'_>>, language: Language) -> End {
    match (last.map(|val| &val.kind), language) {
        (Some(Kind::Nil), Language::Go) => End::Goes,
        (Some(Kind::Bool(_) | Kind::Hit(..) | Kind::Coded(..)) | None, _) => End::Unknown,
        (Some(_), Language::Go) => End::Fails,
        (Some(_), _) => End::Unknown,
    }
}
