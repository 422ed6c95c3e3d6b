//! The effects by what became of them, blocked ones first; what asks nothing of the reader is
//! folded into one line.

use rayon::prelude::*;

use crate::model::report::{Disposition, EffectRow};
use crate::report::view::View;
use crate::report::words;

use super::page::{BOLD, PLAIN, Page, of_disposition};
use super::table::{self, Cell, cell, styled};

/// Dispositions in the order shown.
const ORDER: [Disposition; 6] = [
    Disposition::Blocked,
    Disposition::Unknown,
    Disposition::Accepted,
    Disposition::Safe,
    Disposition::Deferred,
    Disposition::OffPath,
];

/// True of what is folded unless the reader asks for it.
fn folds(disposition: Disposition) -> bool {
    matches!(
        disposition,
        Disposition::Safe | Disposition::Deferred | Disposition::OffPath
    )
}

/// The table of effects.
pub(super) fn table(page: &mut Page, view: &View<'_>) {
    let report = view.report;
    if report.effects.is_empty() {
        return;
    }
    page.blank();
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for disposition in ORDER {
        if folds(disposition) && !page.verbose {
            continue;
        }
        let of_it = report
            .effects
            .par_iter()
            .filter(|row| row.disposition == disposition);
        rows.par_extend(of_it.map(|row| effect(view, row)));
    }
    if !rows.is_empty() {
        let head = ["Effect", "Class", "Second delivery", ""];
        rows.insert(0, head.iter().map(|text| styled(text, BOLD)).collect());
        table::write(page, rows, &[0, 2]);
    }
    if page.verbose {
        reasons(page, view);
        return;
    }
    let folded: Vec<String> = [
        (Disposition::Safe, "safe"),
        (Disposition::OffPath, "off the path"),
        (Disposition::Deferred, "deferred"),
    ]
    .into_iter()
    .map(|(disposition, word)| (report.count(disposition), word))
    .filter(|(count, _)| *count > 0)
    .map(|(count, word)| format!("{} {word}", words::grouped(count)))
    .collect();
    if !folded.is_empty() {
        let text = format!("{}: --verbose lists them", folded.join(" · "));
        page.labelled(" ", PLAIN, &text);
    }
}

fn effect(view: &View<'_>, row: &EffectRow) -> Vec<Cell> {
    vec![
        cell(&view.effect_title(row)),
        cell(words::class(row.facts.class)),
        cell(&words::second_delivery(row)),
        styled(words::disposition(row), of_disposition(row.disposition)),
    ]
}

/// Why each folded effect is what it is.
fn reasons(page: &mut Page, view: &View<'_>) {
    let heads = [
        (Disposition::Safe, "Safe effects"),
        (Disposition::OffPath, "Off the path"),
        (Disposition::Deferred, "Deferred effects"),
    ];
    for (disposition, head) in heads {
        let of_it = view.report.effects.iter();
        let mut of_it = of_it
            .filter(|row| row.disposition == disposition)
            .peekable();
        if of_it.peek().is_none() {
            continue;
        }
        page.heading(head);
        for row in of_it {
            let why = row.proof.as_ref().unwrap_or(&row.reason);
            page.labelled("  ", PLAIN, &view.effect_title(row));
            page.labelled("      ", PLAIN, why);
        }
    }
}
