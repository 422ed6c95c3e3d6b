//! S1: what decides whether an effect happens is the same on every delivery.

use crate::model::check::{
    Change, CheckInfo, Finding, FurtherDelivery, Obligation, Outcome, Weight,
};
use crate::model::effect::EffectKind;
use crate::model::evidence::{Reason, Why};
use crate::model::facts::{EffectFacts, Facts};
use crate::model::value::{Root, Value, ValueSource};

use super::{about, contract, live_effects, met, unknown};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "unstable-condition",
    clause: "S1",
    title: "a condition that can change its answer between deliveries",
    weight: Weight::Gate,
    decides_effect: true,
    page: include_str!("unstable_condition.md"),
};

/// Decides it for every effect on the path.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    for effect in live_effects(facts) {
        let consumer = facts.consumer(&effect.effect.consumer);
        let conditions = consumer
            .map_or(&[][..], |consumer| &consumer.trigger.conditions)
            .iter()
            .chain(&effect.effect.runs_if);
        let outcome = outcome(effect, conditions);
        out.push(about(effect, &INFO, outcome));
    }
}

fn outcome<'a>(effect: &EffectFacts, conditions: impl Iterator<Item = &'a Value>) -> Outcome {
    let mut open = None;
    let mut seen = None;
    let mut uses_step = false;
    for condition in conditions {
        seen = Some(condition);
        uses_step |= condition.draws.iter().any(|draw| draw.step().is_some());
        for draw in condition.unstable() {
            // A set in memory is computed from the record at each save, condition and all.
            let of_record = draw
                .field
                .as_ref()
                .is_some_and(|field| matches!(field.root, Root::Written | Root::Prior));
            if of_record && effect.effect.kind == EffectKind::RecordSet {
                continue;
            }
            if draw.source == ValueSource::Unknown {
                open = open.or(Some(draw));
                continue;
            }
            let finding = Finding::new(
                format!(
                    "whether `{}` acts depends on `{}`, which can differ between deliveries",
                    effect.effect.owner(),
                    draw.what
                ),
                draw.place.clone(),
            )
            .label(format!("draws from {}", draw.source.word()))
            .further(FurtherDelivery::Lost)
            .step(
                "A",
                "claims e1, finds the condition true, stalls before the effect",
            )
            .step(
                "B",
                "takes e1 over later, finds it false, and skips the effect",
            )
            .repair(vec![Change {
                key: format!("condition:{}", effect.effect.consumer),
                title: format!(
                    "in `{}`: let the condition use the event instead of `{}`",
                    effect.effect.owner(),
                    draw.what
                ),
                how: None,
            }]);
            return contract::outcome(effect, finding);
        }
    }
    match (open, seen) {
        (Some(draw), _) => unknown(Reason {
            why: Why::NotResolved,
            needs: None,
            sentence: format!(
                "whether the condition of `{}` gives the same answer each time is not known: {}",
                effect.effect.owner(),
                draw.note.as_deref().unwrap_or(&draw.what)
            ),
            place: Some(draw.place.clone()),
            next_step: "correct the condition, or describe what it uses in a rule pack (--rules)"
                .into(),
        }),
        (None, Some(condition)) => met(
            format!("the condition `{}` reads only the event", condition.text),
            match uses_step {
                true => effect.rests_on.clone(),
                false => Vec::new(),
            },
        ),
        (None, None) => Outcome::NotApplicable("it has no condition"),
    }
}
