//! Stable names: equal ones are numbered in order.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Hands out ids, each once.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: BTreeMap<String, usize>,
}

impl Names {
    /// `name`, then `name~2`, `name~3`.
    pub(super) fn consumer(&mut self, name: &str) -> Arc<str> {
        self.next(name, '~')
    }

    /// `name`, then `name#2`, `name#3`.
    pub(super) fn effect(&mut self, name: &str) -> Arc<str> {
        self.next(name, '#')
    }

    fn next(&mut self, name: &str, mark: char) -> Arc<str> {
        let count = self.taken.entry(name.to_owned()).or_default();
        *count += 1;
        if *count == 1 {
            name.into()
        } else {
            format!("{name}{mark}{count}").into()
        }
    }
}
