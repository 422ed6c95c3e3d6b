//! The walk: statement by statement, with the conditions around each.

use std::rc::Rc;
use std::sync::Arc;

use crate::model::place::Place;
use crate::model::source::{Block, Expr, ExprKind, Language, Pattern, Stmt, StmtKind};

use super::super::buses::Buses;
use super::super::frame::{Analysis, Frame};
use super::super::program::FnId;
use super::roots::Map;
use super::value::{Env, Kind, Val};
use super::{End, Inside, Step, Trace, Wanted, What};

/// How many statements of source are gone through for one root.
const MAX_STATEMENTS: usize = 40_000;
/// How deep calls are followed.
pub(super) const MAX_CALLS: usize = 32;

/// The walk.
pub(super) struct Walk<'a, 'w> {
    pub(super) analysis: &'w Analysis<'a>,
    pub(super) buses: &'w Buses,
    pub(super) map: &'w Map,
    pub(super) wanted: Wanted<'w>,
    pub(super) trace: Trace,
    pub(super) within: Vec<Inside>,
    pub(super) numbers: usize,
    pub(super) left: usize,
    /// Functions that are being gone through.
    pub(super) open: Vec<FnId>,
    /// True inside a function that does the work.
    pub(super) at_work: bool,
    /// What the functions that are being gone through return.
    pub(super) returned: Vec<Vec<Vec<Val<'a>>>>,
    /// How much of the surroundings lies outside the function that is gone through.
    pub(super) floor: usize,
}

/// How a block ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// What stands behind it runs.
    On,
    /// It does not.
    Ends,
}

/// Walks from every root.
pub(super) fn walk<'a>(
    analysis: &Analysis<'a>,
    buses: &Buses,
    map: &Map,
    wanted: Wanted<'_>,
) -> Trace {
    let mut walk = Walk {
        analysis,
        buses,
        map,
        wanted,
        trace: Trace {
            whole: true,
            flag_read: map.flag_read.clone(),
            elsewhere: map.statements.clone(),
            ..Trace::default()
        },
        within: Vec::new(),
        numbers: 0,
        left: 0,
        open: Vec::new(),
        at_work: false,
        returned: Vec::new(),
        floor: 0,
    };
    for root in &map.roots {
        walk.left = MAX_STATEMENTS;
        walk.trace.roots.push(walk.trace.steps.len());
        let frame = analysis.frame(*root);
        walk.trace.by_value |= frame.file.language == Language::Go;
        walk.at_work = map.core.contains(root);
        walk.open.push(*root);
        walk.returned.push(Vec::new());
        let mut env: Env<'a> = Rc::default();
        walk.block(&analysis.program.function(*root).body, &frame, &mut env);
        walk.returned.pop();
        walk.open.pop();
        walk.within.clear();
    }
    walk.trace
}

impl<'a> Walk<'a, '_> {
    pub(super) fn number(&mut self) -> usize {
        self.numbers += 1;
        self.numbers
    }

    /// Notes a step, and gives its number.
    pub(super) fn step(&mut self, place: Place, what: What) -> usize {
        self.trace.steps.push(Step {
            place,
            within: self.within.clone(),
            what,
        });
        self.trace.steps.len() - 1
    }

    /// The number that the next step will have.
    pub(super) fn next(&self) -> usize {
        self.trace.steps.len()
    }

    /// Goes through something that stands inside something else.
    pub(super) fn inside<T>(&mut self, inside: Inside, run: impl FnOnce(&mut Self) -> T) -> T {
        let depth = self.within.len();
        self.within.push(inside);
        let result = run(self);
        self.within.truncate(depth);
        result
    }

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
            StmtKind::Loop {
                patterns,
                over,
                each,
                body,
            } => {
                let number = self.number();
                if *each {
                    self.trace.each.push(number);
                }
                self.inside(Inside::Loop(number), |walk| {
                    if let Some(over) = over {
                        let val = walk.eval(over, frame, env);
                        for pattern in patterns {
                            let val = match each {
                                true => Val::default().taking(&val),
                                false => val.clone(),
                            };
                            bind(pattern, val, env);
                        }
                    }
                    walk.block(body, frame, env)
                });
                // A loop without a condition ends only from inside.
                Flow::On
            }
            StmtKind::Match { of, arms } => self.arms(of.as_ref(), arms, frame, env),
            StmtKind::Return(values) => {
                let mut given = match values.len() {
                    0 => Vec::new(),
                    1 => self.results(&values[0], frame, env),
                    count => self.values(values, count, frame, env),
                };
                let end = end_of(given.last(), frame.file.language);
                self.told(&mut given, end);
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
            StmtKind::Leave => Flow::Ends,
            StmtKind::Defer(expr) => {
                let number = self.number();
                self.inside(Inside::Defer(number), |walk| walk.eval(expr, frame, env));
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
        (Some(Kind::Bool(_) | Kind::Hit(..)) | None, _) => End::Unknown,
        (Some(_), Language::Go) => End::Fails,
        (Some(_), _) => End::Unknown,
    }
}

/// Gives a name its value.
pub(super) fn bind<'a>(pattern: &Pattern, val: Val<'a>, env: &mut Env<'a>) {
    match pattern {
        Pattern::Name(name, _) => {
            Rc::make_mut(env).insert(Arc::clone(name), val);
        }
        Pattern::Parts { .. } => {
            for name in pattern.names() {
                Rc::make_mut(env).insert(Arc::clone(name), val.clone());
            }
        }
        _ => {}
    }
}

/// Gives what an expression names its value; a part of a struct that is known too.
pub(super) fn assign<'a>(target: &Expr, val: Val<'a>, env: &mut Env<'a>) {
    match &target.kind {
        ExprKind::Name(name) => {
            Rc::make_mut(env).insert(Arc::clone(name), val);
        }
        ExprKind::Field { of, name, .. } => {
            if let ExprKind::Name(holder) = &of.kind {
                let names = Rc::make_mut(env);
                let held = names.entry(Arc::clone(holder)).or_default();
                if matches!(held.kind, Kind::Unknown) {
                    held.kind = Kind::Made(Rc::default());
                }
                if let Kind::Made(parts) = &mut held.kind {
                    Rc::make_mut(parts).insert(Arc::clone(name), val);
                }
            }
        }
        _ => {}
    }
}
