//! The end: what is put off, what people have accepted, what remains even at GO.

use crate::model::report::{Disposition, Report};
use crate::report::view::View;
use crate::report::{accepted, words};

use super::escape::{code, short, text};
use super::lists::more;
use super::page::Page;

/// Names of a family on the path that are shown.
const NAMED: usize = 5;

/// The deferred inventory.
pub(super) fn deferred(page: &mut Page, report: &Report, most: usize) {
    if report.deferred.is_empty() {
        return;
    }
    page.heading("Deferred inventory");
    page.head(&["Effect family", "Why deferred", "On the path today?"]);
    for family in report.deferred.iter().take(most) {
        if page.is_full() {
            return;
        }
        let mut today = words::on_path_today(family).to_owned();
        if !family.on_path.is_empty() {
            let named = family.on_path.iter().take(NAMED);
            let mut names: Vec<String> = named.map(|name| code(name)).collect();
            if family.on_path.len() > NAMED {
                names.push(format!(
                    "{} more",
                    words::grouped(family.on_path.len() - NAMED)
                ));
            }
            today = format!("**{today}**: {}", names.join(", "));
        }
        page.row(&[text(&family.title), text(&family.why), today]);
    }
    more(page, report.deferred.len(), most, "row");
}

/// Accepted duplicates and waivers, with owner and date.
pub(super) fn accepted(page: &mut Page, view: &View<'_>, most: usize) {
    let report = view.report;
    let effects = report.effects.iter();
    let effects = effects.filter(|row| row.disposition == Disposition::Accepted);
    let all = effects.clone().count() + report.waivers.len();
    if all == 0 {
        return;
    }
    page.heading("Accepted duplicates and waivers");
    page.head(&["What", "State", "Owner", "Until", "Reason"]);
    for row in effects.take(most) {
        if page.is_full() {
            return;
        }
        let (owner, reason) = accepted::by(row);
        page.row(&[
            text(&view.effect_title(row)),
            "accepted".to_owned(),
            text(owner.unwrap_or("not named")),
            String::new(),
            text(reason),
        ]);
    }
    let left = most.saturating_sub(all - report.waivers.len());
    for row in report.waivers.iter().take(left) {
        let waiver = &row.waiver;
        page.row(&[
            format!(
                "{} of {}",
                code(&waiver.check.value),
                code(&waiver.subject.value)
            ),
            match row.refused {
                Some(why) => format!("{}: {why}", words::waiver(row.state)),
                None => words::waiver(row.state).to_owned(),
            },
            text(&waiver.owner),
            text(&waiver.expires),
            text(&waiver.reason),
        ]);
    }
    more(page, all, most, "row");
}

/// What remains even at GO.
pub(super) fn residuals(page: &mut Page, report: &Report, most: usize) {
    if report.residuals.is_empty() {
        return;
    }
    page.heading("Residuals");
    page.line("What no condition of this gate removes:\n");
    for residual in report.residuals.iter().take(most) {
        page.line(&format!("- {}", text(residual)));
    }
    more(page, report.residuals.len(), most, "residual");
}

/// Tool and packs.
pub(super) fn foot(page: &mut Page, report: &Report) {
    let packs: Vec<String> = report
        .packs
        .iter()
        .take(10)
        .map(|pack| short(pack, 40))
        .collect();
    page.line(&format!(
        "\n---\noutbox-audit {}; packs: {}",
        report.tool_version,
        packs.join(", ")
    ));
}
