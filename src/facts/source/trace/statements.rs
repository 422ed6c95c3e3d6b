//! The walk: statement by statement, with the conditions around each.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::model::place::Place;
use crate::model::source::{Block, Expr, ExprKind, Pattern, Stmt, StmtKind};

use super::super::buses::Buses;
use super::super::frame::{Analysis, Frame};
use super::super::program::FnId;
use super::results::Gives;
use super::roots::Map;
use super::value::{Env, Kind, Val};
use super::{Inside, Step, Trace, Wanted, What};

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
    /// What the last expression of the block that is gone through is.
    pub(super) gives: Gives,
    /// Values of the blocks that are being gone through.
    pub(super) tails: Vec<Vec<Val<'a>>>,
    /// Transactions of connections on which another one begins after each.
    pub(super) connections: Vec<usize>,
    /// What began on such a connection after a transaction.
    pub(super) renewed: HashMap<usize, usize>,
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
    let mut walk = Walk::new(analysis, buses, map, wanted);
    walk.trace.flag_read.clone_from(&map.flag_read);
    walk.trace.elsewhere.clone_from(&map.statements);
    walk.trace.autocommit.clone_from(&map.autocommit);
    walk.trace.open_calls.clone_from(&map.open_calls);
    walk.trace.open_calls.sort();
    for root in &map.roots {
        walk.left = MAX_STATEMENTS;
        walk.trace.roots.push(walk.trace.steps.len());
        let frame = analysis.frame(*root);
        walk.trace.languages.push(frame.file.language);
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

impl<'a, 'w> Walk<'a, 'w> {
    /// A walk that has not begun.
    pub(super) fn new(
        analysis: &'w Analysis<'a>,
        buses: &'w Buses,
        map: &'w Map,
        wanted: Wanted<'w>,
    ) -> Self {
        Self {
            analysis,
            buses,
            map,
            wanted,
            trace: Trace {
                whole: true,
                ..Trace::default()
            },
            within: Vec::new(),
            numbers: 0,
            left: 0,
            open: Vec::new(),
            at_work: false,
            returned: Vec::new(),
            floor: 0,
            gives: Gives::Nothing,
            tails: Vec::new(),
            connections: Vec::new(),
            renewed: HashMap::new(),
        }
    }

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
        if !goes_on {
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
            StmtKind::Return(values) => self.returns(values, frame, env),
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
