//! Blockers too many for a row each: counted by check and target, and what is left by check.
//! The counts add up to the number of findings that block.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::report::view::{Blocker, View};
use crate::report::words;

use super::blockers::count;
use super::escape::{code, short};
use super::page::Page;

/// Writes at most `most` groups of check and target, the largest first, and the rest by check.
pub(super) fn rows(page: &mut Page, view: &View<'_>, most: usize) {
    page.heading("Blockers");
    count(page, view);
    if view.blocking_findings() == 0 || page.is_full() {
        return;
    }
    let mut groups: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for blocker in &view.blockers {
        let target = target(blocker);
        for found in &blocker.findings {
            let key = (found.obligation.check.id, target.clone());
            *groups.entry(key).or_insert(0) += 1;
        }
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by(|one, other| (Reverse(one.1), &one.0).cmp(&(Reverse(other.1), &other.0)));
    page.line("They are too many for a row each; they are grouped by check and target.");
    page.line("");
    page.head(&["Check", "Target", "Findings"]);
    for ((check, target), count) in groups.iter().take(most) {
        page.row(&[code(check), short(target, 60), words::grouped(*count)]);
    }
    let mut rest: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for ((check, _), count) in groups.iter().skip(most) {
        let (targets, findings) = rest.entry(check).or_insert((0, 0));
        *targets += 1;
        *findings += count;
    }
    for (check, (targets, findings)) in rest {
        page.row(&[
            code(check),
            format!("{} not named here", words::many(targets, "target")),
            words::grouped(findings),
        ]);
    }
    page.line("");
    page.line("The terminal and the JSON report name each of them.");
}

fn target(blocker: &Blocker<'_>) -> String {
    match blocker.effect {
        Some(row) => row.facts.effect.target.name().to_string(),
        None => blocker.subject.to_string(),
    }
}
