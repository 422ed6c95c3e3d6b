//! The head: what was asked, the answer, what was read, and where each condition stands.

use crate::model::evidence::Reason;
use crate::model::inputs::{InputState, ReadInput};
use crate::model::report::Report;
use crate::report::{headline, visible, words};

use super::page::{BOLD, PLAIN, Page, YELLOW, of_state, of_verdict};
use super::table::{self, cell, styled};

/// Read inputs of one kind that are named one by one.
const NAMED: usize = 3;

/// Failures of one kind of input that are told unless the reader asks for all.
const FAILED: usize = 3;

/// Tool, flag, subject.
pub(super) fn title(page: &mut Page, report: &Report) {
    let mut parts = vec![format!("outbox-audit {}", report.tool_version)];
    parts.extend(report.flag.iter().map(|flag| visible::name(flag)));
    parts.push(visible::name(&report.subject));
    let text = parts.join(" · ");
    page.hanging("", PLAIN, 2, &text);
    page.blank();
}

/// The verdict with its counts.
pub(super) fn verdict(page: &mut Page, report: &Report) {
    let style = of_verdict(report.verdict);
    let (mark, conditions) = match headline::waived(report) {
        Some(waived) => (", ", format!("{waived}; {}", headline::conditions(report))),
        None => ("  ", headline::conditions(report)),
    };
    let label = format!("{}{mark}", report.verdict.word());
    page.labelled(&label, style, &conditions);
    let hang = " ".repeat(label.len());
    if report.effects.is_empty() {
        page.labelled(&hang, PLAIN, "no effect was found");
        return;
    }
    let counts: Vec<String> = words::effect_counts(report)
        .into_iter()
        // Joined by hard spaces, so that a number never parts from its word at a line's end.
        .map(|(_, text)| text.replace(' ', "\u{a0}"))
        .collect();
    let total = words::many(report.effects.len(), "effect").replace(' ', "\u{a0}");
    page.labelled(&hang, PLAIN, &format!("{total}: {}", counts.join(" · ")));
}

/// What was read, what was not and why, the tree, the stage.
pub(super) fn inputs(page: &mut Page, report: &Report) {
    page.blank();
    let read: Vec<String> = report.inputs.iter().filter_map(summary).collect();
    let read = match read.is_empty() {
        true => "nothing".to_owned(),
        false => read.join(" · "),
    };
    page.labelled("Read      ", BOLD, &read);
    if page.verbose {
        for input in report.inputs.iter().flat_map(|state| &state.read) {
            page.labelled("          ", PLAIN, &with_digest(input));
        }
    }
    not_read(page, report);
    page.labelled(
        "Map       ",
        BOLD,
        &visible::name(&words::inventory(report)),
    );
    page.labelled("Tree      ", BOLD, &words::tree(&report.tree));
    page.labelled("Stage     ", BOLD, &words::stage(report));
    if !report.packs.is_empty() {
        let packs: Vec<String> = report
            .packs
            .iter()
            .map(|pack| visible::name(pack))
            .collect();
        page.labelled("Packs     ", BOLD, &packs.join(", "));
    }
}

/// What was not given; and what was and could not be read, the first few of each kind.
fn not_read(page: &mut Page, report: &Report) {
    let mut label = "Not read  ";
    let states = report.inputs.iter();
    let missing = states.filter(|state| state.unknown.iter().any(|one| words::was_not_given(one)));
    let kinds: Vec<&str> = missing.map(|state| words::missing(state.kind)).collect();
    if !kinds.is_empty() {
        page.labelled(label, YELLOW, &kinds.join(" · "));
        label = "          ";
    }
    let most = if page.verbose { usize::MAX } else { FAILED };
    for state in &report.inputs {
        let failed: Vec<&Reason> = state
            .unknown
            .iter()
            .map(|reason| &**reason)
            .filter(|reason| !words::was_not_given(reason))
            .collect();
        let kind = state.kind.word();
        for reason in failed.iter().take(most) {
            failure(page, label, kind, reason);
            label = "          ";
        }
        let more = failed.len().saturating_sub(most);
        if more > 0 {
            let more = words::grouped(more);
            let text = format!("{kind}: {more} more not read: --verbose lists them");
            page.labelled(label, YELLOW, &text);
        }
    }
}

/// What was given and could not be read, with the next step.
fn failure(page: &mut Page, label: &str, kind: &str, reason: &Reason) {
    page.labelled(label, YELLOW, &format!("{kind}: {}", reason.sentence));
    if let Some(place) = &reason.place {
        page.labelled("            at    ", PLAIN, &place.to_string());
    }
    page.labelled("            next: ", PLAIN, &reason.next_step);
}

/// `14 flows, 31 effects`, or the first few of many.
fn summary(state: &InputState) -> Option<String> {
    // What was read as one with another file has no summary of its own.
    let told: Vec<&str> = state
        .read
        .iter()
        .map(|input| &*input.summary)
        .filter(|summary| !summary.is_empty())
        .collect();
    let mut parts: Vec<String> = told
        .iter()
        .take(NAMED)
        .copied()
        .map(visible::name)
        .collect();
    let more = told.len().saturating_sub(NAMED);
    if more > 0 {
        parts.push(words::many(more, "more file"));
    }
    match parts.is_empty() {
        true => None,
        false => Some(parts.join(", ")),
    }
}

fn with_digest(input: &ReadInput) -> String {
    let name = visible::name(&input.name);
    let summary = match &*input.summary {
        "" => String::new(),
        summary => format!(" ({summary})"),
    };
    match &input.digest {
        Some(digest) => format!("{name}{summary} sha256 {digest}"),
        None => format!("{name}{summary}"),
    }
}

/// The conditions with their states.
pub(super) fn conditions(page: &mut Page, report: &Report) {
    if report.gate.is_empty() {
        return;
    }
    page.blank();
    let rows: Vec<_> = report
        .gate
        .iter()
        .enumerate()
        .map(|(at, condition)| {
            let mut why = condition.why.clone();
            if condition.waived > 0 {
                why = format!("{why} ({} waived)", condition.waived);
            }
            vec![
                cell(&format!("{}", at + 1)),
                cell(&condition.title),
                styled(words::state(condition.state), of_state(condition.state)),
                cell(&why),
            ]
        })
        .collect();
    table::write(page, rows, &[1, 3]);
}
