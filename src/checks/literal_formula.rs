//! Configuration that the platform does not read as its author meant it.

use crate::model::check::{CheckInfo, Finding, Obligation, Severity, Subject, Weight};
use crate::model::consumer::{Consumer, PathState};
use crate::model::effect::NoteKind;
use crate::model::facts::{EffectFacts, Facts};
use crate::model::value::Draw;

use super::{about, live_effects, not_met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "literal-formula",
    clause: "map",
    title: "configuration that is not read as it looks",
    weight: Weight::Advisory,
    decides_effect: false,
    page: include_str!("literal_formula.md"),
};

/// Names every formula that is sent as written, every condition that is never evaluated, every member
/// that no record has, and every consumer that a slip keeps off the path.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    out.extend(facts.consumers.iter().filter_map(slip));
    for effect in live_effects(facts) {
        let note = effect
            .effect
            .notes
            .iter()
            .find(|note| note.kind != NoteKind::AlwaysFails);
        let finding = match (note, absent_member(facts, effect)) {
            (Some(note), _) => Finding::new(note.sentence.to_string(), note.place.clone())
                .label("not evaluated here"),
            (None, Some(draw)) => Finding::new(
                draw.note.as_deref().unwrap_or(&draw.what),
                draw.place.clone(),
            )
            .label("no such field"),
            (None, None) => continue,
        };
        let finding = finding.severity(Severity::Note);
        out.push(about(effect, &INFO, not_met(finding)));
    }
}

/// A consumer that a word in the wrong case keeps off the path.
fn slip(consumer: &Consumer) -> Option<Obligation> {
    let PathState::Off(off) = &consumer.path else {
        return None;
    };
    let finding = Finding::new(
        format!("{} never runs: {}", consumer.id, off.why),
        off.place.clone(),
    )
    .label("differs only in case")
    .severity(Severity::Note);
    off.slip.then(|| Obligation {
        subject: Subject::Consumer(consumer.id.clone()),
        check: &INFO,
        outcome: not_met(finding),
        waiver: None,
    })
}

/// A member of the record that no record has; of the consumer's condition, at its first effect.
fn absent_member<'a>(facts: &'a Facts, effect: &'a EffectFacts) -> Option<&'a Draw> {
    let consumer = facts
        .consumer(&effect.effect.consumer)
        .filter(|_| effect.effect.order == 0);
    let conditions = consumer.map_or(&[][..], |consumer| &consumer.trigger.conditions);
    effect
        .effect
        .values()
        .chain(conditions)
        .flat_map(|value| &value.draws)
        .find(|draw| draw.is_absent_member())
}
