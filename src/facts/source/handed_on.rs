//! Errors that come back to whoever handed the event over: the opposite of a dropped one.
//!
//! Shown only where every call on the way, that can reach an effect or is one, hands its error on.

use std::collections::BTreeSet;

use crate::model::place::Place;
use crate::model::source::{Block, Call, Expr, ExprKind, Language, Pattern, Stmt, StmtKind};

use super::buses::Buses;
use super::calls::Calls;
use super::dropped::{error_of, hands_on};
use super::frame::Analysis;
use super::handler::Handler;
use super::program::FnId;
use super::resolve::{Callee, is_builtin};
use super::walk::{self, Part};

/// What becomes of the errors of the calls on the way of a handler.
#[derive(Debug, Clone)]
pub(super) enum Errors {
    /// There are none.
    None,
    /// All are handed on: where the handler itself does it.
    HandedOn(Place),
    /// One may be lost here; true if it is given to nobody.
    Lost(Place, bool),
}

/// What becomes of the errors on the way of a handler.
pub(super) fn find<'a>(
    analysis: &Analysis<'a>,
    calls: &Calls<'a>,
    handler: Handler<'a>,
    entered: &BTreeSet<FnId>,
) -> Errors {
    let within = handler.within();
    let acting = acting(analysis, calls, entered);
    let search = |id| Search {
        analysis,
        calls,
        acting: &acting,
        id,
    };
    let others = acting.iter().filter(|id| **id != within);
    let bodies = others.map(|id| (*id, &analysis.program.function(*id).body));
    let mut first = None;
    for (id, body) in bodies.chain([(within, handler.body(analysis))]) {
        let place = |stmt: &Stmt| analysis.program.file(id).place(stmt.at);
        match search(id).body(body) {
            Err((stmt, dropped)) => return Errors::Lost(place(stmt), dropped),
            Ok(found) => first = found.map(place),
        }
    }
    first.map_or(Errors::None, Errors::HandedOn)
}

/// Where a method that calls kept handlers loses the error of one; true if it is given to nobody.
pub(super) fn by_bus<'a>(
    analysis: &Analysis<'a>,
    calls: &Calls<'a>,
    buses: &Buses,
) -> Option<(Place, bool)> {
    let none = BTreeSet::new();
    buses.dispatching.keys().find_map(|id| {
        let file = analysis.program.file(*id);
        if file.language != Language::Go {
            return None;
        }
        let body = &analysis.program.function(*id).body;
        if let Some(stmt) = recovers(body) {
            return Some((file.place(stmt.at), true));
        }
        let search = Search {
            analysis,
            calls,
            acting: &none,
            id: *id,
        };
        let (stmt, dropped) = search.body(body).err()?;
        Some((file.place(stmt.at), dropped))
    })
}

/// A deferred function that catches a panic and keeps nothing of it.
fn recovers(body: &Block) -> Option<&Stmt> {
    body.stmts.iter().find(|stmt| {
        let StmtKind::Defer(expr) = &stmt.kind else {
            return false;
        };
        let ExprKind::Call(call) = &expr.kind else {
            return false;
        };
        let ExprKind::Closure(closure) = &call.callee.kind else {
            return false;
        };
        let mut catches = false;
        walk::each_expr(&closure.body, &mut |expr| {
            catches |= matches!(&expr.kind, ExprKind::Call(call)
                if matches!(&call.callee.kind, ExprKind::Name(name) if &**name == "recover"));
        });
        catches && !keeps_something(&closure.body)
    })
}

/// True of a block that assigns to a name which it does not declare, or panics again.
fn keeps_something(block: &Block) -> bool {
    let mut open: Vec<&Stmt> = block.stmts.iter().collect();
    while let Some(stmt) = open.pop() {
        match &stmt.kind {
            StmtKind::Assign { targets, .. } => {
                let mut names = targets.iter().filter_map(walk::whole);
                if names.any(|name| name != "_") {
                    return true;
                }
            }
            StmtKind::Expr(Expr {
                kind: ExprKind::Call(call),
                ..
            }) if matches!(&call.callee.kind, ExprKind::Name(name) if &**name == "panic") => {
                return true;
            }
            _ => {}
        }
        walk::stmt_parts(stmt, &mut |part| {
            if let Part::Block(inner) = part {
                open.extend(inner.stmts.iter());
            }
        });
    }
    false
}

/// Those of the functions entered whose calls end in an effect, or are not known.
fn acting<'a>(
    analysis: &Analysis<'a>,
    calls: &Calls<'a>,
    entered: &BTreeSet<FnId>,
) -> BTreeSet<FnId> {
    let none = BTreeSet::new();
    let acts = |id: FnId| {
        let search = Search {
            analysis,
            calls,
            acting: &none,
            id,
        };
        let mut sites = calls.within(id).iter();
        sites.any(|site| search.reaches(site.call))
    };
    let mut open: Vec<FnId> = entered.iter().copied().filter(|id| acts(*id)).collect();
    let mut acting = BTreeSet::new();
    while let Some(id) = open.pop() {
        if acting.insert(id) {
            let callers = calls.callers(id).map(|site| site.within);
            open.extend(callers.filter(|caller| entered.contains(caller)));
        }
    }
    acting
}

struct Search<'a, 's> {
    analysis: &'s Analysis<'a>,
    calls: &'s Calls<'a>,
    acting: &'s BTreeSet<FnId>,
    id: FnId,
}

