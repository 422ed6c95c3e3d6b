//! Paths of Rust: `use` trees, and what the first name of a path stands for.

use std::sync::Arc;

use tree_sitter::Node;

use super::Lower;
use crate::input::source::syntax::children;
use crate::model::source::Import;

impl Lower<'_> {
    /// `use …;`, flattened.
    pub(super) fn use_declaration(&mut self, node: Node<'_>) {
        if let Some(tree) = node.child_by_field_name("argument") {
            self.use_tree(tree, "");
        }
    }

    fn use_tree(&mut self, node: Node<'_>, above: &str) {
        if !self.read.enter(node) {
            return;
        }
        let part = |field| node.child_by_field_name(field);
        match node.kind() {
            "use_list" => {
                for inner in children(node) {
                    self.use_tree(inner, above);
                }
            }
            "scoped_use_list" => {
                let path = part("path").map(|path| self.path_text(path));
                let path = below(above, &path.unwrap_or_default());
                if let Some(list) = part("list") {
                    self.use_tree(list, &path);
                }
            }
            "use_wildcard" => {
                let path = children(node).into_iter().next();
                let path = path.map(|path| self.path_text(path)).unwrap_or_default();
                self.import("*", &below(above, &path), node);
            }
            "use_as_clause" => {
                if let (Some(path), Some(alias)) = (part("path"), part("alias")) {
                    let path = below(above, &self.path_text(path));
                    // `use a::{self as b}` brings in `a`.
                    let path = path.strip_suffix("::self").unwrap_or(&path).to_owned();
                    let alias = self.read.text(alias);
                    self.import(alias, &path, node);
                }
            }
            // `use a::{self}` brings in `a`.
            "self" if !above.is_empty() => {
                let name = above.rsplit("::").next().unwrap_or(above);
                self.import(name, above, node);
            }
            _ => {
                let path = self.path_text(node);
                let path = below(above, &path);
                let path = path.strip_suffix("::self").unwrap_or(&path);
                let name = path.rsplit("::").next().unwrap_or(path);
                self.import(name, path, node);
            }
        }
        self.read.leave();
    }

    fn import(&mut self, name: &str, path: &str, node: Node<'_>) {
        let name: Arc<str> = name.into();
        let target: Arc<str> = self.absolute(path).into();
        let at = self.read.at(node);
        let module = &mut self.module;
        if &*name != "*" && &*name != "_" {
            module
                .by_name
                .insert(Arc::clone(&name), Arc::clone(&target));
        }
        module.file.imports.push(Import { name, target, at });
    }

    /// A path of a `use`, from the name of a crate on.
    fn absolute(&self, path: &str) -> String {
        let path = path.strip_prefix("::").unwrap_or(path);
        let (first, rest) = path.split_once("::").unwrap_or((path, ""));
        let package = &*self.module.file.package;
        match first {
            "crate" => below(package.split("::").next().unwrap_or_default(), rest),
            "self" => below(package, rest),
            "super" => {
                let mut above = package.rsplit_once("::").map_or("", |(above, _)| above);
                let mut rest = rest;
                while let Some(more) = rest.strip_prefix("super") {
                    above = above.rsplit_once("::").map_or("", |(above, _)| above);
                    rest = more.trim_start_matches("::");
                }
                below(above, rest)
            }
            _ if self.module.children.contains(first) => below(package, path),
            _ => path.to_owned(),
        }
    }

    /// A path of a type, qualified where the file says how; bare where it is of the own module.
    pub(super) fn qualify(&self, path: &str) -> Arc<str> {
        let (first, rest) = path.split_once("::").unwrap_or((path, ""));
        match first {
            "Self" => match &self.owner {
                Some(owner) => below(owner, rest).into(),
                None => path.into(),
            },
            "crate" | "self" | "super" | "" => self.absolute(path).into(),
            _ => match self.module.by_name.get(first) {
                Some(target) => below(target, rest).into(),
                None if !rest.is_empty() => self.absolute(path).into(),
                None => path.into(),
            },
        }
    }

    /// A path as written, without generic arguments and blanks.
    pub(super) fn path_text(&mut self, node: Node<'_>) -> String {
        let text = self.read.text(node);
        let is_plain = |c: char| c == '_' || c == ':' || c.is_alphanumeric();
        if text.chars().all(is_plain) {
            return text.to_owned();
        }
        if !self.read.enter(node) {
            return text.to_owned();
        }
        let part = |field| node.child_by_field_name(field);
        let out = match node.kind() {
            "scoped_identifier" | "scoped_type_identifier" => {
                let path = part("path").map(|path| self.path_text(path));
                let name = part("name").map(|name| self.read.text(name));
                below(&path.unwrap_or_default(), name.unwrap_or_default())
            }
            "generic_type" | "generic_function" | "generic_type_with_turbofish" => {
                let inner = part("type").or(part("function"));
                inner.map(|inner| self.path_text(inner)).unwrap_or_default()
            }
            "bracketed_type" | "qualified_type" => match children(node).first() {
                Some(inner) => self.path_text(*inner),
                None => String::new(),
            },
            _ => {
                let of = self.type_ref(node);
                of.name.to_string()
            }
        };
        self.read.leave();
        out
    }
}

/// `above::rest`, where both are there.
pub(super) fn below(above: &str, rest: &str) -> String {
    match (above.is_empty(), rest.is_empty()) {
        (true, _) => rest.to_owned(),
        (_, true) => above.to_owned(),
        _ => format!("{above}::{rest}"),
    }
}
