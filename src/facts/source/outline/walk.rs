//! The statements of a function, one after another.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::guarantee::{Caught, Node, Test, What};
use crate::model::place::{Place, Pos};
use crate::model::source::{
    Block, Expr, ExprKind, Handler, Language, Pattern, Stmt, StmtKind, TypeRef,
};
use crate::rules::GuardRole;

use super::super::frame::{Analysis, Frame};
use super::super::program::{FnId, title};

use super::connection::Connection;

/// More things than this are not put into one outline.
const MAX_NODES: usize = 20_000;
/// How deep calls are followed.
pub(super) const MAX_CALLS: usize = 24;

/// Makes one outline.
pub(super) struct Walk<'a, 'w> {
    pub(super) analysis: &'w Analysis<'a>,
    pub(super) left: usize,
    /// Functions that are being gone through.
    pub(super) open: Vec<FnId>,
    pub(super) cut: Option<Place>,
    /// Connections of the transactions around, where they are known.
    pub(super) within: Vec<Option<Connection>>,
    /// Connections on which statements ran outside of every transaction.
    pub(super) used: BTreeSet<Connection>,
}

impl<'a, 'w> Walk<'a, 'w> {
    pub(super) fn new(analysis: &'w Analysis<'a>) -> Self {
        Self {
            analysis,
            left: MAX_NODES,
            open: Vec::new(),
            cut: None,
            within: Vec::new(),
            used: BTreeSet::new(),
        }
    }

    /// The outline of a function that nobody is seen to call.
    pub(super) fn whole(&mut self, id: FnId) -> Vec<Node> {
        let frame = self.analysis.frame(id);
        self.open.push(id);
        let mut out = Vec::new();
        let function = self.analysis.program.function(id);
        self.block(&function.body, &frame, &mut out);
        self.open.pop();
        self.around(id, out)
    }

    /// A decorator that begins a transaction does so around the whole function.
    pub(super) fn around(&mut self, id: FnId, body: Vec<Node>) -> Vec<Node> {
        let analysis = self.analysis;
        for (call, within) in analysis.around_calls(id) {
            let frame = analysis.frame(*within);
            if self.role(call, &frame) == Some(GuardRole::Begin) {
                let place = frame.file.place(call.at);
                return vec![Node {
                    place,
                    what: What::Transaction(body),
                }];
            }
        }
        body
    }

    pub(super) fn name_of(&self, id: FnId) -> Arc<str> {
        let program = self.analysis.program;
        let title = title(program.function(id));
        format!("{}::{title}", program.file(id).path).into()
    }

    pub(super) fn push(&mut self, place: Place, what: What, out: &mut Vec<Node>) {
        if self.left == 0 {
            self.cut.get_or_insert(place);
            return;
        }
        self.left -= 1;
        out.push(Node { place, what });
    }

    pub(super) fn block(&mut self, block: &'a Block, frame: &Frame<'a, '_>, out: &mut Vec<Node>) {
        for stmt in &block.stmts {
            self.stmt(stmt, frame, out);
        }
    }

    fn nodes(&mut self, block: &'a Block, frame: &Frame<'a, '_>) -> Vec<Node> {
        let mut out = Vec::new();
        self.block(block, frame, &mut out);
        out
    }

