//! Which functions keep a handler that they are given, and where.

use std::sync::Arc;

use crate::model::source::{
    Block, Expr, ExprKind, Language, Param, Pattern, Stmt, StmtKind, TypeKind, TypeRef,
};

use super::super::frame::Analysis;
use super::super::program::FnId;
use super::super::walk::{self, Part};
use super::{Given, Keeps, Store};

/// So deep a type is looked into.
const MAX_DEPTH: usize = 4;
/// So many links of a chain are followed.
const MAX_LINKS: usize = 12;

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
    let search = Search { analysis, id };
    let mut all = Vec::new();
    for (at, param) in function.params.iter().enumerate() {
        let event = (0..function.params.len()).find(|other| *other != at);
        let given = Given::Param(at);
        all.extend(search.kept(param, &function.body, given, event));
    }
    if analysis.program.file(id).language == Language::Python {
        // `@on("order.placed")`: what is kept is given to the function inside.
        let event = (!function.params.is_empty()).then_some(0);
        walk::each_expr(&function.body, &mut |expr| {
            if let ExprKind::Closure(closure) = &expr.kind {
                let params = closure.params.iter();
                all.extend(params.filter_map(|param| {
                    search.kept(param, &closure.body, Given::Decorated, event)
                }));
            }
        });
    }
    all
}

/// What a parameter may be, by its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Function,
    /// An interface of the tree.
    Object,
    /// Nothing is written.
    Untyped,
}

struct Search<'a, 's> {
    analysis: &'s Analysis<'a>,
    id: FnId,
}

impl<'a> Search<'a, '_> {
    fn kept(
        &self,
        param: &'a Param,
        body: &'a Block,
        handler: Given,
        event: Option<usize>,
    ) -> Option<(Store, Kept)> {
        let Pattern::Name(name, _) = &param.pattern else {
            return None;
        };
        let kind = self.kind(&param.of)?;
        let (store, is_keyed) = self.store_of(name, body)?;
        // A list of objects is any list; lists by a key are what an event chooses from.
        if kind != Kind::Function && !is_keyed {
            return None;
        }
        let keeps = Keeps {
            handler,
            event,
            methods: Vec::new(),
            rule: None,
        };
        let kept = Kept {
            by: self.id,
            keeps,
            is_object: kind == Kind::Object,
        };
        Some((store, kept))
    }

    fn kind(&self, of: &TypeRef) -> Option<Kind> {
        let language = self.analysis.program.file(self.id).language;
        if language == Language::Python {
            return Some(Kind::Untyped);
        }
        let mut open = vec![(of.clone(), 0)];
        while let Some((of, depth)) = open.pop() {
            if &*of.name == "func" {
                // What it gives back, if anything, says how it went. A function that gives a value makes
                // a part of something: a link of a chain, a column of a query.
                let mut last = of.returns.last().into_iter();
                let says = last.all(|last| matches!(&*last.name, "error" | "bool"));
                return (says || language != Language::Go).then_some(Kind::Function);
            }
            if depth > MAX_DEPTH {
                continue;
            }
            let function = self.analysis.program.function(self.id);
            let mut generics = function.generics.iter();
            if let Some((_, bounds)) = generics.find(|(name, _)| **name == *of.name) {
                open.extend(bounds.iter().map(|bound| (bound.clone(), depth + 1)));
                continue;
            }
            let file = self.analysis.program.file(self.id);
            let name = self.analysis.program.type_name(file, &of);
            if let Some((_, decl)) = self.analysis.program.type_named(&name) {
                if decl.kind == TypeKind::Interface && !decl.methods.is_empty() {
                    return Some(Kind::Object);
                }
                open.extend(decl.of.iter().map(|of| (of.clone(), depth + 1)));
            } else if language == Language::Rust {
                // `Box<dyn Fn(…)>`, `Arc<dyn Listener>`.
                open.extend(of.args.iter().map(|of| (of.clone(), depth + 1)));
            }
        }
        None
    }

    /// Where a body keeps a parameter, and whether many are kept by a key: `r.f[k] = append(r.f[k], h)`,
    /// `kept[k] = append(kept[k], h)`, `self.f.entry(k).or_default().push(h)`.
    fn store_of(&self, param: &str, body: &'a Block) -> Option<(Store, bool)> {
        let mut open: Vec<&'a Stmt> = body.stmts.iter().collect();
        while let Some(stmt) = open.pop() {
            let found = match &stmt.kind {
                StmtKind::Assign {
                    targets, values, ..
                } => self.assigned(targets, values, param),
                StmtKind::Expr(expr) => self.added(expr, param),
                _ => None,
            };
            if found.is_some() {
                return found;
            }
            walk::stmt_parts(stmt, &mut |part| {
                if let Part::Block(block) = part {
                    open.extend(block.stmts.iter());
                }
            });
        }
        None
    }

    fn assigned(
        &self,
        targets: &'a [Expr],
        values: &'a [Expr],
        param: &str,
    ) -> Option<(Store, bool)> {
        let value = values.iter().find(|value| walk::mentions(value, param))?;
        let call = match &value.kind {
            ExprKind::Call(call) => Some(&**call),
            _ => None,
        };
        targets.iter().find_map(|target| {
            let is_item = matches!(target.kind, ExprKind::Index { .. });
            let store = self.root(target)?.store;
            // A call that is given what the store holds makes a longer list of it.
            let is_list = call.is_some_and(|call| {
                let mut args = call.args.iter();
                args.any(|arg| self.root(arg).is_some_and(|root| root.store == store))
            });
            match &store {
                Store::Field(..) => {
                    (is_item || call.is_some()).then_some((store, is_item && is_list))
                }
                Store::Variable(_) => is_list.then_some((store, is_item)),
                Store::Table(_) => None,
            }
        })
    }

    /// A call of a list, or of a table of lists, that is given the parameter.
    fn added(&self, expr: &'a Expr, param: &str) -> Option<(Store, bool)> {
        let ExprKind::Call(call) = &expr.kind else {
            return None;
        };
        let ExprKind::Field { of, .. } = &call.callee.kind else {
            return None;
        };
        if !call.args.iter().any(|arg| walk::mentions(arg, param)) {
            return None;
        }
        let root = self.root(of)?;
        Some((root.store, root.is_keyed))
    }

    fn root(&self, expr: &'a Expr) -> Option<Root> {
        root(self.analysis, self.id, expr)
    }
}

