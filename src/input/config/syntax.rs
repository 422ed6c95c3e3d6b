//! Broken YAML as one problem: the parser's words where they are plain, better ones where not.

use serde_saphyr::Error;

use super::problem::Problem;
use super::tree::offsets;
use crate::model::place::Pos;
use crate::model::text::TextFile;

/// What stopped the parser. It stops at the first fault, so there is never more than one.
pub(super) fn problem(file: &TextFile, error: &Error) -> Problem {
    let (start, end) = place(file, error);
    let (sentence, help) = words(error);
    let problem = Problem::at(file, start, end, sentence);
    match help {
        Some(help) => problem.help(help),
        None => problem,
    }
}

fn place(file: &TextFile, error: &Error) -> (u32, u32) {
    let Some(location) = error.location() else {
        return (0, 0);
    };
    // The scanner counts in characters only.
    let pos = Pos {
        line: location.line().min(u32::MAX.into()) as u32,
        column: location.column().min(u32::MAX.into()) as u32,
    };
    match (location.span().byte_offset(), file.offset(pos)) {
        (Some(_), _) => offsets(location),
        (None, Some(start)) => (start, start + 1),
        (None, None) => (0, 0),
    }
}

fn words(error: &Error) -> (String, Option<&'static str>) {
    let error = match error.without_snippet() {
        Error::AliasError { error, .. } => error.without_snippet(),
        other => other,
    };
    match error {
        Error::MultipleDocuments { .. } => (
            "a second YAML document begins here".to_owned(),
            Some("keep one: remove the `---` line and what follows"),
        ),
        Error::Budget { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => (
            "the file is nested or repeated further than a configuration can be".to_owned(),
            Some("no more than 50,000 values, 32 levels and 1,000 aliases are read"),
        ),
        Error::RecursiveReferencesRequireWeakTypes { .. } => {
            ("this alias is part of what it stands for".to_owned(), None)
        }
        other => {
            let text = other.to_string();
            let text = text.split(" at line ").next().unwrap_or(&text);
            let help = HINTS
                .iter()
                .find(|(part, _)| text.contains(part))
                .map(|(_, help)| *help);
            (format!("not readable as YAML: {text}"), help)
        }
    }
}

/// What to do about the parser's commonest complaints.
const HINTS: &[(&str, &str)] = &[
    (
        "tabs disallowed",
        "indent with spaces; YAML takes no tabs there",
    ),
    (
        "mapping values are not allowed",
        "put the value in quotes if it holds `: `, or check the indentation",
    ),
    (
        "did not find expected key",
        "put a value that begins with `{`, `[`, `*`, `&` or `!` in quotes",
    ),
    (
        "did not find expected ','",
        "put a value that holds `{`, `}`, `[` or `]` in quotes",
    ),
    ("character: `@'", "put the value in quotes"),
    ("character: ``'", "put the value in quotes"),
    ("unexpected character", "remove that character"),
    ("unclosed quote", "close the quote"),
    ("unclosed bracket", "close the bracket"),
    (
        "unknown anchor",
        "put the value in quotes if it is no alias",
    ),
    ("recursion limit", "no more than 32 levels are read"),
];
