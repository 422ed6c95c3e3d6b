//! Quotes of source lines, cut to a window, with what may be a secret covered.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::check::{Obligation, Outcome};
use crate::model::place::{Place, Span};
use crate::model::report::Excerpt;
use crate::model::text::TextFile;

/// Longest quote, in characters.
const WINDOW: usize = 160;

/// Words of a key whose value is covered. Covering too much costs a quote, too little a secret.
const SECRET_WORDS: &[&str] = &[
    "password",
    "passwd",
    "secret",
    "token",
    "authorization",
    "api_key",
    "api-key",
    "apikey",
    "credential",
    "private",
    "cookie",
    "signature",
];

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
    let column = span.start.column as usize;
    // A one-line file of many megabytes is not copied: only the neighbourhood is looked at.
    let from = column.saturating_sub(WINDOW / 2).max(1);
    let (window, first_column) = if line.len() <= WINDOW {
        (line.to_owned(), 1)
    } else {
        let start = file.offset(crate::model::place::Pos {
            line: span.start.line,
            column: from as u32,
        })? as usize;
        let text: String = file
            .text()
            .get(start..)?
            .chars()
            .take_while(|character| *character != '\n' && *character != '\r')
            .take(WINDOW)
            .collect();
        (text, from as u32)
    };
    Some(Excerpt {
        text: covered(&window),
        first_column,
    })
}

/// The same text with user information and query of URLs, and values of keys that name a secret,
/// covered by as many asterisks, so that columns stay true.
fn covered(text: &str) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    cover_urls(&mut characters);
    cover_values(&mut characters);
    characters.into_iter().collect()
}

fn cover_urls(characters: &mut [char]) {
    let mut at = 0;
    while let Some(found) = find(characters, at, "://") {
        let start = found + 3;
        let end = characters
            .iter()
            .enumerate()
            .skip(start)
            .find(|(_, character)| {
                character.is_whitespace() || matches!(character, '"' | '\'' | '<' | '>' | '`')
            })
            .map_or(characters.len(), |(end, _)| end);
        let authority_end = (start..end)
            .find(|at| matches!(characters.get(*at), Some('/' | '?' | '#')))
            .unwrap_or(end);
        if let Some(mark) = (start..authority_end)
            .rev()
            .find(|at| characters.get(*at) == Some(&'@'))
        {
            cover(characters, start, mark);
        }
        if let Some(mark) = (start..end).find(|at| characters.get(*at) == Some(&'?')) {
            cover(characters, mark + 1, end);
        }
        at = end.max(start);
    }
}

fn cover_values(characters: &mut [char]) {
    let lower: String = characters
        .iter()
        .map(|character| character.to_ascii_lowercase())
        .collect();
    let secret = SECRET_WORDS.iter().any(|word| lower.contains(word));
    if !secret {
        return;
    }
    let lower: Vec<char> = lower.chars().collect();
    for word in SECRET_WORDS {
        let mut at = 0;
        while let Some(found) = find(&lower, at, word) {
            at = found + word.len();
            // The value of a JSON or YAML key: what stands behind the colon, formulas left alone.
            let Some(colon) =
                (at..lower.len().min(at + 24)).find(|at| lower.get(*at) == Some(&':'))
            else {
                continue;
            };
            let Some(open) = (colon..lower.len()).find(|at| lower.get(*at) == Some(&'"')) else {
                continue;
            };
            let close = (open + 1..lower.len())
                .find(|at| {
                    lower.get(*at) == Some(&'"') && lower.get(at.wrapping_sub(1)) != Some(&'\\')
                })
                .unwrap_or(lower.len());
            let is_formula = lower.get(open + 1..open + 3) == Some(&['{', '!'])
                || lower.get(open + 1) == Some(&'=');
            if !is_formula {
                cover(characters, open + 1, close);
            }
        }
    }
}

fn cover(characters: &mut [char], from: usize, to: usize) {
    for at in from..to {
        if let Some(character) = characters.get_mut(at) {
            *character = '*';
        }
    }
}

fn find(characters: &[char], from: usize, wanted: &str) -> Option<usize> {
    let wanted: Vec<char> = wanted.chars().collect();
    (from..characters.len().saturating_sub(wanted.len() - 1))
        .find(|at| characters.get(*at..at + wanted.len()) == Some(&wanted[..]))
}

#[cfg(test)]
mod tests {
    use super::covered;

    #[test]
    fn secrets_are_covered_in_place() {
        assert_eq!(
            covered(r#""url": "https://bob:pw@host/a?key=1","#),
            r#""url": "https://******@host/a?*****","#
        );
        assert_eq!(
            covered(r#""Authorization": "Bearer abc","#),
            r#""Authorization": "**********","#
        );
        assert_eq!(
            covered(r#""portal_password": "{!BCRYPT(record.p)}""#),
            r#""portal_password": "{!BCRYPT(record.p)}""#
        );
    }
}
