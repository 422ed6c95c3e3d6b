//! Errors of effects that are passed over.

use crate::model::place::Pos;
use crate::model::redelivery::NoteKind;
use crate::model::source::{
    Arm, Block, Expr, ExprKind, Handler, Language, Pattern, Stmt, StmtKind,
};
use crate::rules::GuardRole;

use super::super::frame::Frame;
use super::super::resolve::Callee;
use super::super::texts::called_name;
use super::super::walk::{self, Part};
use super::Flow;
use super::condition::Test;
use super::run::Last;
use super::state::{State, Val, meet};

/// How the block that runs for an error ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// It goes on, and nobody learns of the error.
    Silent,
    /// It ends the round of a loop.
    Round,
    /// It gives the error on.
    Told,
}

impl<'a> Flow<'a, '_> {
    /// An `if` that asks for the error of an effect.
    pub(super) fn passed_over(
        &mut self,
        test: &Test,
        condition: &'a Expr,
        (then, otherwise): (&'a Block, &'a Block),
        stmt: &'a Stmt,
        frame: &Frame<'a, '_>,
    ) {
        let Some((effects, is_then)) = &test.error_of else {
            return;
        };
        let block = if *is_then { then } else { otherwise };
        if block.stmts.is_empty() {
            return;
        }
        let name = asked(condition);
        let silent = match self.ends(block, name, frame) {
            Ends::Told => false,
            Ends::Silent => name.is_none_or(|name| !is_used_behind(self, name, stmt, frame)),
            Ends::Round => {
                name.is_none_or(|name| !is_used_behind(self, name, stmt, frame))
                    && !self.acknowledges_behind(stmt, frame)
            }
        };
        if silent {
            let place = frame.file.place(stmt.at);
            let is_success = matches!(
                block.stmts.last().map(|last| &last.kind),
                Some(StmtKind::Return(_))
            );
            for effect in effects.clone() {
                self.note(effect, NoteKind::ErrorSwallowed, &place);
                let seen = self.seen.get_mut(effect);
                if let Some(seen) = seen.filter(|_| is_success) {
                    seen.caught.get_or_insert(place.clone());
                }
            }
        }
    }

    /// An arm that takes the error of an effect.
    pub(super) fn arm_passed_over(
        &mut self,
        of: &'a Expr,
        pattern: &'a Pattern,
        val: &Val,
        arm: &'a Arm,
        frame: &Frame<'a, '_>,
    ) {
        let is_error = matches!(pattern, Pattern::Parts { of, .. } if &**of == "Err");
        if !is_error || val.errors.is_empty() || arm.guard.is_some() {
            return;
        }
        let name = pattern.names().first().map(|name| &***name);
        if self.ends(&arm.body, name, frame) == Ends::Silent {
            let at = arm.body.stmts.first().map_or(of.at, |first| first.at);
            let place = frame.file.place(at);
            for effect in val.errors.clone() {
                self.note(effect, NoteKind::ErrorSwallowed, &place);
            }
        }
    }

    /// A block whose exceptions are caught.
    pub(super) fn attempt(
        &mut self,
        (body, handlers, finally): (&'a Block, &'a [Handler], &'a Block),
        last: Last,
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) {
        let before = state.clone();
        self.block(body, last, frame, state);
        let met = state
            .met
            .keys()
            .filter(|effect| !before.met.contains_key(effect));
        let met: Vec<usize> = met.copied().collect();
        for handler in handlers {
            if self.takes_violation(handler, frame) {
                let inserts = state.may.difference(&before.may).copied().collect();
                self.map_violation(&Val {
                    of: inserts,
                    ..Val::default()
                });
            }
            self.caught(handler, &met, frame);
            let mut caught = before.clone();
            self.block(&handler.body, Last::Statement, frame, &mut caught);
            *state = meet(state.clone(), caught);
        }
        self.block(finally, Last::Statement, frame, state);
    }

    /// True of a handler that takes the violation of a unique key, and is asked before others.
    fn takes_violation(&self, handler: &Handler, frame: &Frame<'a, '_>) -> bool {
        handler.takes.iter().any(|of| {
            let name = self.analysis.program.type_name(frame.file, of);
            let mut rules = self.analysis.rules.guards.iter();
            rules.any(|rule| {
                rule.role == GuardRole::UniqueViolation
                    && rule.language == frame.file.language
                    && rule.values.iter().any(|value| **value == *name)
            })
        })
    }

    /// A handler that takes every exception and raises none: what it ends is passed over.
    fn caught(&mut self, handler: &'a Handler, met: &[usize], frame: &Frame<'a, '_>) {
        let takes_all = handler.takes.is_empty()
            || handler.takes.iter().any(|of| {
                let last = of.name.rsplit('.').next().unwrap_or_default();
                matches!(last, "Exception" | "BaseException")
            });
        if !takes_all || met.is_empty() || self.raises(&handler.body, frame) {
            return;
        }
        let Some(first) = handler.body.stmts.first() else {
            return;
        };
        let place = frame.file.place(first.at);
        for effect in met {
            self.note(*effect, NoteKind::ErrorSwallowed, &place);
        }
    }

    fn raises(&self, block: &'a Block, frame: &Frame<'a, '_>) -> bool {
        let mut found = false;
        walk::each_expr(block, &mut |expr| {
            if let ExprKind::Call(call) = &expr.kind {
                let name = called_name(call);
                found |= matches!(&*name, "raise" | "retry" | "exit" | "abort")
                    || self.has_role(call, frame, GuardRole::Refuse);
            }
        });
        found
    }

    /// A value that nobody takes.
    pub(super) fn dropped(&mut self, expr: &'a Expr, val: &Val, frame: &Frame<'a, '_>) {
        if val.errors.is_empty() || !self.acts(expr, frame) {
            return;
        }
        let place = frame.file.place(expr.at);
        for effect in val.errors.clone() {
            self.note(effect, NoteKind::ErrorSwallowed, &place);
        }
    }

    /// True if the effect happens in this expression itself: a line of a log that shows an earlier
    /// error drops nothing.
    fn acts(&self, expr: &'a Expr, frame: &Frame<'a, '_>) -> bool {
        let mut at = expr;
        loop {
            at = match &at.kind {
                ExprKind::Call(call) => {
                    if self.wanted.contains_key(&frame.file.place(call.at)) {
                        return true;
                    }
                    self.analysis.refuel();
                    match self.analysis.resolve(call, frame) {
                        Callee::Functions(..) | Callee::Closure(_) | Callee::Value(_) => {
                            return true;
                        }
                        _ => &call.callee,
                    }
                }
                ExprKind::Field { of, .. } => of,
                _ => return false,
            };
        }
    }

    fn ends(&self, block: &'a Block, name: Option<&str>, frame: &Frame<'a, '_>) -> Ends {
        let is_go = frame.file.language == Language::Go;
        let mut open: Vec<Part<'a>> = vec![Part::Block(block)];
        let mut ends = match block.stmts.last().map(|last| &last.kind) {
            Some(StmtKind::Leave(_)) => Ends::Round,
            _ => Ends::Silent,
        };
        while let Some(part) = open.pop() {
            match part {
                Part::Block(block) => {
                    for stmt in &block.stmts {
                        let tells = match &stmt.kind {
                            // The error may be told inside of what counts as a success.
                            StmtKind::Return(values) => match values.last() {
                                None => true,
                                Some(last) => {
                                    let mut values = values.iter();
                                    !is_success(last, is_go)
                                        || name.is_some_and(|name| values.any(|it| names(it, name)))
                                }
                            },
                            // It is kept, to be told later.
                            StmtKind::Assign { values, .. } => {
                                name.is_none_or(|name| values.iter().any(|it| names(it, name)))
                            }
                            // In Rust what is not a macro, and speaks of the error, hands it on.
                            StmtKind::Expr(expr) if !is_go => match &expr.kind {
                                ExprKind::Call(call) if call.is_macro => false,
                                ExprKind::Call(call) if is_success(expr, is_go) => name
                                    .is_some_and(|name| call.args.iter().any(|it| names(it, name))),
                                ExprKind::Make { fields, .. } => !fields.is_empty(),
                                ExprKind::Other(_) | ExprKind::Block(_) => false,
                                ExprKind::Name(_) => true,
                                _ => name.is_some_and(|name| names(expr, name)),
                            },
                            _ => false,
                        };
                        if tells {
                            return Ends::Told;
                        }
                        walk::stmt_parts(stmt, &mut |part| open.push(part));
                    }
                }
                Part::Closure(closure) => open.push(Part::Block(&closure.body)),
                Part::Expr(expr) => {
                    if let ExprKind::Call(call) = &expr.kind {
                        let ended = matches!(&call.callee.kind, ExprKind::Name(name)
                            if matches!(&**name, "panic" | "unreachable" | "bail" | "anyhow::bail"));
                        if ended || call.tried || self.has_role(call, frame, GuardRole::Refuse) {
                            return Ends::Told;
                        }
                    }
                    walk::parts(expr, &mut |part| open.push(part));
                }
            }
        }
        if let Some(StmtKind::Return(_)) = block.stmts.last().map(|last| &last.kind) {
            ends = Ends::Silent;
        }
        ends
    }

    /// True if an acknowledgement stands behind a statement of the function: whoever ends the round
    /// before it leaves the event to be delivered again.
    fn acknowledges_behind(&self, stmt: &'a Stmt, frame: &Frame<'a, '_>) -> bool {
        let Some(function) = frame.function(self.analysis) else {
            return true;
        };
        let mut found = false;
        walk::each_expr(&function.body, &mut |expr| {
            if let ExprKind::Call(call) = &expr.kind {
                found |= call.at > stmt.at && self.has_role(call, frame, GuardRole::Acknowledge);
            }
        });
        found
    }
}

