//! To which package a file belongs: by the nearest manifest above it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::find::{Found, Kind};
use super::python::modules::Modules;
use super::{go, rust};
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
    rust: BTreeMap<String, Arc<str>>,
    /// Python names its modules by their paths.
    pub(super) python: Modules,
    /// A manifest above the root: its name, and the way from its directory to the root.
    above_go: Option<(Arc<str>, String)>,
    above_rust: Option<(Arc<str>, String)>,
    /// What a file without a manifest calls its crate.
    no_crate: Arc<str>,
}

/// A module path, and the name that stands for it: examples of one repository often share a path.
pub(super) type Renamed = (Arc<str>, Arc<str>);

impl Packages {
    /// Reads the manifests of the tree, and the nearest one above the root in the same repository.
    pub(super) fn read(found: &[Found], root: &Path, limits: &Limits) -> (Self, Vec<Reason>) {
        let mut out = Self {
            no_crate: "crate".into(),
            ..Self::default()
        };
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
                _ => rust::crates::crate_name(&text).map(|name| (&mut out.rust, name)),
            };
            if let Some((into, name)) = name {
                into.insert(directory.to_owned(), name);
            }
        }
        out.tell_apart();
        let python = found
            .iter()
            .filter(|file| file.kind == Kind::Source(Language::Python));
        out.python = Modules::of(python.map(|file| &*file.name), root);
        let outside = |file: &str, name: fn(&str) -> Option<Arc<str>>| {
            let named = |path: &Path| {
                let text = read_plain(path, &file.into(), limits, InputKind::Source).ok()?;
                name(&text)
            };
            above(root, file, &named)
        };
        out.above_go = outside("go.mod", go::names::module_path);
        out.above_rust = outside("Cargo.toml", rust::crates::crate_name);
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
        let (directory, file) = split(name);
        match language {
            Language::Go => {
                let way = nearest(&self.go, self.above_go.as_ref(), directory);
                match way {
                    Some((module, way)) => joined(module, &way),
                    None => directory.trim_end_matches('/').into(),
                }
            }
            Language::Python => self.python.of_file(name),
            Language::Rust => {
                let way = nearest(&self.rust, self.above_rust.as_ref(), directory);
                let (named, way) = way.unwrap_or((&self.no_crate, directory.to_owned()));
                rust::crates::module_path(named, &format!("{way}{file}"))
            }
        }
    }
}

/// The name that the nearest manifest gives, and the way from there to a directory.
fn nearest<'a>(
    names: &'a BTreeMap<String, Arc<str>>,
    above_root: Option<&'a (Arc<str>, String)>,
    directory: &str,
) -> Option<(&'a Arc<str>, String)> {
    let mut above = directory;
    loop {
        if let Some(name) = names.get(above) {
            let way = directory.get(above.len()..).unwrap_or_default();
            return Some((name, way.to_owned()));
        }
        let Some(trimmed) = above.strip_suffix('/') else {
            break;
        };
        above = split(trimmed).0;
    }
    above_root.map(|(name, way)| (name, format!("{way}{directory}")))
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

/// The name that the nearest manifest above the root gives, and the way from there to the root.
/// Outside a repository nothing above has a say.
fn above(
    root: &Path,
    file: &str,
    named: &dyn Fn(&Path) -> Option<Arc<str>>,
) -> Option<(Arc<str>, String)> {
    let root = fs::canonicalize(root).ok()?;
    let mut way = String::new();
    let mut found = None;
    for directory in root.ancestors() {
        let manifest = directory.join(file);
        if directory != root && found.is_none() && manifest.is_file() {
            found = named(&manifest).map(|name| (name, way.clone()));
        }
        if directory.join(".git").exists() {
            return found;
        }
        way.insert_str(0, &format!("{}/", directory.file_name()?.to_str()?));
    }
    None
}
