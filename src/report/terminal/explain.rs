//! One thing of a report, with all that is known of it.

use crate::model::check::{Obligation, Outcome, Subject};
use crate::model::consumer::Consumer;
use crate::model::evidence::Evidence;
use crate::model::report::{EffectRow, Report};
use crate::report::explained::Explained;
use crate::report::view::{Found, View};
use crate::report::{RenderOptions, account, visible, words};

use super::findings::{self, Shown};
use super::page::{BLUE, BOLD, GREEN, PLAIN, Page, YELLOW};

/// Entries of one list that are shown.
const FEW: usize = 60;

/// Explains it.
pub(in crate::report) fn render(
    report: &Report,
    explained: &Explained<'_>,
    options: &RenderOptions,
) -> String {
    let mut page = Page::new(options.width, options.color, true);
    let view = View::new(report);
    match explained {
        Explained::Subject(subject) => {
            head(&mut page, &view, subject);
            let obligations = report.obligations.iter();
            let of_it: Vec<_> = obligations.filter(|one| one.subject == *subject).collect();
            outcomes(&mut page, &view, &of_it);
        }
        Explained::Obligation(obligation) => {
            head(&mut page, &view, &obligation.subject);
            outcomes(&mut page, &view, &[obligation]);
        }
        Explained::Evidence(number, evidence) => observation(&mut page, &view, *number, evidence),
    }
    page.finish()
}

/// What the subject is, and how it is reached.
fn head(page: &mut Page, view: &View<'_>, subject: &Subject) {
    page.heading(&view.subject_title(subject));
    page.labelled("Id        ", BOLD, &subject.to_string());
    match (view.effect(subject), subject) {
        (Some(row), _) => effect(page, view.report, row),
        (None, Subject::Consumer(id)) => {
            if let Some(one) = account::consumer(view.report, id) {
                consumer(page, view, one);
            }
        }
        _ => {}
    }
}

fn effect(page: &mut Page, report: &Report, row: &EffectRow) {
    let why = row.proof.as_ref().unwrap_or(&row.reason);
    let state = format!("{}: {why}", words::disposition(row));
    page.labelled("State     ", BOLD, &state);
    page.labelled("Class     ", BOLD, words::class(row.facts.class));
    let mut label = "Delivery  ";
    for (scenario, word) in account::deliveries(row) {
        page.labelled(label, BOLD, &format!("{scenario}: {word}"));
        label = "          ";
    }
    let mut label = "Path      ";
    for step in account::path(report, row, FEW) {
        let place = step.place.map(|place| format!("  {place}"));
        page.labelled(
            label,
            BOLD,
            &format!("{}{}", step.what, place.unwrap_or_default()),
        );
        label = "       →  ";
    }
    page.labelled("          ", PLAIN, &words::path(&row.facts.effect.path));
    let mut label = "Writes    ";
    let writes = &row.facts.effect.writes;
    for write in writes.iter().take(FEW) {
        let (field, value) = (&write.field, account::value(&row.facts.effect, write));
        let text = format!("{field} = {value}  ({})", account::sources(write));
        page.labelled(label, BOLD, &text);
        label = "          ";
    }
    more(page, writes.len(), "field");
    if let Some(action) = &row.required_action {
        page.labelled("To do     ", BOLD, action);
    }
}

fn consumer(page: &mut Page, view: &View<'_>, consumer: &Consumer) {
    page.labelled("Starts on ", BOLD, &words::event(&consumer.trigger));
    page.labelled("At        ", BOLD, &consumer.place.to_string());
    page.labelled("Path      ", BOLD, &words::path(&consumer.path));
    let rows = view.report.effects.iter();
    let rows: Vec<_> = rows
        .filter(|row| row.facts.effect.consumer == consumer.id)
        .collect();
    let mut label = "Effects   ";
    for row in rows.iter().take(FEW) {
        let effect = &row.facts.effect;
        let text = format!("{}: {}", words::disposition(row), words::effect(effect));
        page.labelled(label, BOLD, &text);
        page.labelled("            ", PLAIN, &effect.id.to_string());
        label = "          ";
    }
    more(page, rows.len(), "effect");
    for gap in consumer.gaps.iter().take(FEW) {
        page.labelled("Not known ", YELLOW, &gap.sentence);
        page.labelled("     next ", BLUE, &gap.next_step);
    }
    more(page, consumer.gaps.len(), "gap");
}

fn more(page: &mut Page, all: usize, one: &str) {
    let rest = all.saturating_sub(FEW);
    if rest > 0 {
        let text = words::many(rest, &format!("more {one}"));
        page.labelled(
            "          ",
            PLAIN,
            &format!("{text}: --format json holds all"),
        );
    }
}

/// Findings, then what is open, then what is proved, then what does not arise.
fn outcomes(page: &mut Page, view: &View<'_>, of_it: &[&Obligation]) {
    let mut shown = Shown::default();
    for obligation in of_it {
        if let Outcome::NotMet(finding) = &obligation.outcome {
            let found = Found {
                obligation,
                finding,
            };
            page.blank();
            findings::finding(page, view, &found, None, &mut shown);
            findings::proof(page, view.report, &found);
        }
    }
    for obligation in of_it {
        if let Outcome::Unknown(reason) = &obligation.outcome {
            page.blank();
            let label = format!("unknown[{}]: ", obligation.check.id);
            page.labelled_hang(&label, YELLOW, 2, &reason.sentence);
            if let Some(place) = &reason.place {
                let place = visible::name(&place.to_string());
                page.line(&format!("  {} {place}", page.paint(BLUE, "-->")));
            }
            page.labelled("   = next: ", BLUE, &reason.next_step);
        }
    }
    for obligation in of_it {
        if let Outcome::Met(proof) = &obligation.outcome {
            page.blank();
            let label = format!("met[{}]: ", obligation.check.id);
            page.labelled_hang(&label, GREEN, 2, &proof.sentence);
            findings::evidence(page, view.report, "   = ", &proof.evidence);
        }
    }
    let none = of_it.iter().filter_map(|one| match one.outcome {
        Outcome::NotApplicable(why) => Some(format!("{}: {why}", one.check.id)),
        _ => None,
    });
    let none: Vec<String> = none.collect();
    if !none.is_empty() {
        page.heading("Does not arise");
        for line in &none {
            page.labelled("  - ", PLAIN, line);
        }
    }
}

/// An observation, and what rests on it.
fn observation(page: &mut Page, view: &View<'_>, number: usize, evidence: &Evidence) {
    page.heading(&format!("Observation e{number}"));
    page.labelled("Says      ", BOLD, &evidence.says);
    page.labelled("Input     ", BOLD, evidence.input.word());
    let place = format!("{} {}", words::observed(evidence), evidence.place);
    page.labelled("Observed  ", BOLD, &place);
    let citing: Vec<&Obligation> = view
        .report
        .obligations
        .iter()
        .filter(|one| cited(one).iter().any(|other| **other == *evidence))
        .collect();
    let mut label = "Cited by  ";
    for one in citing.iter().take(FEW) {
        let text = format!(
            "{} of {}: {}",
            one.check.id,
            one.subject,
            one.outcome.word()
        );
        page.labelled(label, BOLD, &text);
        label = "          ";
    }
    more(page, citing.len(), "obligation");
}

fn cited(obligation: &Obligation) -> &[std::sync::Arc<Evidence>] {
    match &obligation.outcome {
        Outcome::Met(proof) => &proof.evidence,
        Outcome::NotMet(finding) => &finding.evidence,
        Outcome::Unknown(_) | Outcome::NotApplicable(_) => &[],
    }
}
