//! What was read, with its digests, and what was not.

use maud::{Markup, html};

use crate::model::evidence::Reason;
use crate::model::inputs::{InputState, ReadInput};
use crate::model::report::Report;
use crate::report::words;

use super::book::ROWS;
use super::text::{self, code, name, prose};

/// The last section.
pub(super) fn section(report: &Report) -> Markup {
    let packs: Vec<String> = report
        .packs
        .iter()
        .take(20)
        .map(|pack| name(pack))
        .collect();
    let most = report.inputs.iter().map(|state| state.read.len()).max();
    html! {
        section #inputs aria-labelledby="h-inputs" {
            h2 #h-inputs { "What was read" small { "the verdict is bound to it" } }
            dl {
                dt { "Subject" } dd { (code(&report.subject)) }
                dt { "Tree" } dd { (words::tree(&report.tree)) }
                dt { "Map" } dd { (prose(&words::inventory(report))) }
                dt { "Stage" } dd { (words::stage(report)) }
                dt { "As of" } dd { (report.as_of) }
                dt { "Packs" } dd { (packs.join(", ")) }
                dt { "Tool" } dd { "outbox-audit " (report.tool_version) }
            }
            (text::table("Inputs", &["Input", "Read", "SHA-256"], html! {
                @for state in &report.inputs { (rows(state)) }
            }))
            (text::more(most.unwrap_or_default(), ROWS, "input"))
        }
    }
}

fn rows(state: &InputState) -> Markup {
    let kind = state.kind.word();
    html! {
        @for input in state.read.iter().take(ROWS) {
            tr { td { (kind) } td { (read(input)) } td { (digest(input)) } }
        }
        @for reason in state.unknown.iter().take(ROWS) {
            tr { td { (kind) } td { (not_read(reason)) } td {} }
        }
    }
}

fn read(input: &ReadInput) -> Markup {
    html! {
        (code(&input.name))
        @if !input.summary.is_empty() { ": " (prose(&input.summary)) }
    }
}

fn digest(input: &ReadInput) -> Markup {
    html! {
        @match &input.digest {
            Some(digest) => (code(digest)),
            None => "live",
        }
    }
}

fn not_read(reason: &Reason) -> Markup {
    html! {
        span.badge.unknown { "not read" } " " (text::sentence(&reason.sentence))
        " " strong { "Next step" } " " (prose(&reason.next_step))
    }
}
