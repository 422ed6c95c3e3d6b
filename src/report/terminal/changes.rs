//! The way to GO: a numbered list, each change once, with the statement that does it.

use crate::model::report::{Report, Verdict};
use crate::report::visible;
use crate::report::words;
use crate::report::wrap::columns;

use super::findings::{Shown, statement};
use super::page::{BOLD, GREEN, PLAIN, Page};

/// Changes listed unless the reader asks for all.
const LISTED: usize = 60;

/// The list of changes.
pub(super) fn to_go(page: &mut Page, report: &Report, shown: &Shown) {
    if report.changes.is_empty() {
        if report.verdict != Verdict::Go || !report.effects.is_empty() {
            page.blank();
            page.labelled("To reach GO: ", BOLD, words::no_changes(report));
        }
        return;
    }
    page.heading(&format!("To reach GO, {}:", words::changes(report)));
    let most = if page.verbose { usize::MAX } else { LISTED };
    let digits = report.changes.len().min(most).to_string().len();
    for (at, row) in report.changes.iter().take(most).enumerate() {
        let label = format!(" {:>digits$}. ", at + 1);
        let title = visible::sentence(&row.change.title);
        let title = match words::served(&row.conditions) {
            Some(served) => format!("{title} ({served})"),
            None => title,
        };
        let Some(how) = &row.change.how else {
            page.labelled(&label, GREEN, &title);
            continue;
        };
        if shown.has(&row.change) {
            page.labelled(&label, GREEN, &format!("{title}; statement above"));
            continue;
        }
        let how_shown = visible::visible(how);
        let beside = columns(&label) + columns(&title) + 3 + columns(&how_shown);
        if beside <= page.width && !how.contains('\n') {
            let title = page.paint(PLAIN, &title);
            page.line(&format!(
                "{}{title}   {how_shown}",
                page.paint(GREEN, &label)
            ));
        } else {
            page.labelled(&label, GREEN, &title);
            statement(page, columns(&label) + 2, how);
        }
    }
    let more = report.changes.len().saturating_sub(most);
    if more > 0 {
        let text = format!(
            "and {}: --verbose lists them",
            words::many(more, "more change")
        );
        page.labelled("    ", PLAIN, &text);
    }
}
