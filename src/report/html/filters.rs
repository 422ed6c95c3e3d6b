//! Filters by disposition, class and words. Without script there are none, and nothing is hidden.

use std::collections::BTreeMap;

use maud::{Markup, html};

use crate::model::report::EffectRow;
use crate::report::words;

/// The form over the effects that are listed.
pub(super) fn form(listed: &[&EffectRow]) -> Markup {
    let states = counted(listed, |row| words::disposition(row));
    let mut by_urgency: Vec<&str> = Vec::new();
    for row in listed {
        let word = words::disposition(row);
        if !by_urgency.contains(&word) {
            by_urgency.push(word);
        }
    }
    let classes = counted(listed, |row| words::class(row.facts.class));
    html! {
        form #filters hidden {
            fieldset {
                legend { "State" }
                @for word in by_urgency { (choice("state", word, Some(word), states.get(word))) }
            }
            fieldset {
                legend { "Class" }
                @for (word, count) in &classes { (choice("class", word, None, Some(count))) }
            }
            p {
                label { "Words " input type="search" name="words" autocomplete="off"; }
                " " button type="reset" { "Show all" }
                " " button type="button" data-fold="open" { "Unfold all" }
                " " button type="button" data-fold="close" { "Fold all" }
            }
            p #shown role="status" {
                "Showing " (words::grouped(listed.len())) " of " (words::many(listed.len(), "effect"))
            }
        }
    }
}

fn choice(name: &str, word: &str, color: Option<&str>, count: Option<&usize>) -> Markup {
    html! {
        label.choice {
            input type="checkbox" name=(name) value=(word);
            span.badge.(color.unwrap_or("kind")) { (word) " " b { (count.copied().unwrap_or_default()) } }
        }
    }
}

fn counted<'w>(
    listed: &[&EffectRow],
    word: impl Fn(&EffectRow) -> &'w str,
) -> BTreeMap<&'w str, usize> {
    let mut counts = BTreeMap::new();
    for row in listed {
        *counts.entry(word(row)).or_insert(0) += 1;
    }
    counts
}
