//! S2: the row a set writes is named by the event.

use crate::model::check::{
    Change, CheckInfo, Finding, FurtherDelivery, Obligation, Outcome, Weight,
};
use crate::model::effect::RowChoice;
use crate::model::evidence::{Reason, Why};
use crate::model::facts::{EffectFacts, Facts};
use crate::model::value::{Draw, Value, ValueSource};

use super::{about, changes, contract, live_effects, met, unknown};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "searched-row",
    clause: "S2",
    title: "a set on a row that live state chooses",
    weight: Weight::Gate,
    decides_effect: true,
    page: include_str!("searched_row.md"),
};

/// Decides it for every set on the path.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    for effect in live_effects(facts) {
        if effect.effect.kind.is_set() {
            out.push(about(effect, &INFO, outcome(facts, effect)));
        }
    }
}

fn outcome(facts: &Facts, effect: &EffectFacts) -> Outcome {
    match &effect.effect.rows {
        RowChoice::OwnRecord => met("it writes the event's own record", Vec::new()),
        RowChoice::BeingSaved => met("it changes the record being saved", Vec::new()),
        RowChoice::Named(value) => named(facts, effect, value),
        RowChoice::Search(value) | RowChoice::Where { value, .. } => {
            contract::outcome(effect, finding(effect, value, "a search"))
        }
        RowChoice::Unknown(reason) => Outcome::Unknown(std::sync::Arc::from(reason.clone())),
        RowChoice::New | RowChoice::None => Outcome::NotApplicable("it writes no existing row"),
    }
}

fn named(facts: &Facts, effect: &EffectFacts, value: &Value) -> Outcome {
    let moving = value
        .unstable()
        .find(|draw| draw.source != ValueSource::Unknown);
    if let Some(draw) = moving {
        let mut finding = finding(effect, value, draw.source.word());
        if let Some(step) = draw.step() {
            finding
                .repairs
                .extend(changes::of_step(facts, effect, step));
        }
        return contract::outcome(effect, finding);
    }
    match value.unstable().next() {
        Some(draw) => unknown(Reason {
            why: Why::NotResolved,
            needs: None,
            sentence: format!(
                "which row of {} is written is not known: {}",
                effect.effect.target.name(),
                draw.note.as_deref().unwrap_or(&draw.what)
            ),
            place: Some(draw.place.clone()),
            next_step: "name the row by an id of the event".into(),
        }),
        None => match value.draws.iter().find_map(Draw::step) {
            Some(step) => met(
                format!(
                    "the row is named by `{}`: step `{step}` finds or creates it",
                    value.text
                ),
                effect.rests_on.clone(),
            ),
            None => met(
                format!("the row is named by `{}`, from the event", value.text),
                Vec::new(),
            ),
        },
    }
}

fn finding(effect: &EffectFacts, value: &Value, by: &str) -> Finding {
    let target = effect.effect.target.name();
    Finding::new(
        format!(
            "a second delivery may write another row of {target}: `{}` names it",
            value.text
        ),
        value.place.clone(),
    )
    .label(format!("the row is chosen by {by}"))
    .further(FurtherDelivery::Overwrite)
    .step(
        "A",
        format!("claims e1, chooses row R1 of {target}, writes it, stalls"),
    )
    .step("user", "changes what the choice depends on")
    .step("B", "takes e1 over, chooses row R2, writes it too")
    .repair(vec![Change {
        key: format!("row:{}", effect.effect.id),
        title: format!(
            "in `{}`: name the row of {target} by an id of the event",
            effect.effect.owner()
        ),
        how: None,
    }])
}