/// The store that an expression comes from.
#[derive(Debug)]
pub(super) struct Root {
    /// The store.
    pub(super) store: Store,
    /// True if a key chose what is taken out of it.
    is_keyed: bool,
}

/// The store that an expression names, or something taken out of it: a field of the receiver, or a variable
/// of a package.
pub(super) fn root(analysis: &Analysis<'_>, id: FnId, mut expr: &Expr) -> Option<Root> {
    let program = analysis.program;
    let function = program.function(id);
    let mut is_keyed = false;
    for _ in 0..MAX_LINKS {
        match &expr.kind {
            ExprKind::Index { of, .. } => {
                is_keyed = true;
                expr = of;
            }
            ExprKind::Call(call) => match &call.callee.kind {
                ExprKind::Field { of, .. } => {
                    is_keyed |= !call.args.is_empty();
                    expr = of;
                }
                // A copy: `list(self.kept[k])`.
                ExprKind::Name(_) => expr = call.args.last()?,
                _ => return None,
            },
            ExprKind::Field { of, name, .. } => {
                let receiver = function.receiver.as_deref()?;
                let owner = function.owner.as_ref()?;
                let is_receiver = matches!(&of.kind, ExprKind::Name(of) if &**of == receiver);
                let owner = program.named(program.file(id), owner);
                return is_receiver.then(|| Root {
                    store: Store::Field(owner, Arc::clone(name)),
                    is_keyed,
                });
            }
            ExprKind::Name(name) => {
                if analysis.scope(id).at(name, expr.at).is_some() {
                    return None;
                }
                let store = program.named(program.file(id), name);
                return program.value_named(&store).is_some().then_some(Root {
                    store: Store::Variable(store),
                    is_keyed,
                });
            }
            _ => return None,
        }
    }
    None
}
