//! Finding the files of a directory that the audit can read.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::{DirEntry, WalkBuilder};

use super::kind::{FileKind, recognise, worth_opening};
use super::{Limits, is_virtual_environment, relative, unreadable};
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::place::Place;

/// So many bytes of a file are looked at to recognise it.
const HEAD: u64 = 64 * 1024;

/// A file that was recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where to open it.
    pub path: PathBuf,
    /// Its path from the root, with `/`.
    pub name: Arc<str>,
    /// What it is.
    pub kind: FileKind,
}

/// What a directory holds.
#[derive(Debug, Default)]
pub struct Walk {
    /// Recognised files, sorted by name, numbers by their value; each file once, even if links lead to it twice.
    pub found: Vec<Found>,
    /// What could not be looked at.
    pub problems: Vec<Reason>,
}

/// Looks through a directory tree. Hidden files, virtual environments of Python and what its
/// `.gitignore` files exclude are left out; nothing outside the tree (a global ignore file, a parent's) has a say, so that the same
/// tree gives the same answer everywhere. Links are followed; one that leads back into its own
/// path is reported and not followed.
pub fn walk(directory: &Path, root: &Path, limits: &Limits, needs: InputKind) -> Walk {
    let mut out = Walk::default();
    let mut real = BTreeSet::new();
    let entries = WalkBuilder::new(directory)
        .follow_links(true)
        .parents(false)
        .ignore(false)
        .git_global(false)
        .git_exclude(false)
        .require_git(false)
        .filter_entry(|entry| !is_virtual_environment(entry.path()))
        .sort_by_file_name(|one, other| one.cmp(other))
        .build();
    for (seen, entry) in entries.enumerate() {
        if seen >= limits.max_files {
            out.problems.push(too_many(directory, root, limits, needs));
            break;
        }
        match entry {
            Ok(entry) => match look(&entry, root) {
                Ok(Some(found)) => {
                    if real.insert(fs::canonicalize(&found.path).unwrap_or(found.path.clone())) {
                        out.found.push(found);
                    }
                }
                Ok(None) => {}
                Err(error) => {
                    let name = relative(entry.path(), root);
                    out.problems.push(unreadable(&name, &error, needs));
                }
            },
            Err(error) => out.problems.extend(refused(&error, directory, root, needs)),
        }
    }
    out.found
        .sort_by(|one, other| natural(&one.name, &other.name));
    out.problems.sort();
    out
}

/// The order of names in which numbers count by their value, as migrations are numbered: `V2`
/// before `V10`, and `V1__a` before `V1_1__b`.
fn natural(one: &str, other: &str) -> Ordering {
    let (mut left, mut right) = (one.as_bytes(), other.as_bytes());
    loop {
        let (Some(a), Some(b)) = (left.first(), right.first()) else {
            return left.len().cmp(&right.len()).then_with(|| one.cmp(other));
        };
        if a.is_ascii_digit() && b.is_ascii_digit() {
            let (one, other) = (number(&mut left), number(&mut right));
            match one.len().cmp(&other.len()).then_with(|| one.cmp(other)) {
                Ordering::Equal => continue,
                found => return found,
            }
        }
        // Two of them end the version of Flyway.
        let rank = |text: &[u8]| match text {
            [b'_', b'_', ..] => 0,
            [first, ..] => *first,
            [] => 0,
        };
        match rank(left).cmp(&rank(right)) {
            Ordering::Equal => {
                left = left.get(1..).unwrap_or_default();
                right = right.get(1..).unwrap_or_default();
            }
            found => return found,
        }
    }
}

/// The digits at the beginning, without leading zeros; the text goes on behind them.
fn number<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    let end = text.iter().position(|byte| !byte.is_ascii_digit());
    let (digits, rest) = text.split_at(end.unwrap_or(text.len()));
    *text = rest;
    let zeros = digits.iter().position(|byte| *byte != b'0');
    digits
        .get(zeros.unwrap_or(digits.len())..)
        .unwrap_or_default()
}

/// Recognises one entry; none if the audit does not read such a file.
fn look(entry: &DirEntry, root: &Path) -> io::Result<Option<Found>> {
    let path = entry.path();
    // Pipes and devices are no files: opening one could wait for ever.
    if !entry.file_type().is_some_and(|kind| kind.is_file()) || !worth_opening(path) {
        return Ok(None);
    }
    let mut head = Vec::new();
    File::open(path)?.take(HEAD).read_to_end(&mut head)?;
    let kind = recognise(path, &head);
    Ok((kind != FileKind::Unknown).then(|| Found {
        path: path.to_owned(),
        name: relative(path, root),
        kind,
    }))
}

/// The gap that an entry leaves which could not be entered; `path` is the nearest one known.
fn refused(error: &ignore::Error, path: &Path, root: &Path, needs: InputKind) -> Option<Reason> {
    match error {
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            refused(err, path, root, needs)
        }
        ignore::Error::WithPath { path, err } => refused(err, path, root, needs),
        ignore::Error::Io(error) => {
            // A dead link whose name says that the audit would not have read it is no gap.
            let dead = error.kind() == io::ErrorKind::NotFound
                && fs::symlink_metadata(path).is_ok_and(|it| it.is_symlink());
            let matters = !dead || (path.extension().is_some() && worth_opening(path));
            matters.then(|| unreadable(&relative(path, root), error, needs))
        }
        ignore::Error::Loop { ancestor, child } => {
            let ancestor = relative(ancestor, root);
            let name = relative(child, root);
            let sentence = format!("`{name}` is a link back to `{ancestor}`, which holds it");
            let next_step = "remove the link, or name the directories to read one by one";
            Some(gap(name, sentence, next_step, needs))
        }
        other => {
            let name = relative(path, root);
            let sentence = format!("`{name}` could not be looked through: {other}");
            Some(gap(
                name,
                sentence,
                "see to it that the directory can be read",
                needs,
            ))
        }
    }
}

fn too_many(directory: &Path, root: &Path, limits: &Limits, needs: InputKind) -> Reason {
    let name = relative(directory, root);
    let sentence = format!(
        "`{name}` holds more than {} entries, and the rest was not looked at",
        limits.max_files
    );
    let next_step = "name the files to read, or raise `limits.max_files` in `outbox-audit.yaml`";
    gap(name, sentence, next_step, needs)
}

fn gap(name: Arc<str>, sentence: String, next_step: &str, needs: InputKind) -> Reason {
    Reason {
        why: Why::NotReadable,
        needs: Some(needs),
        sentence,
        place: Some(Place::Path(name)),
        next_step: next_step.to_owned(),
    }
}
