//! Which functions hand an event to what was kept.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::place::Pos;
use crate::model::source::{Call, Expr, ExprKind, Function, Pattern};

use super::super::frame::Analysis;
use super::super::program::FnId;
use super::super::scope::{Bound, Scope};
use super::super::walk::{self, Part};
use super::keeps::{self, Kept};
use super::{Store, is_context};

/// So many names are followed from a value to where it comes from.
const MAX_NAMES: usize = 6;

/// One call by which kept handlers are run or subscribed.
#[derive(Debug)]
pub(super) struct Handed {
    /// Where they are kept.
    pub(super) store: Store,
    /// The method of each that is run.
    pub(super) method: Option<Arc<str>>,
    /// The number of the rule that calls it a subscription, and its place; none for a call of a handler.
    pub(super) relay: Option<(usize, Pos)>,
}

/// A function that may hand events to kept handlers.
pub(super) struct HandsOn<'a, 's> {
    analysis: &'s Analysis<'a>,
    id: FnId,
    scope: &'s Scope<'a>,
    function: &'a Function,
    kept: &'s BTreeMap<Store, Vec<Kept>>,
}

impl<'a> HandsOn<'a, '_> {
    /// The calls of one function.
    pub(super) fn of(
        analysis: &Analysis<'a>,
        id: FnId,
        kept: &BTreeMap<Store, Vec<Kept>>,
    ) -> Vec<Handed> {
        let function = analysis.program.function(id);
        let this = HandsOn {
            analysis,
            id,
            scope: analysis.scope(id),
            function,
            kept,
        };
        let mut found = Vec::new();
        walk::each_expr(&function.body, &mut |expr| {
            if let ExprKind::Call(call) = &expr.kind {
                found.extend(this.run(call));
                found.extend(this.relayed(call));
            }
        });
        found
    }

    /// A call of a kept function, or of a method of a kept object, that is given an event.
    fn run(&self, call: &'a Call) -> Option<Handed> {
        let (store, method) = match &call.callee.kind {
            ExprKind::Name(_) => (self.item_of(&call.callee)?, None),
            ExprKind::Index { .. } => (self.list_of(&call.callee)?, None),
            ExprKind::Field { of, name, .. } => (self.item_of(of)?, Some(Arc::clone(name))),
            _ => return None,
        };
        let mut all = self.kept.get(&store)?.iter();
        if all.all(|one| one.is_object != method.is_some()) {
            return None;
        }
        let mut args = call.args.iter();
        args.any(|arg| self.is_event(arg, arg.at, 0))
            .then_some(Handed {
                store,
                method,
                relay: None,
            })
    }

    /// A subscription whose handler is a kept function, or a method of a kept object.
    fn relayed(&self, call: &'a Call) -> Option<Handed> {
        let (store, method) = call.args.iter().find_map(|arg| match &arg.kind {
            ExprKind::Name(_) => Some((self.item_of(arg)?, None)),
            ExprKind::Field { of, name, .. } => Some((self.item_of(of)?, Some(Arc::clone(name)))),
            _ => None,
        })?;
        let frame = self.analysis.frame(self.id);
        let callee = self.analysis.resolve(call, &frame);
        let mut rules = self.analysis.rules.subscriptions.iter();
        let rule = rules.position(|rule| {
            rule.language == frame.file.language
                && self
                    .analysis
                    .fits(&rule.call, call, &callee, &frame)
                    .is_some()
        })?;
        Some(Handed {
            store,
            method,
            relay: Some((rule, call.at)),
        })
    }

    /// The store whose item a name stands for: the name that a loop gives it.
    fn item_of(&self, expr: &'a Expr) -> Option<Store> {
        let ExprKind::Name(name) = &expr.kind else {
            return None;
        };
        match self.scope.at(name, expr.at)?.is {
            Bound::Each(list, at) if at != 0 => self.list_of(list),
            Bound::Value {
                value: Some(value), ..
            } => self.list_of(value),
            _ => None,
        }
    }

    /// The store that a list comes from.
    fn list_of(&self, mut list: &'a Expr) -> Option<Store> {
        for _ in 0..MAX_NAMES {
            if let Some(store) = keeps::store(self.analysis, self.id, list) {
                return self.kept.contains_key(&store).then_some(store);
            }
            let mut whole = list;
            while let ExprKind::Index { of, .. } = &whole.kind {
                whole = of;
            }
            let ExprKind::Name(name) = &whole.kind else {
                return None;
            };
            list = match self.scope.at(name, whole.at)?.is {
                Bound::Value {
                    value: Some(value), ..
                } => value,
                Bound::Each(list, _) => list,
                _ => return None,
            };
        }
        None
    }

    /// True of a value that comes to the method from outside, as its names stand at a position: with a parameter, or out of a queue. What the
    /// method makes by itself is no event: conditions of a query are called with the query, links of a
    /// chain with the rest of the chain, hooks of a start with a context.
    fn is_event(&self, value: &'a Expr, at: Pos, depth: usize) -> bool {
        let mut found = false;
        let mut open = vec![value];
        while let Some(expr) = open.pop() {
            match &expr.kind {
                ExprKind::Name(name) => found |= self.is_from_outside(name, at, depth),
                ExprKind::Call(call) => {
                    found |= matches!(&call.callee.kind, ExprKind::Field { name, .. } if &**name == "<-");
                }
                _ => {}
            }
            if found {
                return true;
            }
            walk::parts(expr, &mut |part| {
                if let Part::Expr(inner) = part {
                    open.push(inner);
                }
            });
        }
        false
    }

    fn is_from_outside(&self, name: &'a str, at: Pos, depth: usize) -> bool {
        if depth > MAX_NAMES {
            return false;
        }
        match self.scope.at(name, at).map(|binding| binding.is) {
            Some(Bound::Param(_, of)) => !is_context(of) && &*of.name != "func",
            Some(Bound::Value {
                value: Some(value), ..
            }) => self.is_event(value, value.at, depth + 1),
            Some(Bound::Each(list, _)) => self.list_of(list).is_none(),
            Some(Bound::Typed(of)) => !is_context(of) && self.is_handed_in(name, depth),
            _ => false,
        }
    }

    /// True of a parameter of a closure that is called where it is written, by the event it is given there.
    fn is_handed_in(&self, name: &str, depth: usize) -> bool {
        let mut found = false;
        walk::each_expr(&self.function.body, &mut |expr| {
            let ExprKind::Call(call) = &expr.kind else {
                return;
            };
            let ExprKind::Closure(closure) = &call.callee.kind else {
                return;
            };
            let mut params = closure.params.iter();
            let at = params.position(
                |param| matches!(&param.pattern, Pattern::Name(other, _) if &**other == name),
            );
            if let Some(arg) = at.and_then(|at| call.args.get(at)) {
                // Its own parameters mean nothing to what it is given.
                found |= self.is_event(arg, call.callee.at, depth + 1);
            }
        });
        found
    }
}
