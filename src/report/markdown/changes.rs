//! The way to GO: a numbered list, with the statement of each change.

use crate::model::report::Report;
use crate::report::words;

use super::details::statement;
use super::escape::{code, text};
use super::lists::more;
use super::page::Page;

/// Longest command that stands in the line of its change, in bytes.
const INLINE: usize = 80;

/// The list of changes.
pub(super) fn to_go(page: &mut Page, report: &Report, most: usize) {
    page.heading("To reach GO");
    if report.changes.is_empty() {
        page.line(words::no_changes(report));
        return;
    }
    page.line(&format!("{}:\n", words::changes(report)));
    for (at, row) in report.changes.iter().take(most).enumerate() {
        if page.is_full() {
            return;
        }
        let mut line = format!("{}. {}", at + 1, text(&row.change.title));
        if let Some(served) = words::served(&row.conditions) {
            line.push_str(&format!(" ({served})"));
        }
        // A short command stands in the line; a statement keeps a block of its own.
        let how = row.change.how.as_deref();
        let command = how.filter(|how| how.len() <= INLINE && !how.contains(['\n', ';']));
        if let Some(command) = command {
            line.push_str(&format!(": {}", code(command)));
        }
        page.line(&line);
        if let Some(how) = statement(&row.change).filter(|_| command.is_none()) {
            // Indented into the item, so that the numbers go on.
            let indent = " ".repeat((at + 1).to_string().len() + 2);
            page.line("");
            for line in how.lines() {
                page.line(&format!("{indent}{line}"));
            }
            page.line("");
        }
    }
    more(page, report.changes.len(), most, "change");
}
