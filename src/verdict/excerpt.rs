//! Quotes of source lines, cut to a window, with what may be a secret covered.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::check::{Obligation, Outcome};
use crate::model::place::{Place, Span};
use crate::model::report::Excerpt;
use crate::model::secret::covered;
use crate::model::text::TextFile;

/// Longest quote, in characters.
const WINDOW: usize = 160;

/// How far before a window a secret may begin, in characters.
const REACH: usize = 4_096;

/// The lines that findings and reasons point at.
pub(super) fn quoted(
    obligations: &[Obligation],
    files: &[Arc<TextFile>],
) -> BTreeMap<(Arc<str>, u32), Excerpt> {
    let by_path: BTreeMap<&str, &Arc<TextFile>> =
        files.iter().map(|file| (&*file.path, file)).collect();
    let mut excerpts = BTreeMap::new();
    for obligation in obligations {
        let place = match &obligation.outcome {
            Outcome::NotMet(finding) => Some(&finding.place),
            Outcome::Unknown(reason) => reason.place.as_ref(),
            Outcome::Met(_) | Outcome::NotApplicable(_) => None,
        };
        let Some(Place::File(span)) = place else {
            continue;
        };
        let key = (Arc::clone(&span.file), span.start.line);
        if excerpts.contains_key(&key) {
            continue;
        }
        if let Some(excerpt) = by_path
            .get(&*span.file)
            .and_then(|file| excerpt(file, span))
        {
            excerpts.insert(key, excerpt);
        }
    }
    excerpts
}

fn excerpt(file: &TextFile, span: &Span) -> Option<Excerpt> {
    let line = file.line(span.start.line)?;
    if line.len() <= WINDOW {
        return Some(Excerpt {
            text: covered(line),
            first_column: 1,
        });
    }
    // A one-line file of many megabytes is not copied: only the neighbourhood is looked at. It
    // begins well before the window, so that a URL or a key is seen whose end the window shows.
    let from = (span.start.column as usize)
        .saturating_sub(WINDOW / 2)
        .max(1);
    let look = from.saturating_sub(REACH).max(1);
    let start = file.offset(crate::model::place::Pos {
        line: span.start.line,
        column: look as u32,
    })? as usize;
    let near: String = file
        .text()
        .get(start..)?
        .chars()
        .take_while(|character| *character != '\n' && *character != '\r')
        .take(from - look + WINDOW)
        .collect();
    Some(Excerpt {
        text: covered(&near).chars().skip(from - look).collect(),
        first_column: from as u32,
    })
}
