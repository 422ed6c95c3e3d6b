//! The pages of the checks that found something or are open: the text that `explain` prints.

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};

use crate::model::check::{CheckInfo, Outcome};
use crate::model::report::Report;

/// The pages.
pub(super) fn section(report: &Report) -> Markup {
    let checks = spoken_of(report);
    html! {
        @if !checks.is_empty() {
            section #checks aria-labelledby="h-checks" {
                h2 #h-checks { "The checks that found something" }
                @for check in checks.values() {
                    details.row {
                        summary { code { (check.id) } " " (check.title) }
                        div.body id={"check-" (check.id)} { (page(check)) }
                    }
                }
            }
        }
    }
}

/// A link to the page of a check, where this page has it.
pub(super) fn link(check: &str, there: bool) -> Markup {
    html! {
        @if there { a href={"#check-" (check)} { code { (check) } } }
        @else { code { (check) } }
    }
}

/// Checks with a finding or an open question.
fn spoken_of(report: &Report) -> BTreeMap<&'static str, &'static CheckInfo> {
    let obligations = report.obligations.iter();
    let spoken = obligations
        .filter(|one| matches!(one.outcome, Outcome::NotMet(_) | Outcome::Unknown(_)))
        .map(|one| (one.check.id, one.check));
    spoken.collect()
}

/// The page as HTML, its title left out and its headings fitted below those of the report.
fn page(check: &CheckInfo) -> Markup {
    let mut in_title = false;
    let events = Parser::new(check.page).filter_map(move |event| match event {
        Event::Start(Tag::Heading {
            level: HeadingLevel::H1,
            ..
        }) => {
            in_title = true;
            None
        }
        Event::End(TagEnd::Heading(HeadingLevel::H1)) => {
            in_title = false;
            None
        }
        _ if in_title => None,
        Event::Start(Tag::Heading {
            id, classes, attrs, ..
        }) => Some(Event::Start(Tag::Heading {
            level: HeadingLevel::H4,
            id,
            classes,
            attrs,
        })),
        // `<id>` in a sentence is a word of it.
        Event::Html(raw) | Event::InlineHtml(raw) => Some(Event::Text(raw)),
        Event::End(TagEnd::Heading(_)) => Some(Event::End(TagEnd::Heading(HeadingLevel::H4))),
        other => Some(other),
    });
    let mut out = String::new();
    // Pages are part of the program: what they say needs no escaping.
    pulldown_cmark::html::push_html(&mut out, events);
    html! {
        (PreEscaped(out))
        p.meta { "Clause " (check.clause) " · " (check.weight.word()) }
    }
}
