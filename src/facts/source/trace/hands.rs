//! Calls that hand an event to its handlers, and calls of which it is not known.

use std::collections::HashSet;

use crate::model::effect::EffectKind;
use crate::model::source::{ExprKind, TypeKind};

use super::super::buses::Buses;
use super::super::calls::Site;
use super::super::frame::Analysis;
use super::super::program::FnId;
use super::super::resolve::{Callee, is_builtin};
use super::calls::MAX_IMPLEMENTATIONS;

/// True of a call that gives an event to its handlers.
///
/// `working` are the functions that reach a statement: one of them that calls what is kept is the
/// worker itself, and is looked into.
pub(super) fn hands_off<'a>(
    analysis: &Analysis<'a>,
    buses: &Buses,
    working: &HashSet<FnId>,
    site: &Site<'a>,
) -> bool {
    if runs_one_of(analysis, buses, site) {
        return true;
    }
    if let Callee::Functions(ids, _) = &site.callee {
        let mut ids = ids.iter();
        return ids.any(|id| buses.dispatching.contains_key(id) && !working.contains(id));
    }
    let own = buses.dispatching.contains_key(&site.within) && working.contains(&site.within);
    if own && matches!(site.callee, Callee::Value(_)) && calls_a_name(site) {
        return true;
    }
    let frame = analysis.frame(site.within);
    let effects = analysis.effects_of(site.call, &site.callee, &frame);
    let publishes = effects.is_some_and(|effects| {
        let mut kinds = effects.found.iter();
        kinds.any(|found| found.kind == EffectKind::Publish)
    });
    publishes || runs_held(site)
}

/// True of a call of a method of an interface of the tree that is not followed: nothing in the tree
/// implements it, or too much does; a statement is none.
pub(super) fn is_open<'a>(analysis: &Analysis<'a>, site: &Site<'a>) -> bool {
    let many = match &site.callee {
        Callee::Method { receivers, .. } => receivers.iter().any(|of| {
            let decl = analysis.program.type_named(of);
            decl.is_some_and(|(_, decl)| decl.kind == TypeKind::Interface)
        }),
        Callee::Functions(ids, _) => ids.len() > MAX_IMPLEMENTATIONS,
        _ => false,
    };
    if !many || site.call.args.is_empty() {
        return false;
    }
    analysis.refuel();
    let frame = analysis.frame(site.within);
    analysis
        .sql_argument(site.call, &site.callee, &frame)
        .is_none()
}

/// True of a call of a method that an interface asks for which a table keeps: `h.Handle(ctx, event)`
/// of a handler that was looked up.
fn runs_one_of<'a>(analysis: &Analysis<'a>, buses: &Buses, site: &Site<'a>) -> bool {
    let ExprKind::Field { of, name, .. } = &site.call.callee.kind else {
        return false;
    };
    if buses.interfaces.is_empty() || site.call.args.is_empty() {
        return false;
    }
    let program = analysis.program;
    let asks = |table: &str| program.asks_for(table, name).is_some();
    match &site.callee {
        Callee::Method { receivers, .. } => {
            let mut receivers = receivers.iter();
            receivers.any(|of| buses.interfaces.contains(of) && asks(of))
        }
        Callee::Functions(..) => {
            analysis.refuel();
            let frame = analysis.frame(site.within);
            let ty = analysis.type_of(of, &frame);
            let names = ty.map_or_else(Vec::new, |ty| analysis.names_of(&ty));
            names
                .iter()
                .any(|of| buses.interfaces.contains(of) && asks(of))
                || runs_for(analysis, buses, &site.callee)
        }
        // A value of unknown type, in the package whose table keeps what has such a method.
        Callee::Unknown { .. } => buses.interfaces.iter().any(|table| {
            program.type_named(table).is_some_and(|(file, decl)| {
                file.package == program.file(site.within).package
                    && decl.methods.iter().any(|method| {
                        method.name == *name && method.params.len() == site.call.args.len()
                    })
            })
        }),
        _ => false,
    }
}

/// True of methods that are written for an interface which a table keeps.
fn runs_for<'a>(analysis: &Analysis<'a>, buses: &Buses, callee: &Callee<'a>) -> bool {
    let Callee::Functions(ids, _) = callee else {
        return false;
    };
    ids.iter().any(|id| {
        let function = analysis.program.function(*id);
        let file = analysis.program.file(*id);
        let of = function.of_trait.as_ref().map(|of| &of.name);
        let mut names = of.into_iter().chain(&function.owner);
        names.any(|of| buses.interfaces.contains(&analysis.program.named(file, of)))
    })
}

/// True of a call of a function that a variable holds, with something that is given to it.
fn calls_a_name(site: &Site<'_>) -> bool {
    let ExprKind::Name(name) = &site.call.callee.kind else {
        return false;
    };
    !site.call.args.is_empty() && !is_builtin(name)
}

/// True of a call of a function that a field or a table holds: `w.handler(ctx, event)`.
fn runs_held(site: &Site<'_>) -> bool {
    let held = matches!(
        site.call.callee.kind,
        ExprKind::Field { .. } | ExprKind::Index { .. }
    );
    held && matches!(site.callee, Callee::Value(_)) && site.call.args.len() >= 2
}