    fn stmt(&mut self, stmt: &'a Stmt, frame: &Frame<'a, '_>, out: &mut Vec<Node>) {
        let place = frame.file.place(stmt.at);
        match &stmt.kind {
            StmtKind::Let {
                patterns,
                values,
                otherwise,
                ..
            } => {
                for value in values {
                    self.eval(value, frame, out);
                }
                for (pattern, value) in patterns.iter().zip(values) {
                    if let Pattern::Name(name, _) = pattern {
                        let test = self.test(value, frame);
                        self.push(place.clone(), What::Assign(Arc::clone(name), test), out);
                    }
                }
                if !otherwise.stmts.is_empty() {
                    let arms = vec![Vec::new(), self.nodes(otherwise, frame)];
                    self.push(
                        place,
                        What::Branch {
                            test: Test::default(),
                            arms,
                        },
                        out,
                    );
                }
            }
            StmtKind::Assign {
                targets, values, ..
            } => {
                for value in values {
                    self.eval(value, frame, out);
                }
                for (target, value) in targets.iter().zip(values) {
                    let name = self.test(target, frame).shown;
                    let test = self.test(value, frame);
                    self.push(place.clone(), What::Assign(name, test), out);
                }
            }
            StmtKind::Expr(expr) | StmtKind::Spawn(expr) | StmtKind::Defer(expr) => {
                self.eval(expr, frame, out);
            }
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.eval(condition, frame, out);
                let test = self.test(condition, frame);
                let arms = vec![self.nodes(then, frame), self.nodes(otherwise, frame)];
                self.push(place, What::Branch { test, arms }, out);
            }
            StmtKind::Match { of, arms } => self.arms(of.as_ref(), arms, stmt.at, frame, out),
            StmtKind::Loop {
                over, each, body, ..
            } => {
                let mut inner = Vec::new();
                if let Some(over) = over {
                    self.eval(over, frame, if *each { out } else { &mut inner });
                }
                let test = over.as_ref().map(|over| self.test(over, frame));
                self.block(body, frame, &mut inner);
                let what = What::Loop {
                    each: *each,
                    test,
                    body: inner,
                };
                self.push(place, what, out);
            }
            StmtKind::Return(values) => {
                for value in values {
                    self.eval(value, frame, out);
                }
                let test = self.tests(values, frame);
                self.push(place, What::Return(test), out);
            }
            StmtKind::Leave(_) => self.push(place, What::Leave, out),
            StmtKind::Block(block) => self.block(block, frame, out),
            StmtKind::With { of, body, .. } => self.with(of, body, place, frame, out),
            StmtKind::Try {
                body,
                handlers,
                finally,
            } => {
                let body = self.nodes(body, frame);
                let handlers = handlers
                    .iter()
                    .map(|one| self.handler(one, frame))
                    .collect();
                let finally = self.nodes(finally, frame);
                self.push(
                    place,
                    What::Try {
                        body,
                        handlers,
                        finally,
                    },
                    out,
                );
            }
        }
    }

    /// Arms, each behind the question whether it is the one.
    fn arms(
        &mut self,
        of: Option<&'a Expr>,
        arms: &'a [crate::model::source::Arm],
        at: Pos,
        frame: &Frame<'a, '_>,
        out: &mut Vec<Node>,
    ) {
        let mut looked = Test::default();
        if let Some(of) = of {
            self.eval(of, frame, out);
            looked = self.test(of, frame);
        }
        let place = frame.file.place(at);
        // From the last one on: each that does not fit leads to the next.
        let mut rest: Vec<Node> = Vec::new();
        for arm in arms.iter().rev() {
            let body = self.nodes(&arm.body, frame);
            if arm.patterns.is_empty() && arm.guard.is_none() {
                rest = body;
                continue;
            }
            let mut own = Vec::new();
            let mut test = looked.clone();
            for pattern in &arm.patterns {
                if let Pattern::Value(value) = pattern {
                    expr_merge(&mut test, self.test(value, frame));
                }
            }
            if let Some(guard) = &arm.guard {
                self.eval(guard, frame, &mut own);
                expr_merge(&mut test, self.test(guard, frame));
            }
            let what = What::Branch {
                test,
                arms: vec![body, rest],
            };
            self.push(place.clone(), what, &mut own);
            rest = own;
        }
        out.extend(rest);
    }

    /// `with`: a transaction, or something that is left behind the block.
    fn with(
        &mut self,
        of: &'a Expr,
        body: &'a Block,
        place: Place,
        frame: &Frame<'a, '_>,
        out: &mut Vec<Node>,
    ) {
        let begins = match &of.kind {
            ExprKind::Call(call) => self.begins(call, frame),
            _ => false,
        };
        if !begins {
            self.eval(of, frame, out);
            self.block(body, frame, out);
            return;
        }
        let connection = match &of.kind {
            ExprKind::Call(call) => self.connection_of(call, frame),
            _ => None,
        };
        let begun = connection.is_some_and(|it| self.used.contains(&it));
        if begun && !self.within.contains(&connection) {
            self.push(place.clone(), What::Begun, out);
        }
        self.within.push(connection);
        let body = self.nodes(body, frame);
        self.within.pop();
        self.push(place, What::Transaction(body), out);
    }

    fn handler(&mut self, handler: &'a Handler, frame: &Frame<'a, '_>) -> Caught {
        let takes: Vec<Arc<str>> = handler
            .takes
            .iter()
            .map(|of| Arc::from(self.type_name(of, frame)))
            .collect();
        Caught {
            unique: takes.iter().any(|of| self.is_unique_violation(of, frame)),
            takes,
            body: self.nodes(&handler.body, frame),
        }
    }

    fn type_name(&self, of: &TypeRef, frame: &Frame<'a, '_>) -> String {
        self.analysis.program.type_name(frame.file, of)
    }

    /// True of a type of errors that stands for the violation of a unique key.
    fn is_unique_violation(&self, of: &str, frame: &Frame<'a, '_>) -> bool {
        let language: Language = frame.file.language;
        let mut rules = self.analysis.rules.guards.iter();
        rules.any(|rule| {
            rule.language == language
                && rule.role == GuardRole::UniqueViolation
                && rule.values.iter().any(|known| **known == *of)
        })
    }
}

/// Adds what one part of a condition is about to another.
pub(super) fn expr_merge(test: &mut Test, other: Test) {
    let shown = match (test.shown.is_empty(), other.shown.is_empty()) {
        (true, _) => other.shown,
        (_, true) => Arc::clone(&test.shown),
        _ => format!("{} {}", test.shown, other.shown).into(),
    };
    test.shown = shown;
    test.names.extend(other.names);
    test.literals.extend(other.literals);
    test.calls.extend(other.calls);
    test.types.extend(other.types);
    test.either |= other.either;
    test.ordered |= other.ordered;
    test.constant = None;
}
