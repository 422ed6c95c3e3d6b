//! To which package a file belongs: by the nearest manifest above it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::find::{Found, Kind};
use super::go;
use crate::input::files::{Limits, read_plain};
use crate::model::evidence::{InputKind, Reason};
use crate::model::source::Language;

/// Names of modules and crates, by the directory of their manifest, `/` at its end.
#[derive(Debug, Default)]
pub(super) struct Packages {
    go: BTreeMap<String, Arc<str>>,
    /// Directories of modules whose path another module of the tree has too: the path there, and
    /// the name by which its packages are told apart.
    doubles: BTreeMap<String, Renamed>,
    /// A manifest above the root: its name, and the way from its directory to the root.
    above_go: Option<(Arc<str>, String)>,
}

/// A module path, and the name that stands for it: examples of one repository often share a path.
pub(super) type Renamed = (Arc<str>, Arc<str>);

impl Packages {
    /// Reads the manifests of the tree, and the nearest one above the root in the same repository.
    pub(super) fn read(found: &[Found], root: &Path, limits: &Limits) -> (Self, Vec<Reason>) {
        let mut out = Self::default();
        let mut gaps = Vec::new();
        for manifest in found.iter().filter(|file| file.kind == Kind::Manifest) {
            let text = match read_plain(&manifest.path, &manifest.name, limits, InputKind::Source) {
                Ok(text) => text,
                Err(gap) => {
                    gaps.push(*gap);
                    continue;
                }
            };
            let (directory, file) = split(&manifest.name);
            let name = match file {
                "go.mod" => go::names::module_path(&text).map(|name| (&mut out.go, name)),
                _ => None,
            };
            if let Some((into, name)) = name {
                into.insert(directory.to_owned(), name);
            }
        }
        out.tell_apart();
        out.above_go = above(root, "go.mod").and_then(|(path, way)| {
            let text = read_plain(&path, &"go.mod".into(), limits, InputKind::Source).ok()?;
            Some((go::names::module_path(&text)?, way))
        });
        (out, gaps)
    }

    /// Gives the second and further modules of one path names of their own.
    fn tell_apart(&mut self) {
        let mut seen: BTreeMap<Arc<str>, usize> = BTreeMap::new();
        for (directory, path) in &mut self.go {
            let count = seen.entry(Arc::clone(path)).or_default();
            *count += 1;
            if *count > 1 {
                let own: Arc<str> = format!("{path}~{count}").into();
                let declared = std::mem::replace(path, Arc::clone(&own));
                self.doubles.insert(directory.clone(), (declared, own));
            }
        }
    }

    /// The module path that imports of a file write, where its packages have another name.
    pub(super) fn renamed(&self, name: &str) -> Option<&Renamed> {
        let mut above = split(name).0;
        loop {
            if self.go.contains_key(above) {
                return self.doubles.get(above);
            }
            above = split(above.strip_suffix('/')?).0;
        }
    }

    /// The qualified name of the package of a file.
    pub(super) fn of(&self, name: &str, language: Language) -> Arc<str> {
        let (directory, _) = split(name);
        match language {
            Language::Go => self.import_path(directory),
            Language::Rust => directory.trim_end_matches('/').into(),
        }
    }

    fn import_path(&self, directory: &str) -> Arc<str> {
        let mut above = directory;
        loop {
            if let Some(module) = self.go.get(above) {
                let rest = directory.get(above.len()..).unwrap_or_default();
                return joined(module, rest);
            }
            let Some(trimmed) = above.strip_suffix('/') else {
                break;
            };
            above = split(trimmed).0;
        }
        match &self.above_go {
            Some((module, way)) => joined(module, &format!("{way}{directory}")),
            None => directory.trim_end_matches('/').into(),
        }
    }
}

/// `a/b/` and `c` of `a/b/c`.
pub(super) fn split(name: &str) -> (&str, &str) {
    let at = name.rfind('/').map_or(0, |at| at + 1);
    name.split_at(at)
}

fn joined(module: &str, rest: &str) -> Arc<str> {
    match rest.trim_matches('/') {
        "" => module.into(),
        rest => format!("{module}/{rest}").into(),
    }
}

/// The nearest file of this name above the root, and the way from there to the root. Outside a
/// repository nothing above has a say.
fn above(root: &Path, file: &str) -> Option<(PathBuf, String)> {
    let root = fs::canonicalize(root).ok()?;
    let mut way = String::new();
    let mut found = None;
    for directory in root.ancestors() {
        if directory != root && found.is_none() && directory.join(file).is_file() {
            found = Some((directory.join(file), way.clone()));
        }
        if directory.join(".git").exists() {
            return found;
        }
        way.insert_str(0, &format!("{}/", directory.file_name()?.to_str()?));
    }
    None
}