impl<'a> Search<'a, '_> {
    /// The first statement whose error is handed on; an error with the one whose error may be lost, and
    /// true if it is given to nobody.
    fn body(&self, body: &'a Block) -> Result<Option<&'a Stmt>, (&'a Stmt, bool)> {
        let mut first = None;
        let mut blocks = vec![(body, body)];
        while let Some((block, outer)) = blocks.pop() {
            for (at, stmt) in block.stmts.iter().enumerate() {
                let rest = block.stmts.get(at + 1..).unwrap_or_default();
                let mut matters = false;
                let mut open: Vec<Part<'a>> = Vec::new();
                walk::stmt_parts(stmt, &mut |part| open.push(part));
                while let Some(part) = open.pop() {
                    match part {
                        Part::Block(inner) => blocks.push((inner, outer)),
                        // Its errors go to whoever runs it.
                        Part::Closure(closure) => blocks.push((&closure.body, &closure.body)),
                        Part::Expr(expr) => {
                            matters |= self.matters(expr);
                            walk::parts(expr, &mut |part| open.push(part));
                        }
                    }
                }
                if !matters {
                    continue;
                }
                if !is_handed_on(stmt, rest, outer) {
                    return Err((stmt, self.drops(stmt, rest)));
                }
                let earlier = first.is_none_or(|first: &Stmt| stmt.at < first.at);
                if earlier {
                    first = Some(stmt);
                }
            }
        }
        Ok(first)
    }

    /// True of a statement whose error is given to nobody, or to a line of a log at most.
    fn drops(&self, stmt: &'a Stmt, rest: &'a [Stmt]) -> bool {
        let name = match &stmt.kind {
            StmtKind::Expr(expr) | StmtKind::Spawn(expr) | StmtKind::Defer(expr) => {
                return self.matters(expr);
            }
            StmtKind::Let { patterns, .. } => match patterns.last() {
                Some(Pattern::Name(name, _)) => Some(&**name),
                _ => None,
            },
            StmtKind::Assign { targets, .. } => targets.last().and_then(walk::whole),
            _ => return false,
        };
        let Some(name) = name.filter(|name| *name != "_") else {
            return true;
        };
        rest.iter().any(|next| match &next.kind {
            StmtKind::If {
                condition, then, ..
            } => error_of(condition) == Some(name) && !hands_on(then, name),
            _ => false,
        })
    }

    /// True of a call that can reach an effect, is one, or runs a function that is not known here.
    fn matters(&self, expr: &'a Expr) -> bool {
        let ExprKind::Call(call) = &expr.kind else {
            return false;
        };
        // An error of it ends the function at once.
        !call.tried && self.reaches(call)
    }

    fn reaches(&self, call: &'a Call) -> bool {
        let frame = self.analysis.frame(self.id);
        self.analysis.refuel();
        let callee = self.analysis.resolve(call, &frame);
        let known = match &callee {
            Callee::Functions(ids, _) => ids.iter().any(|id| self.acting.contains(id)),
            Callee::Value(name) => !is_builtin(name),
            Callee::Unknown { name } => {
                let mut all = self
                    .analysis
                    .candidates(name, call.args.len(), &frame)
                    .into_iter();
                all.any(|id| self.calls.can_reach(id))
            }
            _ => false,
        };
        let found = || self.analysis.effects_of(call, &callee, &frame);
        known || found().is_some_and(|effects| !effects.found.is_empty())
    }
}

/// True if the error that a statement takes is returned, by it or by one that follows.
fn is_handed_on(stmt: &Stmt, rest: &[Stmt], body: &Block) -> bool {
    let name = match &stmt.kind {
        StmtKind::Return(_) => return true,
        StmtKind::Let { patterns, .. } => match patterns.last() {
            Some(Pattern::Name(name, _)) => &**name,
            _ => return false,
        },
        StmtKind::Assign { targets, .. } => match targets.last().and_then(walk::whole) {
            Some(name) if name != "_" => name,
            _ => return false,
        },
        _ => return false,
    };
    for next in rest {
        match &next.kind {
            StmtKind::Return(values) => {
                return values.iter().any(|value| walk::mentions(value, name));
            }
            StmtKind::If {
                condition, then, ..
            } if error_of(condition) == Some(name) => {
                return hands_on(then, name) && keeps(then, name, body);
            }
            // The error is gone.
            StmtKind::Let { patterns, .. } => {
                let mut names = patterns.iter().flat_map(Pattern::names);
                if names.any(|other| &**other == name) {
                    return false;
                }
            }
            StmtKind::Assign { targets, .. }
                if targets
                    .iter()
                    .any(|target| walk::whole(target) == Some(name)) =>
            {
                return false;
            }
            _ => {}
        }
    }
    false
}

/// True if an error that is kept under another name is returned under that name.
fn keeps(block: &Block, error: &str, body: &Block) -> bool {
    block.stmts.iter().all(|stmt| match &stmt.kind {
        StmtKind::Assign {
            targets, values, ..
        } if values.iter().any(|value| walk::mentions(value, error)) => {
            let mut names = targets.iter().filter_map(walk::whole);
            names.all(|name| returns(body, name))
        }
        _ => true,
    })
}

/// True if the last statement of a function returns a name.
fn returns(body: &Block, name: &str) -> bool {
    matches!(
        body.stmts.last().map(|stmt| &stmt.kind),
        Some(StmtKind::Return(values)) if values.iter().any(|value| walk::mentions(value, name))
    )
}
