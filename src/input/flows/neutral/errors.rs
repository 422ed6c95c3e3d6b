//! What is wrong with a file of consumers as a whole, told with the nearest name.

use serde_saphyr::Error;
use serde_saphyr::budget::BudgetBreach;

use super::problem;
use crate::model::evidence::{Reason, Why};
use crate::model::text::TextFile;

/// The gap that an unreadable file leaves.
pub(super) fn reason(error: &Error, file: &TextFile) -> Reason {
    let error = error.without_snippet();
    // Behind an alias both places are known: the one that is used is the one to correct.
    let location = error.location().map(|location| location.span());
    let offset = location
        .and_then(|span| span.byte_offset())
        .map_or(file.text().len(), |offset| offset as usize);
    let length = location.and_then(|span| span.byte_len()).unwrap_or(0) as usize;
    let place = file.place(offset as u32, (offset + length) as u32);
    let inner = match error {
        Error::AliasError { error, .. } => error.without_snippet(),
        other => other,
    };
    let (says, next_step) = match inner {
        Error::SerdeUnknownField {
            field, expected, ..
        } => (
            format!("`{field}` is not a known key"),
            meant(field, expected),
        ),
        Error::SerdeUnknownVariant {
            variant, expected, ..
        } => (
            format!("`{variant}` is not a known word"),
            meant(variant, expected),
        ),
        Error::SerdeMissingField { field, .. } => {
            (format!("`{field}` is missing"), format!("add `{field}`"))
        }
        Error::DuplicateMappingKey { key, .. } => (
            format!("the key `{}` stands twice", key.as_deref().unwrap_or("?")),
            "remove one of the two".to_owned(),
        ),
        Error::Budget { breach, .. } => {
            let (says, next_step) = bound(breach);
            (says.to_owned(), next_step.to_owned())
        }
        Error::Unexpected { expected, .. } => {
            let (says, next_step) = wanted(expected);
            (says.to_owned(), next_step.to_owned())
        }
        Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. }
        | Error::RecursiveReferencesRequireWeakTypes { .. } => (
            "its aliases repeat or contain each other".to_owned(),
            "write aliased parts out".to_owned(),
        ),
        Error::Eof { .. } => (
            "it is empty".to_owned(),
            "declare `version: 1` and `consumers`".to_owned(),
        ),
        other => (
            plain(other),
            "correct it; `schemas/flows.schema.json` describes the format".to_owned(),
        ),
    };
    problem(
        Why::NotParsed,
        format!("`{}` could not be read: {says}", file.path),
        place,
        next_step,
    )
}

/// Which bound a file goes beyond, and what helps.
fn bound(breach: &BudgetBreach) -> (&'static str, &'static str) {
    match breach {
        BudgetBreach::Documents { .. } => (
            "it holds more than one document",
            "give each document a file of its own",
        ),
        BudgetBreach::Depth { .. } => ("it nests too deep", "nest less"),
        BudgetBreach::Nodes { .. }
        | BudgetBreach::Events { .. }
        | BudgetBreach::ScalarBytes { .. } => {
            ("it holds too many values", "split the file by consumer")
        }
        _ => (
            "its anchors and aliases repeat too much",
            "write aliased parts out",
        ),
    }
}

/// What should stand at a place, and how it is written.
fn wanted(expected: &str) -> (&'static str, &'static str) {
    match expected {
        "mapping start" => (
            "keys and values should stand there",
            "write keys and values; a literal is `{constant: …}`",
        ),
        "sequence start" => (
            "a list should stand there",
            "write `[…]`, or lines with `- `",
        ),
        "string scalar" => ("a text should stand there", "write one text, without keys"),
        _ => (
            "something else should stand there",
            "correct it; `schemas/flows.schema.json` describes the format",
        ),
    }
}

/// The message on one line and without its own mention of the place.
fn plain(error: &Error) -> String {
    let told = error.to_string();
    let told = told.lines().next().unwrap_or_default();
    let told = told.split(" at line ").next().unwrap_or_default();
    told.trim_end_matches([',', ':', ' ']).to_owned()
}

fn meant(word: &str, expected: &[&'static str]) -> String {
    match nearest(word, expected.iter().copied()) {
        Some(name) => format!("write `{name}`"),
        None => {
            let names: Vec<String> = expected.iter().map(|it| format!("`{it}`")).collect();
            format!("use one of {}", names.join(", "))
        }
    }
}

/// The name most like the word: at most a third of its letters differ.
pub(super) fn nearest<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let word: Vec<char> = word.chars().take(64).collect();
    let allowed = (word.len() / 3).max(1);
    names
        .map(|name| (distance(&word, &name.chars().collect::<Vec<_>>()), name))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, name)| name)
}

/// Insertions, deletions and replacements from one word to the other (Levenshtein).
fn distance(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.iter().enumerate() {
        let mut diagonal = at;
        let mut left = at + 1;
        for (cell, against) in row.iter_mut().skip(1).zip(other) {
            let replaced = diagonal + usize::from(letter != against);
            diagonal = *cell;
            left = replaced.min(*cell + 1).min(left + 1);
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = at + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}
