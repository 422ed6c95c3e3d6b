//! Finding the source files of a tree, and the manifests that name their packages.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::{DirEntry, WalkBuilder, WalkState};

use crate::input::files::{Limits, is_virtual_environment, relative, unreadable};
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::place::Place;
use crate::model::source::Language;

/// Links that lead out of a tree are followed so often in a row.
const MOST_LINKS: usize = 1_000;

/// A file whose name says what it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Found {
    /// Its path from the root, with `/`.
    pub(super) name: Arc<str>,
    /// Where to open it.
    pub(super) path: PathBuf,
    /// What it is.
    pub(super) kind: Kind,
}

/// What a file is, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Source of a language.
    Source(Language),
    /// `go.mod`, `Cargo.toml`.
    Manifest,
}

/// What the trees hold.
#[derive(Debug, Default)]
pub(super) struct Finds {
    /// Sorted by name, each file once.
    pub(super) found: Vec<Found>,
    /// What could not be looked at.
    pub(super) gaps: Vec<Reason>,
    /// Links out of the tree, still to be followed.
    links: Vec<PathBuf>,
}

/// What a file is, by its name; none if it is nothing that is read.
fn kind_of(path: &Path) -> Option<Kind> {
    let name = path.file_name()?;
    if name == "go.mod" || name == "Cargo.toml" {
        return Some(Kind::Manifest);
    }
    match path.extension()?.to_str()? {
        "go" => Some(Kind::Source(Language::Go)),
        "py" | "pyw" => Some(Kind::Source(Language::Python)),
        "rs" => Some(Kind::Source(Language::Rust)),
        _ => None,
    }
}

/// Looks through the roots. Hidden files and what a `.gitignore` of the tree excludes are left out,
/// and so are `node_modules`, `__pycache__`, Cargo's `target` and virtual environments. A link is followed only if it leads out of every
/// root: what lies inside is found anyway, and nothing can be gone through twice.
pub(super) fn find(roots: &[PathBuf], root: &Path, limits: &Limits) -> Finds {
    let inside: Vec<PathBuf> = roots
        .iter()
        .filter_map(|root| fs::canonicalize(root).ok())
        .collect();
    let seen = AtomicUsize::new(0);
    let all = Mutex::new(Finds::default());
    for directory in roots {
        walk(directory, root, limits, &seen, &all);
    }
    let mut followed: BTreeSet<PathBuf> = BTreeSet::new();
    for _ in 0..MOST_LINKS {
        let Some(link) = locked(&all).links.pop() else {
            break;
        };
        match fs::canonicalize(&link) {
            Ok(target) => {
                let known = inside.iter().chain(&followed);
                if !known.into_iter().any(|root| target.starts_with(root)) {
                    followed.insert(target);
                    walk(&link, root, limits, &seen, &all);
                }
            }
            Err(error) => {
                let dead = error.kind() == ErrorKind::NotFound && kind_of(&link).is_none();
                if !dead {
                    let gap = unreadable(&relative(&link, root), &error, InputKind::Source);
                    locked(&all).gaps.push(gap);
                }
            }
        }
    }
    let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    all.found.sort();
    all.found.dedup_by(|one, other| one.name == other.name);
    all.gaps.sort();
    all.gaps.dedup();
    all
}

fn locked(all: &Mutex<Finds>) -> std::sync::MutexGuard<'_, Finds> {
    all.lock().unwrap_or_else(PoisonError::into_inner)
}

fn walk(directory: &Path, root: &Path, limits: &Limits, seen: &AtomicUsize, all: &Mutex<Finds>) {
    let walker = WalkBuilder::new(directory)
        .follow_links(false)
        .parents(false)
        .ignore(false)
        .git_global(false)
        .git_exclude(false)
        .require_git(false)
        .filter_entry(|entry| !is_output(entry))
        .build_parallel();
    walker.run(|| {
        Box::new(|entry| {
            if seen.fetch_add(1, Ordering::Relaxed) >= limits.max_files {
                locked(all).gaps.push(too_many(root, limits));
                return WalkState::Quit;
            }
            match entry {
                Ok(entry) => note(&entry, root, all),
                Err(error) => locked(all).gaps.push(refused(&error, directory, root)),
            }
            WalkState::Continue
        })
    });
}

/// Directories that builds fill.
fn is_output(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    entry.depth() > 0
        && (name == "node_modules"
            || name == "__pycache__"
            || is_virtual_environment(entry.path())
            || (name == "target" && entry.path().join("CACHEDIR.TAG").exists()))
}

fn note(entry: &DirEntry, root: &Path, all: &Mutex<Finds>) {
    let path = entry.path();
    let Some(file_type) = entry.file_type() else {
        return;
    };
    if entry.path_is_symlink() && entry.depth() > 0 {
        locked(all).links.push(path.to_owned());
        return;
    }
    // Pipes and devices are no files: opening one could wait for ever.
    if file_type.is_dir() || !(file_type.is_file() || entry.path_is_symlink()) {
        return;
    }
    if let Some(kind) = kind_of(path) {
        let name = relative(path, root);
        let path = path.to_owned();
        locked(all).found.push(Found { name, path, kind });
    }
}

fn refused(error: &ignore::Error, near: &Path, root: &Path) -> Reason {
    match error {
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            refused(err, near, root)
        }
        ignore::Error::WithPath { path, err } => refused(err, path, root),
        ignore::Error::Io(error) => unreadable(&relative(near, root), error, InputKind::Source),
        other => {
            let name = relative(near, root);
            let sentence = format!("`{name}` could not be looked through: {other}");
            gap(name, sentence, "see to it that the directory can be read")
        }
    }
}

fn too_many(root: &Path, limits: &Limits) -> Reason {
    let name = relative(root, root);
    let sentence = format!(
        "the source tree holds more than {} entries, and the rest was not looked at",
        limits.max_files
    );
    let next_step =
        "name the directories to read, or raise `limits.max_files` in `outbox-audit.yaml`";
    gap(name, sentence, next_step)
}

fn gap(name: Arc<str>, sentence: String, next_step: &str) -> Reason {
    Reason {
        why: Why::NotReadable,
        needs: Some(InputKind::Source),
        sentence,
        place: Some(Place::Path(name)),
        next_step: next_step.to_owned(),
    }
}
