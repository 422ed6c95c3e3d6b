//! The end of the page: what people have accepted, what is put off, what remains even at GO.

use crate::model::report::{Disposition, EffectRow, Report, WaiverState};
use crate::report::view::View;
use crate::report::{accepted, visible, words};

use super::page::{PLAIN, Page, YELLOW};
use super::table::{self, cell, styled};

/// Names of a family on the path that are shown.
const NAMED: usize = 3;

/// Rows of a list unless the reader asks for all.
const LISTED: usize = 30;

/// Waivers with their states, and duplicates that are accepted.
pub(super) fn waivers(page: &mut Page, view: &View<'_>) {
    let report = view.report;
    let accepted: Vec<&EffectRow> = report
        .effects
        .iter()
        .filter(|row| row.disposition == Disposition::Accepted)
        .collect();
    if report.waivers.is_empty() && accepted.is_empty() {
        return;
    }
    page.heading(&accepted::heading(report, accepted.len()));
    let most = if page.verbose { usize::MAX } else { LISTED };
    for row in accepted.iter().take(most) {
        page.labelled("  accepted  ", YELLOW, &view.effect_title(row));
        page.labelled("            ", PLAIN, &accepted_by(row));
    }
    let more = accepted.len().saturating_sub(most);
    if more > 0 {
        let text = format!(
            "{} more accepted: --verbose lists them",
            words::grouped(more)
        );
        page.labelled("  ", PLAIN, &text);
    }
    for row in &report.waivers {
        let style = match row.state {
            WaiverState::Applied => YELLOW,
            _ => PLAIN,
        };
        let label = format!("  {:<8}  ", words::waiver(row.state));
        let waiver = &row.waiver;
        let what = format!("{} of {}", waiver.check.value, waiver.subject.value);
        page.labelled(&label, style, &what);
        let by = format!(
            "waived by {} until {}: {}",
            visible::name(&waiver.owner),
            waiver.expires,
            waiver.reason
        );
        page.labelled("            ", PLAIN, &by);
        if let Some(why) = row.refused {
            page.labelled("            ", PLAIN, why);
        }
        if !row.meant.is_empty() {
            let meant: Vec<String> = row.meant.iter().map(|name| visible::name(name)).collect();
            let text = format!("no such finding; there is {}", meant.join(", "));
            page.labelled("            ", PLAIN, &text);
        }
    }
}

/// Owner and reason of an accepted duplicate.
fn accepted_by(row: &EffectRow) -> String {
    let (owner, reason) = accepted::by(row);
    match owner {
        Some(owner) => format!("by {}: {reason}", visible::name(owner)),
        None => reason.to_owned(),
    }
}

/// The deferred inventory.
pub(super) fn deferred(page: &mut Page, report: &Report) {
    if report.deferred.is_empty() {
        return;
    }
    page.heading("Deferred inventory, and whether it is on the path today");
    let mut rows = Vec::new();
    for family in &report.deferred {
        let style = match words::on_path_today(family) {
            "no" => PLAIN,
            _ => YELLOW,
        };
        let named = family.on_path.iter().take(NAMED);
        let mut names: Vec<String> = named.map(|one| visible::name(one)).collect();
        if family.on_path.len() > NAMED {
            names.push(format!("{} more", family.on_path.len() - NAMED));
        }
        let mut text = names.join(", ");
        if page.verbose {
            let space = if text.is_empty() { "" } else { "; " };
            text = format!("{text}{space}put off: {}", family.why);
        }
        rows.push(vec![
            cell(&family.title),
            styled(words::on_path_today(family), style),
            cell(&text),
        ]);
    }
    table::write(page, rows, &[0, 2]);
}

/// What remains even at GO.
pub(super) fn residuals(page: &mut Page, report: &Report) {
    if report.residuals.is_empty() {
        return;
    }
    page.heading("Residuals: what no condition of this gate removes");
    let most = if page.verbose { usize::MAX } else { LISTED };
    for residual in report.residuals.iter().take(most) {
        page.labelled("  - ", PLAIN, residual);
    }
    let more = report.residuals.len().saturating_sub(most);
    if more > 0 {
        let text = format!("{} more: --verbose lists them", words::grouped(more));
        page.labelled("  ", PLAIN, &text);
    }
}
