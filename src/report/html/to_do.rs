//! What to do: the changes that lead to GO, each with its statement and what it meets.

use maud::{Markup, html};

use crate::model::check::Subject;
use crate::model::report::{ChangeToGo, Report};
use crate::report::words;

use super::book::{Book, ROWS};
use super::text::{self, code, sentence};

/// Changes that stand unfolded.
const FIRST: usize = 6;

/// Longest command that stands in the line of its change, in bytes.
const INLINE: usize = 60;

/// Subjects of a change that are named.
const NAMED: usize = 3;

/// The list.
pub(super) fn section(book: &Book<'_>) -> Markup {
    let report = book.report;
    let all = report.changes.len();
    let (first, rest) = report.changes.split_at(all.min(FIRST));
    html! {
        section #to-do aria-labelledby="h-to-do" {
            h2 #h-to-do {
                "What to do"
                @if all > 0 { small { (words::changes(report)) " to reach GO" } }
            }
            @if all == 0 { p { (words::no_changes(report)) } }
            @else { ol { @for row in first { (change(book, row)) } } }
            @if !rest.is_empty() {
                details {
                    summary { (words::many(rest.len(), "more change")) }
                    ol start=(FIRST + 1) {
                        @for row in rest.iter().take(ROWS) { (change(book, row)) }
                    }
                    (text::more(rest.len(), ROWS, "change"))
                }
            }
        }
    }
}

fn change(book: &Book<'_>, row: &ChangeToGo) -> Markup {
    let how = row.change.how.as_deref();
    let inline = how.filter(|how| how.len() <= INLINE && !how.contains(['\n', ';']));
    html! {
        li {
            (sentence(&row.change.title))
            @if let Some(command) = inline { " " (code(command)) }
            @if let Some(how) = how.filter(|_| inline.is_none()) { (text::statement(how)) }
            p.serves {
                @for number in &row.conditions {
                    a href={"#condition-" (number)} { "condition " (number) } " "
                }
                (met(book, row))
            }
        }
    }
}

/// What the change meets.
fn met(book: &Book<'_>, row: &ChangeToGo) -> Markup {
    let subjects = subjects(book.report, row);
    html! {
        @for (at, subject) in subjects.iter().take(NAMED).enumerate() {
            @if at > 0 { "; " } @else { "for " }
            (book.titled(subject))
        }
        @if subjects.len() > NAMED { "; " (words::grouped(subjects.len() - NAMED)) " more" }
    }
}

/// The subjects of its obligations, each once.
fn subjects<'r>(report: &'r Report, row: &ChangeToGo) -> Vec<&'r Subject> {
    let positions = row.meets.iter();
    let mut subjects: Vec<&Subject> = positions
        .filter_map(|at| report.obligations.get(*at))
        .map(|one| &one.subject)
        .collect();
    subjects.sort_unstable();
    subjects.dedup();
    subjects
}
