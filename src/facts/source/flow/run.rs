//! Statements: which of them are left, where ways part, and where they meet.

use std::collections::BTreeMap;

use crate::model::source::{
    Arm, AssignOp, Block, Expr, ExprKind, Language, Pattern, Stmt, StmtKind,
};

use super::super::frame::Frame;
use super::super::walk;
use super::Flow;
use super::condition::Test;
use super::state::{State, Val, Var, meet};

/// What a function gives back on one way.
#[derive(Debug, Clone)]
pub(super) struct Given<'a> {
    /// Its results, in order.
    pub(super) results: Vec<Val>,
    /// True if it fails there.
    pub(super) fails: bool,
    /// What holds there.
    pub(super) state: State<'a>,
}

/// What the last statement of a block is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Last {
    /// Nothing.
    Statement,
    /// It is the value of the block.
    Value,
    /// It is what the function gives back.
    Result,
}

impl<'a> Flow<'a, '_> {
    /// Runs a block; gives its value.
    pub(super) fn block(
        &mut self,
        block: &'a Block,
        last: Last,
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) -> Val {
        let mut value = Val::default();
        // What a name of an inner block hides is there again behind it.
        let mut hidden: BTreeMap<Var<'a>, Val> = BTreeMap::new();
        for (at, stmt) in block.stmts.iter().enumerate() {
            if state.left {
                break;
            }
            if let (StmtKind::Let { patterns, .. }, Some(id)) = (&stmt.kind, frame.id) {
                for name in patterns.iter().flat_map(Pattern::names) {
                    let var = (id, &**name);
                    hidden.entry(var).or_insert_with(|| state.var(var));
                }
            }
            let is_last = at + 1 == block.stmts.len();
            let last = if is_last { last } else { Last::Statement };
            value = self.stmt(stmt, last, frame, state);
        }
        for (var, val) in hidden {
            state.set(var, val);
        }
        value
    }

    fn stmt(
        &mut self,
        stmt: &'a Stmt,
        last: Last,
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) -> Val {
        if !self.burns() {
            return Val::default();
        }
        match &stmt.kind {
            StmtKind::Let {
                patterns,
                values,
                otherwise,
                ..
            } => {
                if let ([pattern], [value], false) =
                    (&patterns[..], &values[..], otherwise.stmts.is_empty())
                {
                    let val = self.eval(value, frame, state);
                    let mut other = state.clone();
                    let test = self.fits(pattern, &val, frame, state);
                    self.block(otherwise, Last::Statement, frame, &mut other);
                    state.pass(&test.yes);
                    *state = meet(state.clone(), other);
                    return Val::default();
                }
                self.bind(patterns, values, frame, state);
            }
            StmtKind::Assign {
                targets,
                op,
                values,
            } => self.assign(targets, *op, values, frame, state),
            StmtKind::Expr(expr) => {
                let val = self.eval(expr, frame, state);
                if last == Last::Result {
                    self.give(vec![(expr, val)], frame, state);
                    return Val::default();
                }
                if last == Last::Statement && matches!(expr.kind, ExprKind::Call(_)) {
                    self.dropped(expr, &val, frame);
                }
                return val;
            }
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => return self.branch((condition, then, otherwise), stmt, last, frame, state),
            StmtKind::Loop {
                patterns,
                over,
                each,
                body,
            } => {
                let over = over
                    .as_ref()
                    .map(|over| (over, self.eval(over, frame, state)));
                let mut round = state.clone();
                if let Some((over, val)) = over {
                    for pattern in patterns {
                        self.fits(pattern, &val, frame, &mut round);
                    }
                    if !*each && patterns.is_empty() {
                        let test = self.test(over, frame, &mut round);
                        round.pass(&test.yes);
                    }
                }
                self.block(body, Last::Statement, frame, &mut round);
                // A loop may run no round; what it says of variables counts as one of two ways.
                let acked = state.acked.clone().or_else(|| round.acked.clone());
                *state = meet(state.clone(), round);
                state.acked = acked;
            }
            StmtKind::Match { of, arms } => {
                return self.arms(of.as_ref(), arms, last, frame, state);
            }
            StmtKind::Return(values) => {
                let results = self.results(values, frame, state);
                self.leave_blocks(state);
                self.give(results, frame, state);
                state.left = true;
            }
            StmtKind::Leave(_) => state.left = true,
            // What it does, it does when the function ends.
            StmtKind::Defer(expr) => {
                let mut later = state.clone();
                let before = self.ends.count();
                self.eval(expr, frame, &mut later);
                // A transaction that it ends is over once the function is.
                let ended = state.open.difference(&later.open).copied();
                let committed = self.ends.since(before);
                self.commit_deferred(committed);
                if let Some(deferred) = self.deferred.last_mut() {
                    deferred.extend(ended);
                }
            }
            StmtKind::Spawn(expr) => {
                let mut beside = state.clone();
                if !state.open.is_empty() {
                    beside.launched = Some(frame.file.place(stmt.at));
                }
                self.eval(expr, frame, &mut beside);
            }
            StmtKind::Block(block) => return self.block(block, last, frame, state),
            StmtKind::With { of, name, body } => {
                return self.with((of, name.as_ref(), body), last, frame, state);
            }
            StmtKind::Try {
                body,
                handlers,
                finally,
            } => self.attempt((body, handlers, finally), last, frame, state),
        }
        Val::default()
    }

    fn branch(
        &mut self,
        (condition, then, otherwise): (&'a Expr, &'a Block, &'a Block),
        stmt: &'a Stmt,
        last: Last,
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) -> Val {
        let test = self.test(condition, frame, state);
        let mut no = state.clone();
        state.pass(&test.yes);
        no.pass(&test.no);
        self.narrow(condition, true, frame, state);
        self.narrow(condition, false, frame, &mut no);
        self.passed_over(&test, condition, (then, otherwise), stmt, frame);
        let first = self.block(then, last, frame, state);
        let second = self.block(otherwise, last, frame, &mut no);
        let value = match (state.left, no.left) {
            (true, _) => second,
            (_, true) => first,
            _ => first.beside(&state.passed).or(&second.beside(&no.passed)),
        };
        *state = meet(std::mem::take(state), no);
        value
    }

    fn arms(
        &mut self,
        of: Option<&'a Expr>,
        arms: &'a [Arm],
        last: Last,
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) -> Val {
        let subject = of.map(|of| (of, self.eval(of, frame, state)));
        let mut rest = state.clone();
        let mut end = State {
            left: true,
            ..State::default()
        };
        let mut value: Option<Val> = None;
        let mut is_total = false;
        for arm in arms {
            let mut inside = rest.clone();
            let mut test = Test::default();
            if let Some((of, val)) = &subject {
                test = match &arm.patterns[..] {
                    [] => Test::default(),
                    [pattern] => self.fits_value(of, pattern, val, frame, &mut inside),
                    _ => Test::default(),
                };
            }
            inside.pass(&test.yes);
            if let Some(guard) = &arm.guard {
                let asked = self.test(guard, frame, &mut inside);
                inside.pass(&asked.yes);
                if arm.patterns.is_empty() {
                    rest.pass(&asked.no);
                }
            } else {
                rest.pass(&test.no);
                let default = arm.patterns.is_empty()
                    || matches!(
                        &arm.patterns[..],
                        [Pattern::Ignore | Pattern::Name(_, None)]
                    );
                is_total |= default;
            }
            if let ([pattern], Some((of, val))) = (&arm.patterns[..], &subject) {
                self.arm_passed_over(of, pattern, val, arm, frame);
            }
            let got = self.block(&arm.body, last, frame, &mut inside);
            if !inside.left {
                let got = got.beside(&inside.passed);
                value = Some(value.map_or_else(|| got.clone(), |value| value.or(&got)));
            }
            end = meet(end, inside);
        }
        // A `match` of Rust is total; a `switch` without a default may run no arm.
        if !is_total && frame.file.language == Language::Go {
            end = meet(end, rest);
        }
        *state = end;
        value.unwrap_or_default()
    }

    /// Gives names the values of a statement.
    fn bind(
        &mut self,
        patterns: &'a [Pattern],
        values: &'a [Expr],
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) {
        let vals = self.values(values, patterns.len(), frame, state);
        for (at, pattern) in patterns.iter().enumerate() {
            let val = vals.get(at).cloned().unwrap_or_default();
            if matches!(pattern, Pattern::Ignore) && at + 1 == patterns.len() {
                if let [value] = values {
                    self.dropped(value, &val, frame);
                }
                continue;
            }
            self.fits(pattern, &val, frame, state);
        }
    }

    fn assign(
        &mut self,
        targets: &'a [Expr],
        op: AssignOp,
        values: &'a [Expr],
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) {
        let vals = self.values(values, targets.len(), frame, state);
        for (at, target) in targets.iter().enumerate() {
            let val = vals.get(at).cloned().unwrap_or_default();
            match &target.kind {
                ExprKind::Name(name) if &**name == "_" => {
                    if let ([value], true) = (values, at + 1 == targets.len()) {
                        self.dropped(value, &val, frame);
                    }
                }
                ExprKind::Name(name) => {
                    let Some(id) = frame.id else { continue };
                    let val = match op {
                        AssignOp::Set => val,
                        _ => state.var((id, name)).or(&val),
                    };
                    state.set((id, name), val);
                }
                kind => {
                    self.eval(target, frame, state);
                    let (Some(id), Some(name)) = (frame.id, walk::whole(target)) else {
                        continue;
                    };
                    let mut whole = state.var((id, name));
                    whole.holds(&val);
                    if let ExprKind::Field { name, .. } = kind {
                        whole.set.insert(std::sync::Arc::clone(name));
                    }
                    if let (ExprKind::Field { name, at, .. }, Some(value)) = (kind, values.get(at))
                        && let Some(key) = self.key_field(None, name, *at, value, frame)
                    {
                        whole.keys.insert(key);
                    }
                    if let (ExprKind::Index { by, .. }, Some(value)) = (kind, values.get(at))
                        && let ExprKind::Text(field) = &by.kind
                        && let Some(key) = self.key_field(None, field, by.at, value, frame)
                    {
                        whole.keys.insert(key);
                    }
                    state.set((id, name), whole);
                }
            }
        }
    }
}
