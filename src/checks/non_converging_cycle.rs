//! S4: a write that sets off itself comes to rest.

use crate::model::check::{
    Change, CheckInfo, Finding, FurtherDelivery, Obligation, Outcome, Weight,
};
use crate::model::effect::EffectId;
use crate::model::facts::{Cycle, CycleRest, EffectFacts, Facts};

use super::{about, contract, met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "non-converging-cycle",
    clause: "S4",
    title: "a cycle of writes that never comes to rest",
    weight: Weight::Gate,
    decides_effect: true,
    page: include_str!("non_converging_cycle.md"),
};

/// Decides it for every effect that is part of a cycle.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    let by_id: std::collections::BTreeMap<&EffectId, &EffectFacts> = facts
        .effects
        .iter()
        .map(|effect| (&effect.effect.id, &**effect))
        .collect();
    for cycle in &facts.cycles {
        for id in &cycle.effects {
            if let Some(effect) = by_id.get(id) {
                out.push(about(effect, &INFO, outcome(cycle, effect)));
            }
        }
    }
}

fn outcome(cycle: &Cycle, effect: &EffectFacts) -> Outcome {
    match &cycle.rests {
        CycleRest::Rests(why) => met(
            format!("the cycle of {} comes to rest: {why}", names(cycle)),
            effect.effect.by_rule.clone(),
        ),
        CycleRest::Unknown(reason) => Outcome::Unknown(reason.clone()),
        CycleRest::Never(why) => {
            let first = cycle
                .effects
                .first()
                .map_or_else(String::new, ToString::to_string);
            let mut finding = Finding::new(
                format!("the cycle of {} never comes to rest: {why}", names(cycle)),
                effect.effect.place.clone(),
            )
            .label("this write sets off itself")
            .further(FurtherDelivery::Overwrite)
            .repair(vec![Change {
                key: format!("cycle:{first}"),
                title: format!(
                    "break the cycle of {}: a condition that is false once the value is set",
                    names(cycle)
                ),
                how: None,
            }]);
            for round in &cycle.rounds {
                finding = finding.step("A", round.clone());
            }
            finding = finding.step("A", "and so on, one round for each event, for ever");
            contract::outcome(effect, finding)
        }
    }
}

fn names(cycle: &Cycle) -> String {
    let shown: Vec<String> = cycle
        .flows
        .iter()
        .take(3)
        .map(|flow| format!("`{flow}`"))
        .collect();
    let more = cycle.flows.len().saturating_sub(shown.len());
    if more > 0 {
        format!("{} and {more} more", shown.join(", "))
    } else {
        shown.join(" and ")
    }
}
