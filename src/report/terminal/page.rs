//! The lines of a terminal: columns, indents, colours.

use anstyle::{AnsiColor, Style};

use crate::model::report::{ConditionState, Disposition, Verdict};
use crate::report::visible;
use crate::report::wrap::{columns, wrap};

/// Fewest columns a page is laid out for.
const NARROWEST: usize = 60;

/// A page being written.
pub(super) struct Page {
    out: String,
    /// Columns.
    pub(super) width: usize,
    /// True to unfold.
    pub(super) verbose: bool,
    color: bool,
}

/// Red, for what is shown unsafe.
pub(super) const RED: Style = AnsiColor::Red.on_default().bold();
/// Yellow, for what is not shown.
pub(super) const YELLOW: Style = AnsiColor::Yellow.on_default();
/// Green, for what is shown safe.
pub(super) const GREEN: Style = AnsiColor::Green.on_default();
/// Blue, for the frame around a quoted line.
pub(super) const BLUE: Style = AnsiColor::Blue.on_default();
/// Bold, for headings.
pub(super) const BOLD: Style = Style::new().bold();
/// No style.
pub(super) const PLAIN: Style = Style::new();

impl Page {
    /// An empty page.
    pub(super) fn new(width: usize, color: bool, verbose: bool) -> Self {
        Self {
            out: String::new(),
            width: width.max(NARROWEST),
            verbose,
            color,
        }
    }

    /// The text of the page.
    pub(super) fn finish(self) -> String {
        self.out
    }

    /// Styles a piece of a line.
    pub(super) fn paint(&self, style: Style, text: &str) -> String {
        match self.color && style != PLAIN && !text.is_empty() {
            true => format!("{style}{text}{style:#}"),
            false => text.to_owned(),
        }
    }

    /// A line as it is, without the spaces at its end.
    pub(super) fn line(&mut self, text: &str) {
        // Hard spaces only kept words together while wrapping.
        self.out.push_str(&text.trim_end().replace('\u{a0}', " "));
        self.out.push('\n');
    }

    /// An empty line, unless one stands there already.
    pub(super) fn blank(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// A heading.
    pub(super) fn heading(&mut self, text: &str) {
        self.blank();
        for line in wrap(&visible::sentence(text), self.width, self.width) {
            let line = self.paint(BOLD, &line);
            self.line(&line);
        }
    }

    /// Prose behind a label; the following lines stand under the first word.
    pub(super) fn labelled(&mut self, label: &str, style: Style, text: &str) {
        let hang = columns(label);
        self.hanging(label, style, hang, &visible::sentence(text));
    }

    /// Prose behind a label, its following lines indented by `hang` columns.
    pub(super) fn labelled_hang(&mut self, label: &str, style: Style, hang: usize, text: &str) {
        self.hanging(label, style, hang, &visible::sentence(text));
    }

    /// Prose behind a label, its following lines indented by `hang` columns; the text is taken
    /// as it is.
    pub(super) fn hanging(&mut self, label: &str, style: Style, hang: usize, text: &str) {
        let first = self.width.saturating_sub(columns(label));
        let rest = self.width.saturating_sub(hang);
        for (at, line) in wrap(text, first, rest).iter().enumerate() {
            let whole = match at {
                0 => format!("{}{line}", self.paint(style, label)),
                _ => format!("{}{line}", " ".repeat(hang)),
            };
            self.line(&whole);
        }
    }
}

/// Colour of a verdict.
pub(super) fn of_verdict(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Go => GREEN.bold(),
        Verdict::Hold => RED,
        Verdict::Unproven => YELLOW.bold(),
    }
}

/// Colour of a condition.
pub(super) fn of_state(state: ConditionState) -> Style {
    match state {
        ConditionState::Met => GREEN,
        ConditionState::NotMet => RED,
        ConditionState::NotShown => YELLOW,
        ConditionState::NotApplicable => PLAIN,
    }
}

/// Colour of a disposition.
pub(super) fn of_disposition(disposition: Disposition) -> Style {
    match disposition {
        Disposition::Blocked => RED,
        Disposition::Unknown | Disposition::Accepted => YELLOW,
        Disposition::Safe => GREEN,
        Disposition::Deferred | Disposition::OffPath => PLAIN,
    }
}
