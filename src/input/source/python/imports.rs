//! Imports, wherever they stand in a file: one inside a function counts for the whole file.

use std::sync::Arc;

use tree_sitter::Node;

use super::Lower;
use crate::input::source::packages::split;
use crate::input::source::syntax::fields;
use crate::model::source::Import;

impl<'t> Lower<'t, '_> {
    /// `import a.b`, `import a.b as c`.
    pub(super) fn import(&mut self, node: Node<'t>) {
        for spec in fields(node, "name") {
            let alias = spec.child_by_field_name("alias");
            let path = spec.child_by_field_name("name").unwrap_or(spec);
            let path = self.dotted(path);
            match alias {
                Some(alias) => {
                    let name = self.read.name(alias);
                    let target = self.absolute(&path);
                    self.bring(name, target, spec);
                }
                None => {
                    // Only the first part is a name of the file.
                    let head = path.split('.').next().unwrap_or(&path);
                    let target = self.absolute(head);
                    self.bring(head.into(), target, spec);
                }
            }
        }
    }

    /// `from a.b import c as d`, `from . import c`, `from a import *`.
    pub(super) fn import_from(&mut self, node: Node<'t>) {
        let Some(module) = node.child_by_field_name("module_name") else {
            return;
        };
        let module = match module.kind() {
            "relative_import" => self.relative(&self.dotted(module)),
            _ => self.absolute(&self.dotted(module)),
        };
        let names = fields(node, "name");
        for spec in &names {
            let alias = spec.child_by_field_name("alias");
            let of = spec.child_by_field_name("name").unwrap_or(*spec);
            let target = format!("{module}.{}", self.read.text(of));
            let name = self.read.name(alias.unwrap_or(of));
            self.bring(name, target, *spec);
        }
        if names.is_empty() {
            self.bring("*".into(), module, node);
        }
    }

    fn bring(&mut self, name: Arc<str>, target: String, at: Node<'t>) {
        let at = self.read.at(at);
        let import = Import {
            name,
            target: target.into(),
            at,
        };
        self.imports.push(import);
    }

    /// A path of names, without the blanks that may stand between them.
    fn dotted(&self, node: Node<'t>) -> String {
        let text = self.read.text(node).chars();
        text.filter(|c| !c.is_whitespace() && *c != '\\').collect()
    }

    fn absolute(&self, path: &str) -> String {
        let directory = split(self.path).0;
        self.about.modules.qualified(path, directory)
    }

    /// `..a.b` seen from this file.
    fn relative(&self, path: &str) -> String {
        let rest = path.trim_start_matches('.');
        let mut up = path.len() - rest.len();
        let is_package = split(self.path).1.starts_with("__init__.");
        up -= usize::from(is_package && up > 0);
        let mut of = &*self.about.package;
        for _ in 0..up {
            // No import leads out of the topmost package.
            of = of.rsplit_once('.').map_or(of, |(of, _)| of);
        }
        match (of, rest) {
            ("", rest) => rest.to_owned(),
            (of, "") => of.to_owned(),
            (of, rest) => format!("{of}.{rest}"),
        }
    }
}
