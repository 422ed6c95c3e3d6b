//! The head: the verdict, what was read, and the conditions.

use crate::model::inputs::ReadInput;
use crate::model::report::{Condition, ConditionState, Report};
use crate::report::{headline, words};

use super::escape::{code, short, text};
use super::lists::more;
use super::page::Page;

/// Longest part of a head line, in characters; the head stands at every level.
const PART: usize = 100;

/// The verdict with its counts: enough for a reader who reads one line.
pub(super) fn verdict(page: &mut Page, report: &Report) {
    let subject = code(&report.subject);
    let flag = report.flag.as_deref().map(code);
    let on = match flag {
        Some(flag) => format!("{flag} on {subject}"),
        None => subject,
    };
    page.line(&format!("# {}: {on}", headline::verdict(report)));
    page.line("");
    let counts: Vec<String> = words::effect_counts(report)
        .into_iter()
        .map(|(_, text)| text)
        .collect();
    let effects = match report.effects.len() {
        0 => "No effect was found.".to_owned(),
        all => format!("{}: {}.", words::many(all, "effect"), counts.join(" · ")),
    };
    page.line(&format!(
        "**{}**: {}. {effects}",
        headline::verdict(report),
        headline::conditions(report)
    ));
}

/// What was read, with digests, and what was not, with the next step.
pub(super) fn inputs(page: &mut Page, report: &Report, most: usize) {
    page.heading("What was read");
    page.line(&format!(
        "Tree {}. {}. Stage {}.",
        text(&words::tree(&report.tree)),
        text(&capital(&words::inventory(report))),
        words::stage(report)
    ));
    page.line("");
    if report.inputs.is_empty() {
        page.line("Nothing.");
        return;
    }
    page.head(&["Input", "Read", "SHA-256"]);
    for state in &report.inputs {
        let kind = state.kind.word().to_owned();
        for input in state.read.iter().take(most) {
            page.row(&[kind.clone(), read(input), digest(input)]);
        }
        let rest = state.read.len().saturating_sub(most);
        if rest > 0 {
            page.row(&[
                kind.clone(),
                format!("{} more", words::grouped(rest)),
                String::new(),
            ]);
        }
        for reason in state.unknown.iter().take(most) {
            let why = format!(
                "**not read**: {}. Next: {}",
                short(reason.sentence.trim_end_matches('.'), 300),
                short(&reason.next_step, 300)
            );
            page.row(&[kind.clone(), why, String::new()]);
        }
        let rest = state.unknown.len().saturating_sub(most);
        if rest > 0 {
            let why = format!("**not read**: {} more", words::grouped(rest));
            page.row(&[kind, why, String::new()]);
        }
    }
}

/// The sentence with a capital letter.
fn capital(sentence: &str) -> String {
    let mut rest = sentence.chars();
    let first = rest.next().map(|one| one.to_ascii_uppercase());
    first.into_iter().chain(rest).collect()
}

fn read(input: &ReadInput) -> String {
    match &*input.summary {
        "" => code(&input.name),
        summary => format!("{}: {}", code(&input.name), short(summary, PART)),
    }
}

fn digest(input: &ReadInput) -> String {
    match &input.digest {
        Some(digest) => code(digest),
        None => "live".to_owned(),
    }
}

/// The conditions.
pub(super) fn conditions(page: &mut Page, report: &Report, most: usize) {
    if report.gate.is_empty() {
        return;
    }
    page.heading("Conditions");
    page.head(&["#", "Condition", "State", "Why"]);
    for (at, condition) in report.gate.iter().take(most).enumerate() {
        page.row(&[
            (at + 1).to_string(),
            short(&condition.title, PART),
            state(condition),
            why(condition),
        ]);
    }
    more(page, report.gate.len(), most, "condition");
}

fn state(condition: &Condition) -> String {
    let word = words::state(condition.state);
    match condition.state {
        ConditionState::Met | ConditionState::NotApplicable => word.to_owned(),
        _ => format!("**{word}**"),
    }
}

fn why(condition: &Condition) -> String {
    let why = short(&condition.why, 300);
    match condition.waived {
        0 => why,
        waived => format!("{why} ({waived} waived)"),
    }
}
