//! What is put off, what people have accepted, and what remains even at GO.

use maud::{Markup, html};

use crate::model::check::Subject;
use crate::model::report::{Disposition, EffectRow, Report};
use crate::report::{accepted, words};

use super::book::{Book, ROWS};
use super::text::{self, code, prose};

/// Names of a family on the path that are shown.
const NAMED: usize = 8;

/// The deferred inventory.
pub(super) fn deferred(report: &Report) -> Markup {
    let families = &report.deferred;
    html! {
        @if !families.is_empty() {
            section #deferred aria-labelledby="h-deferred" {
                h2 #h-deferred { "Deferred inventory" small { "put off, and whether it is on the path today" } }
                (text::table("Deferred inventory", &["Effect family", "Why deferred", "On the path today?"], html! {
                    @for family in families.iter().take(ROWS) {
                        tr {
                            td { (prose(&family.title)) }
                            td { (prose(&family.why)) }
                            td {
                                (words::on_path_today(family))
                                @for name in family.on_path.iter().take(NAMED) { br; (code(name)) }
                                @if family.on_path.len() > NAMED {
                                    br; (words::grouped(family.on_path.len() - NAMED)) " more"
                                }
                            }
                        }
                    }
                }))
                (text::more(families.len(), ROWS, "row"))
            }
        }
    }
}

/// Accepted duplicates and waivers, with owner and date.
pub(super) fn accepted(book: &Book<'_>) -> Markup {
    let report = book.report;
    let effects = report.effects.iter();
    let effects: Vec<&EffectRow> = effects
        .filter(|row| row.disposition == Disposition::Accepted)
        .collect();
    if effects.is_empty() && report.waivers.is_empty() {
        return html! {};
    }
    html! {
        section #accepted aria-labelledby="h-accepted" {
            h2 #h-accepted { (accepted::heading(report, effects.len())) }
            (text::table("Accepted by people", &["What", "State", "Owner", "Until", "Reason"], html! {
                @for row in effects.iter().take(ROWS) {
                    @let (owner, reason) = accepted::by(row);
                    tr {
                        td { (book.titled(&Subject::Effect(row.facts.effect.id.clone()))) }
                        td { "accepted" }
                        td { (prose(owner.unwrap_or("not named"))) }
                        td {}
                        td { (prose(reason)) }
                    }
                }
                @for row in report.waivers.iter().take(ROWS) {
                    tr {
                        td { (code(&row.waiver.check.value)) " of " (code(&row.waiver.subject.value)) }
                        td {
                            (words::waiver(row.state))
                            @if let Some(why) = row.refused { ": " (why) }
                        }
                        td { (prose(&row.waiver.owner)) }
                        td { (text::name(&row.waiver.expires)) }
                        td { (prose(&row.waiver.reason)) }
                    }
                }
            }))
            (text::more(effects.len(), ROWS, "accepted effect"))
            (text::more(report.waivers.len(), ROWS, "waiver"))
        }
    }
}

/// What remains even at GO.
pub(super) fn residuals(report: &Report) -> Markup {
    let residuals = &report.residuals;
    html! {
        @if !residuals.is_empty() {
            section #residuals aria-labelledby="h-residuals" {
                h2 #h-residuals { "Residuals" small { "what no condition of this gate removes" } }
                ul { @for residual in residuals.iter().take(ROWS) { li { (prose(residual)) } } }
                (text::more(residuals.len(), ROWS, "residual"))
            }
        }
    }
}
