//! Functions and closures of the tree that a call enters, and how they are left again.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::model::source::{Block, Call, Closure, ExprKind, Language, Pattern, TypeRef};

use super::super::frame::Frame;
use super::super::program::FnId;
use super::super::resolve::Callee;
use super::calls::MAX_IMPLEMENTATIONS;
use super::run::{Given, Last};
use super::state::{Holds, Set, State, Val, either, meet};
use super::{Flow, MAX_BODIES, MAX_CALLS};
use crate::rules::GuardRole;

/// How a function is entered: what decides what it does.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Entry {
    id: usize,
    given: Vec<Val>,
    passed: Set,
    ran: Set,
    may: Set,
    met: Rc<BTreeMap<usize, Set>>,
    open: Set,
    implicit: Option<usize>,
    acked: bool,
    launched: bool,
}

/// How it is left again.
#[derive(Debug, Clone)]
pub(super) struct Left<'a> {
    results: Vec<Val>,
    state: State<'a>,
}

/// The number of the argument that a call gives for a parameter.
fn given_for(call: &Call, name: &str, at: usize) -> Option<usize> {
    let by_name = call.named.iter().find(|(_, given)| **given == *name);
    let taken = || call.named.iter().any(|(given, _)| *given == at);
    match by_name {
        Some((at, _)) => Some(*at),
        None => (!taken()).then_some(at),
    }
}

impl<'a> Flow<'a, '_> {
    /// A call of a function that a variable, parameter or field holds.
    pub(super) fn value(
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
    pub(super) fn enter(
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

    pub(super) fn function(
        &mut self,
        id: FnId,
        call: Option<&'a Call>,
        receiver: &Val,
        args: &[Val],
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) -> Vec<Val> {
        if self.stack.len() >= MAX_CALLS {
            self.give_up();
        }
        if self.is_entered(id) || self.is_spent() {
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
            met: Rc::clone(&state.met),
            open: state.open.clone(),
            implicit: state.implicit,
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
                let at = match call {
                    Some(call) if frame.file.language == Language::Python => {
                        given_for(call, name, at)
                    }
                    _ => Some(at),
                };
                let given = at.and_then(|at| args.get(at));
                state.set((id, name), given.cloned().unwrap_or_default());
            }
        }
        let entered = Frame {
            id: Some(id),
            file: self.analysis.program.file(id),
            entry: call.map(|call| (call, frame)),
            depth: 0,
        };
        self.stack.push(id.index());
        let open = state.open.clone();
        self.begin_around(id, state);
        let results = self.body(&function.body, &function.returns, &entered, state);
        if state.open.len() > open.len() && !self.analysis.around_calls(id).is_empty() {
            let inner: Set = state.open.difference(&open).copied().collect();
            for tx in inner {
                self.commit(tx, state);
            }
            state.open = state.open.intersection(&open).copied().collect();
        }
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

    /// A decorator that begins a transaction does so around the whole function.
    pub(super) fn begin_around(&mut self, id: FnId, state: &mut State<'a>) {
        let analysis = self.analysis;
        for (call, within) in analysis.around_calls(id) {
            let frame = analysis.frame(*within);
            if state.open.is_empty() && self.has_role(call, &frame, GuardRole::Begin) {
                let number = self.begun(frame.file.place(call.at));
                state.open.insert(number);
            }
        }
    }

    /// Runs a closure where its names are those of a frame.
    pub(super) fn closure(
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
    pub(super) fn body(
        &mut self,
        body: &'a Block,
        returns: &[TypeRef],
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
        self.begin_body();
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
        let ends: Vec<State<'a>> = given
            .iter()
            .filter(|one| !one.fails)
            .map(|one| one.state.clone())
            .collect();
        self.end_body(&ends);
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
