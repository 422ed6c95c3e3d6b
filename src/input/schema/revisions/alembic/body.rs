//! What the body of `upgrade` does, statement by statement. A branch that is not decided here leaves
//! the tables that it names unknown; a call that leads out of the file may do anything.

use std::sync::Arc;

use crate::model::place::Place;
use crate::model::schema::Dialect;
use crate::model::source::{AssignOp, Block, Expr, ExprKind, Operator, Pattern, Stmt, StmtKind};

use super::super::module::{Bound, Module, Names};
use super::super::statement::Step;
use super::types::is_dialect;

/// So many steps are made of one revision; a loop may ask for any number.
const MOST_STEPS: usize = 20_000;

/// So many statements are gone through of one revision, each round of a loop anew.
const MOST_STATEMENTS: usize = 100_000;

/// The deepest expression that calls are looked for in.
const MOST_DEPTH: usize = 200;

/// What a revision does on the way up.
pub(in super::super) fn steps(module: &Module<'_>, dialect: Dialect) -> Vec<Step> {
    let mut body = Body {
        module,
        names: Names::default(),
        dialect,
        steps: Vec::new(),
        doubts: Vec::new(),
        calls: 0,
        statements: 0,
        full: false,
    };
    if let Some(upgrade) = module.function("upgrade") {
        body.block(&upgrade.body);
    }
    body.steps
}

/// A body while it is gone through.
pub(super) struct Body<'m, 'a> {
    pub(super) module: &'m Module<'a>,
    pub(super) names: Names<'a>,
    pub(super) dialect: Dialect,
    steps: Vec<Step>,
    /// Why it is not known whether what comes now is done, the latest last.
    doubts: Vec<Arc<str>>,
    /// How many functions of the file are around.
    pub(super) calls: usize,
    statements: usize,
    full: bool,
}

/// Whether what stands behind a statement is reached.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    On,
    Ends,
    /// It may end there.
    MayEnd,
}

