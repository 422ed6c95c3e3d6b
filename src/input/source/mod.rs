//! Source code: finds the files of a tree and reads each into the language-neutral form.
//!
//! One folder per language; everything here knows a language only by its name. A file that cannot
//! be read or parsed leaves a gap with its place, a part of a file an entry in its `unparsed`.

mod find;
mod go;
mod packages;
mod python;
mod role;
mod rust;
pub mod scan;
mod syntax;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::ThreadPool;
use rayon::prelude::*;

use find::{Found, Kind};
use packages::{Packages, Renamed};
use python::modules::Modules;
use scan::ScannedFile;
use syntax::About;

use super::files::{Limits, digest, read_plain};
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::place::Place;
use crate::model::source::{FileRole, Language, SourceFile, SourceTree};
use crate::model::text::TextFile;

/// Largest source file, in bytes: a tree takes many times the memory of its text.
const MAX_SOURCE_BYTES: u64 = 16 * 1024 * 1024;

/// Enough for the deepest nesting that is followed, in a build without optimisation.
const STACK_BYTES: usize = 64 * 1024 * 1024;

/// Of which files a tree is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// Of every file.
    All,
    /// Of every file but tests, which no delivery runs.
    Product,
    /// Of these, by their path from the root.
    Files(BTreeSet<Arc<str>>),
}

impl Wanted {
    fn has(&self, source: &Source) -> bool {
        match self {
            Wanted::All => true,
            Wanted::Product => source.role() != FileRole::Test,
            Wanted::Files(names) => names.contains(&source.name),
        }
    }
}

/// Reads the source below `roots`; paths are told from `root`. The same tree gives the same result,
/// whatever the order in which its files are met.
pub fn read(roots: &[PathBuf], root: &Path, limits: &Limits, wanted: &Wanted) -> SourceTree {
    Sources::load(roots, root, limits).trees(wanted)
}

/// Reads one text by itself, as the only file of a package; several come of one with modules inside.
pub fn parse(language: Language, text: &str) -> Option<Vec<SourceFile>> {
    let source = Source {
        name: "example".into(),
        language,
        package: "example".into(),
        renamed: None,
        text: Arc::new(TextFile::new("example", text.to_owned())),
    };
    source.tree(&BTreeMap::new(), &Modules::default()).ok()
}

/// Reads texts by themselves, each as the module that its path names; none of one that took too much
/// effort. All are none where no thread could be started.
pub fn parse_all(language: Language, files: &[Arc<TextFile>]) -> Vec<Option<SourceFile>> {
    let modules = Modules::default();
    let parse = |file: &Arc<TextFile>| {
        let stem = file
            .path
            .rsplit_once('.')
            .map_or(&*file.path, |(stem, _)| stem);
        let source = Source {
            name: Arc::clone(&file.path),
            language,
            package: stem.replace('/', ".").into(),
            renamed: None,
            text: Arc::clone(file),
        };
        let mut made = source.tree(&BTreeMap::new(), &modules).ok()?;
        made.pop()
    };
    match (files, threads()) {
        ([], _) => Vec::new(),
        (_, Some(pool)) => pool.install(|| files.par_iter().map(parse).collect()),
        (_, None) => files.iter().map(|_| None).collect(),
    }
}

/// Threads with the stack that a deep tree needs.
fn threads() -> Option<ThreadPool> {
    rayon::ThreadPoolBuilder::new()
        .stack_size(STACK_BYTES)
        .thread_name(|at| format!("source-{at}"))
        .build()
        .ok()
}

/// The source below some roots, loaded: to be scanned whole, then read as trees as far as wanted.
pub struct Sources {
    /// None where no thread could be started.
    pool: Option<ThreadPool>,
    /// Sorted by path.
    sources: Vec<Source>,
    modules: Modules,
    scanned: usize,
    gaps: Vec<Reason>,
}

impl Sources {
    /// Finds and loads every source file below `roots`; paths are told from `root`.
    pub fn load(roots: &[PathBuf], root: &Path, limits: &Limits) -> Self {
        let limits = Limits {
            max_file_bytes: limits.max_file_bytes.min(MAX_SOURCE_BYTES),
            ..*limits
        };
        let finds = find::find(roots, root, &limits);
        let is_source = |found: &Found| matches!(found.kind, Kind::Source(_));
        let mut out = Self {
            pool: None,
            sources: Vec::new(),
            modules: Modules::default(),
            scanned: 0,
            gaps: finds.gaps,
        };
        if !finds.found.iter().any(is_source) {
            return out;
        }
        let (mut packages, gaps) = Packages::read(&finds.found, root, &limits);
        out.pool = threads();
        out.gaps.extend(gaps);
        if out.pool.is_none() {
            out.gaps.push(no_threads());
        }
        let loaded = out.in_parallel(&finds.found, |found| match found.kind {
            Kind::Source(language) => Some(load(found, language, &packages, &limits)),
            Kind::Manifest => None,
        });
        out.modules = std::mem::take(&mut packages.python);
        for loaded in loaded.into_iter().flatten() {
            out.scanned += 1;
            match loaded {
                Ok(source) => out.sources.push(source),
                Err(gap) => out.gaps.push(*gap),
            }
        }
        out
    }

    /// One look at every file, sorted by path. What could not be loaded is told with the trees.
    pub fn scan(&self) -> Vec<ScannedFile> {
        self.in_parallel(&self.sources, Source::scan)
    }

