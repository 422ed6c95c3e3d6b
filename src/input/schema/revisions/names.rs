//! What names of a function stand for.

use std::sync::Arc;

use crate::model::source::{Expr, ExprKind};

/// What names of a function stand for, the latest last.
#[derive(Debug, Default, Clone)]
pub(super) struct Names<'a> {
    bound: Vec<(Arc<str>, Bound<'a>)>,
}

/// What a name stands for.
#[derive(Debug, Clone)]
pub(super) enum Bound<'a> {
    /// A text.
    Text(String),
    /// What stands there.
    Written(&'a Expr),
    /// The operations of one table.
    Batch {
        /// Its schema.
        schema: Option<Arc<str>>,
        /// Its name.
        table: Arc<str>,
    },
    /// Not known.
    Unknown,
}

impl<'a> Names<'a> {
    /// Gives a name a value. What was bound before may rest on what it stood for.
    pub(super) fn bind(&mut self, name: &Arc<str>, value: Bound<'a>) {
        if self.get(name).is_some() {
            for (_, bound) in &mut self.bound {
                if matches!(bound, Bound::Written(_)) {
                    *bound = Bound::Unknown;
                }
            }
        }
        self.bound.retain(|(known, _)| known != name);
        self.bound.push((Arc::clone(name), value));
    }

    /// What an expression that is a name stands for.
    pub(super) fn get_of(&self, of: &Expr) -> Option<&Bound<'a>> {
        match &of.kind {
            ExprKind::Name(name) => self.get(name),
            _ => None,
        }
    }

    /// After a branch that is not decided, no name is sure to stand for what it did.
    pub(super) fn forget(&mut self) {
        for (_, bound) in &mut self.bound {
            if !matches!(bound, Bound::Batch { .. }) {
                *bound = Bound::Unknown;
            }
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Bound<'a>> {
        let mut latest = self.bound.iter().rev();
        latest
            .find(|(known, _)| &**known == name)
            .map(|(_, bound)| bound)
    }
}
