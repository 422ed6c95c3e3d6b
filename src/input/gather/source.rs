//! The source tree: read once, with its digest, and what became of it.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::Sources;
use super::states::{count, not_given};
use crate::input::files::relative;
use crate::input::source::scan::NameKey;
use crate::input::source::{self, Wanted};
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::inputs::{InputState, ReadInput};
use crate::model::place::Place;
use crate::model::source::{FileRole, Language, SourceTree};

/// Reads the trees that are named, or what source lies below the root where inputs are searched for.
/// Tests are read as far as their functions are named.
pub(super) fn read(sources: &Sources, tests: &BTreeSet<&str>) -> (Option<SourceTree>, InputState) {
    let mut state = InputState {
        kind: InputKind::Source,
        read: Vec::new(),
        unknown: Vec::new(),
    };
    let named = !sources.source.is_empty();
    let searched = sources.search && sources.flows.is_empty() && sources.root.is_dir();
    let roots: Vec<PathBuf> = match (named, searched) {
        (true, _) => sources.source.clone(),
        (false, true) => vec![sources.root.clone()],
        (false, false) => {
            state.unknown.push(Arc::new(not_given(InputKind::Source)));
            return (None, state);
        }
    };
    let loaded = source::Sources::load(&roots, &sources.root, &sources.limits);
    let mut tree = loaded.trees(&Wanted::Product);
    let wanted = test_files(&loaded, tests);
    if !wanted.is_empty() {
        let of_tests = loaded.trees(&Wanted::Files(wanted));
        tree.tests = of_tests.files;
        tree.texts.extend(of_tests.texts);
    }
    if named || tree.scanned > 0 {
        state
            .unknown
            .extend(tree.gaps.iter().cloned().map(Arc::new));
    }
    let names: Vec<Arc<str>> = roots
        .iter()
        .map(|path| relative(path, &sources.root))
        .collect();
    if tree.languages.is_empty() {
        if named && state.unknown.is_empty() {
            state.unknown.push(Arc::new(no_language(&names)));
        } else if !named {
            state.unknown.push(Arc::new(not_given(InputKind::Source)));
        }
        return (None, state);
    }
    state.read.push(ReadInput {
        name: names.join(", ").into(),
        digest: Some(Arc::clone(&tree.digest)),
        summary: summary(&tree).into(),
    });
    (Some(tree), state)
}

/// Files of tests that declare one of these functions, and those beside them, which hold what they
/// call.
fn test_files(loaded: &source::Sources, tests: &BTreeSet<&str>) -> BTreeSet<Arc<str>> {
    if tests.is_empty() {
        return BTreeSet::new();
    }
    let keys: Vec<NameKey> = tests.iter().map(|name| NameKey::of(name)).collect();
    let mut files = loaded.scan();
    files.retain(|file| file.role == FileRole::Test);
    let packages: BTreeSet<Arc<str>> = files
        .iter()
        .filter(|file| keys.iter().any(|key| file.names.declares.has(*key)))
        .map(|file| Arc::clone(&file.package))
        .collect();
    let beside = files.iter().filter(|file| packages.contains(&file.package));
    beside.map(|file| Arc::clone(&file.path)).collect()
}

/// `14 source files (Go)`.
fn summary(tree: &SourceTree) -> String {
    let languages: Vec<&str> = tree.languages.keys().map(|each| each.title()).collect();
    let files = tree.languages.values().sum();
    format!("{} ({})", count(files, "source file"), languages.join(", "))
}

fn no_language(names: &[Arc<str>]) -> Reason {
    let known: Vec<&str> = Language::ALL.iter().map(|each| each.title()).collect();
    Reason {
        why: Why::NotReadable,
        needs: Some(InputKind::Source),
        sentence: format!(
            "{} holds no source of a language that is read ({})",
            names.join(", "),
            known.join(", ")
        ),
        place: names.first().map(|name| Place::Path(Arc::clone(name))),
        next_step: "name the directory that holds the consumers of the outbox; code in another \
                    language is described by hand, in the neutral format"
            .into(),
    }
}
