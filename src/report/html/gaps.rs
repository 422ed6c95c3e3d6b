//! What could not be decided, gathered by what closes it, with the next step.

use maud::{Markup, html};

use crate::model::check::Subject;
use crate::report::gaps::{Gap, gather};
use crate::report::words;

use super::book::{Book, ROWS};
use super::pages;
use super::text::{self, code, prose};

/// Subjects or sentences of a gap that are named.
const NAMED: usize = 5;

/// The list.
pub(super) fn section(book: &Book<'_>) -> Markup {
    let view = &book.view;
    if view.open.is_empty() && view.unsaid.is_empty() {
        return html! {};
    }
    let gaps = gather(&view.open);
    html! {
        section #not-shown aria-labelledby="h-not-shown" {
            h2 #h-not-shown { "Not shown" small { "what could not be decided, and what would close it" } }
            @if !gaps.is_empty() {
                p { (words::many(view.open.len(), "obligation")) " of the gate could not be decided." }
                (text::table("Not shown", &["What is not known", "Checks", "For", "Next step"], html! {
                    @for gap in gaps.iter().take(ROWS) { (row(book, gap)) }
                }))
                (text::more(gaps.len(), ROWS, "reason"))
            }
            @if !view.unsaid.is_empty() {
                (text::table("Effects not known", &["Effect", "What is not known", "Next step"], html! {
                    @for row in view.unsaid.iter().take(ROWS) {
                        tr {
                            td { (book.titled(&Subject::Effect(row.facts.effect.id.clone()))) }
                            td { (prose(&row.reason)) br; (code(&row.facts.effect.place.to_string())) }
                            td { (prose(row.required_action.as_deref().unwrap_or_default())) }
                        }
                    }
                }))
                (text::more(view.unsaid.len(), ROWS, "effect"))
            }
        }
    }
}

fn row(book: &Book<'_>, gap: &Gap<'_>) -> Markup {
    html! {
        tr {
            td { (what(gap)) }
            td { @for check in &gap.checks { (pages::link(check, true)) br; } }
            td { (subjects(book, gap)) }
            td { (prose(&gap.reason.next_step)) }
        }
    }
}

fn what(gap: &Gap<'_>) -> Markup {
    let sentences = gap.sentences();
    let place = gap.reason.place.as_ref();
    let place = place.filter(|_| gap.obligations.len() == 1);
    html! {
        @for sentence in sentences.iter().take(NAMED) { p { (prose(sentence)) } }
        @if sentences.len() > NAMED { p { "and " (words::grouped(sentences.len() - NAMED)) " more" } }
        @if let Some(place) = place { (code(&place.to_string())) }
    }
}

fn subjects(book: &Book<'_>, gap: &Gap<'_>) -> Markup {
    let mut subjects: Vec<&Subject> = gap.obligations.iter().map(|one| &one.subject).collect();
    subjects.dedup();
    html! {
        @for subject in subjects.iter().take(NAMED) { (book.titled(subject)) br; }
        @if subjects.len() > NAMED { (words::grouped(subjects.len() - NAMED)) " more" }
    }
}
