//! Results of tests: JUnit XML and `go test -json`, one file per format.
//!
//! What a file holds decides, not its name. A test is linked to an effect by an annotation:
//! `redelivery(SUBJECT)` in its name, or a property (Go: an attribute) called `redelivery`; in both
//! the word of a grade may stand before the subject. A property `redelivery.commit` says on which
//! commit the tests ran, `redelivery.digests` with which source, flows and schema.

mod claims;
mod go_test;
mod junit;
mod moment;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use ignore::WalkBuilder;

use crate::input::files::{Limits, read_text, relative};
use crate::input::git;
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::inputs::{InputState, ReadInput};
use crate::model::place::Place;
use crate::model::tests::{TestOutcome, TestResults, TestRun};
use crate::model::text::TextFile;

/// What one file came to.
type FileResult = Result<Vec<TestRun>, Box<Reason>>;

/// Reads files and directories of results; paths in reports are relative to `root`.
pub fn read(paths: &[PathBuf], root: &Path, limits: &Limits) -> (TestResults, InputState) {
    let mut results = TestResults::default();
    let mut state = InputState {
        kind: InputKind::Tests,
        read: Vec::new(),
        unknown: Vec::new(),
    };
    let mut files: Vec<PathBuf> = Vec::new();
    for path in paths {
        if path.is_dir() {
            match directory(path, root, limits) {
                Ok(found) => files.extend(found),
                Err(reason) => state.unknown.push(Arc::new(*reason)),
            }
        } else {
            files.push(path.clone());
        }
    }
    files.sort();
    files.dedup();
    for path in &files {
        let loaded = match read_text(path, root, limits, InputKind::Tests) {
            Ok(loaded) => loaded,
            Err(reason) => {
                state.unknown.push(Arc::new(*reason));
                continue;
            }
        };
        match runs_of(&loaded.file) {
            Ok(runs) => {
                state.read.push(ReadInput {
                    name: Arc::clone(&loaded.file.path),
                    digest: Some(loaded.digest),
                    summary: summary(&runs).into(),
                });
                results.runs.extend(runs);
            }
            Err(reason) => state.unknown.push(Arc::new(*reason)),
        }
    }
    if !results.runs.is_empty() {
        results.source = git::last_change(root, &files);
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        results.read_at = since.ok().and_then(|since| since.as_secs().try_into().ok());
    }
    (results, state)
}

fn runs_of(file: &TextFile) -> FileResult {
    match file.text().trim_ascii_start().as_bytes().first() {
        Some(b'<') => junit::read(file),
        Some(b'{') => go_test::read(file),
        None => Err(foreign(file, "is empty")),
        Some(_) => Err(foreign(
            file,
            "is neither JUnit XML nor what `go test -json` prints",
        )),
    }
}

/// Files of a directory that may hold results; none is a gap.
fn directory(path: &Path, root: &Path, limits: &Limits) -> Result<Vec<PathBuf>, Box<Reason>> {
    let name = relative(path, root);
    let gap = |sentence: String, next_step: &str| {
        Box::new(Reason {
            why: Why::NotReadable,
            needs: Some(InputKind::Tests),
            sentence,
            place: Some(Place::Path(Arc::clone(&name))),
            next_step: next_step.to_owned(),
        })
    };
    let mut found = Vec::new();
    let entries = WalkBuilder::new(path).standard_filters(false).build();
    for (seen, entry) in entries.enumerate() {
        if seen >= limits.max_files {
            return Err(gap(
                format!("{name} holds more than {} files", limits.max_files),
                "name the folder or the files of the test results",
            ));
        }
        let entry = entry.map_err(|error| {
            // Its text may hold an absolute path.
            let kind = error.io_error().map(std::io::Error::kind);
            let kind = kind.map_or_else(|| "a loop of links".to_owned(), |kind| kind.to_string());
            gap(
                format!("a part of {name} could not be looked at: {kind}"),
                "give the right to read it, or name the files of the test results",
            )
        })?;
        let extension = entry.path().extension().unwrap_or_default();
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        if is_file
            && matches!(
                extension.to_str(),
                Some("xml" | "json" | "jsonl" | "ndjson")
            )
        {
            found.push(entry.into_path());
        }
    }
    if found.is_empty() {
        return Err(gap(
            format!("directory {name} holds no test results: no file ends with .xml or .json"),
            "name the file that the test runner wrote, or run the tests first",
        ));
    }
    Ok(found)
}

fn foreign(file: &TextFile, what: &str) -> Box<Reason> {
    problem(file, 0, format!("`{}` {what}", file.path))
}

/// A file of which nothing is believed, with the place where that shows.
fn problem(file: &TextFile, at: usize, sentence: String) -> Box<Reason> {
    let at = at.min(file.text().len()) as u32;
    Box::new(Reason {
        why: Why::NotParsed,
        needs: Some(InputKind::Tests),
        sentence,
        place: Some(file.place(at, at)),
        next_step: "give the JUnit XML of the test runner, or the output of `go test -json` alone"
            .into(),
    })
}

/// `12 tests (1 failed, 2 skipped)`.
fn summary(runs: &[TestRun]) -> String {
    let number = |outcome| runs.iter().filter(|run| run.outcome == outcome).count();
    let rest: Vec<String> = [
        (TestOutcome::Failed, "failed"),
        (TestOutcome::Flaky, "flaky"),
        (TestOutcome::Skipped, "skipped"),
        (TestOutcome::Unfinished, "unfinished"),
    ]
    .into_iter()
    .map(|(outcome, word)| (number(outcome), word))
    .filter(|(number, _)| *number > 0)
    .map(|(number, word)| format!("{number} {word}"))
    .collect();
    let noun = if runs.len() == 1 { "test" } else { "tests" };
    match rest.is_empty() {
        true => format!("{} {noun}", runs.len()),
        false => format!("{} {noun} ({})", runs.len(), rest.join(", ")),
    }
}
