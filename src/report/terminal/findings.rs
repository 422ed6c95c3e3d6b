//! Findings as compilers show them: sentence, place, marked line, harm step by step, fix.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anstyle::Style;

use crate::model::check::{Change, Finding, Severity};
use crate::model::evidence::Evidence;
use crate::model::report::Report;
use crate::report::fingerprint::fingerprint;
use crate::report::view::{Blocker, Found, View};
use crate::report::wrap::{wrap, wrap_sql};
use crate::report::{visible, words};

use super::page::{BLUE, BOLD, GREEN, PLAIN, Page, RED, YELLOW};
use super::snippet;

/// Subjects whose findings are shown in full unless the reader asks for all.
const IN_FULL: usize = 50;

/// Advisory findings of one check that are shown unless the reader asks for all.
const ADVISORY_OF_ONE_CHECK: usize = 5;

/// Keys of the changes whose statement the page already shows.
#[derive(Default)]
pub(super) struct Shown(BTreeSet<String>);

impl Shown {
    /// True if the statement of that change stands above.
    pub(super) fn has(&self, change: &Change) -> bool {
        self.0.contains(&change.key)
    }
}

/// Everything that blocks, subject by subject.
pub(super) fn blockers(page: &mut Page, view: &View<'_>, shown: &mut Shown) {
    let most = if page.verbose { usize::MAX } else { IN_FULL };
    for blocker in view.blockers.iter().take(most) {
        one(page, view, blocker, shown);
    }
    let rest = view.blockers.get(most..).unwrap_or_default();
    if rest.is_empty() {
        return;
    }
    page.blank();
    let mut by_check = BTreeMap::new();
    for found in rest.iter().flat_map(|blocker| &blocker.findings) {
        *by_check.entry(found.obligation.check.id).or_insert(0usize) += 1;
    }
    let counts: Vec<String> = by_check
        .iter()
        .map(|(check, count)| format!("{check} {}", words::grouped(*count)))
        .collect();
    let text = format!(
        "{} of {} more subjects are not shown in full: {}. --verbose shows each.",
        words::many(by_check.values().sum(), "finding"),
        words::grouped(rest.len()),
        counts.join(" · ")
    );
    page.labelled("", PLAIN, &text);
}

/// All findings about one subject, its id once.
fn one(page: &mut Page, view: &View<'_>, blocker: &Blocker<'_>, shown: &mut Shown) {
    for (at, found) in blocker.findings.iter().enumerate() {
        page.blank();
        let subject = match at {
            0 => Some(blocker.subject.to_string()),
            _ => None,
        };
        finding(page, view, found, subject, shown);
    }
    let unrepaired = blocker
        .findings
        .iter()
        .all(|found| found.finding.repairs.is_empty());
    if let (Some(last), Some(row), true) = (blocker.findings.last(), blocker.effect, unrepaired)
        && let Some(action) = &row.required_action
    {
        note(page, &mark(&last.finding.place), "fix: ", action);
    }
    // Blocked by what hangs on it: said, so that no blocked effect goes without a reason.
    if let (true, Some(row)) = (blocker.findings.is_empty(), blocker.effect) {
        page.blank();
        let sentence = format!("{}: {}", view.effect_title(row), row.reason);
        page.labelled("error: ", RED, &sentence);
        snippet::write(page, view.report, &row.facts.effect.place, "", RED);
        let mark = mark(&row.facts.effect.place);
        note(page, &mark, "effect: ", &blocker.subject.to_string());
        if let Some(action) = &row.required_action {
            note(page, &mark, "fix: ", action);
        }
    }
}

/// One finding.
pub(super) fn finding(
    page: &mut Page,
    view: &View<'_>,
    found: &Found<'_>,
    subject: Option<String>,
    shown: &mut Shown,
) {
    let finding = found.finding;
    let style = of_severity(finding.severity);
    let label = label(found);
    page.labelled_hang(&label, style, 2, &finding.sentence);
    snippet::write(page, view.report, &finding.place, &finding.label, style);
    let mark = mark(&finding.place);
    if let Some(subject) = subject {
        note(page, &mark, "subject: ", &subject);
    }
    for text in &finding.notes {
        note(page, &mark, "", text);
    }
    harm(page, &mark, finding);
    repairs(page, &mark, finding, shown);
}

/// `error[unguarded-create]: `.
fn label(found: &Found<'_>) -> String {
    let severity = found.finding.severity.word();
    format!("{severity}[{}]: ", found.obligation.check.id)
}

fn of_severity(severity: Severity) -> Style {
    match severity {
        Severity::Error => RED,
        Severity::Warning => YELLOW,
        Severity::Note => BLUE,
    }
}

/// The sign before a note, under the frame of the quoted line.
fn mark(place: &crate::model::place::Place) -> String {
    format!("{} = ", " ".repeat(snippet::gutter(place)))
}

fn note(page: &mut Page, mark: &str, label: &str, text: &str) {
    let start = format!("{mark}{label}");
    page.labelled(&start, BLUE, text);
}

