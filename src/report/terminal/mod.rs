//! The report for a person at a terminal: the verdict first, then why, then what to do.

mod changes;
mod effects;
pub(super) mod explain;
mod findings;
mod gaps;
mod guarantees;
mod head;
mod page;
mod snippet;
mod table;
mod tail;

use crate::model::report::Report;

use super::RenderOptions;
use super::view::View;
use page::Page;

/// Renders the report; with `quiet`, the verdict alone.
pub(super) fn render(report: &Report, options: &RenderOptions) -> String {
    let mut page = Page::new(options.width, options.color, options.verbose);
    if options.quiet {
        head::verdict(&mut page, report);
        return page.finish();
    }
    let view = View::new(report);
    head::title(&mut page, report);
    head::verdict(&mut page, report);
    head::inputs(&mut page, report);
    head::conditions(&mut page, report);
    guarantees::table(&mut page, report);
    effects::table(&mut page, &view);
    // Statements shown beside a finding are not shown again.
    let mut shown = findings::Shown::default();
    findings::blockers(&mut page, &view, &mut shown);
    findings::advisory(&mut page, &view);
    gaps::open(&mut page, &view);
    gaps::unsaid(&mut page, &view);
    changes::to_go(&mut page, report, &shown);
    tail::waivers(&mut page, &view);
    tail::deferred(&mut page, report);
    tail::residuals(&mut page, report);
    page.finish()
}
