//! Which module a file is, and which file an import names.
//!
//! A module is called as its own tree imports it: from the directory above the topmost package
//! (`__init__.py`) around it. Where two such directories hold a package of one name, all of its
//! modules are called from the root of the tree. A file outside any package is called from there
//! too.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::input::source::packages::split;

/// The modules of a tree.
#[derive(Debug, Default)]
pub(in crate::input::source) struct Modules {
    /// Directories with a module in or below them, `/` at their end.
    directories: BTreeSet<String>,
    /// Those that are packages by `__init__.py`.
    packages: BTreeSet<String>,
    /// Files without their ending.
    files: BTreeSet<String>,
    /// Directories that hold a topmost package, by its name.
    tops: BTreeMap<String, BTreeSet<String>>,
    /// The packages above the root, where the root itself is one.
    above: String,
}

impl Modules {
    /// Learns the modules from the paths of the files.
    pub(in crate::input::source) fn of<'f>(
        names: impl Iterator<Item = &'f str>,
        root: &Path,
    ) -> Self {
        let mut out = Self::default();
        for name in names {
            let stem = stem(name);
            let (directory, file) = split(stem);
            if file == "__init__" {
                out.packages.insert(directory.to_owned());
            }
            out.files.insert(stem.to_owned());
            let mut above = directory;
            while out.directories.insert(above.to_owned()) && !above.is_empty() {
                above = parent(above);
            }
        }
        if out.packages.contains("") {
            out.above = packages_above(root);
        }
        for package in &out.packages {
            let top = out.source_root(package);
            if let Some(rest) = package.get(top.len()..)
                && let Some(name) = rest.split('/').next().filter(|name| !name.is_empty())
            {
                let roots = out.tops.entry(name.to_owned()).or_default();
                roots.insert(top.to_owned());
            }
        }
        out
    }

    /// The qualified name of the module that a file is.
    pub(in crate::input::source) fn of_file(&self, name: &str) -> Arc<str> {
        self.named(stem(name)).into()
    }

    /// The name of a module or package, by its path without an ending.
    fn named(&self, path: &str) -> String {
        let path = path.strip_suffix("__init__").unwrap_or(path);
        let path = path.trim_end_matches('/');
        let inside = if self.directories.contains(&format!("{path}/")) {
            format!("{path}/")
        } else {
            split(path).0.to_owned()
        };
        let root = self.source_root(&inside);
        let rest = path.get(root.len()..).unwrap_or_default();
        let top = rest.split('/').next().unwrap_or_default();
        let double = self.tops.get(top).is_some_and(|roots| roots.len() > 1);
        let dotted = if double { path } else { rest }.replace('/', ".");
        match (&*self.above, &*dotted) {
            ("", _) => dotted,
            (above, "") => above.to_owned(),
            (above, dotted) if root.is_empty() => format!("{above}.{dotted}"),
            _ => dotted,
        }
    }

    /// The directory from which the modules of a directory are called.
    fn source_root<'d>(&self, directory: &'d str) -> &'d str {
        let mut at = directory;
        while !at.is_empty() && !self.packages.contains(at) {
            at = parent(at);
        }
        if at.is_empty() {
            return "";
        }
        while !at.is_empty() && self.packages.contains(at) {
            at = parent(at);
        }
        at
    }

    /// What an absolute import in a directory names: a module of the tree, or the path itself.
    pub(in crate::input::source) fn qualified(&self, path: &str, directory: &str) -> String {
        let head = path.split('.').next().unwrap_or(path);
        let mut at = directory;
        loop {
            // Modules beside a module of a package are no top-level ones.
            if !self.packages.contains(at)
                && let Some(found) = self.below(at, path, head)
            {
                return found;
            }
            if at.is_empty() {
                break;
            }
            at = parent(at);
        }
        let above = self.above.split('.').next().unwrap_or_default();
        if !above.is_empty() && above == head {
            return path.to_owned();
        }
        let roots = self.tops.get(head).filter(|roots| roots.len() == 1);
        let found = roots
            .and_then(|roots| roots.first())
            .and_then(|root| self.below(root, path, head));
        found.unwrap_or_else(|| path.to_owned())
    }

    fn below(&self, root: &str, path: &str, head: &str) -> Option<String> {
        let base = format!("{root}{head}");
        let known = self.files.contains(&base) || self.directories.contains(&format!("{base}/"));
        if !known {
            return None;
        }
        let rest = path.get(head.len()..).unwrap_or_default();
        Some(format!("{}{rest}", self.named(&base)))
    }
}

fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// `a/` of `a/b/`.
fn parent(directory: &str) -> &str {
    split(directory.strip_suffix('/').unwrap_or(directory)).0
}

/// The names of the packages around a directory that is one, outermost first.
fn packages_above(root: &Path) -> String {
    let Ok(root) = fs::canonicalize(root) else {
        return String::new();
    };
    let mut names: Vec<String> = Vec::new();
    for directory in root.ancestors() {
        if !directory.join("__init__.py").is_file() {
            break;
        }
        let Some(name) = directory.file_name() else {
            break;
        };
        names.insert(0, name.to_string_lossy().into_owned());
    }
    names.join(".")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Modules;

    #[test]
    fn modules_are_called_as_they_are_imported() {
        let files = [
            "src/shop/__init__.py",
            "src/shop/orders/__init__.py",
            "src/shop/orders/tasks.py",
            "one/app/__init__.py",
            "one/app/db.py",
            "two/app/__init__.py",
            "two/app/db.py",
            "two/main.py",
            "plain/jobs/mail.py",
        ];
        let modules = Modules::of(files.into_iter(), Path::new("/nowhere"));
        assert_eq!(
            &*modules.of_file("src/shop/orders/tasks.py"),
            "shop.orders.tasks"
        );
        assert_eq!(&*modules.of_file("src/shop/__init__.py"), "shop");
        assert_eq!(&*modules.of_file("two/app/db.py"), "two.app.db");
        assert_eq!(&*modules.of_file("plain/jobs/mail.py"), "plain.jobs.mail");
        assert_eq!(modules.qualified("app.db", "two/"), "two.app.db");
        assert_eq!(modules.qualified("app.db", "one/app/"), "one.app.db");
        assert_eq!(modules.qualified("shop.orders", "tests/"), "shop.orders");
        assert_eq!(modules.qualified("jobs.mail", "plain/"), "plain.jobs.mail");
        assert_eq!(modules.qualified("celery", "src/shop/"), "celery");
    }
}
