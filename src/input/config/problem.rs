//! What is wrong with a file, at a place, with the line it stands in and what to do.

use std::fmt;
use std::sync::Arc;

use super::render::{Style, render};
use super::secret;
use crate::model::place::{Place, Pos};
use crate::model::text::TextFile;

/// One thing wrong with the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// One sentence with the names in it, without a full stop.
    pub sentence: String,
    /// Where.
    pub place: Place,
    /// The line of the place, with anything that looks like a password cut off.
    pub quote: Option<Quote>,
    /// A few words under the marked source.
    pub label: Option<String>,
    /// What to do next, when the label does not say it.
    pub help: Option<String>,
}

/// A line of source with a stretch marked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    /// The line, without its end.
    pub line: String,
    /// First marked column, 1-based, in characters.
    pub column: u32,
    /// How many characters are marked, at least one.
    pub width: u32,
}

/// Everything wrong with one file; nothing of it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problems {
    /// The file, as the user knows it.
    pub file: Arc<str>,
    /// In the order of the file, at least one.
    pub list: Vec<Problem>,
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&render(&self.file, &self.list, Style::Plain))
    }
}

impl std::error::Error for Problems {}

impl Problem {
    /// A problem with a stretch of bytes of a file.
    pub(super) fn at(file: &TextFile, start: u32, end: u32, sentence: impl Into<String>) -> Self {
        let place = file.place(start, end);
        Self {
            sentence: sentence.into(),
            quote: place
                .span()
                .and_then(|span| Quote::of(file, span.start, span.end)),
            place,
            label: None,
            help: None,
        }
    }

    /// A problem with a file as a whole.
    pub(super) fn of_file(path: &str, sentence: impl Into<String>) -> Self {
        Self {
            sentence: sentence.into(),
            place: Place::Path(path.into()),
            quote: None,
            label: None,
            help: None,
        }
    }

    /// Adds the words under the marked source.
    pub(super) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Adds what to do next.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Cuts the quoted line off where the marked stretch begins.
    pub(super) fn hiding_the_value(mut self) -> Self {
        if let Some(quote) = &mut self.quote {
            let before: String = quote
                .line
                .chars()
                .take(quote.column.saturating_sub(1) as usize)
                .collect();
            quote.line = before + secret::HIDDEN;
            quote.width = 1;
        }
        self
    }
}

impl Quote {
    /// The line that a place begins in; what spans further is marked to the end of that line.
    pub(super) fn of(file: &TextFile, start: Pos, end: Pos) -> Option<Self> {
        let whole = file.line(start.line)?;
        let line = secret::masked(whole);
        let length = line.chars().count() as u32;
        let column = start.column.min(length.max(1));
        let behind = if end.line == start.line {
            end.column
        } else {
            whole.chars().count() as u32 + 1
        };
        let width = behind.min(length + 1).saturating_sub(column).max(1);
        Some(Self {
            line,
            column,
            width,
        })
    }
}
