//! Functions that are gone through: with a name or without.

use std::rc::Rc;
use std::sync::Arc;

use crate::model::source::{Block, Call, Closure, Expr, ExprKind, Language, Pattern};

use super::super::frame::Frame;
use super::super::program::FnId;
use super::bound::{assign, bind};
use super::results::Gives;
use super::value::{Env, Kind, Val};
use super::walk::{MAX_CALLS, Walk};

impl<'a> Walk<'a, '_> {
    /// Goes through a function of the tree.
    pub(super) fn enter(
        &mut self,
        id: FnId,
        call: &'a Call,
        on: &Val<'a>,
        args: &[Val<'a>],
        frame: &Frame<'a, '_>,
        outer: &mut Env<'a>,
    ) -> Vec<Val<'a>> {
        let from = self.next();
        let follows = self.everywhere
            || self.at_work
            || self.map.spine.contains(&id)
            || self.map.settings.contains(&id);
        let function = self.analysis.program.function(id);
        let all = args.iter().fold(on.clone(), |all, arg| all.taking(arg));
        // One that runs what it is given may be entered again by that.
        let runs_given = args.iter().any(|arg| matches!(arg.kind, Kind::Closure(..)));
        let again = self.open.iter().filter(|open| **open == id).count();
        let recurs = again > usize::from(runs_given);
        if !follows || recurs || self.open.len() >= MAX_CALLS {
            self.trace.whole &= !(self.everywhere && self.open.len() >= MAX_CALLS);
            return vec![Val {
                kind: Kind::Unknown,
                ..all
            }];
        }
        let mut env: Env<'a> = Rc::default();
        let names = Rc::make_mut(&mut env);
        if let Some(receiver) = &function.receiver {
            names.insert(Arc::clone(receiver), on.clone());
        }
        for (at, param) in function.params.iter().enumerate() {
            let val = match param.rest {
                true => {
                    let rest = args.iter().skip(at).enumerate();
                    let parts = rest.map(|(at, val)| (at.to_string().into(), val.clone()));
                    Val::of(Kind::Made(Rc::new(parts.collect())))
                }
                false => args.get(at).cloned().unwrap_or_default(),
            };
            bind(&param.pattern, val, &mut env);
        }
        let entered = frame.enter(self.analysis, id, call);
        let was = self.at_work;
        self.at_work |= self.map.core.contains(&id);
        self.open.push(id);
        let gives = match function.returns.is_empty() {
            true => Gives::Nothing,
            false => Gives::Function,
        };
        let results = self.body(&function.body, gives, &entered, &mut env, from);
        self.open.pop();
        self.at_work = was;
        // A row that the function has read into what it was given.
        for (param, arg) in function.params.iter().zip(&call.args) {
            if let Pattern::Name(name, _) = &param.pattern
                && let Some(val) = env.get(name)
                && matches!(&val.kind, Kind::Made(parts)
                    if parts.values().any(|part| matches!(part.kind, Kind::Column(_))))
                && matches!(self.named(arg, outer), Some(Kind::Unknown | Kind::Nil))
            {
                assign(arg, val.clone(), outer);
            }
        }
        results
    }

    /// What a variable is, or the part of one.
    fn named(&self, arg: &Expr, env: &Env<'a>) -> Option<Kind<'a>> {
        match &arg.kind {
            ExprKind::Name(name) => Some(env.get(name)?.kind.clone()),
            _ => None,
        }
    }

    /// Goes through a function without a name.
    pub(super) fn closure(
        &mut self,
        closure: &'a Closure,
        mut env: Env<'a>,
        id: FnId,
        args: &[Val<'a>],
        from: usize,
    ) -> Vec<Val<'a>> {
        if self.returned.len() >= MAX_CALLS * 2 {
            self.trace.whole = false;
            return Vec::new();
        }
        for (at, param) in closure.params.iter().enumerate() {
            if let Pattern::Name(..) = param.pattern {
                bind(
                    &param.pattern,
                    args.get(at).cloned().unwrap_or_default(),
                    &mut env,
                );
            }
        }
        let frame = self.analysis.frame(id);
        self.body(&closure.body, Gives::Function, &frame, &mut env, from)
    }

    /// Goes through the body of a function, and then through what it has deferred.
    pub(super) fn body(
        &mut self,
        body: &'a Block,
        gives: Gives,
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
        from: usize,
    ) -> Vec<Val<'a>> {
        let depth = self.within.len();
        let floor = std::mem::replace(&mut self.floor, depth);
        let in_choice = std::mem::replace(&mut self.in_choice, false);
        // In Rust the last expression is what the function gives.
        let gives = match frame.file.language {
            Language::Rust => gives,
            _ => Gives::Nothing,
        };
        let gives = std::mem::replace(&mut self.gives, gives);
        self.returned.push(Vec::new());
        self.deferred.push(Vec::new());
        self.block(body, frame, env);
        self.gives = Gives::Nothing;
        self.at_end(frame);
        self.gives = gives;
        self.floor = floor;
        self.in_choice = in_choice;
        let returned = self.returned.pop().unwrap_or_default();
        self.within.truncate(depth);
        let about = Val::about((from, self.next()));
        let mut results = returned.into_iter().filter(|values| !values.is_empty());
        let first = results.next().unwrap_or_else(|| vec![Val::default()]);
        let all = results.fold(first, either);
        all.into_iter().map(|val| val.taking(&about)).collect()
    }
}

/// Either of two lists of results.
pub(super) fn either<'a>(one: Vec<Val<'a>>, two: Vec<Val<'a>>) -> Vec<Val<'a>> {
    let count = one.len().max(two.len());
    let mut two = two.into_iter();
    let mut all: Vec<Val<'a>> = one
        .into_iter()
        .map(|val| match two.next() {
            Some(other) => val.or(other),
            None => val,
        })
        .collect();
    all.extend(two);
    all.truncate(count);
    all
}
