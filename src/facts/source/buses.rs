//! Buses of the tree itself, found by what they do: one method keeps the functions it is given,
//! another one of the same type calls what was kept. No name decides.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::source::{Expr, ExprKind, Function, Pattern, StmtKind, TypeRef};

use super::frame::Analysis;
use super::program::FnId;
use super::scope::Bound;
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
                if !is_function(analysis, id, &param.of) {
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
    let is_context = |of: &TypeRef| of.name.ends_with("context.Context");
    let mut params = function.params.iter().enumerate();
    params
        .find(|(_, param)| !is_context(&param.of))
        .map(|(at, _)| at)
}

fn is_function(analysis: &Analysis<'_>, id: FnId, of: &TypeRef) -> bool {
    if &*of.name == "func" {
        return true;
    }
    let name = analysis.program.type_name(analysis.program.file(id), of);
    analysis
        .program
        .type_named(&name)
        .is_some_and(|(_, decl)| decl.of.iter().any(|of| &*of.name == "func"))
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

/// True of a method that calls an item of a list which comes from a field of its receiver.
fn calls_kept(analysis: &Analysis<'_>, id: FnId, field: &str) -> bool {
    let function = analysis.program.function(id);
    let Some(receiver) = function.receiver.as_deref() else {
        return false;
    };
    let scope = analysis.scope(id);
    let mut found = false;
    walk::each_expr(&function.body, &mut |expr| {
        let ExprKind::Call(call) = &expr.kind else {
            return;
        };
        let ExprKind::Name(called) = &call.callee.kind else {
            return;
        };
        let Some(binding) = scope.at(called, call.at) else {
            return;
        };
        let mut list = match binding.is {
            Bound::Each(list, _) => list,
            Bound::Value {
                value: Some(value), ..
            } => value,
            _ => return,
        };
        for _ in 0..4 {
            if field_of(list, receiver).as_deref() == Some(field) {
                found = true;
                return;
            }
            let ExprKind::Name(name) = &list.kind else {
                return;
            };
            match scope.at(name, list.at).map(|binding| binding.is) {
                Some(Bound::Value {
                    value: Some(value), ..
                }) => list = value,
                _ => return,
            }
        }
    });
    found
}
