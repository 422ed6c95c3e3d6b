//! A key by which the other side knows a repetition is derived from the event.

use crate::model::check::{
    Change, CheckInfo, Finding, FurtherDelivery, Obligation, Outcome, Weight,
};
use crate::model::evidence::{Reason, Why};
use crate::model::facts::{EffectFacts, Facts};
use crate::model::value::{Value, ValueSource};

use super::{about, live_effects, met, not_met, unknown};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "constant-idempotency-key",
    clause: "E",
    title: "an idempotency key that does not follow the event",
    weight: Weight::Gate,
    decides_effect: true,
    page: include_str!("constant_idempotency_key.md"),
};

/// Decides it for every external effect on the path.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    for effect in live_effects(facts) {
        if !effect.effect.kind.is_external() {
            continue;
        }
        let outcome = match &effect.effect.idempotency_key {
            None => Outcome::NotApplicable("it sends no idempotency key"),
            Some(key) => outcome(effect, key),
        };
        out.push(about(effect, &INFO, outcome));
    }
}

fn outcome(effect: &EffectFacts, key: &Value) -> Outcome {
    let target = effect.effect.target.name();
    let change = Change {
        key: format!("key:{}", effect.effect.id),
        title: format!(
            "in `{}`: derive the idempotency key from the event",
            effect.effect.owner()
        ),
        how: None,
    };
    if !key.may_differ() {
        return not_met(
            Finding::new(
                format!("every call to {target} carries the same idempotency key: all but the first are swallowed"),
                key.place.clone(),
            )
            .label("one constant for every event")
            .further(FurtherDelivery::Swallowed)
            .note("worse than no key: the calls of other events are taken for repetitions")
            .step("A", format!("handles e1 and calls {target} with key `{}`", key.text))
            .step("A", format!("handles e2 and calls {target} with the same key: it is ignored"))
            .repair(vec![change]),
        );
    }
    let moving = key
        .unstable()
        .find(|draw| draw.source != ValueSource::Unknown)
        .or_else(|| key.unstable().next());
    match moving {
        Some(draw) if draw.source == ValueSource::Unknown => unknown(Reason {
            why: Why::NotResolved,
            needs: None,
            sentence: format!(
                "whether the idempotency key of {target} follows the event is not known: {}",
                draw.note.as_deref().unwrap_or(&draw.what)
            ),
            place: Some(draw.place.clone()),
            next_step: "derive the key from the event alone".into(),
        }),
        Some(draw) => not_met(
            Finding::new(
                format!(
                    "the idempotency key of {target} is new at each delivery: `{}`",
                    draw.what
                ),
                draw.place.clone(),
            )
            .label(format!("draws from {}", draw.source.word()))
            .further(FurtherDelivery::RepeatedExternal)
            .step(
                "A",
                format!("claims e1 and calls {target} with key K1, stalls"),
            )
            .step(
                "B",
                format!("takes e1 over and calls {target} with key K2: a second effect"),
            )
            .repair(vec![change]),
        ),
        None => met(
            format!("the idempotency key `{}` follows the event", key.text),
            Vec::new(),
        ),
    }
}
