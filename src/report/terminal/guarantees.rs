//! Guarantees: one line each, with where it is enforced and whether its tests ran.

use crate::model::guarantee::JudgedGuarantee;
use crate::model::report::Report;
use crate::report::guarantees::{Standing, standing};

use super::page::{GREEN, Page, RED, YELLOW};
use super::table::{self, cell, styled};

/// The table; nothing where nothing is guaranteed.
pub(super) fn table(page: &mut Page, report: &Report) {
    if report.guarantees.is_empty() {
        return;
    }
    page.heading("guarantees");
    let rows = report.guarantees.iter().map(|judged| row(judged)).collect();
    table::write(page, rows, &[3]);
}

fn row(judged: &JudgedGuarantee) -> Vec<super::table::Cell> {
    let state = Standing::of(judged);
    let style = match state {
        Standing::Met => GREEN,
        Standing::Unknown => YELLOW,
        Standing::NotMet => RED,
    };
    let kinds = judged.kinds.iter();
    let kept = kinds
        .filter(|kind| standing(&kind.parts) == Standing::Met)
        .count();
    let of = |parts: &[crate::model::scope::ContractPart]| {
        let there = parts
            .iter()
            .filter(|part| standing([*part]) == Standing::Met);
        format!("{}/{}", there.count(), parts.len())
    };
    let told = format!(
        "kept {kept}/{}, enforced {}, proven {}",
        judged.kinds.len(),
        of(&judged.enforced),
        of(&judged.proven)
    );
    vec![
        cell(""),
        styled(state.word(), style),
        cell(&judged.guarantee.id),
        cell(&told),
    ]
}
