//! The conditions of the gate, and what each of them rests on.

use std::collections::BTreeMap;

use maud::{Markup, html};

use crate::model::check::Obligation;
use crate::model::report::{Condition, ConditionState};
use crate::report::words;

use super::book::Book;
use super::pages;
use super::tally::Tally;
use super::text::{capital, prose};

/// The list of conditions.
pub(super) fn section(book: &Book<'_>) -> Markup {
    let gate = &book.report.gate;
    if gate.is_empty() {
        return html! {};
    }
    let tallies = tallies(&book.report.obligations);
    html! {
        section #conditions aria-labelledby="h-conditions" {
            h2 #h-conditions { "Conditions of the gate" }
            ol.conditions {
                @for (at, condition) in gate.iter().enumerate() {
                    li id={"condition-" (at + 1)} { (one(condition, &tallies)) }
                }
            }
        }
    }
}

fn one(condition: &Condition, tallies: &BTreeMap<&str, Tally>) -> Markup {
    let asked: Vec<(&str, &Tally)> = condition
        .checks
        .iter()
        .filter_map(|check| Some((&**check, tallies.get(&**check)?)))
        .collect();
    html! {
        span.badge.(color(condition.state)) { (words::state(condition.state)) } " "
        strong { (capital(&condition.title)) }
        div.why {
            (prose(&condition.why))
            @if condition.waived > 0 { " (" (condition.waived) " waived)" }
        }
        @if !asked.is_empty() {
            details {
                summary { (words::many(asked.len(), "check")) }
                ul.plain { @for (check, tally) in asked { li { (pages::link(check, tally.is_spoken_of())) ": " (tally.said()) } } }
            }
        }
    }
}

fn tallies(obligations: &[Obligation]) -> BTreeMap<&'static str, Tally> {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for obligation in obligations {
        tallies
            .entry(obligation.check.id)
            .or_default()
            .add(obligation);
    }
    tallies
}

fn color(state: ConditionState) -> &'static str {
    match state {
        ConditionState::Met => "safe",
        ConditionState::NotMet => "blocked",
        ConditionState::NotShown => "unknown",
        ConditionState::NotApplicable => "off-path",
    }
}
