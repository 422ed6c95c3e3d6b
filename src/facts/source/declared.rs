//! Whether the tree itself declares what a rule asks for, as a library that is audited does.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::rules::CallPattern;

use super::frame::Analysis;
use super::matching::unversioned;

/// What was asked so far; of one thread.
#[derive(Debug, Default)]
pub(super) struct Declared {
    /// The answers, by the address of the pattern.
    known: RefCell<HashMap<usize, bool>>,
    /// Whether the tree has a setting, by the address of the rule that asks for it.
    pub(super) settings: RefCell<HashMap<usize, bool>>,
}

impl Analysis<'_> {
    /// True if the tree declares a function or method that a pattern asks for; asked once for each
    /// pattern, however many functions share a name.
    pub(super) fn is_declared(&self, pattern: &CallPattern, sep: &str) -> bool {
        let key = std::ptr::from_ref(pattern).addr();
        if let Some(known) = self.declared.known.borrow().get(&key) {
            return *known;
        }
        let names = self.names();
        let declares = |name: &str| {
            name.starts_with('*')
                || names.contains(&unversioned(name))
                || names.contains(&unversioned(&self.program.aliased(name.to_owned())))
        };
        let has_method = |of: &Arc<str>| {
            let aliased = self.program.aliased(of.to_string());
            let mut methods = pattern.method.iter();
            of.starts_with('*')
                || methods.any(|method| {
                    declares(&format!("{of}{sep}{method}"))
                        || declares(&format!("{aliased}{sep}{method}"))
                })
        };
        let found = pattern.function.iter().any(|name| declares(name))
            || pattern.receiver.iter().any(has_method);
        self.declared.known.borrow_mut().insert(key, found);
        found
    }
}
