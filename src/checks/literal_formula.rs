//! Configuration that the platform does not read as its author meant it.

use crate::model::check::{CheckInfo, Finding, Obligation, Severity, Weight};
use crate::model::effect::NoteKind;
use crate::model::facts::Facts;

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

/// Names every formula that is sent as written and every condition that is never evaluated.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    for effect in live_effects(facts) {
        let note = effect
            .effect
            .notes
            .iter()
            .find(|note| note.kind != NoteKind::AlwaysFails);
        if let Some(note) = note {
            let finding = Finding::new(note.sentence.to_string(), note.place.clone())
                .label("not evaluated here")
                .severity(Severity::Note);
            out.push(about(effect, &INFO, not_met(finding)));
        }
    }
}