/// The variable whose error a condition asks for.
fn asked(condition: &Expr) -> Option<&str> {
    match &condition.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Not(inner) => asked(inner),
        ExprKind::Binary { left, right, .. } => asked(left).or_else(|| asked(right)),
        _ => None,
    }
}

/// True of a result that says that all went well.
fn is_success(expr: &Expr, is_go: bool) -> bool {
    match &expr.kind {
        ExprKind::Nil => is_go,
        ExprKind::Call(call) => {
            matches!(&call.callee.kind, ExprKind::Name(name) if &**name == "Ok")
        }
        _ => false,
    }
}

fn names(expr: &Expr, name: &str) -> bool {
    let mut open = vec![Part::Expr(expr)];
    while let Some(part) = open.pop() {
        if let Part::Expr(expr) = part {
            if matches!(&expr.kind, ExprKind::Name(found) if &**found == name) {
                return true;
            }
            walk::parts(expr, &mut |part| open.push(part));
        }
    }
    false
}

/// True if the value that a name has at a statement is looked at behind it.
fn is_used_behind<'a>(
    flow: &Flow<'a, '_>,
    name: &str,
    stmt: &'a Stmt,
    frame: &Frame<'a, '_>,
) -> bool {
    let (Some(id), Some(function)) = (frame.id, frame.function(flow.analysis)) else {
        return true;
    };
    let scope = flow.analysis.scope(id);
    let bound: Option<Pos> = scope.at(name, stmt.at).map(|binding| binding.at);
    let end = end_of(stmt);
    let mut used = false;
    walk::each_expr(&function.body, &mut |expr| {
        let is_it = matches!(&expr.kind, ExprKind::Name(found) if &**found == name);
        if is_it && expr.at > end && scope.at(name, expr.at).map(|found| found.at) == bound {
            used = true;
        }
    });
    used
}

/// The last position that is known to belong to a statement.
fn end_of(stmt: &Stmt) -> Pos {
    let mut last = stmt.at;
    let mut open: Vec<Part<'_>> = Vec::new();
    walk::stmt_parts(stmt, &mut |part| open.push(part));
    while let Some(part) = open.pop() {
        match part {
            Part::Expr(expr) => {
                last = last.max(expr.at);
                walk::parts(expr, &mut |part| open.push(part));
            }
            Part::Block(block) => {
                for stmt in &block.stmts {
                    last = last.max(stmt.at);
                    walk::stmt_parts(stmt, &mut |part| open.push(part));
                }
            }
            Part::Closure(closure) => last = last.max(closure.end),
        }
    }
    last
}
