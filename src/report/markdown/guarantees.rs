//! Guarantees: what became of each, where it is enforced and which tests prove it.

use crate::report::guarantees::Standing;
use crate::report::view::View;

use super::escape::{code, text};
use super::lists::more;
use super::page::Page;

/// The table; nothing where nothing is guaranteed.
pub(super) fn guarantees(page: &mut Page, view: &View<'_>, most: usize) {
    let all = &view.report.guarantees;
    if all.is_empty() {
        return;
    }
    page.heading("Guarantees");
    page.head(&[
        "Guarantee",
        "Verdict",
        "Statement",
        "Enforced by",
        "Proven by",
    ]);
    for judged in all.iter().take(most) {
        if page.is_full() {
            return;
        }
        let guarantee = &judged.guarantee;
        let enforced: Vec<String> = guarantee
            .enforced_by
            .iter()
            .map(|one| code(one.name()))
            .collect();
        let proven: Vec<String> = guarantee
            .proven_by
            .iter()
            .map(|one| code(&one.title()))
            .collect();
        page.row(&[
            code(&guarantee.id),
            Standing::of(judged).word().to_owned(),
            text(&guarantee.statement),
            enforced.join("<br>"),
            proven.join("<br>"),
        ]);
    }
    more(page, all.len(), most, "guarantee");
}
