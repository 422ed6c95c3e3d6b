//! The report for an issue: a reviewer acts in two minutes without unfolding anything.
//!
//! GitHub takes 65,536 characters. What does not fit gives way in a fixed order: details are
//! shortened, then dropped; then the map; then the safe effects; then long lists; then blockers
//! are grouped, with exact counts. No blocker goes uncounted.

mod blockers;
mod changes;
mod details;
mod escape;
mod gaps;
mod grouped;
mod guarantees;
mod head;
mod lists;
mod map;
mod page;
mod tail;

use crate::model::report::Report;

use super::view::View;
use page::Page;

/// Most characters of an issue or comment. GitHub counts characters; UTF-16 units, of which a
/// text has at least as many, are counted here.
pub(crate) const MOST: usize = 65_536;

/// Characters kept for the note that says which details are left out.
const NOTE: usize = 300;

/// How details are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Details {
    /// With the source line and the evidence.
    Full,
    /// Without them, and with them as far as so many more characters reach.
    Longer(usize),
    /// Without them.
    Short,
    /// Short, as many as fit into so many characters.
    Fitting(usize),
}

/// How blockers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blockers {
    /// One row each.
    Rows,
    /// One row for each check and target, at most so many; the rest one row for each check.
    Grouped(usize),
}

/// How much of the report is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
    /// Details.
    details: Details,
    /// Whether the map is drawn.
    map: bool,
    /// Whether safe effects are listed or counted.
    safe: bool,
    /// Most rows of any other list.
    rows: usize,
    /// Blockers.
    blockers: Blockers,
}

/// From the richest to the barest.
const LADDER: [Level; 8] = {
    let all = Level {
        details: Details::Full,
        map: true,
        safe: true,
        rows: usize::MAX,
        blockers: Blockers::Rows,
    };
    let short = Level {
        details: Details::Short,
        ..all
    };
    // The room is filled in once it is known what the rest leaves.
    let fitting = Level {
        details: Details::Fitting(0),
        ..all
    };
    let no_map = Level {
        map: false,
        ..fitting
    };
    let no_safe = Level {
        safe: false,
        ..no_map
    };
    let few = Level {
        rows: 20,
        ..no_safe
    };
    let grouped = Level {
        blockers: Blockers::Grouped(200),
        ..few
    };
    let fewer = Level {
        blockers: Blockers::Grouped(20),
        rows: 5,
        ..few
    };
    [all, short, fitting, no_map, no_safe, few, grouped, fewer]
};

/// Renders the report.
pub(super) fn render(report: &Report) -> String {
    let view = View::new(report);
    for level in LADDER {
        let Some(text) = document(&view, level) else {
            continue;
        };
        // It fits: what is left over is given to the details.
        let left = MOST.saturating_sub(page::length(&text) + NOTE);
        let details = match (level.details, level.blockers) {
            (Details::Short, _) => Details::Longer(left),
            (Details::Fitting(_), Blockers::Rows) => Details::Fitting(left),
            _ => return text,
        };
        let filled = Level { details, ..level };
        return document(&view, filled).unwrap_or(text);
    }
    bare(&view)
}

/// The whole document at a level; none if it is too long.
fn document(view: &View<'_>, level: Level) -> Option<String> {
    let report = view.report;
    let mut page = Page::new(MOST);
    head::verdict(&mut page, report);
    head::inputs(&mut page, report, level.rows);
    head::conditions(&mut page, report, level.rows);
    match level.blockers {
        Blockers::Rows => blockers::rows(&mut page, view, level.details),
        Blockers::Grouped(most) => grouped::rows(&mut page, view, most),
    }
    changes::to_go(&mut page, report, level.rows);
    gaps::open(&mut page, view, level.rows);
    guarantees::guarantees(&mut page, view, level.rows);
    lists::advisory(&mut page, view, level.rows);
    lists::safe(&mut page, view, level.safe);
    lists::off_path(&mut page, view, level.rows);
    lists::out_of_scope(&mut page, view, level.rows);
    tail::deferred(&mut page, report, level.rows);
    if level.map {
        map::draw(&mut page, view);
    }
    tail::accepted(&mut page, view, level.rows);
    tail::residuals(&mut page, report, level.rows);
    tail::foot(&mut page, report);
    page.finish()
}

/// What always fits: the verdict, and blockers counted by check. Checks are named in the
/// program, so that their number is small whatever the input.
fn bare(view: &View<'_>) -> String {
    let mut page = Page::new(MOST);
    head::verdict(&mut page, view.report);
    grouped::rows(&mut page, view, 0);
    tail::foot(&mut page, view.report);
    page.finish().unwrap_or_default()
}
