//! Fixtures that hold only what differs from a worker of a queue.

use std::fs;
use std::path::{Path, PathBuf};

use diffy::patch_set::{FileOperation, ParseOptions, PatchSet};
use tempfile::TempDir;

/// What a fixture changes, where it is not a whole system by itself.
pub(crate) const CHANGES: &str = "changes.diff";
/// What it changes.
pub(crate) const BASE: &str = "fixtures/queue/go/repaired";

/// A fixture as a folder that can be audited.
#[derive(Debug)]
pub(crate) enum Audited {
    /// The fixture itself.
    Whole(PathBuf),
    /// A copy of the worker, changed; it is removed with the value.
    Changed(TempDir),
}

impl Audited {
    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Audited::Whole(path) => path,
            Audited::Changed(copy) => copy.path(),
        }
    }
}

/// The fixture in a folder, changes applied: all of them, each where it says.
pub(crate) fn audited(fixture: &Path) -> Audited {
    let Ok(changes) = fs::read_to_string(fixture.join(CHANGES)) else {
        return Audited::Whole(fixture.to_owned());
    };
    let copy = tempfile::tempdir().expect("a folder can be made");
    let base = Path::new(env!("CARGO_MANIFEST_DIR")).join(BASE);
    copied(&base, copy.path());
    // The head says in words what the changes are made to; the worker as it is has no more than that.
    let Some(begins) = changes.find("--- ") else {
        return Audited::Changed(copy);
    };
    let mut count = 0;
    for patch in PatchSet::parse(&changes[begins..], ParseOptions::unidiff()) {
        let patch = patch.unwrap_or_else(|error| panic!("{}: {error}", fixture.display()));
        let operation = patch.operation().strip_prefix(1);
        let text = patch.patch().as_text().expect("a change of text");
        let (from, to) = match &operation {
            FileOperation::Modify { original, modified } => (Some(original), Some(modified)),
            FileOperation::Create(path) => (None, Some(path)),
            FileOperation::Delete(path) => (Some(path), None),
            other => panic!("{}: {other:?}", fixture.display()),
        };
        let before = from.map_or_else(String::new, |path| {
            fs::read_to_string(copy.path().join(&**path))
                .unwrap_or_else(|error| panic!("{}: {path}: {error}", fixture.display()))
        });
        let after = diffy::apply(&before, text)
            .unwrap_or_else(|error| panic!("{}: {error}", fixture.display()));
        match to {
            Some(path) => fs::write(copy.path().join(&**path), after).expect("it can be written"),
            None => {
                fs::remove_file(copy.path().join(&**from.expect("a file"))).expect("it is there")
            }
        }
        count += 1;
    }
    let hunks = changes
        .lines()
        .filter(|line| line.starts_with("--- "))
        .count();
    assert_eq!(count, hunks, "{}: every change is made", fixture.display());
    Audited::Changed(copy)
}

fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("it can be listed") {
        let path = entry.expect("listed").path();
        let to = to.join(path.file_name().expect("a name"));
        match path.is_dir() {
            true => copied(&path, &to),
            false => {
                fs::copy(&path, to).expect("it can be copied");
            }
        }
    }
}
