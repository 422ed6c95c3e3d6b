//! The first screen: the verdict, what it rests on, and the next step.

use maud::{Markup, html};

use crate::model::report::{Report, Verdict};
use crate::report::{headline, words};

use super::book::Book;
use super::text::{code, name, sentence};

/// The verdict in three lines, and where to find the rest.
pub(super) fn top(book: &Book<'_>) -> Markup {
    let report = book.report;
    let verdict = report.verdict;
    let conditions = match headline::waived(report) {
        Some(waived) => format!("{waived}; {}", headline::conditions(report)),
        None => headline::conditions(report),
    };
    html! {
        header.top {
            p.of {
                span.tool { "outbox-audit " (report.tool_version) }
                @if let Some(flag) = &report.flag { span { "flag " (code(flag)) } }
                span { bdi { (name(&report.subject)) } }
                span { (words::tree(&report.tree)) }
            }
            div.verdict.(color(verdict)) {
                h1 { (verdict.word()) }
                div {
                    p.lead { (sentence(&conditions)) }
                    p { (headline::meaning(verdict)) }
                    (counts(report))
                    (next(report))
                }
            }
            nav aria-label="Sections" {
                @for (id, title) in sections(book) { a href={"#" (id)} { (title) } }
            }
        }
    }
}

fn color(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Go => "good",
        Verdict::Hold => "bad",
        Verdict::Unproven => "open",
    }
}

/// The effects by what became of them.
fn counts(report: &Report) -> Markup {
    html! {
        @if report.effects.is_empty() {
            p { "No effect was found." }
        } @else {
            p.counts {
                span { (words::many(report.effects.len(), "effect")) }
                @for (disposition, said) in words::effect_counts(report) {
                    span.badge.(disposition.word()) { (said) }
                }
            }
        }
    }
}

fn next(report: &Report) -> Markup {
    let all = report.changes.len();
    html! {
        @if let Some(first) = report.changes.first() {
            p.next {
                strong { "Next step" } " " (sentence(&first.change.title))
                @if let Some(how) = first.change.how.as_deref().filter(|how| how.len() <= 40) {
                    " " (code(how))
                }
                " "
                a href="#to-do" {
                    @if all > 1 { "1 of " (words::changes(report)) } @else { "how" }
                }
            }
        }
    }
}

/// The sections that this page has.
fn sections(book: &Book<'_>) -> Vec<(&'static str, &'static str)> {
    let report = book.report;
    let open = !book.view.open.is_empty() || !book.view.unsaid.is_empty();
    [
        ("to-do", "What to do", true),
        ("conditions", "Conditions", !report.gate.is_empty()),
        ("map", "Consumer map", !report.consumers.is_empty()),
        ("effects", "Effects", !report.effects.is_empty()),
        ("subjects", "Queue and others", !book.others.is_empty()),
        ("not-shown", "Not shown", open),
        ("consumers", "Consumers", !report.consumers.is_empty()),
        ("deferred", "Deferred", !report.deferred.is_empty()),
        ("residuals", "Residuals", !report.residuals.is_empty()),
        ("inputs", "What was read", true),
    ]
    .into_iter()
    .filter(|(_, _, there)| *there)
    .map(|(id, title, _)| (id, title))
    .collect()
}

/// The last line.
pub(super) fn foot(report: &Report) -> Markup {
    html! {
        footer {
            "outbox-audit " (report.tool_version) " · " (report.verdict.word()) " · as of "
            (report.as_of) " · this file asks nothing of the network."
        }
    }
}
