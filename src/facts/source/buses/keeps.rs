//! Which functions keep a handler that they are given, and where.

use std::sync::Arc;

use crate::model::source::{
    Call, Expr, ExprKind, Function, Language, Pattern, StmtKind, TypeKind, TypeRef,
};

use super::super::frame::Analysis;
use super::super::program::FnId;
use super::super::walk::{self, Part};
use super::{Keeps, Store};

/// A function that keeps a handler, and what is known of the place.
#[derive(Debug)]
pub(super) struct Kept {
    /// The function.
    pub(super) by: FnId,
    /// What it keeps.
    pub(super) keeps: Keeps,
    /// True if the handler is an object: methods of it are run.
    pub(super) is_object: bool,
}

/// What one function keeps.
pub(super) fn kept_by(analysis: &Analysis<'_>, id: FnId) -> Vec<(Store, Kept)> {
    let function = analysis.program.function(id);
    let mut all = Vec::new();
    for (at, param) in function.params.iter().enumerate() {
        let Pattern::Name(name, _) = &param.pattern else {
            continue;
        };
        let is_function = is_handler(analysis, id, &param.of);
        let is_object = !is_function && is_interface(analysis, id, &param.of);
        if !is_function && !is_object {
            continue;
        }
        let Some((store, is_keyed)) = (Search {
            analysis,
            id,
            function,
        })
        .store_of(name) else {
            continue;
        };
        // A list of objects is any list; lists by a key are what an event chooses from.
        if is_object && !is_keyed {
            continue;
        }
        let keeps = Keeps {
            handler: at,
            event: (0..function.params.len()).find(|other| *other != at),
            methods: Vec::new(),
            rule: None,
        };
        all.push((
            store,
            Kept {
                by: id,
                keeps,
                is_object,
            },
        ));
    }
    all
}

/// True of the type of a function that may handle events: what it gives back, if anything, says how it
/// went. A function that gives a value makes a part of something: a link of a chain, a column of a query.
fn is_handler(analysis: &Analysis<'_>, id: FnId, of: &TypeRef) -> bool {
    let is_go = analysis.program.file(id).language == Language::Go;
    let says_how_it_went = |of: &TypeRef| {
        let mut last = of.returns.last().into_iter();
        !is_go || last.all(|last| matches!(&*last.name, "error" | "bool"))
    };
    if &*of.name == "func" {
        return says_how_it_went(of);
    }
    let name = analysis.program.type_name(analysis.program.file(id), of);
    analysis.program.type_named(&name).is_some_and(|(_, decl)| {
        let mut made_of = decl.of.iter();
        made_of.any(|of| &*of.name == "func" && says_how_it_went(of))
    })
}

/// True of an interface of the tree.
fn is_interface(analysis: &Analysis<'_>, id: FnId, of: &TypeRef) -> bool {
    let name = analysis.program.type_name(analysis.program.file(id), of);
    let declared = analysis.program.type_named(&name);
    declared.is_some_and(|(_, decl)| decl.kind == TypeKind::Interface && !decl.methods.is_empty())
}

struct Search<'a, 's> {
    analysis: &'s Analysis<'a>,
    id: FnId,
    function: &'a Function,
}

impl<'a> Search<'a, '_> {
    /// Where the function keeps a parameter, and whether many are kept by a key:
    /// `r.f[k] = append(r.f[k], h)`, `kept[k] = append(kept[k], h)`.
    fn store_of(&self, param: &str) -> Option<(Store, bool)> {
        let mut found = None;
        let mut open: Vec<_> = self.function.body.stmts.iter().collect();
        while let Some(stmt) = open.pop() {
            if let StmtKind::Assign {
                targets, values, ..
            } = &stmt.kind
                && let Some(value) = values.iter().find(|value| mentions(value, param))
            {
                let stores = targets.iter().filter_map(|target| {
                    let is_item = matches!(target.kind, ExprKind::Index { .. });
                    let call = match &value.kind {
                        ExprKind::Call(call) => Some(&**call),
                        _ => None,
                    };
                    let store = self.store(target)?;
                    let is_list = call.is_some_and(|call| self.adds_to(call, &store));
                    match &store {
                        Store::Field(..) => {
                            (is_item || call.is_some()).then_some((store, is_item && is_list))
                        }
                        Store::Variable(_) => is_list.then_some((store, is_item)),
                    }
                });
                found = found.or_else(|| stores.into_iter().next());
            }
            walk::stmt_parts(stmt, &mut |part| {
                if let Part::Block(block) = part {
                    open.extend(block.stmts.iter());
                }
            });
        }
        found
    }

    /// True of a call that is given what the store holds: it makes a longer list of it.
    fn adds_to(&self, call: &'a Call, store: &Store) -> bool {
        let mut args = call.args.iter();
        args.any(|arg| self.store(arg).as_ref() == Some(store))
    }

    fn store(&self, expr: &'a Expr) -> Option<Store> {
        store(self.analysis, self.id, expr)
    }
}

/// The store that an expression names, or an item of it: a field of the receiver, or a variable of a package.
pub(super) fn store(analysis: &Analysis<'_>, id: FnId, mut expr: &Expr) -> Option<Store> {
    while let ExprKind::Index { of, .. } = &expr.kind {
        expr = of;
    }
    let program = analysis.program;
    let function = program.function(id);
    match &expr.kind {
        ExprKind::Field { of, name, .. } => {
            let receiver = function.receiver.as_deref()?;
            let owner = function.owner.as_ref()?;
            let is_receiver = matches!(&of.kind, ExprKind::Name(of) if &**of == receiver);
            is_receiver
                .then(|| Store::Field(program.named(program.file(id), owner), Arc::clone(name)))
        }
        ExprKind::Name(name) => {
            if analysis.scope(id).at(name, expr.at).is_some() {
                return None;
            }
            let full = program.named(program.file(id), name);
            program
                .value_named(&full)
                .is_some()
                .then_some(Store::Variable(full))
        }
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
