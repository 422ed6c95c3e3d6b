//! An effect that fails on every event is a lost effect, not a safe one.

use crate::model::check::{
    CheckInfo, Finding, FurtherDelivery, Obligation, Severity, Subject, Weight,
};
use crate::model::consumer::PathState;
use crate::model::effect::NoteKind;
use crate::model::facts::Facts;

use super::{about, not_met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "always-fails",
    clause: "map",
    title: "an effect that never happens as written",
    weight: Weight::Advisory,
    decides_effect: false,
    page: include_str!("always_fails.md"),
};

/// Names every effect and every condition that fails whatever the event holds.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    for effect in &facts.effects {
        let switched_off = facts
            .consumer(&effect.effect.consumer)
            .is_some_and(|consumer| matches!(consumer.path, PathState::Off(_)));
        if switched_off {
            continue;
        }
        let note = effect
            .effect
            .notes
            .iter()
            .find(|note| note.kind == NoteKind::AlwaysFails);
        let refused = effect
            .create
            .as_ref()
            .and_then(|create| create.refused.as_ref());
        if let Some(refused) = refused {
            let finding = Finding::new(
                format!("`{}`: {}", effect.effect.owner(), refused.why),
                effect.effect.place.clone(),
            )
            .label(match refused.lost {
                true => "this statement never writes a row",
                false => "this statement is refused",
            })
            .severity(Severity::Warning)
            .further(FurtherDelivery::Lost);
            out.push(about(effect, &INFO, not_met(finding)));
        }
        if let Some(note) = note {
            let finding = Finding::new(
                format!("`{}`: {}", effect.effect.owner(), note.sentence),
                note.place.clone(),
            )
            .label("this cannot be evaluated")
            .severity(Severity::Warning)
            .further(FurtherDelivery::Lost)
            .note("the error is swallowed: the effect and the rest of the run are lost, on the first delivery too");
            out.push(about(effect, &INFO, not_met(finding)));
        }
    }
    for consumer in &facts.consumers {
        let failing = consumer
            .trigger
            .conditions
            .iter()
            .find(|condition| condition.fails.is_some());
        let (Some(condition), PathState::Dormant { would_need, .. }) = (failing, &consumer.path)
        else {
            continue;
        };
        out.push(Obligation {
            subject: Subject::Consumer(consumer.id.clone()),
            check: &INFO,
            outcome: not_met(
                Finding::new(
                    format!("{} never runs: {would_need}", consumer.id),
                    condition.place.clone(),
                )
                .label("this cannot be evaluated")
                .severity(Severity::Warning)
                .further(FurtherDelivery::Lost),
            ),
            waiver: None,
        });
    }
}
