//! All that is known of one subject: findings, open questions, how it is reached, proofs.

use std::collections::BTreeSet;

use maud::{Markup, html};

use crate::model::check::{Obligation, Outcome, Subject};
use crate::model::consumer::Consumer;
use crate::model::effect::Effect;
use crate::model::report::{Disposition, EffectRow};
use crate::report::{account, words};

use super::book::Book;
use super::text::{self, code, prose};
use super::{evidence, finding, pages};

/// Entries of one list that are shown.
const FEW: usize = 60;

/// What became of the obligations of a subject: findings first, then what is open, then proofs.
pub(super) fn outcomes(book: &Book<'_>, subject: &Subject) -> Markup {
    let of_it = book.obligations(subject);
    let mut shown = BTreeSet::new();
    let open = of_it
        .iter()
        .filter(|one| matches!(one.outcome, Outcome::Unknown(_)));
    html! {
        @for one in of_it {
            @if let Outcome::NotMet(found) = &one.outcome {
                (finding::article(book, one, found, &mut shown))
            }
        }
        @for one in open { (question(one)) }
        (proofs(book, of_it))
        (not_asked(of_it))
    }
}

/// Something that could not be decided.
fn question(obligation: &Obligation) -> Markup {
    html! {
        @if let Outcome::Unknown(reason) = &obligation.outcome {
            article.finding.unknown {
                h4 {
                    span.badge.unknown { "unknown" } " "
                    (pages::link(obligation.check.id, true)) " " (prose(&reason.sentence))
                }
                @if let Some(place) = &reason.place { p.meta { (code(&place.to_string())) } }
                p { strong { "Next step" } " " (prose(&reason.next_step)) }
            }
        }
    }
}

/// What is met, and by what.
fn proofs(book: &Book<'_>, of_it: &[&Obligation]) -> Markup {
    let met: Vec<_> = of_it
        .iter()
        .filter_map(|one| match &one.outcome {
            Outcome::Met(proof) => Some((one.check, proof)),
            _ => None,
        })
        .collect();
    // Where nothing else is said of the subject, its proofs are what the reader came for.
    let open = of_it
        .iter()
        .all(|one| matches!(one.outcome, Outcome::Met(_) | Outcome::NotApplicable(_)));
    html! {
        @if !met.is_empty() {
            details open[open] {
                summary { "Proofs (" (met.len()) ")" }
                dl.proofs {
                    @for (check, proof) in met {
                        dt { code { (check.id) } span.meta { " clause " (check.clause) } }
                        dd { (prose(&proof.sentence)) (evidence::list(book.report, &proof.evidence)) }
                    }
                }
            }
        }
    }
}

/// Checks that do not arise, each with its reason.
fn not_asked(of_it: &[&Obligation]) -> Markup {
    let none: Vec<_> = of_it
        .iter()
        .filter_map(|one| match &one.outcome {
            Outcome::NotApplicable(why) => Some((one.check.id, *why)),
            _ => None,
        })
        .collect();
    html! {
        @if !none.is_empty() {
            details {
                summary { "Does not arise (" (none.len()) ")" }
                ul.plain { @for (check, why) in none { li { code { (check) } ": " (prose(why)) } } }
            }
        }
    }
}

/// The details of an effect.
pub(super) fn effect(book: &Book<'_>, row: &EffectRow) -> Markup {
    let effect = &row.facts.effect;
    let subject = Subject::Effect(effect.id.clone());
    let is_found = |one: &&Obligation| matches!(&one.outcome, Outcome::NotMet(finding) if !finding.repairs.is_empty());
    let repaired = book.obligations(&subject).iter().any(is_found);
    let action = row.required_action.as_ref().filter(|_| !repaired);
    html! {
        p.meta {
            (code(&effect.id.0)) " at " (code(&effect.place.to_string()))
        }
        @if row.disposition != Disposition::Blocked || book.obligations(&subject).is_empty() {
            p { (text::sentence(row.proof.as_ref().unwrap_or(&row.reason))) }
        }
        @if let Some(action) = action { p { strong { "To do" } " " (prose(action)) } }
        (outcomes(book, &subject))
        (reached(book, row))
        (deliveries(row))
        (written(effect))
    }
}

/// The path from the event to the effect, hop by hop.
fn reached(book: &Book<'_>, row: &EffectRow) -> Markup {
    html! {
        details {
            summary { "How it is reached" }
            ol.path {
                @for step in account::path(book.report, row, FEW) {
                    li {
                        @match step.consumer {
                            Some(id) => (book.link(&Subject::Consumer(id.clone()), text::title(&step.what))),
                            None => (text::title(&step.what)),
                        }
                        @if let Some(place) = &step.place { " " (code(place)) }
                    }
                }
            }
            p { (text::sentence(&words::path(&row.facts.effect.path))) }
        }
    }
}

/// What a further delivery does, scenario by scenario.
fn deliveries(row: &EffectRow) -> Markup {
    html! {
        details {
            summary { "What a further delivery does" }
            dl {
                @for (scenario, word) in account::deliveries(row) { dt { (scenario) } dd { (word) } }
            }
        }
    }
}

/// What the effect assigns, and where each value comes from.
fn written(effect: &Effect) -> Markup {
    let writes = &effect.writes;
    html! {
        @if !writes.is_empty() {
            details {
                summary { "What it writes (" (words::many(writes.len(), "field")) ")" }
                (text::table("What it writes", &["Field", "Value", "Comes from"], html! {
                    @for write in writes.iter().take(FEW) {
                        tr {
                            td { (code(&write.field)) }
                            td { (code(&account::value(effect, write))) }
                            td { (account::sources(write)) }
                        }
                    }
                }))
                (text::more(writes.len(), FEW, "field"))
            }
        }
    }
}

/// The details of a consumer.
pub(super) fn consumer(book: &Book<'_>, consumer: &Consumer) -> Markup {
    let subject = Subject::Consumer(consumer.id.clone());
    let effects = book.effects_of(&consumer.id);
    html! {
        p.meta { (code(&consumer.id.0)) " at " (code(&consumer.place.to_string())) }
        p { (text::sentence(&words::path(&consumer.path))) }
        @if !effects.is_empty() {
            ul.plain {
                @for row in effects.iter().take(FEW) {
                    li {
                        span.badge.(words::disposition(row)) { (words::disposition(row)) } " "
                        (book.link(
                            &Subject::Effect(row.facts.effect.id.clone()),
                            text::title(&words::effect(&row.facts.effect)),
                        ))
                    }
                }
            }
            (text::more(effects.len(), FEW, "effect"))
        }
        @for gap in consumer.gaps.iter().take(FEW) {
            p { span.badge.unknown { "unknown" } " " (prose(&gap.sentence)) " "
                strong { "Next step" } " " (prose(&gap.next_step)) }
        }
        (text::more(consumer.gaps.len(), FEW, "gap"))
        (outcomes(book, &subject))
    }
}
