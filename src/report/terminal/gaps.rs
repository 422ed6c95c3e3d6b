//! What could not be decided: one line of why, where, and the next step, gathered by what closes it.

use crate::model::check::Obligation;
use crate::report::gaps::{Gap, gather};
use crate::report::view::View;
use crate::report::{visible, words};

use super::page::{BLUE, PLAIN, Page, YELLOW};

/// Subjects or sentences of a gap that are named unless the reader asks for all.
const NAMED: usize = 3;

/// Gaps shown unless the reader asks for all.
const GAPS: usize = 30;

/// Every open obligation of the gate.
pub(super) fn open(page: &mut Page, view: &View<'_>) {
    let gaps = gather(&view.open);
    let most = if page.verbose { usize::MAX } else { GAPS };
    for gap in gaps.iter().take(most) {
        one(page, view, gap);
    }
    let rest = gaps.get(most..).unwrap_or_default();
    if !rest.is_empty() {
        let open: usize = rest.iter().map(|gap| gap.obligations.len()).sum();
        let text = format!(
            "{} more not shown, for {}: --verbose lists them",
            words::many(open, "obligation"),
            words::many(rest.len(), "other reason")
        );
        page.blank();
        page.labelled("unknown: ", YELLOW, &text);
    }
}

/// Unknown effects that no open obligation speaks of.
pub(super) fn unsaid(page: &mut Page, view: &View<'_>) {
    let most = if page.verbose { usize::MAX } else { GAPS };
    for row in view.unsaid.iter().take(most) {
        page.blank();
        let text = format!("{}: {}", view.effect_title(row), row.reason);
        page.labelled_hang("unknown: ", YELLOW, 2, &text);
        let place = visible::name(&row.facts.effect.place.to_string());
        page.line(&format!("  {} {place}", page.paint(BLUE, "-->")));
        if let Some(action) = &row.required_action {
            page.labelled("   = next: ", BLUE, action);
        }
    }
    let rest = view.unsaid.len().saturating_sub(most);
    if rest > 0 {
        page.blank();
        let text = format!("{}: --verbose lists them", words::many(rest, "more effect"));
        page.labelled("unknown: ", YELLOW, &text);
    }
}

fn one(page: &mut Page, view: &View<'_>, gap: &Gap<'_>) {
    page.blank();
    let label = match gap.checks.as_slice() {
        [check] => format!("unknown[{check}]: "),
        checks => format!("unknown[{}]: ", words::many(checks.len(), "check")),
    };
    let count = gap.obligations.len();
    match gap.same_sentence {
        true => page.labelled_hang(&label, YELLOW, 2, &gap.reason.sentence),
        false => {
            let subjects = words::many(gap.subjects(), "subject");
            let text = format!("{subjects} cannot be decided");
            page.labelled_hang(&label, YELLOW, 2, &text);
        }
    }
    if let (Some(place), true) = (&gap.reason.place, count == 1) {
        let place = visible::name(&place.to_string());
        page.line(&format!("  {} {place}", page.paint(BLUE, "-->")));
    }
    if gap.checks.len() > 1 {
        page.labelled("   = checks: ", BLUE, &gap.checks.join(", "));
    }
    if gap.same_sentence {
        let text = names(page, view, &gap.obligations);
        page.labelled("   = open for: ", BLUE, &text);
    } else {
        sentences(page, gap);
    }
    page.labelled("   = next: ", BLUE, &gap.reason.next_step);
}

/// The first subjects by name, each once, and how many more there are.
fn names(page: &Page, view: &View<'_>, obligations: &[&Obligation]) -> String {
    let most = if page.verbose { usize::MAX } else { NAMED };
    let mut subjects: Vec<_> = obligations.iter().map(|one| &one.subject).collect();
    subjects.dedup();
    let titles = subjects.iter().take(most);
    let mut parts: Vec<String> = titles
        .map(|subject| visible::name(&view.subject_title(subject)))
        .collect();
    if subjects.len() > most {
        parts.push(format!("{} more", words::grouped(subjects.len() - most)));
    }
    parts.join("; ")
}

/// The first sentences, and how many more there are.
fn sentences(page: &mut Page, gap: &Gap<'_>) {
    let most = if page.verbose { usize::MAX } else { NAMED };
    let all = gap.sentences();
    for sentence in all.iter().take(most) {
        page.labelled("   = ", BLUE, sentence);
    }
    if all.len() > most {
        let more = words::grouped(all.len() - most);
        page.labelled(
            "     ",
            PLAIN,
            &format!("and {more} more: --verbose lists them"),
        );
    }
}
