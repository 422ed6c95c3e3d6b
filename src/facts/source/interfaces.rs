//! Methods of types, and which types stand behind an interface or a trait.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::source::{Language, TypeDecl, TypeKind};

use super::program::{FnId, Program, qualified};

impl<'a> Program<'a> {
    /// Notes which classes are made of which.
    pub(super) fn add_subclasses(&mut self) {
        let python = self.files.iter().copied();
        let python = python.filter(|file| file.language == Language::Python);
        for file in python.collect::<Vec<_>>() {
            for decl in &file.types {
                let named = self.by_last_name.entry(&decl.name).or_default();
                named.push(qualified(file, &decl.name));
                for base in decl.fields.iter().filter(|field| field.embedded) {
                    let base = self.type_name(file, &base.of);
                    let all = self.subclasses.entry(base).or_default();
                    all.push(qualified(file, &decl.name));
                }
            }
        }
    }

    /// The classes that are made of a class, at any distance, as far as the tree shows them.
    pub(super) fn subclasses_of(&self, class: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut open = vec![class];
        while let Some(class) = open.pop() {
            for sub in self.subclasses.get(class).into_iter().flatten() {
                if found.insert(sub.clone()) {
                    open.push(sub);
                }
            }
        }
        found
    }

    /// The one type of the tree with a last name, if there is one alone.
    pub(super) fn type_by_last_name(&self, last: &str) -> Option<String> {
        let all = self.by_last_name.get(last)?;
        match &all[..] {
            [one] => Some(one.clone()),
            _ => None,
        }
    }

    /// A method of a type, that of an embedded type too.
    pub(super) fn methods_of(&self, of: &str, name: &str) -> Vec<FnId> {
        let mut seen = BTreeSet::new();
        let mut open = vec![of.to_owned()];
        while let Some(of) = open.pop() {
            if !seen.insert(of.clone()) || seen.len() > 64 {
                continue;
            }
            if let Some(found) = self.methods.get(&of).and_then(|all| all.get(name)) {
                return found.clone();
            }
            if let Some((file, decl)) = self.type_named(&of) {
                let embedded = decl.fields.iter().filter(|field| field.embedded);
                open.extend(embedded.map(|field| self.type_name(file, &field.of)));
            }
        }
        Vec::new()
    }

    /// The type that declares a method of an interface: the interface, one that it embeds, or an
    /// interface that a struct embeds.
    pub(super) fn asks_for(&self, of: &str, name: &str) -> Option<String> {
        let mut seen = BTreeSet::new();
        let mut open = vec![of.to_owned()];
        while let Some(of) = open.pop() {
            if !seen.insert(of.clone()) || seen.len() > 64 {
                continue;
            }
            let Some((file, decl)) = self.type_named(&of) else {
                continue;
            };
            if decl.kind == TypeKind::Interface
                && decl.methods.iter().any(|method| &*method.name == name)
            {
                return Some(of);
            }
            open.extend(decl.of.iter().map(|of| self.type_name(file, of)));
            let embedded = decl.fields.iter().filter(|field| field.embedded);
            open.extend(embedded.map(|field| self.type_name(file, &field.of)));
        }
        None
    }

    /// Types that implement an interface, sorted.
    pub(super) fn implementors(&self, interface: &str) -> Arc<[String]> {
        let known = self.implementors.read().ok();
        if let Some(found) = known.and_then(|all| all.get(interface).cloned()) {
            return found;
        }
        let found: Arc<[String]> = self.find_implementors(interface).into();
        if let Ok(mut known) = self.implementors.write() {
            known.insert(interface.to_owned(), Arc::clone(&found));
        }
        found
    }

    fn find_implementors(&self, interface: &str) -> Vec<String> {
        let Some((file, decl)) = self.type_named(interface) else {
            let declared = self.declared.get(interface);
            return declared.map_or_else(Vec::new, |types| types.iter().cloned().collect());
        };
        if file.language == Language::Rust {
            let declared = self.declared.get(interface);
            return declared.map_or_else(Vec::new, |types| types.iter().cloned().collect());
        }
        let wanted = self.asked_methods(interface, decl);
        let Some(rarest) = wanted
            .iter()
            .min_by_key(|name| self.methods_named(name).len())
        else {
            return Vec::new();
        };
        let mut types: BTreeSet<String> = BTreeSet::new();
        for id in self.methods_named(rarest) {
            let function = self.function(*id);
            let Some(owner) = &function.owner else {
                continue;
            };
            let owner = self.named(self.file(*id), owner);
            let has_all = || {
                wanted
                    .iter()
                    .all(|name| !self.methods_of(&owner, name).is_empty())
            };
            if !types.contains(&owner) && has_all() {
                types.insert(owner);
            }
        }
        types.into_iter().collect()
    }

    fn asked_methods(&self, interface: &str, decl: &'a TypeDecl) -> BTreeSet<&'a str> {
        let mut names: BTreeSet<&str> = decl.methods.iter().map(|method| &*method.name).collect();
        let mut seen = BTreeSet::from([interface.to_owned()]);
        let mut open: Vec<String> = Vec::new();
        if let Some((file, _)) = self.type_named(interface) {
            open.extend(decl.of.iter().map(|of| self.type_name(file, of)));
        }
        while let Some(of) = open.pop() {
            if !seen.insert(of.clone()) || seen.len() > 64 {
                continue;
            }
            if let Some((file, decl)) = self.type_named(&of) {
                names.extend(decl.methods.iter().map(|method| &*method.name));
                open.extend(decl.of.iter().map(|of| self.type_name(file, of)));
            }
        }
        names
    }
}
