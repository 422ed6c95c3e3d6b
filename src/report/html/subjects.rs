//! Subjects that are neither effect nor consumer: the queue, the backlog, inputs, fields, rules.

use maud::{Markup, html};

use crate::model::check::Subject;

use super::book::{Book, ROWS, Standing, anchor};
use super::rows::{self, Row};
use super::subject::outcomes;
use super::tally::Tally;
use super::text::{self, code};

/// The list, with what holds the flag first.
pub(super) fn section(book: &mut Book<'_>) -> Markup {
    let all = book.others.len();
    let listed: Vec<&Subject> = book.others.iter().take(ROWS).copied().collect();
    if listed.is_empty() {
        return html! {};
    }
    let rows: Vec<Row> = listed.into_iter().map(|one| row(book, one)).collect();
    html! {
        section #subjects aria-labelledby="h-subjects" {
            h2 #h-subjects { "Queue and other subjects" small { "what no single effect answers for" } }
            (rows::list(&rows, "subject"))
            (text::more(all, ROWS, "subject"))
        }
    }
}

fn row(book: &mut Book<'_>, subject: &Subject) -> Row {
    let standing = book.standing(subject);
    let tally = Tally::of(book.obligations(subject).iter().copied());
    Row {
        anchor: anchor(subject),
        state: standing.word(),
        class: None,
        line: html! {
            span.what {
                (text::title(&book.view.subject_title(subject)))
                small { (tally.said()) }
            }
            span.badge.(color(standing)) { (standing.word()) }
        },
        details: book.fitting(|book| {
            html! {
                p.meta { (code(&subject.to_string())) }
                (outcomes(book, subject))
            }
        }),
    }
}

fn color(standing: Standing) -> &'static str {
    match standing {
        Standing::Met => "safe",
        other => other.word(),
    }
}
