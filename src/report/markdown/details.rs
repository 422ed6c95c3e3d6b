//! The folded details of one blocker: place, marked line, harm step by step, fix, evidence.

use std::collections::BTreeSet;

use crate::model::check::{Change, Finding};
use crate::model::report::Report;
use crate::report::excerpt::quoted;
use crate::report::quote::mark;
use crate::report::view::{Blocker, Found, View};
use crate::report::{visible, words};

use super::blockers::anchor;
use super::escape::{block, code, html, text};

/// Columns of a quoted line.
const QUOTED: usize = 100;

/// Lines of a statement that are shown.
const STATEMENT: usize = 40;

/// One folded block; `full` adds the source line, the statements and the evidence.
pub(super) fn of(view: &View<'_>, blocker: &Blocker<'_>, number: usize, full: bool) -> String {
    let title = html(&view.subject_title(&blocker.subject));
    let mut out = format!(
        "<details><summary><a name=\"{}\"></a><b>B{number}</b> {title}</summary>\n\n",
        anchor(blocker)
    );
    out.push_str(&format!("{}\n\n", code(&blocker.subject.to_string())));
    let mut shown = BTreeSet::new();
    for found in &blocker.findings {
        finding(&mut out, view, found, full, &mut shown);
    }
    if let Some(row) = blocker.effect {
        if blocker.findings.is_empty() {
            out.push_str(&format!("{}\n\n", text(&row.reason)));
        }
        let repaired = |found: &Found<'_>| !found.finding.repairs.is_empty();
        let action = row.required_action.as_ref();
        if let Some(action) = action.filter(|_| !blocker.findings.iter().any(repaired)) {
            out.push_str(&format!("Fix: {}\n\n", text(action)));
        }
    }
    out.push_str("</details>\n\n");
    out
}

/// Writes a finding; `shown` holds the changes whose statement stands above.
fn finding<'r>(
    out: &mut String,
    view: &View<'_>,
    found: &Found<'r>,
    full: bool,
    shown: &mut BTreeSet<&'r str>,
) {
    let finding = found.finding;
    let place = code(&finding.place.to_string());
    out.push_str(&format!(
        "**{}[{}]** {}  \nat {place}",
        finding.severity.word(),
        found.obligation.check.id,
        text(&finding.sentence)
    ));
    if !finding.label.is_empty() {
        out.push_str(&format!(": {}", text(&finding.label)));
    }
    if let Some(served) = words::served(&view.conditions_of(found.obligation.check.id)) {
        out.push_str(&format!(" ({served})"));
    }
    out.push_str("\n\n");
    if full {
        source(out, view.report, finding);
    }
    for note in &finding.notes {
        out.push_str(&format!("- {}\n", text(note)));
    }
    if !finding.notes.is_empty() {
        out.push('\n');
    }
    if !finding.interleaving.is_empty() {
        out.push_str("How it happens:\n\n");
        for (at, step) in finding.interleaving.iter().enumerate() {
            out.push_str(&format!(
                "{}. **{}** {}\n",
                at + 1,
                step.actor,
                text(&step.does)
            ));
        }
        out.push('\n');
    }
    repairs(out, finding, full, shown);
    if full && !finding.evidence.is_empty() {
        evidence(out, view.report, finding);
    }
}

fn source(out: &mut String, report: &Report, finding: &Finding) {
    let Some(span) = finding.place.span() else {
        return;
    };
    let Some(excerpt) = quoted(report, span) else {
        return;
    };
    let marked = mark(span, &excerpt, QUOTED);
    let marks = format!("{}{}", " ".repeat(marked.before), "^".repeat(marked.wide));
    out.push_str(&block("text", &[marked.text, marks]));
    out.push('\n');
}

fn repairs<'r>(out: &mut String, finding: &'r Finding, full: bool, shown: &mut BTreeSet<&'r str>) {
    for (way, set) in finding.repairs.iter().enumerate() {
        out.push_str(if way == 0 { "Fix:\n\n" } else { "Or:\n\n" });
        let mut statements = Vec::new();
        for change in set {
            let statement = statement(change).filter(|_| full);
            let again = statement.is_some() && !shown.insert(&change.key);
            let above = if again { " (statement above)" } else { "" };
            out.push_str(&format!("- {}{above}\n", text(&change.title)));
            statements.extend(statement.filter(|_| !again));
        }
        out.push('\n');
        for statement in statements {
            out.push_str(&statement);
            out.push('\n');
        }
    }
}

/// The statement of a change as a block of code.
pub(super) fn statement(change: &Change) -> Option<String> {
    let how = change.how.as_deref()?;
    let language = match how.trim_end().ends_with(';') {
        true => "sql",
        false => "text",
    };
    let mut lines: Vec<String> = how
        .lines()
        .take(STATEMENT)
        .map(|line| {
            let indent = line.len() - line.trim_start_matches(' ').len();
            format!("{}{}", " ".repeat(indent), visible::statement(line))
        })
        .collect();
    if how.lines().count() > STATEMENT {
        lines.push("…".to_owned());
    }
    Some(block(language, &lines))
}

fn evidence(out: &mut String, report: &Report, finding: &Finding) {
    out.push_str("Evidence:\n\n");
    for cited in &finding.evidence {
        let id = report.evidence.binary_search(cited);
        let id = id.map_or_else(|_| String::new(), |at| format!("e{} ", at + 1));
        out.push_str(&format!(
            "- {id}{} {}: {}\n",
            text(&words::observed(cited)),
            code(&cited.place.to_string()),
            text(&cited.says)
        ));
    }
    out.push('\n');
}
