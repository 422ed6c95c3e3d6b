//! Errors that come back to whoever handed the event over: the opposite of a dropped one.
//!
//! Shown only where every call on the way, that can reach an effect or is one, hands its error on.

use std::collections::BTreeSet;

use crate::model::place::Place;
use crate::model::source::{Block, Call, Expr, ExprKind, Pattern, Stmt, StmtKind};

use super::calls::Calls;
use super::dropped::{error_of, hands_on, mentions};
use super::frame::Analysis;
use super::handler::Handler;
use super::program::FnId;
use super::resolve::{Callee, is_builtin};
use super::walk::{self, Part};

/// Where a handler hands on the error of a call; none if some error on the way may be lost.
pub(super) fn find<'a>(
    analysis: &Analysis<'a>,
    calls: &Calls<'a>,
    handler: Handler<'a>,
    entered: &BTreeSet<FnId>,
) -> Option<Place> {
    let within = handler.within();
    let acting = acting(analysis, calls, entered);
    let search = |id| Search {
        analysis,
        calls,
        acting: &acting,
        id,
    };
    for id in acting.iter().filter(|id| **id != within) {
        let body = &analysis.program.function(*id).body;
        search(*id).body(body)?;
    }
    let body = handler.body(analysis);
    let first = search(within).body(body)?;
    Some(analysis.program.file(within).place(first?.at))
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
    /// None if an error of the body may be lost; else the first statement whose error is handed on.
    fn body(&self, body: &'a Block) -> Option<Option<&'a Stmt>> {
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
                    return None;
                }
                let earlier = first.is_none_or(|first: &Stmt| stmt.at < first.at);
                if earlier {
                    first = Some(stmt);
                }
            }
        }
        Some(first)
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
            StmtKind::Return(values) => return values.iter().any(|value| mentions(value, name)),
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
        } if values.iter().any(|value| mentions(value, error)) => {
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
        Some(StmtKind::Return(values)) if values.iter().any(|value| mentions(value, name))
    )
}
