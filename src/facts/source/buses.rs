//! Buses of the tree itself, found by what they do: one method keeps the functions it is given,
//! another one of the same type calls what was kept. No name decides.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::place::Pos;
use crate::model::source::{Call, Expr, ExprKind, Function, Language, Pattern, StmtKind, TypeRef};

use super::frame::Analysis;
use super::program::FnId;
use super::scope::{Bound, Scope};
use super::walk::{self, Part};

/// The word that stands for a rule where a bus of the tree itself decides.
pub(super) const BUS: &str = "bus of the tree";

/// A method that keeps handlers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keeps {
    /// Number of the parameter that is the handler, from 0.
    pub(super) handler: usize,
    /// Number of the parameter that names the event, from 0.
    pub(super) event: Option<usize>,
}

/// A type by qualified name, and a field of it.
type FieldOf = (String, Arc<str>);

/// The buses of a tree.
#[derive(Debug, Default)]
pub(super) struct Buses {
    /// Methods that keep handlers.
    pub(super) keeping: BTreeMap<FnId, Keeps>,
    /// Methods that call kept handlers: with the number of the parameter that names the event.
    pub(super) dispatching: BTreeMap<FnId, Option<usize>>,
}

impl Buses {
    /// Finds them.
    pub(super) fn of(analysis: &Analysis<'_>) -> Self {
        let mut kept: BTreeMap<FieldOf, Vec<(FnId, Keeps)>> = BTreeMap::new();
        let program = analysis.program;
        for id in program.functions() {
            let function = program.function(id);
            let Some(owner) = &function.owner else {
                continue;
            };
            for (at, param) in function.params.iter().enumerate() {
                let Pattern::Name(name, _) = &param.pattern else {
                    continue;
                };
                if !is_handler(analysis, id, &param.of) {
                    continue;
                }
                if let Some(field) = field_that_keeps(function, name) {
                    let owner = program.named(program.file(id), owner);
                    let event = (0..function.params.len()).find(|other| *other != at);
                    let keeps = Keeps { handler: at, event };
                    kept.entry((owner, field)).or_default().push((id, keeps));
                }
            }
        }
        let mut buses = Self::default();
        let fields: BTreeSet<&FieldOf> = kept.keys().collect();
        for id in program.functions() {
            let function = program.function(id);
            let Some(owner) = &function.owner else {
                continue;
            };
            let owner = program.named(program.file(id), owner);
            for (_, field) in fields.iter().filter(|(of, _)| *of == owner) {
                if calls_kept(analysis, id, field) {
                    buses.dispatching.insert(id, event_param(function));
                    let all = kept.get(&(owner.clone(), Arc::clone(field)));
                    buses.keeping.extend(all.into_iter().flatten().copied());
                }
            }
        }
        buses
    }
}

/// The parameter that says which handlers run: the first that is neither a context nor the payload.
fn event_param(function: &Function) -> Option<usize> {
    let mut params = function.params.iter().enumerate();
    params
        .find(|(_, param)| !is_context(&param.of))
        .map(|(at, _)| at)
}

fn is_context(of: &TypeRef) -> bool {
    of.name.ends_with("context.Context")
}

/// True of the type of a function that may handle events: what it gives back, if anything, says how it
/// went. A function that gives a value makes a part of something: a link of a chain, a column of a query.
fn is_handler(analysis: &Analysis<'_>, id: FnId, of: &TypeRef) -> bool {
    let is_go = analysis.program.file(id).language == Language::Go;
    let says_how_it_went = |of: &TypeRef| {
        !is_go
            || of
                .returns
                .last()
                .is_none_or(|last| matches!(&*last.name, "error" | "bool"))
    };
    if &*of.name == "func" {
        return says_how_it_went(of);
    }
    let name = analysis.program.type_name(analysis.program.file(id), of);
    analysis.program.type_named(&name).is_some_and(|(_, decl)| {
        decl.of
            .iter()
            .any(|of| &*of.name == "func" && says_how_it_went(of))
    })
}

