//! An effect that leaves the database has a contract, or is kept off the path.

use crate::model::check::{CheckInfo, Finding, FurtherDelivery, Obligation, Outcome, Weight};
use crate::model::consumer::{PathState, Via};
use crate::model::effect::EffectKind;
use crate::model::facts::{EffectFacts, Facts};

use super::{about, changes, contract, live_effects};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "unprotected-external",
    clause: "E",
    title: "a call to the outside that a second delivery repeats",
    weight: Weight::Gate,
    decides_effect: true,
    page: include_str!("unprotected_external.md"),
};

/// Decides it for every external effect on the path.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    for effect in live_effects(facts) {
        if effect.effect.kind.is_external() {
            out.push(about(effect, &INFO, outcome(effect)));
        }
    }
}

fn outcome(effect: &EffectFacts) -> Outcome {
    let target = effect.effect.target.name();
    let kind = effect.effect.kind.word();
    let mut finding = Finding::new(
        format!("a second delivery repeats the {kind} effect on {target}"),
        effect.effect.place.clone(),
    )
    .label("no contract makes its repetition harmless")
    .further(FurtherDelivery::RepeatedExternal);
    if let PathState::On(Via::Writes(carriers)) = &effect.effect.path {
        let first = carriers
            .first()
            .map_or_else(|| "a record".to_owned(), ToString::to_string);
        finding = finding.note(format!(
            "it runs inside the write of {first}, before any UNIQUE index can stop that write"
        ));
    }
    if let Some(key) = &effect.effect.idempotency_key {
        finding = finding.note(format!(
            "an idempotency key is sent (`{}`), and no contract says that the other side honours it",
            key.text
        ));
    }
    let does = match effect.effect.kind {
        EffectKind::Mail => "sends the mail".to_owned(),
        EffectKind::Publish => format!("publishes to {target}"),
        EffectKind::File => format!("writes {target}"),
        EffectKind::Process => format!("runs {target}"),
        _ => format!("calls {target}"),
    };
    finding = finding
        .step(
            "A",
            format!("claims e1, {does}, stalls before the event is marked"),
        )
        .step("B", format!("takes e1 over and {does} again"))
        .repair(vec![changes::contract(effect)]);
    contract::outcome(effect, finding)
}
