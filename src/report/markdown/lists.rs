//! What does not block: advisory findings, safe effects, effects off the path or out of scope.

use std::collections::BTreeMap;

use crate::model::report::{Disposition, EffectRow};
use crate::report::view::{Found, View};
use crate::report::words;

use super::escape::{code, text};
use super::page::Page;

/// Says how many rows of a list are left out.
pub(super) fn more(page: &mut Page, all: usize, most: usize, one: &str) {
    let rest = all.saturating_sub(most);
    if rest > 0 {
        page.line("");
        page.line(&format!(
            "{} not listed here.",
            words::many(rest, &format!("more {one}"))
        ));
    }
}

fn of<'v>(
    view: &'v View<'_>,
    disposition: Disposition,
) -> impl Iterator<Item = &'v EffectRow> + Clone {
    let rows = view.report.effects.iter();
    rows.filter(move |row| row.disposition == disposition)
}

/// Findings that never hold the flag, folded: a reviewer need not act on them.
pub(super) fn advisory(page: &mut Page, view: &View<'_>, most: usize) {
    let all = view.advisory.len();
    if all == 0 {
        return;
    }
    page.heading("Advisory");
    page.line(&format!(
        "<details><summary>{} reported; none holds the flag</summary>\n",
        words::many(all, "finding")
    ));
    page.head(&["Check", "Subject", "Place", "Finding"]);
    for found in view.advisory.iter().take(most) {
        if page.is_full() {
            return;
        }
        advice(page, view, found);
    }
    more(page, all, most, "finding");
    page.line("\n</details>");
}

fn advice(page: &mut Page, view: &View<'_>, found: &Found<'_>) {
    let finding = found.finding;
    let mut says = text(&finding.sentence);
    if let Some(change) = finding.repairs.first().and_then(|set| set.first()) {
        says.push_str(&format!("<br>Fix: {}", text(&change.title)));
    }
    page.row(&[
        code(found.obligation.check.id),
        text(&view.subject_title(&found.obligation.subject)),
        code(&finding.place.to_string()),
        says,
    ]);
}

/// Safe effects with their proofs, or counted by class.
pub(super) fn safe(page: &mut Page, view: &View<'_>, listed: bool) {
    let safe = of(view, Disposition::Safe);
    let all = safe.clone().count();
    if all == 0 {
        return;
    }
    page.heading("Safe effects");
    if !listed {
        let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
        for row in safe {
            *classes.entry(words::class(row.facts.class)).or_insert(0) += 1;
        }
        page.line(&format!(
            "{}, not listed here because an issue holds no more.\n",
            words::many(all, "safe effect")
        ));
        page.head(&["Class", "Effects"]);
        for (class, count) in classes {
            page.row(&[class.to_owned(), words::grouped(count)]);
        }
        return;
    }
    page.head(&["Effect", "Class", "Proof"]);
    for row in safe {
        if page.is_full() {
            return;
        }
        page.row(&[
            text(&view.effect_title(row)),
            words::class(row.facts.class).to_owned(),
            text(row.proof.as_ref().unwrap_or(&row.reason)),
        ]);
    }
}

/// Effects that the outbox does not reach.
pub(super) fn off_path(page: &mut Page, view: &View<'_>, most: usize) {
    let off = of(view, Disposition::OffPath);
    let all = off.clone().count();
    if all == 0 {
        return;
    }
    page.heading("Off the path");
    page.head(&["Effect", "Class", "Why"]);
    for row in off.take(most) {
        if page.is_full() {
            return;
        }
        page.row(&[
            text(&view.effect_title(row)),
            words::class(row.facts.class).to_owned(),
            text(&row.reason),
        ]);
    }
    more(page, all, most, "effect");
}

/// Effects that the gate does not ask for: counted, shown, checked all the same.
pub(super) fn out_of_scope(page: &mut Page, view: &View<'_>, most: usize) {
    let deferred = of(view, Disposition::Deferred);
    let all = deferred.clone().count();
    if all == 0 {
        return;
    }
    page.heading("Outside the gate's scope");
    page.head(&["Effect", "Class", "Second delivery", "Why deferred"]);
    for row in deferred.take(most) {
        if page.is_full() {
            return;
        }
        page.row(&[
            text(&view.effect_title(row)),
            words::class(row.facts.class).to_owned(),
            words::second_delivery(row),
            text(words::out_of_scope(row).unwrap_or(&row.reason)),
        ]);
    }
    more(page, all, most, "effect");
}
