//! Where the flag is read, and what keeps it.

use std::sync::Arc;

use crate::model::source::{Call, Expr, ExprKind, StmtKind};
use crate::rules::QueueWord;

use super::super::frame::{Analysis, Frame};
use super::super::resolve::Callee;
use super::super::walk::{self, Part};
use super::FlagRead;
use super::roots::Map;

impl Map {
    /// Fields that are given the setting, whoever reads them.
    pub(super) fn note_flag<'a>(&mut self, analysis: &Analysis<'a>, flag: &str) {
        for id in analysis.program.functions() {
            if !self.settings.contains(&id) {
                continue;
            }
            let function = analysis.program.function(id);
            let file = analysis.program.file(id);
            let frame = analysis.frame(id);
            let says = |expr| {
                let mut found = None;
                let mut open = vec![Part::Expr(expr)];
                while let Some(part) = open.pop() {
                    let Part::Expr(expr) = part else { continue };
                    let named = matches!(
                        expr.kind,
                        ExprKind::Text(_) | ExprKind::Name(_) | ExprKind::Field { .. }
                    );
                    if named {
                        analysis.refuel();
                        let texts = analysis.texts(expr, &frame);
                        if texts.constants() == [flag] {
                            found = Some(file.place(expr.at));
                        }
                    }
                    walk::parts(expr, &mut |part| open.push(part));
                }
                found
            };
            walk::each_expr(&function.body, &mut |expr| match &expr.kind {
                ExprKind::Make { fields, .. } => {
                    for field in fields {
                        if let (Some(name), true) = (&field.name, says(&field.value).is_some()) {
                            self.flag_fields.insert(Arc::clone(name));
                        }
                    }
                }
                ExprKind::Call(call) => {
                    for arg in &call.args {
                        if matches!(
                            arg.kind,
                            ExprKind::Text(_) | ExprKind::Name(_) | ExprKind::Field { .. }
                        ) && let Some(place) = says(arg)
                            && self.settings.contains(&id)
                        {
                            let others =
                                call.args.iter().filter(|other| !std::ptr::eq(*other, arg));
                            let default = others
                                .filter(|_| self.looks_up(analysis, call, &frame))
                                .filter_map(|other| constant(analysis, other, &frame))
                                .last();
                            self.flag_read.push(FlagRead { place, default });
                        }
                    }
                }
                _ => {}
            });
            let mut open: Vec<_> = function.body.stmts.iter().collect();
            while let Some(stmt) = open.pop() {
                if let StmtKind::Assign {
                    targets, values, ..
                } = &stmt.kind
                    && let [target] = &targets[..]
                    && let ExprKind::Field { name, .. } = &target.kind
                    && values.iter().any(|value| says(value).is_some())
                {
                    self.flag_fields.insert(Arc::clone(name));
                }
                walk::stmt_parts(stmt, &mut |part| {
                    if let Part::Block(block) = part {
                        open.extend(block.stmts.iter());
                    }
                });
            }
        }
        self.flag_read.sort();
        self.flag_read.dedup();
    }

    /// True of a call that looks a setting up.
    fn looks_up<'a>(&self, analysis: &Analysis<'a>, call: &'a Call, frame: &Frame<'a, '_>) -> bool {
        let callee = analysis.resolve(call, frame);
        match &callee {
            Callee::Functions(ids, _) => ids.iter().any(|id| self.settings.contains(id)),
            _ => analysis
                .queue_rule(call, &callee, frame)
                .is_some_and(|rule| rule.means == QueueWord::Setting),
        }
    }
}

/// A truth or text that an expression is.
fn constant<'a>(
    analysis: &Analysis<'a>,
    expr: &'a Expr,
    frame: &Frame<'a, '_>,
) -> Option<Arc<str>> {
    match &expr.kind {
        ExprKind::Bool(is) => Some(if *is { "true" } else { "false" }.into()),
        ExprKind::Text(_) | ExprKind::Name(_) => {
            analysis.refuel();
            match analysis.texts(expr, frame).constants()[..] {
                [one] => Some(one.into()),
                _ => None,
            }
        }
        _ => None,
    }
}
