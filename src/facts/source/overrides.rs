//! Classes that are made of others: which of their methods a call can run, and what makes a value.

use crate::model::map::Sureness;
use crate::model::source::{ExprKind, StmtKind};

use super::frame::Analysis;
use super::program::FnId;
use super::resolve::Callee;

impl<'a> Analysis<'a> {
    /// The methods of classes that are made of one of these types count as well.
    pub(super) fn or_overridden(
        &self,
        mut ids: Vec<FnId>,
        sure: Sureness,
        types: &[String],
        name: &str,
    ) -> Callee<'a> {
        let before = ids.len();
        let first = types.first().into_iter();
        for sub in first.flat_map(|of| self.program.subclasses_of(of)) {
            let own = self.program.methods.get(&sub).and_then(|all| all.get(name));
            for id in own.into_iter().flatten() {
                if !ids.contains(id) {
                    ids.push(*id);
                }
            }
        }
        let own = ids.len() == before;
        if !own && ids.iter().any(|id| !self.is_left_open(*id)) {
            ids.retain(|id| !self.is_left_open(*id));
        }
        let sure = match own || ids.len() == 1 {
            true => sure,
            false => sure.min(Sureness::Medium),
        };
        Callee::Functions(ids, sure)
    }

    /// True of a method that only says that others have to write it.
    pub(super) fn is_left_open(&self, id: FnId) -> bool {
        let stmts = &self.program.function(id).body.stmts;
        stmts.iter().all(|stmt| match &stmt.kind {
            StmtKind::Expr(expr) => match &expr.kind {
                ExprKind::Call(call) => {
                    matches!(&call.callee.kind, ExprKind::Name(name) if &**name == "raise")
                }
                _ => false,
            },
            StmtKind::Return(values) => values.is_empty(),
            StmtKind::Leave(_) => true,
            StmtKind::Block(block) => block.stmts.is_empty(),
            _ => false,
        })
    }

    /// The functions of the tree that a call runs: those it names, and what makes a value of a class.
    pub(super) fn runs(&self, callee: &Callee<'a>) -> Vec<FnId> {
        match callee {
            Callee::Functions(ids, _) => ids.clone(),
            Callee::Type(name) if self.program.has_python() => {
                let makers = ["__init__", "__post_init__"].into_iter();
                makers
                    .flat_map(|maker| self.program.methods_of(name, maker))
                    .collect()
            }
            _ => Vec::new(),
        }
    }
}