    /// Trees of the files that are wanted, with all that could not be read.
    pub fn trees(&self, wanted: &Wanted) -> SourceTree {
        let mut tree = SourceTree {
            scanned: self.scanned,
            gaps: self.gaps.clone(),
            digest: self.digest(),
            ..SourceTree::default()
        };
        let named = own_names(&self.sources);
        let mut picked = Vec::new();
        let wants = self.in_parallel(&self.sources, |source| wanted.has(source));
        for (source, wanted) in self.sources.iter().zip(wants) {
            let bytes = source.text.text().len() as u64;
            tree.bytes += bytes;
            *tree.languages.entry(source.language).or_default() += 1;
            if wanted {
                tree.bytes_as_tree += bytes;
                tree.texts.push(Arc::clone(&source.text));
                picked.push(source);
            } else {
                tree.left_out += 1;
            }
        }
        for made in self.in_parallel(&picked, |source| source.tree(&named, &self.modules)) {
            match made {
                Ok(files) => tree.files.extend(files),
                Err(gap) => tree.gaps.push(gap),
            }
        }
        tree.gaps.sort();
        tree.gaps.dedup();
        tree
    }

    /// Digest of all that was loaded, whatever the order in which it was met.
    fn digest(&self) -> Arc<str> {
        let mut all = Vec::new();
        for source in &self.sources {
            all.extend_from_slice(source.name.as_bytes());
            all.push(0);
            all.extend_from_slice(digest(source.text.text().as_bytes()).as_bytes());
            all.push(0);
        }
        digest(&all)
    }

    /// The same of each, in order. Without threads nothing can be said of any: the stack of the one
    /// that calls may be too small.
    fn in_parallel<T: Sync, R: Send>(&self, all: &[T], one: impl Fn(&T) -> R + Sync) -> Vec<R> {
        match &self.pool {
            Some(pool) => pool.install(|| all.par_iter().map(&one).collect()),
            None => Vec::new(),
        }
    }
}

/// A source file that was loaded.
struct Source {
    name: Arc<str>,
    language: Language,
    package: Arc<str>,
    renamed: Option<Renamed>,
    text: Arc<TextFile>,
}

fn load(
    found: &Found,
    language: Language,
    packages: &Packages,
    limits: &Limits,
) -> Result<Source, Box<Reason>> {
    let text = read_plain(&found.path, &found.name, limits, InputKind::Source)?;
    if memchr::memchr(0, text.as_bytes()).is_some() {
        return Err(Box::new(binary(&found.name)));
    }
    let package = packages.of(&found.name, language);
    let package = match language {
        // A test from outside is a package of its own.
        Language::Go if found.name.ends_with("_test.go") => {
            match go::names::package_clause(&text) {
                Some(clause) if clause.ends_with("_test") => format!("{package}_test").into(),
                _ => package,
            }
        }
        _ => package,
    };
    Ok(Source {
        name: Arc::clone(&found.name),
        language,
        package,
        renamed: packages.renamed(&found.name).cloned(),
        text: Arc::new(TextFile::new(Arc::clone(&found.name), text)),
    })
}

/// The names that packages of the tree give themselves, by their qualified name.
fn own_names(sources: &[Source]) -> BTreeMap<Arc<str>, Arc<str>> {
    let go = sources
        .iter()
        .filter(|source| source.language == Language::Go);
    go.filter(|source| !source.name.ends_with("_test.go"))
        .filter_map(|source| {
            let name = go::names::package_clause(source.text.text())?;
            Some((Arc::clone(&source.package), name.into()))
        })
        .collect()
}

impl Source {
    fn role(&self) -> FileRole {
        role::role(&self.name, self.language, self.text.text())
    }

    fn scan(&self) -> ScannedFile {
        ScannedFile {
            path: Arc::clone(&self.name),
            language: self.language,
            role: self.role(),
            package: Arc::clone(&self.package),
            names: scan::scan(self.language, self.text.text()),
        }
    }

    fn tree(
        &self,
        named: &BTreeMap<Arc<str>, Arc<str>>,
        modules: &Modules,
    ) -> Result<Vec<SourceFile>, Reason> {
        let about = About {
            role: self.role(),
            package: Arc::clone(&self.package),
            renamed: self.renamed.clone(),
            named,
            modules,
        };
        let file = &self.text;
        let made = match self.language {
            Language::Go => go::read(file, about).map(|file| vec![file]),
            Language::Python => python::read(file, about).map(|file| vec![file]),
            Language::Rust => rust::read(file, about),
        };
        made.ok_or_else(|| too_hard(&self.name))
    }
}

fn binary(name: &Arc<str>) -> Reason {
    gap(
        name,
        Why::NotReadable,
        format!("`{name}` holds NUL bytes, so it is no source text"),
        "save the file as text, or leave it out of the source inputs",
    )
}

fn too_hard(name: &Arc<str>) -> Reason {
    gap(
        name,
        Why::NotParsed,
        format!("`{name}` could not be parsed with bounded effort, so none of it was read"),
        "see to it that the file compiles, or split it",
    )
}

fn no_threads() -> Reason {
    Reason {
        why: Why::NotReadable,
        needs: Some(InputKind::Source),
        sentence: "no thread could be started to read the source, so none of it was read"
            .to_owned(),
        place: None,
        next_step: "raise the limit of threads or memory, then run the audit again".to_owned(),
    }
}

fn gap(name: &Arc<str>, why: Why, sentence: String, next_step: &str) -> Reason {
    Reason {
        why,
        needs: Some(InputKind::Source),
        sentence,
        place: Some(Place::Path(Arc::clone(name))),
        next_step: next_step.to_owned(),
    }
}
