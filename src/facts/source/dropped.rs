//! Errors that are looked at and not handed on: whoever called sees success.

use std::collections::BTreeSet;

use crate::model::place::Place;
use crate::model::source::{Block, Expr, ExprKind, Operator, Stmt, StmtKind};

use super::calls::Calls;
use super::frame::Analysis;
use super::handler::Handler;
use super::program::FnId;
use super::resolve::Callee;
use super::walk::{self, Part};

/// Where the error of a call that can reach an effect ends, in a function between the handler and
/// the effect: the first such place of the function nearest to the handler.
pub(super) fn find<'a>(
    analysis: &Analysis<'a>,
    calls: &Calls<'a>,
    handler: Handler<'a>,
    entered: &BTreeSet<FnId>,
) -> Option<Place> {
    let mut next: Vec<(FnId, &'a Block)> = vec![(handler.within(), handler.body(analysis))];
    let mut seen: BTreeSet<FnId> = BTreeSet::new();
    while !next.is_empty() {
        let mut below = Vec::new();
        for (id, block) in next {
            let search = Search {
                analysis,
                calls,
                id,
            };
            if let Some(stmt) = search.block(block) {
                return Some(analysis.program.file(id).place(stmt.at));
            }
            for site in calls.within(id) {
                if let Callee::Functions(ids, _) = &site.callee {
                    for id in ids {
                        if entered.contains(id) && seen.insert(*id) {
                            below.push((*id, &analysis.program.function(*id).body));
                        }
                    }
                }
            }
        }
        next = below;
    }
    None
}

struct Search<'a, 's> {
    analysis: &'s Analysis<'a>,
    calls: &'s Calls<'a>,
    id: FnId,
}

impl<'a> Search<'a, '_> {
    fn block(&self, block: &'a Block) -> Option<&'a Stmt> {
        let mut before: Option<&'a Stmt> = None;
        for stmt in &block.stmts {
            if let StmtKind::If {
                condition, then, ..
            } = &stmt.kind
                && let Some(error) = error_of(condition)
                && before.is_some_and(|before| self.gives(before, error))
                && !hands_on(then, error)
            {
                return Some(stmt);
            }
            before = Some(stmt);
            let mut open: Vec<Part<'a>> = Vec::new();
            walk::stmt_parts(stmt, &mut |part| open.push(part));
            while let Some(part) = open.pop() {
                let found = match part {
                    Part::Block(block) => self.block(block),
                    Part::Closure(closure) => self.block(&closure.body),
                    Part::Expr(expr) => {
                        walk::parts(expr, &mut |part| open.push(part));
                        None
                    }
                };
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    /// True of a statement that takes an error from a call which can reach an effect.
    fn gives(&self, stmt: &'a Stmt, error: &str) -> bool {
        let values = match &stmt.kind {
            StmtKind::Let {
                patterns, values, ..
            } => {
                let mut names = patterns.iter().flat_map(|pattern| pattern.names());
                names.any(|name| &**name == error).then_some(values)
            }
            StmtKind::Assign {
                targets, values, ..
            } => {
                let mut names = targets.iter().filter_map(walk::whole);
                names.any(|name| name == error).then_some(values)
            }
            _ => None,
        };
        values.into_iter().flatten().any(|value| {
            let ExprKind::Call(call) = &value.kind else {
                return false;
            };
            let frame = self.analysis.frame(self.id);
            self.analysis.refuel();
            match self.analysis.resolve(call, &frame) {
                Callee::Functions(ids, _) => ids.iter().any(|id| self.calls.can_reach(*id)),
                _ => false,
            }
        })
    }
}

/// `err` of `err != nil`.
pub(super) fn error_of(condition: &Expr) -> Option<&str> {
    let ExprKind::Binary {
        op: Operator::NotEqual,
        left,
        right,
    } = &condition.kind
    else {
        return None;
    };
    match (&left.kind, &right.kind) {
        (ExprKind::Name(name), ExprKind::Nil) => Some(name),
        _ => None,
    }
}

/// True if a block returns something, keeps the error, or gives it to anything but a line of a log:
/// only a block that ends in `continue`, or falls through without keeping it, drops it.
pub(super) fn hands_on(block: &Block, error: &str) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Return(values) => values
            .iter()
            .any(|value| !matches!(value.kind, ExprKind::Nil)),
        StmtKind::Assign { values, .. } | StmtKind::Let { values, .. } => {
            values.iter().any(|value| walk::mentions(value, error))
        }
        StmtKind::If {
            then, otherwise, ..
        } => hands_on(then, error) || hands_on(otherwise, error),
        StmtKind::Block(inner) | StmtKind::Loop { body: inner, .. } => hands_on(inner, error),
        StmtKind::Match { arms, .. } => arms.iter().any(|arm| hands_on(&arm.body, error)),
        _ => false,
    })
}
