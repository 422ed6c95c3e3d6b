//! What could not be decided, and the next step for each.

use crate::model::check::Obligation;
use crate::report::gaps::{Gap, gather};
use crate::report::view::View;
use crate::report::words;

use super::escape::{code, text};
use super::lists::more;
use super::page::Page;

/// Subjects or sentences of a gap that are named.
const NAMED: usize = 3;

/// Open obligations of the gate, gathered by what closes them.
pub(super) fn open(page: &mut Page, view: &View<'_>, most: usize) {
    // Gathering takes longer than looking: nothing is gathered for a page that is given up.
    if (view.open.is_empty() && view.unsaid.is_empty()) || page.is_full() {
        return;
    }
    page.heading("Not shown");
    if !view.open.is_empty() {
        obligations(page, view, most);
    }
    if !view.unsaid.is_empty() {
        effects(page, view, most);
    }
}

/// Unknown effects that no open obligation speaks of.
fn effects(page: &mut Page, view: &View<'_>, most: usize) {
    page.line("");
    page.head(&["Effect", "What is not known", "Next step"]);
    for row in view.unsaid.iter().take(most) {
        if page.is_full() {
            return;
        }
        page.row(&[
            text(&view.effect_title(row)),
            format!(
                "{}<br>{}",
                text(&row.reason),
                code(&row.facts.effect.place.to_string())
            ),
            text(row.required_action.as_deref().unwrap_or_default()),
        ]);
    }
    more(page, view.unsaid.len(), most, "effect");
}

fn obligations(page: &mut Page, view: &View<'_>, most: usize) {
    let gaps = gather(&view.open);
    page.line(&format!(
        "{} of the gate could not be decided.\n",
        words::many(view.open.len(), "obligation")
    ));
    page.head(&["Checks", "What is not known", "For", "Next step"]);
    for gap in gaps.iter().take(most) {
        if page.is_full() {
            return;
        }
        page.row(&[
            checks(gap),
            what(gap),
            subjects(view, &gap.obligations),
            text(&gap.reason.next_step),
        ]);
    }
    more(page, gaps.len(), most, "reason");
}

fn checks(gap: &Gap<'_>) -> String {
    let named: Vec<String> = gap.checks.iter().map(|check| code(check)).collect();
    named.join("<br>")
}

fn what(gap: &Gap<'_>) -> String {
    let place = gap.reason.place.as_ref();
    let place = place.filter(|_| gap.obligations.len() == 1);
    if gap.same_sentence {
        let sentence = text(&gap.reason.sentence);
        return match place {
            Some(place) => format!("{sentence}<br>{}", code(&place.to_string())),
            None => sentence,
        };
    }
    let sentences = gap.sentences();
    let named = sentences.iter().take(NAMED);
    let mut parts: Vec<String> = named.map(|sentence| text(sentence)).collect();
    let rest = sentences.len().saturating_sub(NAMED);
    if rest > 0 {
        parts.push(format!("and {} more", words::grouped(rest)));
    }
    parts.join("<br>")
}

fn subjects(view: &View<'_>, obligations: &[&Obligation]) -> String {
    let mut subjects: Vec<_> = obligations.iter().map(|one| &one.subject).collect();
    subjects.dedup();
    let named = subjects.iter().take(NAMED);
    let mut parts: Vec<String> = named
        .map(|subject| text(&view.subject_title(subject)))
        .collect();
    if subjects.len() > NAMED {
        parts.push(format!("{} more", words::grouped(subjects.len() - NAMED)));
    }
    parts.join("<br>")
}