/// The field of the receiver in which a method keeps a parameter: `r.f[k] = append(r.f[k], h)`.
fn field_that_keeps(function: &Function, param: &str) -> Option<Arc<str>> {
    let receiver = function.receiver.as_deref()?;
    let mut found = None;
    let mut open: Vec<_> = function.body.stmts.iter().collect();
    while let Some(stmt) = open.pop() {
        if let StmtKind::Assign {
            targets, values, ..
        } = &stmt.kind
            && values.iter().any(|value| mentions(value, param))
        {
            let fields = targets.iter().filter_map(|target| match &target.kind {
                ExprKind::Index { of, .. } => field_of(of, receiver),
                _ => values
                    .iter()
                    .any(|value| matches!(value.kind, ExprKind::Call(_)))
                    .then(|| field_of(target, receiver))
                    .flatten(),
            });
            found = found.or_else(|| fields.into_iter().next());
        }
        walk::stmt_parts(stmt, &mut |part| {
            if let Part::Block(block) = part {
                open.extend(block.stmts.iter());
            }
        });
    }
    found
}

fn field_of(expr: &Expr, receiver: &str) -> Option<Arc<str>> {
    match &expr.kind {
        ExprKind::Field { of, name, .. } => {
            matches!(&of.kind, ExprKind::Name(of) if &**of == receiver).then(|| Arc::clone(name))
        }
        ExprKind::Index { of, .. } => field_of(of, receiver),
        _ => None,
    }
}

fn mentions(expr: &Expr, name: &str) -> bool {
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        if matches!(&expr.kind, ExprKind::Name(found) if &**found == name) {
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

/// True of a method that hands an event to an item of a list which comes from a field of its receiver.
fn calls_kept(analysis: &Analysis<'_>, id: FnId, field: &str) -> bool {
    let function = analysis.program.function(id);
    let Some(receiver) = function.receiver.as_deref() else {
        return false;
    };
    let kept = Kept {
        scope: analysis.scope(id),
        receiver,
        field,
        function,
    };
    let mut found = false;
    walk::each_expr(&function.body, &mut |expr| {
        if let ExprKind::Call(call) = &expr.kind {
            found |=
                kept.is_called(call) && call.args.iter().any(|arg| kept.is_event(arg, arg.at, 0));
        }
    });
    found
}

/// So many names are followed from a value to where it comes from.
const MAX_NAMES: usize = 6;

/// The functions that a field keeps, and the method that may call them.
struct Kept<'a, 's> {
    scope: &'s Scope<'a>,
    receiver: &'s str,
    field: &'s str,
    function: &'a Function,
}

impl<'a> Kept<'a, '_> {
    /// True of a call of one of them: by the name that a loop gives it, or by its place in the list.
    fn is_called(&self, call: &'a Call) -> bool {
        match &call.callee.kind {
            ExprKind::Name(called) => match self.scope.at(called, call.at).map(|it| it.is) {
                Some(Bound::Each(list, _)) => self.is_list(list),
                Some(Bound::Value {
                    value: Some(value), ..
                }) => self.is_list(value),
                _ => false,
            },
            ExprKind::Index { .. } => self.is_list(&call.callee),
            _ => false,
        }
    }

    fn is_list(&self, mut list: &'a Expr) -> bool {
        for _ in 0..MAX_NAMES {
            if field_of(list, self.receiver).as_deref() == Some(self.field) {
                return true;
            }
            let ExprKind::Name(name) = &list.kind else {
                return false;
            };
            match self.scope.at(name, list.at).map(|binding| binding.is) {
                Some(Bound::Value {
                    value: Some(value), ..
                }) => list = value,
                _ => return false,
            }
        }
        false
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
            Some(Bound::Each(list, _)) => !self.is_list(list),
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
