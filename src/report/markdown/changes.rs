//! The way to GO: a numbered list, with the statement of each change.

use crate::model::report::Report;
use crate::report::words;

use super::details::statement;
use super::escape::text;
use super::lists::more;
use super::page::Page;

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
        page.line(&line);
        if let Some(how) = statement(&row.change) {
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
