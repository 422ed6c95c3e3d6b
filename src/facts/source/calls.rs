//! Every call of the tree, resolved once: who calls whom, and who can reach an effect at all.

use std::collections::HashMap;

use crate::model::source::{Call, ExprKind, FileRole};

use super::buses::Buses;
use super::frame::{Analysis, Kept};
use super::program::FnId;
use super::resolve::{Callee, is_builtin};
use super::threads::Threads;
use super::walk;

/// So many functions are gone through by one thread at a time.
const FUNCTIONS: usize = 128;

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
    /// Resolves them; the analysis comes back with what they run.
    pub(super) fn of(
        analysis: Analysis<'a>,
        buses: &Buses,
        threads: &Threads,
    ) -> (Analysis<'a>, Self) {
        let ids: Vec<FnId> = analysis
            .program
            .functions()
            .filter(|id| analysis.program.file(*id).role != FileRole::Vendored)
            .collect();
        let shared = analysis.shared();
        let parts = threads.map(&ids, FUNCTIONS, |ids| {
            Stretch::of(shared.clone().begin(), ids, buses)
        });
        let mut calls = Self::default();
        let mut kept = Kept::new();
        let mut ways = Ways::default();
        for part in parts {
            for (id, range) in part.inside {
                let start = calls.sites.len();
                calls
                    .inside
                    .insert(id, start + range.start..start + range.end);
            }
            calls.sites.extend(part.sites);
            kept.extend(part.kept);
            ways.open.extend(part.direct);
            for (id, within) in part.given {
                ways.given.entry(id).or_default().push(within);
            }
        }
        for (at, site) in calls.sites.iter().enumerate() {
            for id in analysis.runs(&site.callee) {
                calls.callers.entry(id).or_default().push(at);
            }
            if let Callee::Unknown { name } = &site.callee {
                let named = ways.by_name.entry(name.clone()).or_default();
                named.push(site.within);
            }
        }
        let analysis = analysis.knowing(kept);
        calls.reaching = calls.reaching(&analysis, ways);
        (analysis, calls)
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

    fn reaching(&self, analysis: &Analysis<'a>, mut ways: Ways) -> Vec<bool> {
        let mut reaching = vec![false; analysis.program.functions().count()];
        // A decorator of the tree runs around what it stands on.
        for id in analysis.program.functions() {
            for (_, _, decorators) in analysis.around(id) {
                for decorator in decorators {
                    ways.given.entry(decorator).or_default().push(id);
                }
            }
        }
        while let Some(id) = ways.open.pop() {
            if std::mem::replace(&mut reaching[id.index()], true) {
                continue;
            }
            ways.open.extend(self.callers(id).map(|site| site.within));
            ways.open.extend(ways.given.get(&id).into_iter().flatten());
            let name = &*analysis.program.function(id).name;
            if analysis.program.function(id).owner.is_some() {
                ways.open
                    .extend(ways.by_name.get(name).into_iter().flatten());
            }
        }
        reaching
    }
}

/// How an effect is reached from elsewhere.
#[derive(Debug, Default)]
struct Ways {
    /// Functions that reach one by a call of their own.
    open: Vec<FnId>,
    /// Functions that call a method of this name on a value of unknown type.
    by_name: HashMap<String, Vec<FnId>>,
    /// Functions that give a function away by name: it may be run by whoever gets it.
    given: HashMap<FnId, Vec<FnId>>,
}

/// The calls of some functions that follow each other.
struct Stretch<'a> {
    sites: Vec<Site<'a>>,
    inside: Vec<(FnId, std::ops::Range<usize>)>,
    direct: Vec<FnId>,
    given: Vec<(FnId, FnId)>,
    kept: Kept<'a>,
}

impl<'a> Stretch<'a> {
    fn of(analysis: Analysis<'a>, ids: &[FnId], buses: &Buses) -> Self {
        let mut out = Self {
            sites: Vec::new(),
            inside: Vec::new(),
            direct: Vec::new(),
            given: Vec::new(),
            kept: Kept::new(),
        };
        for &id in ids {
            let start = out.sites.len();
            let frame = analysis.frame(id);
            walk::each_expr(&analysis.program.function(id).body, &mut |expr| {
                if let ExprKind::Call(call) = &expr.kind {
                    analysis.refuel();
                    let callee = analysis.resolve(call, &frame);
                    out.ways(&analysis, buses, call, &callee, id);
                    out.sites.push(Site {
                        call,
                        callee,
                        within: id,
                    });
                }
            });
            out.inside.push((id, start..out.sites.len()));
        }
        out.kept = analysis.into_kept();
        out
    }

    /// Whether a call speaks of an effect, and which functions it gives away.
    fn ways(
        &mut self,
        analysis: &Analysis<'a>,
        buses: &Buses,
        call: &'a Call,
        callee: &Callee<'a>,
        within: FnId,
    ) {
        let frame = analysis.frame(within);
        let direct = match callee {
            Callee::Value(name) => !is_builtin(name),
            Callee::Functions(ids, _) => ids.iter().any(|id| buses.dispatching.contains_key(id)),
            _ => false,
        };
        if direct || analysis.speaks_of_effect(call, callee, &frame) {
            self.direct.push(within);
        }
        for arg in &call.args {
            if !matches!(arg.kind, ExprKind::Name(_) | ExprKind::Field { .. }) {
                continue;
            }
            analysis.refuel();
            if let Callee::Functions(ids, _) = analysis.resolve_callee(arg, usize::MAX, &frame) {
                self.given.extend(ids.into_iter().map(|id| (id, within)));
            }
        }
    }
}
