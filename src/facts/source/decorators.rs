//! What decorators make of the functions they stand on: another type, or another body around it.

use std::collections::HashMap;
use std::sync::Arc;

use crate::model::source::{Call, Expr, ExprKind, Language};

use super::frame::Analysis;
use super::program::FnId;
use super::resolve::Callee;
use super::walk;

impl<'a> Analysis<'a> {
    /// The decorators of functions of the tree, with the function in which they stand.
    pub(super) fn find_decorators(&self) -> HashMap<FnId, Vec<(&'a Call, FnId)>> {
        let mut found: HashMap<FnId, Vec<(&'a Call, FnId)>> = HashMap::new();
        for within in self.program.functions() {
            if self.program.file(within).language != Language::Python {
                continue;
            }
            let mut calls: Vec<(&'a Call, &'a Expr)> = Vec::new();
            walk::each_expr(&self.program.function(within).body, &mut |expr| {
                if let ExprKind::Call(call) = &expr.kind
                    && let Some(decorated) = &call.decorates
                {
                    calls.push((call, decorated));
                }
            });
            let frame = self.frame(within);
            for (call, decorated) in calls {
                self.refuel();
                if let Callee::Functions(ids, _) =
                    self.resolve_callee(decorated, usize::MAX, &frame)
                {
                    for id in ids {
                        found.entry(id).or_default().push((call, within));
                    }
                }
            }
        }
        found
    }

    /// The types that rules say some of them make.
    pub(super) fn made_by_decorators(
        &self,
        found: &HashMap<FnId, Vec<(&'a Call, FnId)>>,
    ) -> HashMap<FnId, Arc<str>> {
        let mut made: HashMap<FnId, Arc<str>> = HashMap::new();
        for id in self.program.functions() {
            let calls = found.get(&id).map_or(&[][..], Vec::as_slice);
            for (call, within) in calls {
                self.refuel();
                let frame = self.frame(*within);
                let callee = self.resolve(call, &frame);
                let rules = self.rules.subscriptions.iter();
                let mut rules = rules.filter(|rule| {
                    rule.language == frame.file.language
                        && rule.makes.is_some()
                        && self.fits(&rule.call, call, &callee, &frame).is_some()
                });
                if let Some(makes) = rules.find_map(|rule| rule.makes.as_ref()) {
                    made.insert(id, Arc::clone(makes));
                }
            }
        }
        made
    }

    /// The type that a decorator makes of a function of a qualified name.
    pub(super) fn decorated_type(&self, name: &str) -> Option<Arc<str>> {
        let made = &self.learned().made;
        let mut ids = self.program.functions_named(name).iter();
        ids.find_map(|id| made.get(id).cloned())
    }

    /// The calls that decorate a function, with the function in which they stand.
    pub(super) fn around_calls(&self, id: FnId) -> &[(&'a Call, FnId)] {
        let calls = self.learned().decorators.get(&id);
        calls.map_or(&[][..], Vec::as_slice)
    }

    /// The decorators of a function that are functions of the tree: they run around it.
    pub(super) fn around(&self, id: FnId) -> Vec<(&'a Call, FnId, Vec<FnId>)> {
        let calls = self.around_calls(id);
        let with_bodies = calls.iter().filter_map(|(call, within)| {
            match self.resolve(call, &self.frame(*within)) {
                Callee::Functions(ids, _) => Some((*call, *within, ids)),
                _ => None,
            }
        });
        with_bodies.collect()
    }
}
