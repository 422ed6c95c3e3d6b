//! Calls: by the role that they play, by the statement that they run, or by what the functions of
//! the tree do that they enter.

use crate::model::source::{Call, ExprKind, Language};
use crate::rules::GuardRole;

use super::super::frame::Frame;
use super::super::program::FnId;
use super::super::resolve::{Callee, is_function};
use super::super::texts::called_name;
use super::Flow;
use super::run::Given;
use super::state::{Set, State, Val};

/// A call of more implementations than this is not gone into.
pub(super) const MAX_IMPLEMENTATIONS: usize = 8;

impl<'a> Flow<'a, '_> {
    /// Runs a call; gives its value, and all its results where they are known apart.
    pub(super) fn call(
        &mut self,
        call: &'a Call,
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) -> (Val, Option<Vec<Val>>) {
        let (val, all) = self.call_plainly(call, frame, state);
        if !call.tried {
            return (val, all);
        }
        // `?` ends the function where the call failed.
        if let Some(given) = self.given.last_mut()
            && (!val.errors.is_empty() || val.failed != Some(Set::new()))
        {
            let failed = Val {
                errors: val.errors.clone(),
                of: val.of.clone(),
                ..Val::default()
            };
            let mut left = state.clone();
            left.pass(&val.failed);
            given.push(Given {
                results: vec![failed],
                fails: true,
                state: left,
            });
        }
        state.pass(&val.went);
        (val.inside(), None)
    }

    fn call_plainly(
        &mut self,
        call: &'a Call,
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) -> (Val, Option<Vec<Val>>) {
        let receiver = match &call.callee.kind {
            ExprKind::Field { of, .. } => self.eval(of, frame, state),
            _ => Val::default(),
        };
        if let ExprKind::Closure(closure) = &call.callee.kind {
            let given = self.args(call, frame, state);
            return self.closure(closure, &given, frame, state);
        }
        self.analysis.refuel();
        let callee = self.analysis.resolve(call, frame);
        let on_result = !receiver.of.is_empty();
        let rule = self.analysis.guard_rule(call, &callee, on_result, frame);
        let role = rule.map(|rule| rule.role);
        let place = frame.file.place(call.at);
        if role == Some(GuardRole::Launch) {
            let mut beside = state.clone();
            if !state.open.is_empty() {
                beside.launched = Some(place);
            }
            self.args(call, frame, &mut beside);
            self.run_given(call, frame, &beside);
            return (Val::default(), None);
        }
        let args = self.args(call, frame, state);
        // `matches!(error, Database(inner) if inner.is_unique_violation())`
        if let ([asked, _, ..], [_, rest @ ..], true) = (&args[..], &call.args[..], call.is_macro)
            && rest.iter().any(|arg| self.is_mark(arg, frame))
        {
            self.map_violation(asked);
            return (Val::default(), None);
        }
        let mut given = receiver.clone();
        for arg in &args {
            given.holds(arg);
        }
        for (at, name) in &call.named {
            if let Some(value) = call.args.get(*at)
                && let Some(key) = self.key_field(None, name, value.at, value, frame)
            {
                given.keys.insert(key);
            }
        }
        let met = self.wanted.get(&place).cloned().unwrap_or_default();
        let is_python = frame.file.language == Language::Python;
        let statement = self.statement(call, &callee, role, (&args, &receiver), &met, frame);
        let mut val = self.passed_on(call, &receiver, &args, frame);
        if let Some((number, lock)) = statement {
            let tx = match &call.callee.kind {
                ExprKind::Field { of, .. } if is_python => {
                    let implicit = self.is_implicit(call, &callee, frame);
                    Some(self.around_statement(of, implicit, frame, state))
                }
                ExprKind::Field { of, .. } => Some(self.transactions(of, &receiver, frame)),
                // A statement that is built runs where it is given away.
                _ if is_python => Some(self.around_statement(&call.callee, true, frame, state)),
                _ => None,
            };
            let mut both: Set = [number].into();
            both.extend(lock);
            if let Some(tx) = &tx {
                self.runs_in(&both, tx);
            }
            for effect in &met {
                self.met(*effect, Some(number), &given, state);
            }
            self.sent(number, lock, state);
            val = self.failing(&Val {
                of: both,
                tx: receiver.tx.clone(),
                ..Val::default()
            });
            self.keep_result(call, &val, frame, state);
        } else {
            for effect in &met {
                self.met(*effect, None, &given, state);
            }
        }
        // `session.execute(statement)` gives what the statement gives.
        if is_python && statement.is_none() && !on_result {
            for arg in args
                .iter()
                .filter(|arg| !arg.of.is_empty() && !self.is_of_read(arg))
            {
                val.of.extend(arg.of.iter().copied());
            }
        }
        // An exception is no value: it goes up to whoever catches it.
        if frame.file.language != Language::Python {
            val.errors.extend(met.iter().copied());
        }
        if let Some(rule) = rule {
            let val = self.role(rule, call, val, &args, frame, state);
            let all =
                (rule.role == GuardRole::FindOrCreate).then(|| vec![Val::default(), val.clone()]);
            return (val, all);
        }
        // `query(…).execute(&mut *tx)`: the statement runs in what it is given.
        if on_result && statement.is_none() && frame.file.language == Language::Rust {
            if let (Some(arg), Some(held)) = (call.args.first(), args.first()) {
                let tx = self.transactions(arg, held, frame);
                // `bind(x)` gives a value and no transaction.
                if !tx.is_empty() {
                    self.runs_in(&receiver.of, &tx);
                }
            }
            return (self.std_method(call, val, state), None);
        }
        if !met.is_empty() {
            return (val, None);
        }
        match callee {
            Callee::Functions(ids, _) => {
                let ids: Vec<FnId> = ids
                    .into_iter()
                    .filter(|id| self.matters.get(id.index()).copied().unwrap_or(true))
                    .collect();
                if ids.len() > MAX_IMPLEMENTATIONS {
                    self.give_up();
                }
                if ids.is_empty() || ids.len() > MAX_IMPLEMENTATIONS {
                    self.run_given(call, frame, state);
                    return (val, None);
                }
                self.enter(&ids, call, (&receiver, &args), frame, state)
            }
            Callee::Value(_) | Callee::Closure(_) => self.value(call, &args, val, frame, state),
            Callee::External(_)
            | Callee::Method { .. }
            | Callee::Type(_)
            | Callee::Unknown { .. } => {
                self.run_given(call, frame, state);
                (self.std_method(call, val, state), None)
            }
        }
    }

    /// A cursor holds what its last statement gave.
    fn keep_result(
        &mut self,
        call: &'a Call,
        val: &Val,
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) {
        let ExprKind::Field { of, .. } = &call.callee.kind else {
            return;
        };
        if let (Language::Python, ExprKind::Name(name), Some(id)) =
            (frame.file.language, &of.kind, frame.id)
            && frame.binding(self.analysis, name, of.at).is_some()
        {
            let mut held = state.var((id, name));
            held.of.clone_from(&val.of);
            state.set((id, name), held);
        }
    }

    fn args(&mut self, call: &'a Call, frame: &Frame<'a, '_>, state: &mut State<'a>) -> Vec<Val> {
        let args = call.args.iter();
        args.map(|arg| self.eval(arg, frame, state)).collect()
    }

    /// What a call of something unknown passes on: what it is called on; of a function, what its
    /// one argument says.
    fn passed_on(&self, call: &Call, receiver: &Val, args: &[Val], frame: &Frame<'a, '_>) -> Val {
        let mut val = match (&call.callee.kind, args) {
            (ExprKind::Field { of, .. }, _) if self.analysis.package_of(of, frame).is_none() => {
                receiver.clone()
            }
            (_, [one]) => one.clone(),
            _ => Val::default(),
        };
        for arg in args {
            val.tx.extend(arg.tx.iter().copied());
            val.keys.extend(arg.keys.iter().copied());
            // Effects whose error is wrapped into another.
            val.errors
                .extend(arg.errors.iter().copied().filter(|_| arg.is_error));
        }
        val
    }

    /// Methods of values that every program of Rust has.
    fn std_method(&mut self, call: &'a Call, val: Val, state: &mut State<'a>) -> Val {
        match &*called_name(call) {
            "is_some" => val,
            "is_none" => val.not(),
            "is_ok" => Val {
                yes: val.went,
                no: val.failed,
                ..Val::default()
            },
            "is_err" => Val {
                yes: val.failed,
                no: val.went,
                ..Val::default()
            },
            "unwrap" | "expect" => {
                state.pass(&val.went);
                val.inside()
            }
            _ => val,
        }
    }

    /// Functions that are given away run when whoever has them wants, if at all.
    pub(super) fn run_given(&mut self, call: &'a Call, frame: &Frame<'a, '_>, state: &State<'a>) {
        for arg in &call.args {
            let mut inner = state.clone();
            match &arg.kind {
                ExprKind::Closure(closure) => {
                    self.closure(closure, &[], frame, &mut inner);
                }
                ExprKind::Name(_) | ExprKind::Field { .. } if is_function(arg) => {
                    self.analysis.refuel();
                    let callee = self.analysis.resolve_callee(arg, usize::MAX, frame);
                    if let Callee::Functions(ids, _) = callee {
                        for id in ids.into_iter().take(MAX_IMPLEMENTATIONS) {
                            let outer = Frame {
                                entry: None,
                                ..*frame
                            };
                            self.function(
                                id,
                                None,
                                &Val::default(),
                                &[],
                                &outer,
                                &mut inner.clone(),
                            );
                        }
                    }
                }
                _ => {}
            }
        }
    }
}
