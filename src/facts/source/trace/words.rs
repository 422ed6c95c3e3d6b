//! Which calls a rule of the queue speaks of.

use crate::model::source::Call;
use crate::rules::{QueueRule, QueueWord};

use super::super::frame::{Analysis, Frame};
use super::super::resolve::Callee;
use super::super::texts::called_name;

impl<'a> Analysis<'a> {
    /// The rule of the queue that speaks of a call.
    pub(in crate::facts::source) fn queue_rule(
        &self,
        call: &'a Call,
        callee: &Callee<'a>,
        frame: &Frame<'a, '_>,
    ) -> Option<&'a QueueRule> {
        // Rules are many and calls are more: only those of this name are looked at closely.
        let called = called_name(call);
        let name = match callee {
            Callee::External(full) => last_of(full),
            _ => &called,
        };
        let by_class = matches!(callee, Callee::Type(_) | Callee::Functions(..));
        let named = |rule: &QueueRule| {
            let mut names = rule.call.method.iter().chain(&rule.call.function);
            by_class || names.any(|full| last_of(full) == name)
        };
        self.rules.queue.iter().find(|rule| {
            rule.language == frame.file.language
                && named(rule)
                && self.fits(&rule.call, call, callee, frame).is_some()
        })
    }

    /// The argument of a call that holds SQL, by the rules for effects.
    pub(in crate::facts::source) fn sql_argument(
        &self,
        call: &'a Call,
        callee: &Callee<'a>,
        frame: &Frame<'a, '_>,
    ) -> Option<usize> {
        self.rules.effects.iter().find_map(|rule| {
            let at = rule.sql?;
            let fits = rule.language == frame.file.language
                && self.fits(&rule.call, call, callee, frame).is_some();
            fits.then(|| at.checked_sub(1)).flatten()
        })
    }

    /// True of a type on which transactions begin: what runs on it runs alone.
    pub(super) fn begins(&self, names: &[String]) -> bool {
        let mut rules = self.rules.queue.iter();
        rules.any(|rule| {
            rule.means == QueueWord::Begin
                && rule
                    .call
                    .receiver
                    .iter()
                    .any(|of| names.iter().any(|name| **name == **of))
        })
    }

    /// The argument that holds SQL of a call on a transaction or connection, whatever of the tree has
    /// methods of the same names.
    pub(in crate::facts::source) fn sql_argument_of(
        &self,
        call: &'a Call,
        frame: &Frame<'a, '_>,
    ) -> Option<usize> {
        let name = called_name(call);
        self.rules.effects.iter().find_map(|rule| {
            let fits = rule.language == frame.file.language
                && rule.call.method.iter().any(|method| **method == *name)
                && call.args.len() >= rule.call.min_args;
            fits.then_some(rule.sql?.checked_sub(1)).flatten()
        })
    }
}

/// The last part of a qualified name.
fn last_of(full: &str) -> &str {
    full.rsplit(['.', ':', '/']).next().unwrap_or(full)
}
