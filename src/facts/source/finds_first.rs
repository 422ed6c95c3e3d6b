//! An insert behind a look at the table, whose refusal by a key ends in the row that was there: how
//! code makes a create that can be repeated.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::map::HOLE;
use crate::model::place::{Place, Pos};
use crate::model::source::{Block, Call, Expr, ExprKind, Stmt, StmtKind};
use crate::sql::verbs::{Verbs, verbs};

use super::calls::Calls;
use super::frame::Analysis;
use super::looked::{Look, looks_by_values};
use super::program::FnId;
use super::resolve::Callee;
use super::walk::{self, Part};

/// Where the row in the way is taken, in one of these functions: a read, then a call that can reach
/// a write, then a branch for one of the engine's codes that reads again.
pub(super) fn find<'a>(
    analysis: &Analysis<'a>,
    calls: &Calls<'a>,
    entered: &BTreeSet<FnId>,
    codes: &[&Arc<str>],
) -> Option<Place> {
    entered.iter().find_map(|id| {
        let search = Search {
            analysis,
            calls,
            id: *id,
            codes,
        };
        let at = search.block(&analysis.program.function(*id).body)?;
        Some(analysis.program.file(*id).place(at))
    })
}

struct Search<'a, 's> {
    analysis: &'s Analysis<'a>,
    calls: &'s Calls<'a>,
    id: FnId,
    codes: &'s [&'s Arc<str>],
}

impl<'a> Search<'a, '_> {
    fn block(&self, block: &'a Block) -> Option<Pos> {
        let mut look: Option<Look<'a>> = None;
        let (mut taken, mut written) = (false, false);
        for stmt in &block.stmts {
            if let StmtKind::If {
                condition, then, ..
            } = &stmt.kind
                && let Some(look) = &look
                && written
                && self.asks_for_code(condition)
                && then.stmts.iter().any(|stmt| self.looks_again(look, stmt))
            {
                return Some(stmt.at);
            }
            taken |= look.as_ref().is_some_and(|look| look.is_taken_by(stmt));
            let found = self.look(stmt);
            let is_look =
                |call: &Call| found.as_ref().is_some_and(|it| std::ptr::eq(it.call, call));
            let mut all = self
                .calls_of(stmt)
                .into_iter()
                .filter(|call| !is_look(call));
            let writes = all.any(|call| self.writes(call));
            written |= taken && writes;
            if !writes && let Some(found) = found {
                look = Some(found);
                (taken, written) = (false, false);
            }
        }
        None
    }

    /// The same look again, and what it finds is what the function gives.
    fn looks_again(&self, look: &Look<'a>, stmt: &'a Stmt) -> bool {
        self.calls_of(stmt)
            .into_iter()
            .any(|call| look.is_like(call))
    }

    fn calls_of(&self, stmt: &'a Stmt) -> Vec<&'a Call> {
        let mut found = Vec::new();
        let mut open: Vec<Part<'a>> = Vec::new();
        walk::stmt_parts(stmt, &mut |part| open.push(part));
        while let Some(part) = open.pop() {
            match part {
                Part::Expr(expr) => {
                    if let ExprKind::Call(call) = &expr.kind {
                        found.push(&**call);
                    }
                    walk::parts(expr, &mut |part| open.push(part));
                }
                Part::Block(block) => {
                    for stmt in &block.stmts {
                        walk::stmt_parts(stmt, &mut |part| open.push(part));
                    }
                }
                Part::Closure(closure) => open.push(Part::Block(&closure.body)),
            }
        }
        found
    }

    fn writes(&self, call: &'a Call) -> bool {
        let frame = self.analysis.frame(self.id);
        self.analysis.refuel();
        match self.analysis.resolve(call, &frame) {
            Callee::Functions(ids, _) => ids.iter().any(|id| self.calls.can_reach(*id)),
            callee => {
                let effects = self.analysis.effects_of(call, &callee, &frame);
                effects.is_some_and(|effects| !effects.found.is_empty())
            }
        }
    }

    /// The look at a table that a statement makes, by itself or in the function it calls.
    fn look(&self, stmt: &'a Stmt) -> Option<Look<'a>> {
        let call = self.calls_of(stmt).into_iter().find(|call| {
            if self.is_read(call, self.id) {
                return true;
            }
            let frame = self.analysis.frame(self.id);
            self.analysis.refuel();
            let Callee::Functions(ids, _) = self.analysis.resolve(call, &frame) else {
                return false;
            };
            ids.iter().any(|id| {
                let mut sites = self.calls.within(*id).iter();
                sites.any(|site| self.is_read(site.call, *id))
            })
        })?;
        let frame = self.analysis.frame(self.id);
        self.analysis.refuel();
        let is_error = match self.analysis.resolve(call, &frame) {
            Callee::Functions(ids, _) => ids.iter().all(|id| {
                let returns = &self.analysis.program.function(*id).returns;
                returns.last().is_some_and(|of| &*of.name == "error")
            }),
            _ => false,
        };
        Some(Look::of(stmt, call, frame.file.language, is_error))
    }

    /// True of a query by the key alone: other conditions may leave the row out that is in the way.
    fn is_read(&self, call: &'a Call, within: FnId) -> bool {
        let frame = self.analysis.frame(within);
        self.analysis.refuel();
        let callee = self.analysis.resolve(call, &frame);
        let texts = self.analysis.sql_of(call, &callee, &frame);
        texts.iter().any(|text| {
            let sql = text.as_sql();
            verbs(&sql, super::effects::dialect(&sql)) == Verbs::Reads
                && looks_by_values(&sql, |text| text.starts_with(HOLE))
        })
    }

    /// True of a condition that compares with a code, by itself or in the function it calls.
    fn asks_for_code(&self, condition: &'a Expr) -> bool {
        let mut open = vec![condition];
        while let Some(expr) = open.pop() {
            if self.is_code(expr, self.id) {
                return true;
            }
            walk::parts(expr, &mut |part| {
                if let Part::Expr(inner) = part {
                    open.push(inner);
                }
            });
        }
        let ExprKind::Call(call) = &condition.kind else {
            return false;
        };
        let frame = self.analysis.frame(self.id);
        self.analysis.refuel();
        let Callee::Functions(ids, _) = self.analysis.resolve(call, &frame) else {
            return false;
        };
        let mut found = false;
        for id in ids {
            let body = &self.analysis.program.function(id).body;
            walk::each_expr(body, &mut |expr| found |= self.is_code(expr, id));
        }
        found
    }

    fn is_code(&self, expr: &'a Expr, within: FnId) -> bool {
        let names = matches!(
            expr.kind,
            ExprKind::Name(_) | ExprKind::Number(_) | ExprKind::Text(_)
        );
        if !names {
            return false;
        }
        self.analysis.refuel();
        let texts = self.analysis.texts(expr, &self.analysis.frame(within));
        let mut known = texts.options.iter().filter_map(|text| text.constant());
        known.any(|text| self.codes.iter().any(|code| &***code == text))
    }
}
