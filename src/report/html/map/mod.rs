//! The consumer map as a drawing: each event, the consumers that take it, what each leaves behind,
//! and the events which that sets off. Every box leads to what the page says of it.
//!
//! An effect belongs to one consumer and a consumer to one event, so that the layers are those of a
//! tree, and no line crosses another. One drawing for each event: a printer may break between them.

mod layout;
mod svg;

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use crate::model::consumer::{Consumer, ConsumerId};
use crate::report::fingerprint::fingerprint;
use crate::report::words;

use super::book::{Book, ROWS};
use super::text;
use layout::Taken;

/// Most lines of boxes that are drawn.
const LINES: usize = 2_000;

/// Consumers by event: what may be on the path first, then by name.
pub(super) fn events(consumers: &[Consumer], most: usize) -> Vec<(String, Vec<&Consumer>)> {
    group(consumers.iter().take(most))
}

fn group<'r>(consumers: impl Iterator<Item = &'r Consumer>) -> Vec<(String, Vec<&'r Consumer>)> {
    let mut groups: BTreeMap<String, Vec<&Consumer>> = BTreeMap::new();
    for consumer in consumers {
        let event = words::event(&consumer.trigger);
        groups.entry(event).or_default().push(consumer);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    for (_, consumers) in &mut groups {
        consumers.sort_by_key(|one| !one.path.may_be_on());
    }
    groups.sort_by_key(|(_, consumers)| !consumers.iter().any(|one| one.path.may_be_on()));
    groups
}

/// Name of the place where the page lists the consumers of an event.
pub(super) fn event_anchor(event: &str) -> String {
    format!("v-{}", fingerprint("", event))
}

/// The drawing, of as many consumers as fit.
pub(super) fn section(book: &Book<'_>) -> Markup {
    let all = book.report.consumers.len();
    if all == 0 {
        return html! {};
    }
    let drawn = chosen(book);
    let listed: BTreeSet<String> = events(&book.report.consumers, ROWS)
        .into_iter()
        .map(|(event, _)| event)
        .collect();
    let events = book.report.consumers.iter();
    let taken: Taken = events
        .map(|one| words::event(&one.trigger))
        .map(|event| {
            let there = listed.contains(&event);
            let href = there.then(|| format!("#{}", event_anchor(&event)));
            (event, href)
        })
        .collect();
    let consumers = book.report.consumers.iter();
    let groups = group(consumers.filter(|one| drawn.contains(&one.id)));
    html! {
        section #map aria-labelledby="h-map" {
            h2 #h-map { "Consumer map" small { (text::title(&words::inventory(book.report))) } }
            div.map.scroll role="region" aria-label="Consumer map" tabindex="0" {
                (svg::heads())
                @for (event, consumers) in &groups {
                    (svg::draw(&layout::lay_out(book, &taken, event, consumers)))
                }
            }
            @if drawn.len() < all {
                p.left-out {
                    (words::many(all - drawn.len(), "consumer")) " not drawn, because a browser would be slow \
                     with more; those with what is most urgent are. " code { "--format json" } " holds all."
                }
            }
        }
    }
}

/// The consumers that are drawn: those with the most urgent effects first, as far as there is room.
fn chosen<'r>(book: &Book<'r>) -> BTreeSet<&'r ConsumerId> {
    let mut order: Vec<&ConsumerId> = book
        .effects
        .iter()
        .map(|row| &row.facts.effect.consumer)
        .collect();
    order.extend(book.report.consumers.iter().map(|one| &one.id));
    let mut drawn = BTreeSet::new();
    let mut left = LINES;
    for id in order {
        let lines = book.effects_of(id).len().max(1);
        if drawn.contains(id) {
            continue;
        }
        let Some(rest) = left.checked_sub(lines) else {
            // One that is larger than the whole drawing is left out, the others are not.
            continue;
        };
        left = rest;
        drawn.insert(id);
    }
    drawn
}
