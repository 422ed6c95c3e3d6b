//! What a test launches beside itself, and where it waits for it.

use std::collections::BTreeSet;

use crate::facts::source::program::FnId;
use crate::facts::source::resolve::Callee;
use crate::facts::source::walk::{self, Part};
use crate::model::source::{Block, Call, Expr, ExprKind, Pattern, Stmt, StmtKind};

use super::super::walk::names_in;
use super::events::Event;
use super::show::show;
use super::walk::Walk;

impl<'a> Walk<'a, '_> {
    /// What runs beside the test.
    pub(super) fn beside(&mut self, inner: impl FnOnce(&mut Self)) {
        self.numbers += 1;
        let before = self.launch.replace(self.numbers);
        inner(self);
        self.launch = before;
    }

    /// A call that launches what it is given: a closure, a call, or a function and its arguments.
    pub(super) fn launched_call(&mut self, call: &'a Call, id: FnId) {
        let analysis = self.shared.analysis;
        let frame = analysis.frame(id);
        let place = frame.file.place(call.at);
        let mut event = String::new();
        let mut runs: Vec<FnId> = Vec::new();
        for arg in &call.args {
            analysis.refuel();
            match &arg.kind {
                ExprKind::Name(_) | ExprKind::Field { .. } => {
                    match analysis.resolve_callee(arg, usize::MAX, &frame) {
                        Callee::Functions(ids, _) => runs.extend(ids),
                        _ => self.shown_arg(arg, &mut event),
                    }
                }
                ExprKind::Make { .. } | ExprKind::Other(_) => self.shown_arg(arg, &mut event),
                _ => {}
            }
        }
        self.beside(|walk| {
            walk.inputs(call, id);
            if !runs.is_empty() {
                walk.functions(&runs, event, place);
            }
        });
    }

    pub(super) fn shown_arg(&self, arg: &Expr, out: &mut String) {
        match &arg.kind {
            ExprKind::Make { fields, .. } => {
                for field in fields {
                    show(&field.value, out);
                    out.push(',');
                }
            }
            ExprKind::Other(parts) => parts.iter().for_each(|part| {
                show(part, out);
                out.push(',');
            }),
            _ => {
                show(arg, out);
                out.push(',');
            }
        }
    }

    pub(super) fn joined(&mut self, launches: Option<BTreeSet<usize>>) {
        // Inside what runs beside, it is the other one that waits.
        if self.launch.is_none() {
            let loops = self.loops.clone();
            self.events.push(Event::Joined { launches, loops });
        }
    }

    /// A value that stands for something launched is waited for where it is used: `first.await`.
    pub(super) fn waits_by_name(&mut self, stmt: &'a Stmt) {
        if self.launched.is_empty() || self.launch.is_some() {
            return;
        }
        // `for each in threads { each.start() }`.
        if let StmtKind::Loop { body, .. } = &stmt.kind
            && self.only_begins(body)
        {
            return;
        }
        let mut exprs = Vec::new();
        walk::stmt_parts(stmt, &mut |part| {
            if let Part::Expr(expr) = part {
                exprs.push(expr);
            }
        });
        // `list.push(first)`, `first.start()`: nobody waits yet.
        if let [only] = exprs.as_slice()
            && let ExprKind::Call(call) = &only.kind
            && let ExprKind::Field { of, .. } = &call.callee.kind
            && let ExprKind::Name(list) = &of.kind
        {
            let carried: Vec<usize> = call
                .args
                .iter()
                .flat_map(names_in)
                .flat_map(|name| self.launched.iter().filter(move |(known, _)| known == name))
                .map(|(_, number)| *number)
                .collect();
            if !carried.is_empty() || call.args.iter().any(launches_inside) {
                let list = list.to_string();
                self.launched
                    .extend(carried.into_iter().map(|number| (list.clone(), number)));
                return;
            }
        }
        let names: Vec<&str> = exprs.into_iter().flat_map(names_in).collect();
        let ended: BTreeSet<usize> = self
            .launched
            .iter()
            .filter(|(known, _)| names.contains(&&**known))
            .map(|(_, number)| *number)
            .collect();
        if !ended.is_empty() && !self.begins(stmt) {
            self.launched.retain(|(_, number)| !ended.contains(number));
            self.joined(Some(ended));
        }
    }

    fn only_begins(&self, body: &'a Block) -> bool {
        !body.stmts.is_empty() && body.stmts.iter().all(|stmt| self.begins(stmt))
    }

    /// True of a statement that only begins what was made before.
    pub(super) fn begins(&self, stmt: &'a Stmt) -> bool {
        let StmtKind::Expr(expr) = &stmt.kind else {
            return false;
        };
        matches!(&expr.kind, ExprKind::Call(call) if call.args.is_empty()
            && matches!(&call.callee.kind, ExprKind::Field { name, .. } if self.shared.begins(name)))
    }

    /// The names under which what a statement launched is kept.
    pub(super) fn keep_launches(&mut self, stmt: &Stmt, before: usize) {
        let numbers: BTreeSet<usize> = self
            .events
            .iter()
            .skip(before)
            .filter_map(|event| match event {
                Event::Delivered(one) => one.launch,
                _ => None,
            })
            .collect();
        if numbers.is_empty() || self.launch.is_some() {
            return;
        }
        let names: Vec<String> = match &stmt.kind {
            StmtKind::Let { patterns, .. } => patterns
                .iter()
                .flat_map(Pattern::names)
                .map(ToString::to_string)
                .collect(),
            StmtKind::Assign { targets, .. } => targets
                .iter()
                .flat_map(names_in)
                .map(str::to_owned)
                .collect(),
            StmtKind::Expr(expr) => match &expr.kind {
                ExprKind::Call(call) => match &call.callee.kind {
                    ExprKind::Field { of, .. } => {
                        names_in(of).into_iter().map(str::to_owned).collect()
                    }
                    _ => Vec::new(),
                },
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        for name in names {
            self.launched
                .extend(numbers.iter().map(|number| (name.clone(), *number)));
        }
    }
}

/// True of a call inside: it may be the launch itself.
fn launches_inside(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Call(_))
}
