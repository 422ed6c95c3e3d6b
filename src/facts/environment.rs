//! What the names and functions of an expression mean where it stands.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::value::{Nullness, Root};
use crate::rules::{FunctionRule, NameKind, NameRule, Rules};

use super::fields::FieldMap;

/// The rules of one expression language, indexed by name.
#[derive(Debug)]
pub(super) struct Language<'a> {
    functions: BTreeMap<&'a str, &'a FunctionRule>,
    methods: BTreeMap<&'a str, &'a FunctionRule>,
    names: BTreeMap<&'a str, &'a NameRule>,
    /// Texts that many expressions share.
    shared: RefCell<BTreeSet<Arc<str>>>,
}

impl<'a> Language<'a> {
    /// The entries of `language` among the rules.
    pub(super) fn new(rules: &'a Rules, language: &str) -> Self {
        let mut functions = BTreeMap::new();
        let mut methods = BTreeMap::new();
        for rule in rules
            .functions
            .iter()
            .filter(|rule| &*rule.language == language)
        {
            let table = if rule.method {
                &mut methods
            } else {
                &mut functions
            };
            for name in &rule.names {
                // The first pack wins: it is the one that builds on the others.
                table.entry(&**name).or_insert(rule);
            }
        }
        let names = rules
            .names
            .iter()
            .filter(|rule| &*rule.language == language)
            .map(|rule| (&*rule.name, rule))
            .collect();
        Self {
            functions,
            methods,
            names,
            shared: RefCell::default(),
        }
    }

    /// The text, kept once however often it occurs; long ones are not looked for.
    pub(super) fn share(&self, text: &str) -> Arc<str> {
        if text.len() > 64 {
            return text.into();
        }
        let mut shared = self.shared.borrow_mut();
        if let Some(known) = shared.get(text) {
            return Arc::clone(known);
        }
        let text: Arc<str> = text.into();
        shared.insert(Arc::clone(&text));
        text
    }

    /// The rule of a function.
    pub(super) fn function(&self, name: &str) -> Option<&'a FunctionRule> {
        self.functions.get(name).copied()
    }

    /// The rule of a method.
    pub(super) fn method(&self, name: &str) -> Option<&'a FunctionRule> {
        self.methods.get(name).copied()
    }

    /// What a top-level name stands for.
    pub(super) fn name(&self, name: &str) -> Option<NameKind> {
        self.names.get(name).map(|rule| rule.is)
    }
}

/// Where an expression stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Environment<'a> {
    /// The language's rules.
    pub(super) language: &'a Language<'a>,
    /// The object of the event, as written.
    pub(super) object: Option<&'a str>,
    /// Its fields; none if nothing that was read declares them.
    pub(super) fields: Option<&'a FieldMap>,
    /// Whose fields `record` has: the event's record, or the record being written.
    pub(super) record: Root,
    /// Field types that hold an id and have no members.
    pub(super) reference_types: &'a [Arc<str>],
    /// Fields that name a record for ever.
    pub(super) identity: &'a [Arc<str>],
}

impl Environment<'_> {
    /// Whether a field can be NULL in a record of the event.
    pub(super) fn null_of(&self, root: Root, field: &str) -> Nullness {
        if matches!(root, Root::Record | Root::Written)
            && self.identity.iter().any(|name| &**name == field)
        {
            return Nullness::Never;
        }
        match (root, self.fields) {
            (Root::User, _) => Nullness::Maybe,
            (_, None) => Nullness::Unknown,
            // The old record is absent where the event has none.
            (Root::Prior, Some(_)) => Nullness::Maybe,
            (_, Some(fields)) => {
                let absent = if fields.complete {
                    Nullness::Always
                } else {
                    Nullness::Unknown
                };
                fields.get(field).map_or(absent, |field| field.null)
            }
        }
    }

    /// True if a field is known to hold an id.
    pub(super) fn is_reference(&self, field: &str) -> bool {
        self.fields
            .and_then(|fields| fields.get(field))
            .and_then(|field| field.field_type.as_ref())
            .is_some_and(|kind| self.reference_types.contains(kind))
    }
}
