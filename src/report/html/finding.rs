//! One finding: the sentence, the marked line, the harm step by step, the fix, the evidence.

use std::collections::BTreeSet;

use maud::{Markup, html};

use crate::model::check::{Change, Finding, Obligation, Step};
use crate::model::report::Report;
use crate::report::excerpt::quoted;
use crate::report::fingerprint::fingerprint;
use crate::report::quote::mark;
use crate::report::words;

use super::book::Book;
use super::text::{self, code, prose};
use super::{evidence, pages};

/// Columns of a quoted line.
const QUOTED: usize = 100;

/// Notes or steps of one finding that are shown.
const FEW: usize = 60;

/// One finding; `shown` holds the changes whose statement stands above.
pub(super) fn article<'r>(
    book: &Book<'r>,
    obligation: &'r Obligation,
    finding: &'r Finding,
    shown: &mut BTreeSet<&'r str>,
) -> Markup {
    let check = obligation.check.id;
    let id = fingerprint(check, &obligation.subject.to_string());
    html! {
        article.finding.(finding.severity.word()) id={"f-" (id)} {
            h4 {
                span.badge.(finding.severity.word()) { (finding.severity.word()) } " "
                (pages::link(check, true)) " " (prose(&finding.sentence))
            }
            p.meta {
                (code(&finding.place.to_string()))
                @if !finding.label.is_empty() { ": " (prose(&finding.label)) }
                @for number in book.view.conditions_of(check) {
                    " · " a href={"#condition-" (number)} { "condition " (number) }
                }
            }
            (waiver(book.report, obligation))
            (source(book.report, finding))
            @if !finding.notes.is_empty() {
                ul.notes { @for note in finding.notes.iter().take(FEW) { li { (prose(note)) } } }
                (text::more(finding.notes.len(), FEW, "note"))
            }
            @if !finding.interleaving.is_empty() {
                details open { summary { "How it happens" } (steps(&finding.interleaving)) }
            }
            (repairs(finding, shown))
            @if !finding.evidence.is_empty() {
                details {
                    summary { "Evidence (" (finding.evidence.len()) ")" }
                    (evidence::list(book.report, &finding.evidence))
                }
            }
            p.meta { "Fingerprint " code { (id) } " · confidence " (finding.confidence.word()) }
        }
    }
}

fn waiver(report: &Report, obligation: &Obligation) -> Markup {
    let row = obligation
        .waiver
        .and_then(|at| report.waivers.get(at as usize));
    html! {
        @if let Some(row) = row {
            p.waiver {
                "Waiver " (words::waiver(row.state)) ": " (prose(&row.waiver.owner)) ", until "
                (text::name(&row.waiver.expires)) ": " (prose(&row.waiver.reason))
            }
        }
    }
}

/// The line that the finding marks.
fn source(report: &Report, finding: &Finding) -> Markup {
    let span = finding.place.span();
    let line = span.and_then(|span| Some((span, quoted(report, span)?)));
    html! {
        @if let Some((span, excerpt)) = line {
            @let marked = mark(span, &excerpt, QUOTED);
            @let number = span.start.line.to_string();
            pre.source tabindex="0" {
                code {
                    span.number { (number) " │ " } (marked.text) "\n"
                    span.number { (" ".repeat(number.len())) " │ " }
                    (" ".repeat(marked.before)) mark { ("^".repeat(marked.wide)) }
                }
            }
        }
    }
}

/// An interleaving, who in one column and what in the other.
fn steps(steps: &[Step]) -> Markup {
    html! {
        ol.steps {
            @for step in steps.iter().take(FEW) {
                li { span.actor.(actor(step.actor)) { (step.actor) } " " span { (prose(&step.does)) } }
            }
        }
        (text::more(steps.len(), FEW, "step"))
    }
}

/// The colour of an actor.
fn actor(name: &str) -> &'static str {
    match name {
        "A" => "a",
        "B" => "b",
        _ => "other",
    }
}

fn repairs<'r>(finding: &'r Finding, shown: &mut BTreeSet<&'r str>) -> Markup {
    html! {
        @for (way, set) in finding.repairs.iter().enumerate() {
            div.fix {
                strong { @if way == 0 { "Fix" } @else { "Or" } }
                ul { @for change in set { li { (repair(change, shown)) } } }
            }
        }
    }
}

fn repair<'r>(change: &'r Change, shown: &mut BTreeSet<&'r str>) -> Markup {
    let again = change.how.is_some() && !shown.insert(&change.key);
    html! {
        (prose(&change.title))
        @if again { " (statement above)" }
        @else if let Some(how) = &change.how { (text::statement(how)) }
    }
}
