//! What `go test -json` prints: one event per line (`go doc test2json`).

use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;

use super::{FileResult, claims, moment, problem};
use crate::model::tests::{TestOutcome, TestRun};
use crate::model::text::TextFile;

/// An event; fields that say nothing of a result are left out.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event<'a> {
    action: Option<&'a str>,
    #[serde(default, borrow)]
    time: Option<std::borrow::Cow<'a, str>>,
    #[serde(default, borrow)]
    package: Option<std::borrow::Cow<'a, str>>,
    #[serde(default, borrow)]
    test: Option<std::borrow::Cow<'a, str>>,
    #[serde(default, borrow)]
    key: Option<std::borrow::Cow<'a, str>>,
    #[serde(default, borrow)]
    value: Option<std::borrow::Cow<'a, str>>,
}

/// Reads the whole file; a line that is no event means that something is cut or mixed in.
pub(super) fn read(file: &TextFile) -> FileResult {
    let mut runs: Vec<TestRun> = Vec::new();
    let mut places: HashMap<(String, String), usize> = HashMap::new();
    let mut offset = 0;
    for line in file.text().split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let event: Event<'_> = serde_json::from_str(line).map_err(|_| {
            let number = file.pos(start as u32).line;
            let sentence = format!(
                "line {number} of `{}` is no event of `go test -json`",
                file.path
            );
            problem(file, start, sentence)
        })?;
        let Some(action) = event.action else {
            let sentence = format!("`{}` is JSON, and no event of `go test -json`", file.path);
            return Err(problem(file, start, sentence));
        };
        let Some(test) = event.test.filter(|test| !test.is_empty()) else {
            continue;
        };
        let package = event.package.unwrap_or_default();
        let key = (package.into_owned(), test.into_owned());
        let at = match places.get(&key) {
            Some(at) => *at,
            None => {
                runs.push(begun(&key, file, start, line.len()));
                places.insert(key, runs.len() - 1);
                runs.len() - 1
            }
        };
        let Some(run) = runs.get_mut(at) else {
            continue;
        };
        if let Some(outcome) = outcome(action) {
            // The same test again, as `-count` and retries have it: the worst of them counts.
            run.outcome = match run.outcome {
                TestOutcome::Unfinished => outcome,
                before => before.max(outcome),
            };
            run.at = event.time.as_deref().and_then(moment::parse);
        } else if action == "attr" {
            let value = event.value.unwrap_or_default();
            match event.key.as_deref() {
                Some(claims::PROPERTY) => run.claims.extend(claims::claim(&value)),
                Some(claims::COMMIT) => run.commit = Some(Arc::from(&*value)),
                Some(claims::DIGESTS) => run.digests.extend(claims::digests(&value)),
                _ => {}
            }
        }
    }
    inherit(&mut runs, &places);
    Ok(runs)
}

/// What a test says of the tree it ran on holds for its parts too.
fn inherit(runs: &mut [TestRun], places: &HashMap<(String, String), usize>) {
    for at in 0..runs.len() {
        let whole = runs.get(at).and_then(|run| {
            let (whole, _) = run.name.split_once('/')?;
            let package = run.id.strip_suffix(&*run.name)?.strip_suffix('.')?;
            let place = places.get(&(package.to_owned(), whole.to_owned()))?;
            let whole = runs.get(*place)?;
            Some((whole.commit.clone(), whole.digests.clone()))
        });
        if let (Some((commit, digests)), Some(part)) = (whole, runs.get_mut(at)) {
            part.commit = part.commit.take().or(commit);
            if part.digests.is_empty() {
                part.digests = digests;
            }
        }
    }
}

fn outcome(action: &str) -> Option<TestOutcome> {
    match action {
        "pass" => Some(TestOutcome::Passed),
        "fail" => Some(TestOutcome::Failed),
        "skip" => Some(TestOutcome::Skipped),
        _ => None,
    }
}

fn begun((package, test): &(String, String), file: &TextFile, at: usize, len: usize) -> TestRun {
    TestRun {
        id: format!("{package}.{test}").into(),
        name: Arc::from(test.as_str()),
        outcome: TestOutcome::Unfinished,
        at: None,
        commit: None,
        digests: Vec::new(),
        claims: claims::in_name(test),
        source: None,
        place: file.place(at as u32, (at + len) as u32),
    }
}
