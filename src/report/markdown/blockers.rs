//! What blocks the gate: one row for each effect or other subject, and its details folded below.

use crate::model::check::{FurtherDelivery, Subject};
use crate::report::fingerprint::fingerprint;
use crate::report::view::{Blocker, View};
use crate::report::words;

use super::Details;
use super::details;
use super::escape::{code, text};
use super::page::{self, Page};

/// Blockers row by row.
pub(super) fn rows(page: &mut Page, view: &View<'_>, level: Details) {
    page.heading("Blockers");
    count(page, view);
    if view.blockers.is_empty() {
        return;
    }
    let folded = folded(page, view, level);
    page.head(&[
        "",
        "Effect",
        "Current code surface",
        "Class",
        "Second delivery",
        "Required action",
    ]);
    for (at, blocker) in view.blockers.iter().enumerate() {
        if page.is_full() {
            return;
        }
        let id = match at < folded.len() {
            true => format!("[B{}](#{})", at + 1, anchor(blocker)),
            false => format!("B{}", at + 1),
        };
        page.row(&[
            id,
            effect(view, blocker),
            surface(blocker),
            class(blocker).to_owned(),
            second_delivery(blocker),
            action(blocker),
        ]);
    }
    page.line("");
    for block in &folded {
        page.push(block);
    }
    let dropped = view.blockers.len() - folded.len();
    if dropped > 0 {
        let last = view.blockers.len();
        page.line(&format!(
            "Details of B{} to B{last} are left out, because an issue holds no more; \
             `outbox-audit explain ID` and the other formats show them.",
            folded.len() + 1
        ));
    }
}

/// How many findings block, on how many effects and other subjects.
pub(super) fn count(page: &mut Page, view: &View<'_>) {
    let effects = view.blockers.iter().filter(|one| one.effect.is_some());
    let effects = effects.count();
    let others = view.blockers.len() - effects;
    if view.blockers.is_empty() {
        page.line("None.");
        return;
    }
    let mut on = words::many(effects, "effect");
    if others > 0 {
        on = format!("{on} and {}", words::many(others, "other subject"));
    }
    let findings = view.blocking_findings();
    let verb = if findings == 1 { "blocks" } else { "block" };
    page.line(&format!(
        "**{}** {verb} the gate, on {on}.",
        words::many(findings, "finding")
    ));
    let hanging = view.blockers.iter().filter(|one| one.findings.is_empty());
    let hanging = hanging.count();
    if hanging > 0 {
        page.line(&format!(
            "{} blocked without a finding of its own, by what hangs on it.",
            words::many(hanging, "effect")
        ));
    }
    page.line("");
}

/// The details that are shown, in the order of the rows.
fn folded(page: &Page, view: &View<'_>, level: Details) -> Vec<String> {
    let mut left = match level {
        Details::Fitting(room) => room,
        // More than the page takes is not needed to find that it does not fit.
        Details::Full | Details::Longer(_) | Details::Short => usize::MAX,
    };
    let mut seen = 0;
    let mut blocks = Vec::new();
    for (at, blocker) in view.blockers.iter().enumerate() {
        let block = details::of(view, blocker, at + 1, level == Details::Full);
        // The link in the row takes room as well.
        let length = page::length(&block) + anchor(blocker).len() + 5;
        if length > left || seen > super::MOST || page.is_full() {
            break;
        }
        left -= length;
        seen += length;
        blocks.push(block);
    }
    let room = match level {
        Details::Longer(room) => room,
        Details::Fitting(_) => left,
        Details::Full | Details::Short => 0,
    };
    lengthen(view, &mut blocks, room);
    blocks
}

/// Writes details in full as far as so many more characters reach. Those of most weight come first;
/// one that is too long stays short.
fn lengthen(view: &View<'_>, blocks: &mut [String], mut room: usize) {
    for (at, (block, blocker)) in blocks.iter_mut().zip(&view.blockers).enumerate() {
        if room == 0 {
            return;
        }
        let full = details::of(view, blocker, at + 1, true);
        let longer = page::length(&full).saturating_sub(page::length(block));
        if let Some(rest) = room.checked_sub(longer) {
            room = rest;
            *block = full;
        }
    }
}

/// Name of a blocker's details; it stays the same between runs.
pub(super) fn anchor(blocker: &Blocker<'_>) -> String {
    let check = blocker.findings.first();
    let check = check.map_or("", |found| found.obligation.check.id);
    format!("b-{}", fingerprint(check, &blocker.subject.to_string()))
}

fn effect(view: &View<'_>, blocker: &Blocker<'_>) -> String {
    let mut out = text(&view.subject_title(&blocker.subject));
    let mut lead = "<br>";
    for found in &blocker.findings {
        out.push_str(lead);
        out.push_str(&code(found.obligation.check.id));
        lead = " ";
    }
    out
}

fn surface(blocker: &Blocker<'_>) -> String {
    let finding = blocker.findings.first().map(|found| &found.finding.place);
    let place = finding.or(blocker.effect.map(|row| &row.facts.effect.place));
    place.map_or_else(String::new, |place| code(&place.to_string()))
}

/// Class of the effect; what is not an effect belongs to the queue or has none.
pub(super) fn class(blocker: &Blocker<'_>) -> &'static str {
    match (&blocker.subject, blocker.effect) {
        (_, Some(row)) => words::class(row.facts.class),
        (Subject::Queue | Subject::Backlog, None) => "queue-control",
        _ => "none",
    }
}

fn second_delivery(blocker: &Blocker<'_>) -> String {
    if let Some(row) = blocker.effect {
        return words::second_delivery(row);
    }
    let further = blocker.findings.iter();
    let mut further = further.filter_map(|found| found.finding.further_delivery);
    let word = further.next().map(FurtherDelivery::word);
    word.unwrap_or("not a write").to_owned()
}

/// The required action of the effect, or the first repair of each finding, each once.
fn action(blocker: &Blocker<'_>) -> String {
    if let Some(action) = blocker.effect.and_then(|row| row.required_action.as_ref()) {
        return text(action);
    }
    let mut titles: Vec<&str> = Vec::new();
    for found in &blocker.findings {
        for change in found.finding.repairs.first().into_iter().flatten() {
            if !titles.contains(&change.title.as_str()) {
                titles.push(&change.title);
            }
        }
    }
    match titles.is_empty() {
        true => "see the details".to_owned(),
        false => text(&titles.join("; ")),
    }
}
