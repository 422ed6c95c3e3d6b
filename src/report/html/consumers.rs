//! The consumers, event by event: what starts each, whether it lies on the path, what it leaves.

use maud::{Markup, html};

use crate::model::check::Subject;
use crate::model::consumer::{Consumer, PathState};
use crate::report::words;

use super::book::{Book, ROWS, anchor};
use super::map;
use super::rows::{self, Row};
use super::subject;
use super::text::{self, prose};

/// The lists.
pub(super) fn section(book: &mut Book<'_>) -> Markup {
    let all = book.report.consumers.len();
    if all == 0 {
        return html! {};
    }
    let groups = map::events(&book.report.consumers, ROWS);
    let lists: Vec<_> = groups
        .into_iter()
        .map(|(event, consumers)| {
            let rows: Vec<Row> = consumers.into_iter().map(|one| row(book, one)).collect();
            (event, rows)
        })
        .collect();
    html! {
        section #consumers aria-labelledby="h-consumers" {
            h2 #h-consumers { "Consumers" small { (prose(&words::inventory(book.report))) } }
            @for (event, rows) in &lists {
                h3 id=(map::event_anchor(event)) { (text::title(event)) }
                (rows::list(rows, "consumer"))
            }
            (text::more(all, ROWS, "consumer"))
        }
    }
}

fn row(book: &mut Book<'_>, consumer: &Consumer) -> Row {
    let state = consumer.path.word();
    Row {
        anchor: anchor(&Subject::Consumer(consumer.id.clone())),
        state,
        class: None,
        line: html! {
            span.what {
                (text::title(&consumer.title))
                small { (prose(&words::path(&consumer.path))) }
            }
            span.class { (words::many(book.effects_of(&consumer.id).len(), "effect")) }
            span.badge.(color(&consumer.path)) { (state) " path" }
        },
        details: book.fitting(|book| subject::consumer(book, consumer)),
    }
}

fn color(path: &PathState) -> &'static str {
    match path {
        PathState::On(_) => "on",
        PathState::Unknown(_) => "unknown",
        PathState::Off(_) | PathState::Dormant { .. } => "off-path",
    }
}
