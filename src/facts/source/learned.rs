//! What is known of the whole tree before the first question: what rules give by name, what
//! decorators make, what points where.

use std::collections::HashMap;
use std::sync::Arc;

use crate::model::source::{Call, Language};
use crate::rules::Rules;

use super::matching::unversioned;
use super::program::FnId;

/// It, for languages whose classes are values.
#[derive(Debug, Default)]
pub(super) struct Learned<'a> {
    /// What rules say that functions, methods and members give, by qualified name.
    pub(super) gives: HashMap<&'a str, &'a str>,
    /// Classes outside the tree that rules say are made of others.
    pub(super) bases: HashMap<&'a str, Vec<&'a str>>,
    /// Members that a class has because another one points to it: what it gives, and the class.
    pub(super) pointing: HashMap<String, (&'a str, String)>,
    /// Types of the results of functions outside the tree, whatever the major version of their package;
    /// Python's are in `gives`.
    pub(super) results: HashMap<(Language, String), &'a [Arc<str>]>,
    /// Types that rules give to functions by their decorators.
    pub(super) made: HashMap<FnId, Arc<str>>,
    /// Decorators of functions, with the function in which they stand.
    pub(super) decorators: HashMap<FnId, Vec<(&'a Call, FnId)>>,
}

impl<'a> Learned<'a> {
    /// Sorts the rules by name.
    pub(super) fn of(rules: &'a Rules) -> Self {
        let mut out = Self::default();
        for rule in &rules.constructors {
            if rule.language != Language::Python {
                for name in &rule.function {
                    let named = (rule.language, unversioned(name));
                    out.results.entry(named).or_insert(&rule.returns);
                }
                continue;
            }
            for name in &rule.function {
                if rule.classes {
                    let bases = out.bases.entry(&**name).or_default();
                    bases.extend(rule.returns.iter().map(|of| &**of));
                } else if let Some(of) = rule.returns.first() {
                    out.gives.entry(&**name).or_insert(&**of);
                }
            }
        }
        out
    }
}