impl<'a> Body<'_, 'a> {
    pub(super) fn add(&mut self, step: Step, place: &Place) {
        if self.full {
            return;
        }
        if self.steps.len() >= MOST_STEPS {
            return self.stop(place);
        }
        let step = match self.doubts.last() {
            Some(why) => step.uncertain(why),
            None => step,
        };
        self.steps.push(step);
    }

    /// No more of it is followed.
    fn stop(&mut self, place: &Place) {
        self.full = true;
        let sentence = "this revision does more than is followed".to_owned();
        self.steps.push(Step::unread(None, sentence, place.clone()));
    }

    pub(super) fn block(&mut self, block: &'a Block) -> Flow {
        let mut doubted = false;
        let mut flow = Flow::On;
        for stmt in &block.stmts {
            self.statements += 1;
            if self.statements > MOST_STATEMENTS && !self.full {
                self.stop(&self.module.source.place(stmt.at));
            }
            if self.full {
                break;
            }
            match self.statement(stmt) {
                Flow::On => {}
                Flow::Ends => {
                    flow = if doubted { Flow::MayEnd } else { Flow::Ends };
                    break;
                }
                Flow::MayEnd if !doubted => {
                    doubted = true;
                    flow = Flow::MayEnd;
                    self.doubts
                        .push("stands behind a condition that may end the revision".into());
                }
                Flow::MayEnd => {}
            }
        }
        if doubted {
            self.doubts.pop();
        }
        flow
    }

    fn doubted(&mut self, why: &str, block: &'a Block) -> Flow {
        self.doubts.push(why.into());
        let flow = self.block(block);
        self.doubts.pop();
        match flow {
            Flow::On => Flow::On,
            Flow::Ends | Flow::MayEnd => Flow::MayEnd,
        }
    }

    fn statement(&mut self, stmt: &'a Stmt) -> Flow {
        match &stmt.kind {
            StmtKind::Let {
                patterns, values, ..
            } => {
                values.iter().for_each(|value| self.effects(value, 0));
                self.bind(patterns, values);
            }
            StmtKind::Assign {
                targets,
                values,
                op,
            } => {
                values.iter().for_each(|value| self.effects(value, 0));
                let set = *op == AssignOp::Set;
                for (at, target) in targets.iter().enumerate() {
                    if let ExprKind::Name(name) = &target.kind {
                        let value = values
                            .get(at)
                            .filter(|_| set && targets.len() == values.len());
                        self.bind_name(name, value);
                    }
                }
            }
            StmtKind::Expr(of) => self.effects(of, 0),
            StmtKind::Defer(of) | StmtKind::Spawn(of) => self.effects(of, 0),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => return self.branch(condition, then, otherwise),
            StmtKind::Match { of, arms } => {
                of.iter().for_each(|of| self.effects(of, 0));
                let mut flow = Flow::On;
                for arm in arms {
                    if self.doubted("depends on a condition", &arm.body) != Flow::On {
                        flow = Flow::MayEnd;
                    }
                }
                return flow;
            }
            StmtKind::Loop {
                patterns,
                over,
                each,
                body,
            } => return self.rounds(patterns, over.as_ref().filter(|_| *each), body),
            StmtKind::Return(values) => {
                values.iter().for_each(|value| self.effects(value, 0));
                return Flow::Ends;
            }
            StmtKind::Leave(_) => return Flow::Ends,
            StmtKind::Block(block) => return self.block(block),
            StmtKind::With { of, name, body } => {
                self.effects(of, 0);
                if let Some(pattern) = name {
                    self.bind_context(of, pattern);
                }
                return self.block(body);
            }
            StmtKind::Try {
                body,
                handlers,
                finally,
            } => {
                let why = "may fail, and its error is caught";
                let mut flow = self.doubted(why, body);
                for handler in handlers {
                    if self.doubted(why, &handler.body) != Flow::On {
                        flow = Flow::MayEnd;
                    }
                }
                if self.block(finally) == Flow::Ends {
                    flow = Flow::Ends;
                }
                return flow;
            }
        }
        Flow::On
    }

    fn branch(&mut self, condition: &'a Expr, then: &'a Block, otherwise: &'a Block) -> Flow {
        self.effects(condition, 0);
        match self.holds(condition) {
            Some(true) => self.block(then),
            Some(false) => self.block(otherwise),
            None => {
                let before = self.names.clone();
                let one = self.doubted("depends on a condition", then);
                self.names = before;
                let other = self.doubted("depends on a condition", otherwise);
                // Which of the two gave the names their values is not known.
                if [then, otherwise].iter().any(|block| assigns(block)) {
                    self.names.forget();
                }
                match (one, other) {
                    (Flow::On, Flow::On) => Flow::On,
                    _ => Flow::MayEnd,
                }
            }
        }
    }

    /// A condition on the engine: `bind.dialect.name == "postgresql"`.
    fn holds(&self, condition: &'a Expr) -> Option<bool> {
        match &condition.kind {
            ExprKind::Bool(value) => Some(*value),
            ExprKind::Not(of) => Some(!self.holds(of)?),
            ExprKind::Binary { op, left, right } => {
                let equal = match op {
                    Operator::Equal => true,
                    Operator::NotEqual => false,
                    _ => return None,
                };
                let left = self.module.resolve(left, &self.names);
                let ExprKind::Field { of, name, .. } = &left.kind else {
                    return None;
                };
                let of_dialect = match &of.kind {
                    ExprKind::Field { name, .. } | ExprKind::Name(name) => &**name == "dialect",
                    _ => false,
                };
                if &**name != "name" || !of_dialect {
                    return None;
                }
                let word = self.module.text(right, &self.names)?;
                Some(is_dialect(&word, self.dialect) == equal)
            }
            _ => None,
        }
    }

    /// A loop over parts that are written is gone through; any other may go round any number.
    fn rounds(&mut self, patterns: &'a [Pattern], over: Option<&'a Expr>, body: &'a Block) -> Flow {
        over.iter().for_each(|over| self.effects(over, 0));
        let parts = over.and_then(|over| self.module.list(over, &self.names));
        let Some(parts) = parts else {
            for name in patterns.iter().flat_map(Pattern::names) {
                self.names.bind(name, Bound::Unknown);
            }
            return match self.doubted("stands in a loop that is not followed", body) {
                Flow::On => Flow::On,
                _ => Flow::MayEnd,
            };
        };
        for part in parts {
            match patterns {
                [one] => self.bind(std::slice::from_ref(one), std::slice::from_ref(part)),
                many => {
                    let inner = self.module.list(part, &self.names).unwrap_or_default();
                    for (at, pattern) in many.iter().enumerate() {
                        for name in pattern.names() {
                            let value = inner.get(at).copied();
                            let value = value.filter(|_| inner.len() == many.len());
                            self.bind_name(name, value);
                        }
                    }
                }
            }
            match self.block(body) {
                Flow::On => {}
                // `continue` and `break` are not told apart.
                Flow::Ends | Flow::MayEnd => {
                    self.doubted("stands in a loop that may be left", body);
                    return Flow::MayEnd;
                }
            }
            if self.full {
                break;
            }
        }
        Flow::On
    }

    /// What the calls of an expression do, inner ones first.
    fn effects(&mut self, of: &'a Expr, depth: usize) {
        if depth > MOST_DEPTH {
            let sentence = "an expression is nested deeper than is followed".to_owned();
            let place = self.module.place(of);
            return self.add(Step::unread(None, sentence, place.clone()), &place);
        }
        let next = depth + 1;
        match &of.kind {
            ExprKind::Call(call) => {
                if let ExprKind::Field { of, .. } = &call.callee.kind {
                    self.effects(of, next);
                }
                call.args.iter().for_each(|arg| self.effects(arg, next));
                self.call(of, call);
            }
            ExprKind::Field { of, .. } | ExprKind::Not(of) => self.effects(of, next),
            ExprKind::Index { of, by } => {
                self.effects(of, next);
                self.effects(by, next);
            }
            ExprKind::Make { fields, .. } => {
                fields
                    .iter()
                    .for_each(|field| self.effects(&field.value, next));
            }
            ExprKind::Binary { left, right, .. } => {
                self.effects(left, next);
                self.effects(right, next);
            }
            ExprKind::Cast { value, .. } => self.effects(value, next),
            ExprKind::Other(parts) => parts.iter().for_each(|part| self.effects(part, next)),
            ExprKind::Block(block) => {
                self.doubted("depends on a condition", block);
            }
            _ => {}
        }
    }
}

/// True if a block gives a name a value.
fn assigns(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Let { .. } | StmtKind::Assign { .. } => true,
        StmtKind::If {
            then, otherwise, ..
        } => assigns(then) || assigns(otherwise),
        StmtKind::Expr(_) | StmtKind::Return(_) | StmtKind::Leave(_) => false,
        StmtKind::Block(block) => assigns(block),
        _ => true,
    })
}
