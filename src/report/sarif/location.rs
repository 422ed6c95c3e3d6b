//! Places in SARIF: a file from the top of the repository, and the logical name of the subject.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::Serialize;

use super::message::{Message, message};
use super::run::Context;
use crate::model::check::Subject;
use crate::model::place::{Place, Span};
use crate::report::anchor::{Anchor, is_absolute};
use crate::report::quote::stretch;

/// A place.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Location<'c> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) physical_location: Option<Physical>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) logical_locations: Vec<Logical<'c>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<Message>,
}

/// A file and a place in it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Physical {
    artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct Artifact {
    uri: String,
}

/// Lines and columns from 1; columns count characters, and the end is behind the last one.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<Snippet>,
}

#[derive(Serialize)]
struct Snippet {
    text: String,
}

/// What is no file: a consumer, an effect, an index of a database.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Logical<'c> {
    fully_qualified_name: Cow<'c, str>,
    kind: &'static str,
}

impl<'c> Location<'c> {
    /// A file, with nothing else.
    pub(super) fn physical(context: &Context<'_, '_>, anchor: &Anchor<'_>) -> Self {
        Self {
            id: None,
            physical_location: Some(physical(context, anchor)),
            logical_locations: Vec::new(),
            message: None,
        }
    }

    /// The same with a sentence.
    pub(super) fn says(mut self, sentence: &str) -> Self {
        self.message = Some(message(sentence));
        self
    }
}

fn physical(context: &Context<'_, '_>, anchor: &Anchor<'_>) -> Physical {
    Physical {
        artifact_location: Artifact {
            uri: uri(&anchor.path),
        },
        region: anchor.span.map(|span| region(context, span)),
    }
}

fn region(context: &Context<'_, '_>, span: &Span) -> Region {
    Region {
        start_line: span.start.line,
        start_column: span.start.column,
        end_line: span.end.line,
        end_column: span.end.column,
        snippet: context
            .texts
            .quoted(span)
            .and_then(|excerpt| stretch(span, &excerpt))
            .map(|text| Snippet { text }),
    }
}

/// The logical places of a finding: its subject, and what it lives in beside files.
pub(super) fn logical<'c>(subject: &Subject, place: &'c Place) -> Vec<Logical<'c>> {
    let named = Logical {
        fully_qualified_name: subject.to_string().into(),
        kind: match subject {
            Subject::Consumer(_) => "consumer",
            Subject::Effect(_) => "effect",
            Subject::Field(_) => "field",
            _ => "resource",
        },
    };
    let beside = match place {
        Place::File(_) | Place::Path(_) | Place::CommandLine => None,
        Place::Object { .. } => Some("resource"),
        Place::Row(_) => Some("row"),
        Place::Rule { .. } => Some("rule"),
    };
    let beside = beside.map(|kind| Logical {
        fully_qualified_name: place.to_string().into(),
        kind,
    });
    std::iter::once(named).chain(beside).collect()
}

/// A path as a URI reference: relative ones stay relative.
fn uri(path: &str) -> String {
    let (scheme, drive) = match (path.starts_with('/'), is_absolute(path)) {
        (true, _) => ("file://", ""),
        (_, true) => ("file:///", path.get(..2).unwrap_or_default()),
        _ => ("", ""),
    };
    let mut out = format!("{scheme}{drive}");
    let path = path.get(drive.len()..).unwrap_or_default();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            // Writing to a string cannot fail.
            other => drop(write!(out, "%{other:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_are_uri_references() {
        assert_eq!(uri("a/b c#d?.json"), "a/b%20c%23d%3F.json");
        assert_eq!(uri("/tmp/ä"), "file:///tmp/%C3%A4");
        assert_eq!(uri("C:/x"), "file:///C:/x");
        assert_eq!(uri("a:b"), "a%3Ab", "no scheme comes out of a name");
    }
}
