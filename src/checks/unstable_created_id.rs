//! C4: later effects that use the created row use the row found or created.

use crate::model::check::{CheckInfo, Finding, FurtherDelivery, Obligation, Outcome, Weight};
use crate::model::effect::OnConflict;
use crate::model::facts::{EffectFacts, Facts};
use crate::model::guard::CreateFacts;

use super::{about, changes, contract, live_effects, met, rules_and_guard};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "unstable-created-id",
    clause: "C4",
    title: "later steps use a row that is made anew each time",
    weight: Weight::Gate,
    decides_effect: true,
    page: include_str!("unstable_created_id.md"),
};

/// Decides it for every create on the path.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    for effect in live_effects(facts) {
        if let Some(create) = &effect.create {
            out.push(about(effect, &INFO, outcome(effect, create)));
        }
    }
}

fn outcome(effect: &EffectFacts, create: &CreateFacts) -> Outcome {
    if create.used_by.is_empty() {
        return Outcome::NotApplicable("no later step uses the row");
    }
    if let Err(reason) = &create.table {
        return Outcome::Unknown(std::sync::Arc::from(reason.clone()));
    }
    if let Some(reason) = create.open_reason()
        && effect.effect.on_conflict != OnConflict::Error
    {
        return Outcome::Unknown(std::sync::Arc::new(reason.clone()));
    }
    let users = create.used_by.join(", ");
    if let Some(why) = &create.no_row {
        return contract::outcome(effect, without_row(effect, &users, why));
    }
    if create.has_the_row() {
        return met(
            format!("{users} use the row that is found or created, the same one each time"),
            rules_and_guard(effect, create),
        );
    }
    if create.guard().is_some() && effect.effect.on_conflict == OnConflict::Error {
        return Outcome::NotApplicable(
            "a further delivery ends at the refused insert, before the steps that use the row",
        );
    }
    let mut finding = Finding::new(
        format!(
            "{users} use the {} that this step makes, another one at each delivery",
            effect.effect.target.name()
        ),
        effect.effect.place.clone(),
    )
    .label("its result is used by later steps")
    .further(FurtherDelivery::Duplicate)
    .step(
        "A",
        "claims e1, makes row R1, and the steps behind it write to R1",
    )
    .step(
        "B",
        "takes e1 over, makes row R2, and the same steps write to R2",
    );
    for repair in changes::guard(effect, create) {
        finding = finding.repair(repair);
    }
    contract::outcome(effect, finding)
}

/// The steps behind it find nothing in hand on a further delivery.
fn without_row(effect: &EffectFacts, users: &str, why: &str) -> Finding {
    Finding::new(
        format!("{users} use the row of this step, and a further delivery gets none: {why}"),
        effect.effect.place.clone(),
    )
    .label("its result is used by later steps")
    .further(FurtherDelivery::Error)
    .step("A", "claims e1, makes the row and is given it, stalls")
    .step(
        "B",
        "takes e1 over and is given nothing: the steps behind it work on NULL",
    )
}
