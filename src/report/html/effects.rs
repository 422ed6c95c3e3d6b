//! The effects, what is most urgent first, each with its details folded.

use std::collections::BTreeMap;

use maud::{Markup, html};

use crate::model::check::Subject;
use crate::model::report::{EffectRow, Report};
use crate::report::words;

use super::book::{Book, EFFECTS, anchor};
use super::rows::{self, Row};
use super::text::{self, prose};
use super::{filters, subject};

/// The list with its filters.
pub(super) fn section(book: &mut Book<'_>) -> Markup {
    let listed: Vec<&EffectRow> = book.effects.iter().take(EFFECTS).copied().collect();
    if listed.is_empty() {
        return html! {};
    }
    let rows: Vec<Row> = listed.iter().map(|row| one(book, row)).collect();
    html! {
        section #effects aria-labelledby="h-effects" {
            h2 #h-effects {
                "Effects"
                small { "what each consumer leaves behind, and what a second delivery does to it" }
            }
            (filters::form(&listed))
            div.row-heads aria-hidden="true" {
                span { "Effect" } span { "Class" } span { "Second delivery" } span { "State" }
            }
            (rows::list(&rows, "effect"))
            (left_out(book.report, &listed))
        }
    }
}

fn one(book: &mut Book<'_>, row: &EffectRow) -> Row {
    let word = words::disposition(row);
    let class = words::class(row.facts.class);
    Row {
        anchor: anchor(&Subject::Effect(row.facts.effect.id.clone())),
        state: word,
        class: Some(class),
        line: html! {
            span.what {
                (text::title(&book.view.effect_title(row)))
                small { (prose(row.proof.as_ref().unwrap_or(&row.reason))) }
            }
            span.class { (class) }
            span.second { (words::second_delivery(row)) }
            span.badge.(word) { (word) }
        },
        details: book.fitting(|book| subject::effect(book, row)),
    }
}

/// Says which effects are not listed, exactly.
fn left_out(report: &Report, listed: &[&EffectRow]) -> Markup {
    let rest = report.effects.len() - listed.len();
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    if rest > 0 {
        let key = |row: &EffectRow| (words::disposition(row), words::class(row.facts.class));
        for row in &report.effects {
            *counts.entry(key(row)).or_default() += 1;
        }
        for row in listed {
            if let Some(count) = counts.get_mut(&key(row)) {
                *count -= 1;
            }
        }
        counts.retain(|_, count| *count > 0);
    }
    html! {
        @if rest > 0 {
            p.left-out {
                (words::many(rest, "more effect")) " not listed here, because a browser would be slow \
                 with them; " code { "--format json" } " lists all. Those left out:"
            }
            (text::table("Effects that are left out", &["State", "Class", "Effects"], html! {
                @for ((state, class), count) in counts {
                    tr { td { (state) } td { (class) } td { (words::grouped(count)) } }
                }
            }))
        }
    }
}
