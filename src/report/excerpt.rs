//! Quotes of source lines, cut to a window, with what may be a secret covered.

use std::collections::HashMap;

use crate::model::place::{Pos, Span};
use crate::model::report::Report;
use crate::model::secret::covered;
use crate::model::text::TextFile;

/// Longest quote, in characters.
const WINDOW: usize = 160;

/// How far before a window a secret may begin, in characters.
const REACH: usize = 4_096;

/// Quotes behind which no key before a window tells of what stands in it: two of the key, one of
/// the value, and those of literals inside a formula.
const QUOTES: usize = 8;

/// The first line of a quoted place, or what a quote needs of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// Text from `first_column`, cut to a bounded length.
    pub(crate) text: String,
    /// Column of its first character, 1-based.
    pub(crate) first_column: u32,
    /// True if the line goes on behind it.
    pub(crate) goes_on: bool,
}

/// The line that a place begins on, when its text was read.
pub(crate) fn quoted(report: &Report, span: &Span) -> Option<Excerpt> {
    let file = report.files.iter().find(|file| file.path == span.file)?;
    excerpt(file, span)
}

/// The texts of a report by their paths, where many places are quoted.
pub(crate) struct Texts<'r>(HashMap<&'r str, &'r TextFile>);

impl<'r> Texts<'r> {
    pub(crate) fn new(report: &'r Report) -> Self {
        let files = report.files.iter().rev();
        Self(files.map(|file| (&*file.path, &**file)).collect())
    }

    /// The line that a place begins on, when its text was read.
    pub(crate) fn quoted(&self, span: &Span) -> Option<Excerpt> {
        excerpt(self.0.get(&*span.file)?, span)
    }
}

fn excerpt(file: &TextFile, span: &Span) -> Option<Excerpt> {
    let line = file.line(span.start.line)?;
    if line.len() <= WINDOW {
        return Some(Excerpt {
            text: covered(line),
            first_column: 1,
            goes_on: false,
        });
    }
    // A one-line file of many megabytes is not copied: only the neighbourhood is looked at. It
    // begins before the window, so that a URL or a key is seen whose end the window shows.
    let column = span.start.column.saturating_sub(WINDOW as u32 / 2).max(1);
    let start = file.offset(Pos {
        line: span.start.line,
        column,
    })? as usize;
    let (mut before, mut look, mut quotes) = (0, start, 0);
    for (at, character) in file.text().get(..start)?.char_indices().rev().take(REACH) {
        if character == '\n' || quotes == QUOTES {
            break;
        }
        quotes += usize::from(character == '"');
        before += 1;
        look = at;
    }
    let is_end = |character: &char| *character == '\n' || *character == '\r';
    let mut behind = file.text().get(look..)?.chars();
    let near: String = behind
        .by_ref()
        .take_while(|character| !is_end(character))
        .take(before + WINDOW)
        .collect();
    Some(Excerpt {
        text: covered(&near).chars().skip(before).collect(),
        first_column: column,
        goes_on: near.chars().count() == before + WINDOW
            && behind.next().is_some_and(|character| !is_end(&character)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quote(text: &str, of: &str) -> Excerpt {
        let file = TextFile::new("f", text.to_owned());
        let start = text.find(of).unwrap() as u32;
        let place = file.place(start, start + of.len() as u32);
        excerpt(&file, place.span().unwrap()).unwrap()
    }

    #[test]
    fn a_secret_that_begins_before_the_window_is_covered() {
        for value in [
            format!("\"url\":\"https://host/x?{}&key=s3cr3t\"", "p".repeat(300)),
            format!("\"Authorization\":\"Bearer {} s3cr3t\"", "p ".repeat(150)),
            format!(
                "\"a_token\":\"{{!\\\"{} s3cr3t\\\" + record.id}}\"",
                "p ".repeat(150)
            ),
        ] {
            let text = format!(
                "{{\"a\":{{{value}}},\"b\":\"HERE\",{}}}",
                "\"c\":1,".repeat(50)
            );
            let quote = quote(&text, "HERE");
            assert!(quote.text.contains("HERE") && quote.first_column > 1 && quote.goes_on);
            assert!(!quote.text.contains("s3cr3t"), "{}", quote.text);
        }
    }

    #[test]
    fn a_long_line_says_whether_it_goes_on() {
        let text = format!("{}HERE", "x".repeat(500));
        assert!(!quote(&text, "HERE").goes_on);
        assert!(!quote(&format!("{text}\r\nnext"), "HERE").goes_on);
        assert!(quote(&format!("{text}{}", "y".repeat(200)), "HERE").goes_on);
    }
}
