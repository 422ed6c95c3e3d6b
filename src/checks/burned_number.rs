//! C3: no number that a person sees is spent on a redelivery.

use crate::model::check::{CheckInfo, Finding, FurtherDelivery, Obligation, Outcome, Weight};
use crate::model::effect::{NumberDraw, OnConflict};
use crate::model::facts::{EffectFacts, Facts};
use crate::model::guard::CreateFacts;

use super::{about, changes, contract, live_effects, met, rules_and_guard};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "burned-number",
    clause: "C3",
    title: "a create that spends a number on a redelivery",
    weight: Weight::Gate,
    decides_effect: true,
    page: include_str!("burned_number.md"),
};

/// Decides it for every create on the path.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    for effect in live_effects(facts) {
        if let Some(create) = &effect.create {
            let outcome = match effect.effect.numbers.first() {
                None => Outcome::NotApplicable("it draws no number that a person sees"),
                Some(number) => outcome(effect, create, number),
            };
            out.push(about(effect, &INFO, outcome));
        }
    }
}

fn outcome(effect: &EffectFacts, create: &CreateFacts, number: &NumberDraw) -> Outcome {
    let field = &number.field;
    let table = effect.effect.target.name();
    if let Err(reason) = &create.table {
        return Outcome::Unknown(std::sync::Arc::from(reason.clone()));
    }
    if create.guard().is_none() {
        let open = create
            .decisions
            .iter()
            .find_map(|decision| match &decision.protection {
                crate::model::guard::Protection::Unknown(_, reason) => Some(reason),
                _ => None,
            });
        if let Some(reason) = open {
            return Outcome::Unknown(std::sync::Arc::from(reason.clone()));
        }
    }
    let finds_first = matches!(effect.effect.on_conflict, OnConflict::FindFirst { .. });
    let after = !number.before_insert;
    if create.guard().is_some() && (finds_first || after || number.rolls_back) {
        let how = if finds_first {
            "the lookup comes before the number is drawn"
        } else if after {
            "the number is drawn only once the row is in"
        } else {
            "the refused insert is rolled back, and the number with it"
        };
        return met(
            format!("`{field}` is spent once: {how}"),
            rules_and_guard(effect, create),
        );
    }
    let mut finding = Finding::new(
        format!("a second delivery spends a second `{field}` of {table}"),
        number.place.clone(),
    )
    .label("this number is drawn at each delivery")
    .further(FurtherDelivery::Duplicate)
    .step(
        "A",
        format!("claims e1, draws `{field}`, inserts the {table}, stalls"),
    )
    .step("B", format!("takes e1 over and draws the next `{field}`"));
    for repair in changes::guard(effect, create) {
        finding = finding.repair(repair);
    }
    contract::outcome(effect, finding)
}