/// The interleaving: who in one column, what in the other.
fn harm(page: &mut Page, mark: &str, finding: &Finding) {
    if finding.interleaving.is_empty() {
        return;
    }
    page.line(&page.paint(BLUE, &format!("{mark}how it happens:")));
    let widest = finding.interleaving.iter().map(|step| step.actor.len());
    let widest = widest.max().unwrap_or(1);
    for step in &finding.interleaving {
        let label = format!("{}   {:<widest$}  ", " ".repeat(mark.len()), step.actor);
        page.labelled(&label, BOLD, &step.does);
    }
}

/// The ways to meet it: each a set of changes, with the statement that does it.
fn repairs(page: &mut Page, mark: &str, finding: &Finding, shown: &mut Shown) {
    for (way, set) in finding.repairs.iter().enumerate() {
        let mut label = format!("{mark}{}", if way == 0 { "fix: " } else { "or:  " });
        let indent = label.len();
        for change in set {
            let first = shown.0.insert(change.key.clone());
            let mut title = change.title.clone();
            if change.how.is_some() && !first {
                title.push_str(" (shown above)");
            }
            page.labelled(&label, GREEN, &title);
            if let (Some(how), true) = (&change.how, first) {
                statement(page, indent + 2, how);
            }
            label = " ".repeat(indent);
        }
    }
}

/// A statement or command, line by line; SQL wraps where it still runs, a command stays whole.
pub(super) fn statement(page: &mut Page, indent: usize, how: &str) {
    let before = " ".repeat(indent);
    for line in how.lines() {
        let deeper = line.len() - line.trim_start().len();
        let line = visible::statement(line);
        let room = page.width.saturating_sub(indent + deeper);
        let pieces = match line.starts_with("outbox-audit ") {
            true => vec![line],
            false => wrap_sql(&line, room, room.saturating_sub(4)),
        };
        for (at, piece) in pieces.iter().enumerate() {
            let hang = if at == 0 { deeper } else { deeper + 4 };
            page.line(&format!("{before}{}{piece}", " ".repeat(hang)));
        }
    }
}

/// What a finding rests on, and its fingerprint.
pub(super) fn proof(page: &mut Page, report: &Report, found: &Found<'_>) {
    let mark = mark(&found.finding.place);
    evidence(page, report, &mark, &found.finding.evidence);
    let subject = found.obligation.subject.to_string();
    let id = fingerprint(found.obligation.check.id, &subject);
    note(page, &mark, "fingerprint: ", &id);
}

/// Observations, each with its number, where it stands and what it says.
pub(super) fn evidence(page: &mut Page, report: &Report, mark: &str, cited: &[Arc<Evidence>]) {
    for one in cited {
        let number = report.evidence.binary_search(one);
        let number = number.map_or_else(|_| String::new(), |at| format!("e{} ", at + 1));
        let text = format!("{} {}: {}", words::observed(one), one.place, one.says);
        note(page, mark, &format!("evidence {number}"), &text);
    }
}

/// Findings that never hold the flag, shorter.
pub(super) fn advisory(page: &mut Page, view: &View<'_>) {
    let outside = view.outside.len();
    if view.advisory.is_empty() && outside == 0 {
        return;
    }
    page.heading("Advisory: reported, never holds the flag");
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let most = match page.verbose {
        true => usize::MAX,
        false => ADVISORY_OF_ONE_CHECK,
    };
    for found in &view.advisory {
        let count = seen.entry(found.obligation.check.id).or_insert(0);
        *count += 1;
        if *count <= most {
            brief(page, view, found);
        }
    }
    for (check, count) in seen.iter().filter(|(_, count)| **count > most) {
        let more = words::grouped(count - most);
        page.labelled(
            "  ",
            PLAIN,
            &format!("{more} more of {check}: --verbose lists them"),
        );
    }
    if outside == 0 {
        return;
    }
    if page.verbose {
        page.heading(
            "Outside the gate: found on effects that are deferred, accepted or off the path",
        );
        for found in &view.outside {
            brief(page, view, found);
        }
    } else {
        let text = format!(
            "{} on effects that are deferred, accepted or off the path: --verbose lists them",
            words::many(outside, "finding")
        );
        page.labelled("  ", PLAIN, &text);
    }
}

/// One finding in two or three lines: sentence, place, first remedy.
fn brief(page: &mut Page, view: &View<'_>, found: &Found<'_>) {
    let style = of_severity(found.finding.severity);
    let title = view.subject_title(&found.obligation.subject);
    let text = format!("{title}: {}", found.finding.sentence);
    page.labelled_hang(&label(found), style, 4, &text);
    let place = visible::name(&found.finding.place.to_string());
    page.line(&format!("    {} {place}", page.paint(BLUE, "-->")));
    if let Some(change) = found.finding.repairs.first().and_then(|set| set.first()) {
        for (at, line) in wrap(
            &visible::sentence(&change.title),
            page.width - 9,
            page.width - 9,
        )
        .iter()
        .enumerate()
        {
            let start = if at == 0 { "    fix: " } else { "         " };
            page.line(&format!("{start}{line}"));
        }
    }
}
