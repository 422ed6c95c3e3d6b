//! Every call of the tree, resolved once: who calls whom, and who can reach an effect at all.

use std::collections::HashMap;

use crate::model::source::{Call, ExprKind, FileRole};

use super::buses::Buses;
use super::frame::Analysis;
use super::program::FnId;
use super::resolve::{Callee, is_builtin};
use super::walk;

/// A call, what it runs, and the function around it.
#[derive(Debug)]
pub(super) struct Site<'a> {
    /// The call.
    pub(super) call: &'a Call,
    /// What it runs.
    pub(super) callee: Callee<'a>,
    /// The function in which it stands.
    pub(super) within: FnId,
}

/// The calls of a tree.
#[derive(Debug, Default)]
pub(super) struct Calls<'a> {
    /// All of them, in the order of files and text.
    pub(super) sites: Vec<Site<'a>>,
    callers: HashMap<FnId, Vec<usize>>,
    inside: HashMap<FnId, std::ops::Range<usize>>,
    reaching: Vec<bool>,
}

impl<'a> Calls<'a> {
    /// Resolves them.
    pub(super) fn of(analysis: &Analysis<'a>, buses: &Buses) -> Self {
        let mut calls = Self::default();
        for id in analysis.program.functions() {
            if analysis.program.file(id).role == FileRole::Vendored {
                continue;
            }
            let start = calls.sites.len();
            let frame = analysis.frame(id);
            walk::each_expr(&analysis.program.function(id).body, &mut |expr| {
                if let ExprKind::Call(call) = &expr.kind {
                    analysis.refuel();
                    calls.sites.push(Site {
                        call,
                        callee: analysis.resolve(call, &frame),
                        within: id,
                    });
                }
            });
            calls.inside.insert(id, start..calls.sites.len());
        }
        for (at, site) in calls.sites.iter().enumerate() {
            for id in analysis.runs(&site.callee) {
                calls.callers.entry(id).or_default().push(at);
            }
        }
        calls.reaching = calls.reaching(analysis, buses);
        calls
    }

    /// The calls that stand in a function.
    pub(super) fn within(&self, id: FnId) -> &[Site<'a>] {
        let range = self.inside.get(&id).cloned().unwrap_or_default();
        self.sites.get(range).unwrap_or_default()
    }

    /// The calls of a function.
    pub(super) fn callers(&self, id: FnId) -> impl Iterator<Item = &Site<'a>> {
        let at = self.callers.get(&id).map_or(&[][..], Vec::as_slice);
        at.iter().filter_map(|at| self.sites.get(*at))
    }

    /// False of a function from which no effect can be reached, whatever it is given.
    pub(super) fn can_reach(&self, id: FnId) -> bool {
        self.reaching.get(id.index()).copied().unwrap_or(true)
    }

    fn reaching(&self, analysis: &Analysis<'a>, buses: &Buses) -> Vec<bool> {
        let count = analysis.program.functions().count();
        let mut reaching = vec![false; count];
        let mut open: Vec<FnId> = Vec::new();
        let mut by_name: HashMap<&str, Vec<FnId>> = HashMap::new();
        for site in &self.sites {
            let direct = match &site.callee {
                Callee::Value(name) => !is_builtin(name),
                Callee::Functions(ids, _) => {
                    ids.iter().any(|id| buses.dispatching.contains_key(id))
                }
                Callee::Unknown { name } => {
                    by_name.entry(name).or_default().push(site.within);
                    false
                }
                _ => false,
            };
            let frame = analysis.frame(site.within);
            if direct || analysis.speaks_of_effect(site.call, &site.callee, &frame) {
                open.push(site.within);
            }
        }
        // A function that is given away by name may be run by whoever gets it.
        let mut given: HashMap<FnId, Vec<FnId>> = HashMap::new();
        for site in &self.sites {
            let frame = analysis.frame(site.within);
            for arg in &site.call.args {
                if !matches!(arg.kind, ExprKind::Name(_) | ExprKind::Field { .. }) {
                    continue;
                }
                analysis.refuel();
                if let Callee::Functions(ids, _) = analysis.resolve_callee(arg, usize::MAX, &frame)
                {
                    for id in ids {
                        given.entry(id).or_default().push(site.within);
                    }
                }
            }
        }
        // A decorator of the tree runs around what it stands on.
        let mut around: HashMap<FnId, Vec<FnId>> = HashMap::new();
        for id in analysis.program.functions() {
            for (_, _, decorators) in analysis.around(id) {
                for decorator in decorators {
                    around.entry(decorator).or_default().push(id);
                }
            }
        }
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut reaching[id.index()], true) {
                continue;
            }
            open.extend(self.callers(id).map(|site| site.within));
            open.extend(given.get(&id).into_iter().flatten());
            open.extend(around.get(&id).into_iter().flatten());
            let name = &*analysis.program.function(id).name;
            if analysis.program.function(id).owner.is_some() {
                open.extend(by_name.get(name).into_iter().flatten());
            }
        }
        reaching
    }
}
