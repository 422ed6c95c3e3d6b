//! Calls: by the role that they play, by the statement that they run, or by what the functions of
//! the tree do that they enter.

use crate::model::map::Sureness;
use crate::model::source::{Call, Closure, Expr, ExprKind, Language, Pattern};
use crate::rules::{GuardRole, GuardRule};

use super::super::frame::Frame;
use super::super::program::FnId;
use super::super::resolve::{Callee, is_function};
use super::super::walk;
use super::run::{Given, Last};
use super::state::{Holds, Set, State, Val, either, meet};
use super::statements::{Kind, method};
use super::{Flow, MAX_BODIES, MAX_CALLS};

/// A call of more implementations than this is not gone into.
const MAX_IMPLEMENTATIONS: usize = 8;

/// How a function is entered: what decides what it does.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Entry {
    id: usize,
    given: Vec<Val>,
    passed: Set,
    ran: Set,
    may: Set,
    met: Set,
    open: Set,
    acked: bool,
    launched: bool,
}

/// How it is left again.
#[derive(Debug, Clone)]
pub(super) struct Left<'a> {
    results: Vec<Val>,
    state: State<'a>,
}

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
        let mut given = receiver.clone();
        for arg in &args {
            given.holds(arg);
        }
        let met = self.wanted.get(&place).cloned().unwrap_or_default();
        let statement = self.statement(call, &callee, role, frame);
        let mut val = self.passed_on(call, &receiver, &args, frame);
        if let Some((number, lock)) = statement {
            let tx = match &call.callee.kind {
                ExprKind::Field { of, .. } => Some(self.transactions(of, &receiver, frame)),
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
        } else {
            for effect in &met {
                self.met(*effect, None, &given, state);
            }
        }
        val.errors.extend(met.iter().copied());
        if let Some(rule) = rule {
            return (self.role(rule, call, val, &args, frame, state), None);
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
            Callee::Functions(ids, sure) => {
                let ids: Vec<FnId> = ids
                    .into_iter()
                    .filter(|id| self.matters.get(id.index()).copied().unwrap_or(true))
                    .collect();
                if ids.is_empty() || ids.len() > MAX_IMPLEMENTATIONS || sure == Sureness::Low {
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

    /// What a call means by the role that it plays.
    fn role(
        &mut self,
        rule: &'a GuardRule,
        call: &'a Call,
        mut val: Val,
        args: &[Val],
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) -> Val {
        let place = frame.file.place(call.at);
        match rule.role {
            GuardRole::Begin => {
                let number = self.begun(place);
                state.open.insert(number);
                val.tx = [number].into();
                val
            }
            GuardRole::Commit | GuardRole::Rollback => {
                for tx in &val.tx {
                    state.open.remove(tx);
                }
                Val::default()
            }
            GuardRole::Transaction => {
                let number = self.begun(place);
                let given = Val {
                    tx: [number].into(),
                    ..Val::default()
                };
                state.open.insert(number);
                let mut result = Val::default();
                for arg in &call.args {
                    if let ExprKind::Closure(closure) = &arg.kind {
                        let given = vec![given.clone(); closure.params.len()];
                        result = self.closure(closure, &given, frame, state).0;
                    }
                }
                state.open.remove(&number);
                result
            }
            GuardRole::RowCount => self.counted(&val),
            GuardRole::MaybeRow => self.row(call, &val, true, args, frame),
            GuardRole::Row => self.row(call, &val, false, args, frame),
            GuardRole::Fills => {
                let looked = self.looked_at(&val);
                self.fill(&call.args, &looked, frame, state);
                looked.error()
            }
            GuardRole::Read => {
                let looked = self.looked_at(&val);
                self.fill(&call.args, &looked, frame, state);
                looked
            }
            GuardRole::ErrorOf => self.failing(&val).error(),
            GuardRole::IsError => {
                let asked = args.first().cloned().unwrap_or_default();
                let asked = self.failing(&asked);
                if call.args.iter().any(|arg| self.is_mark(arg, frame)) {
                    self.map_violation(&asked);
                    return Val::default();
                }
                self.fill(call.args.get(1..).unwrap_or_default(), &asked, frame, state);
                Val {
                    yes: asked.yes.clone(),
                    of: asked.of,
                    ..Val::default()
                }
            }
            GuardRole::UniqueViolation => {
                self.map_violation(&val);
                Val::default()
            }
            GuardRole::TtlLock => {
                let number = self.number(Kind::Ttl, place, String::new());
                self.sent(number, None, state);
                self.first_if(number)
            }
            GuardRole::MemoryHolds => {
                let number = self.number(Kind::Memory, place, String::new());
                self.again_if(number)
            }
            GuardRole::MemoryAdds => {
                let number = self.number(Kind::Memory, place, String::new());
                self.first_if(number)
            }
            GuardRole::EnqueueUnique => {
                let number = self.number(Kind::Unique, place, String::new());
                val.of = [number].into();
                val
            }
            GuardRole::Acknowledge => {
                state.acked.get_or_insert(place);
                Val::default()
            }
            GuardRole::IdempotencyKey => {
                let key = rule.key.and_then(|at| call.args.get(at.checked_sub(1)?));
                if let Some(key) = key {
                    let key = self.key(key, call.at, frame);
                    val.keys.insert(key);
                    self.hold_key(call, key, frame, state);
                }
                val
            }
            _ => val,
        }
    }

    /// A row is asked for: `fetch_one`, `query_opt`.
    fn row(
        &mut self,
        call: &'a Call,
        val: &Val,
        maybe: bool,
        args: &[Val],
        frame: &Frame<'a, '_>,
    ) -> Val {
        if let (Some(arg), Some(held)) = (call.args.first(), args.first())
            && frame.file.language == Language::Rust
        {
            let tx = self.transactions(arg, held, frame);
            self.runs_in(&val.of, &tx);
        }
        let looked = self.looked_at(val);
        match maybe {
            true => Val {
                failed: Some(Set::new()),
                went: Some(Set::new()),
                ..looked
            },
            false => looked,
        }
    }

    /// Variables that a call is given to fill.
    fn fill(&mut self, args: &'a [Expr], val: &Val, frame: &Frame<'a, '_>, state: &mut State<'a>) {
        for arg in args {
            if let (Some(name), Some(id)) = (walk::whole(arg), frame.id) {
                state.set((id, name), val.clone());
            }
        }
    }

    /// Methods of values that every program of Rust has.
    fn std_method(&mut self, call: &'a Call, val: Val, state: &mut State<'a>) -> Val {
        match &*method(call) {
            "is_some" => val,
            "is_none" => val.not(),
            "is_ok" | "is_err" => {
                let ok = Val {
                    yes: val.went.clone(),
                    no: val.failed.clone(),
                    ..Val::default()
                };
                match &*method(call) {
                    "is_ok" => ok,
                    _ => ok.not(),
                }
            }
            "unwrap" | "expect" => {
                state.pass(&val.went);
                val.inside()
            }
            _ => val,
        }
    }

    /// Functions that are given away run when whoever has them wants, if at all.
    fn run_given(&mut self, call: &'a Call, frame: &Frame<'a, '_>, state: &State<'a>) {
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

    /// A call of a function that a variable, parameter or field holds.
    fn value(
        &mut self,
        call: &'a Call,
        args: &[Val],
        val: Val,
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) -> (Val, Option<Vec<Val>>) {
        let analysis = self.analysis;
        let before = state.clone();
        let mut ends: Option<(Val, Option<Vec<Val>>, State<'a>)> = None;
        analysis.refuel();
        analysis.origins(&call.callee, 0, frame, &mut |origin, inner| {
            let inner = Frame { depth: 0, ..*inner };
            let mut after = before.clone();
            let (got, all) = match &origin.kind {
                ExprKind::Closure(closure) => self.closure(closure, args, &inner, &mut after),
                ExprKind::Name(_) | ExprKind::Field { .. } => {
                    analysis.refuel();
                    match analysis.resolve_callee(origin, call.args.len(), &inner) {
                        Callee::Functions(ids, _) if ids.len() <= MAX_IMPLEMENTATIONS => {
                            self.enter(&ids, call, (&Val::default(), args), frame, &mut after)
                        }
                        _ => return,
                    }
                }
                _ => return,
            };
            ends = Some(match ends.take() {
                None => (got, all, after),
                Some((known, _, end)) => (known.or(&got), None, meet(end, after)),
            });
        });
        let Some((got, all, after)) = ends else {
            self.run_given(call, frame, state);
            return (val, None);
        };
        *state = after;
        (got, all)
    }

    /// Goes through functions with what a call gives them.
    fn enter(
        &mut self,
        ids: &[FnId],
        call: &'a Call,
        (receiver, args): (&Val, &[Val]),
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) -> (Val, Option<Vec<Val>>) {
        let before = state.clone();
        let mut ends: Option<(Vec<Val>, State<'a>)> = None;
        for id in ids {
            let mut after = before.clone();
            let results = self.function(*id, Some(call), receiver, args, frame, &mut after);
            ends = Some(match ends.take() {
                None => (results, after),
                Some((known, end)) => {
                    let joined = known.iter().zip(&results).map(|(a, b)| a.or(b)).collect();
                    (joined, meet(end, after))
                }
            });
        }
        let Some((results, after)) = ends else {
            return (Val::default(), None);
        };
        *state = after;
        let mut first = results.first().cloned().unwrap_or_default();
        if results.len() > 1 {
            // Whoever drops the results drops the error.
            for result in &results {
                first.errors.extend(result.errors.iter().copied());
            }
        }
        (first, Some(results))
    }

    fn function(
        &mut self,
        id: FnId,
        call: Option<&'a Call>,
        receiver: &Val,
        args: &[Val],
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) -> Vec<Val> {
        if self.is_entered(id) || self.stack.len() >= MAX_CALLS || self.bodies >= MAX_BODIES {
            return Vec::new();
        }
        let function = self.analysis.program.function(id);
        let gives_functions = call.is_some_and(|call| {
            call.args
                .iter()
                .any(|arg| matches!(arg.kind, ExprKind::Closure(_)))
        });
        let entry = Entry {
            id: id.index(),
            given: std::iter::once(receiver).chain(args).cloned().collect(),
            passed: state.passed.clone(),
            ran: state.ran.clone(),
            may: state.may.clone(),
            met: state.met.clone(),
            open: state.open.clone(),
            acked: state.acked.is_some(),
            launched: state.launched.is_some(),
        };
        if !gives_functions && let Some(left) = self.known.get(&entry) {
            let left = left.clone();
            let vars = std::mem::take(&mut state.vars);
            *state = State { vars, ..left.state };
            return left.results;
        }
        self.bodies += 1;
        if let Some(name) = &function.receiver {
            state.set((id, name), receiver.clone());
        }
        for (at, param) in function.params.iter().enumerate() {
            if let Pattern::Name(name, _) = &param.pattern {
                state.set((id, name), args.get(at).cloned().unwrap_or_default());
            }
        }
        let entered = Frame {
            id: Some(id),
            file: self.analysis.program.file(id),
            entry: call.map(|call| (call, frame)),
            depth: 0,
        };
        self.stack.push(id.index());
        let results = self.body(&function.body, &function.returns, &entered, state);
        self.stack.pop();
        // Its own variables are gone.
        let own: Vec<_> = state
            .vars
            .keys()
            .filter(|(of, _)| *of == id)
            .copied()
            .collect();
        for var in own {
            state.set(var, Val::default());
        }
        if !gives_functions {
            let left = Left {
                results: results.clone(),
                state: state.clone(),
            };
            self.known.insert(entry, left);
        }
        results
    }

    /// Runs a closure where its names are those of a frame.
    fn closure(
        &mut self,
        closure: &'a Closure,
        given: &[Val],
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) -> (Val, Option<Vec<Val>>) {
        let address = std::ptr::from_ref(closure) as usize;
        if self.stack.contains(&address)
            || self.stack.len() >= MAX_CALLS
            || self.bodies >= MAX_BODIES
        {
            return (Val::default(), None);
        }
        self.bodies += 1;
        for (at, param) in closure.params.iter().enumerate() {
            let val = given.get(at).cloned().unwrap_or_default();
            self.fits(&param.pattern, &val, frame, state);
        }
        self.stack.push(address);
        let results = self.body(&closure.body, &closure.returns, frame, state);
        self.stack.pop();
        (results.first().cloned().unwrap_or_default(), Some(results))
    }

    /// Runs a body; afterwards the state is that behind the call.
    fn body(
        &mut self,
        body: &'a crate::model::source::Block,
        returns: &[crate::model::source::TypeRef],
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) -> Vec<Val> {
        let is_rust = frame.file.language == Language::Rust;
        let last = match is_rust {
            true => Last::Result,
            false => Last::Statement,
        };
        self.given.push(Vec::new());
        self.deferred.push(Set::new());
        self.block(body, last, frame, state);
        let deferred = self.deferred.pop().unwrap_or_default();
        let mut given = self.given.pop().unwrap_or_default();
        let has_value = is_rust && given.iter().any(|given| !given.fails);
        if !state.left && !has_value {
            given.push(Given {
                results: Vec::new(),
                fails: false,
                state: state.clone(),
            });
        }
        let Some(first) = given.first() else {
            state.left = true;
            return Vec::new();
        };
        let (mut went, mut failed): (Holds, Holds) = (None, None);
        let mut passed = first.state.passed.clone();
        let mut ran = first.state.ran.clone();
        let mut errors = Set::new();
        let mut end: Option<State<'a>> = None;
        for one in &given {
            passed.retain(|guard| one.state.passed.contains(guard));
            ran.retain(|number| one.state.ran.contains(number));
            let holds = Some(one.state.passed.clone());
            if one.fails {
                failed = either(&failed, &holds);
                errors.extend(
                    one.results
                        .iter()
                        .flat_map(|val| val.errors.iter().copied()),
                );
            } else {
                went = either(&went, &holds);
                let mut other = one.state.clone();
                other.left = false;
                end = Some(match end.take() {
                    None => other,
                    Some(end) => meet(end, other),
                });
            }
        }
        let mut after = end.unwrap_or_else(|| first.state.clone());
        after.left = false;
        after.passed = passed;
        after.ran = ran;
        after.open.retain(|tx| !deferred.contains(tx));
        *state = after;
        let count = returns
            .len()
            .max(given.iter().map(|one| one.results.len()).max().unwrap_or(0));
        (0..count)
            .map(|at| {
                let mut joined: Option<Val> = None;
                for one in &given {
                    // In Rust the value is that of the ways that do not fail.
                    if is_rust && one.fails {
                        continue;
                    }
                    let val = one.results.get(at).cloned().unwrap_or_default();
                    joined = Some(joined.map_or_else(|| val.clone(), |known| known.or(&val)));
                }
                let mut joined = joined.unwrap_or_default();
                if is_rust {
                    joined.went = went.clone().or(Some(Set::new()));
                    joined.failed = failed.clone().or(Some(Set::new()));
                    joined.errors.extend(errors.iter().copied());
                }
                joined
            })
            .collect()
    }
}
