//! C2: when the key is taken, the run goes on and nothing else changes.

use crate::model::check::{CheckInfo, Finding, FurtherDelivery, Obligation, Outcome, Weight};
use crate::model::effect::OnConflict;
use crate::model::facts::{EffectFacts, Facts};
use crate::model::guard::{ConflictEnding, CreateFacts, Refused};
use crate::model::place::Place;

use super::{about, changes, contract, live_effects, met, rules_and_guard};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "unhandled-conflict",
    clause: "C2",
    title: "a create whose conflict does not end well",
    weight: Weight::Gate,
    decides_effect: true,
    page: include_str!("unhandled_conflict.md"),
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
    let table = effect.effect.target.name();
    if let Some(why) = &create.refused {
        return contract::outcome(effect, refused(effect, create, why));
    }
    match &create.ending {
        ConflictEnding::NoGuard => {
            Outcome::NotApplicable("no key protects the create, so there is no conflict to end")
        }
        ConflictEnding::Unknown(reason) => Outcome::Unknown(std::sync::Arc::from(reason.clone())),
        ConflictEnding::NoOp(how) => met(how.to_string(), rules_and_guard(effect, create)),
        ConflictEnding::Overwrites(how) => overwrites(effect, create, how),
        ConflictEnding::Error(how) => {
            let finding = finding(effect, create, how, FurtherDelivery::Error)
                .step(
                    "A",
                    format!("claims e1, inserts the {table}, commits, stalls"),
                )
                .step(
                    "B",
                    format!("takes e1 over, inserts the {table}: refused by the key"),
                )
                .step("B", how.to_string());
            contract::outcome(effect, finding)
        }
        // Said by what no delivery writes.
        ConflictEnding::Lost(how) => {
            contract::outcome(effect, finding(effect, create, how, FurtherDelivery::Lost))
        }
        ConflictEnding::Changes { how, moving: None } => met(
            format!("{how}, to values that are the same on every delivery"),
            rules_and_guard(effect, create),
        ),
        ConflictEnding::Changes {
            how,
            moving: Some((field, why)),
        } => contract::outcome(effect, changed(effect, create, how, field, why)),
        ConflictEnding::WrongRow(how) => {
            let finding = finding(effect, create, how, FurtherDelivery::Overwrite)
                .step(
                    "A",
                    format!("claims e1, finds two keys of {table} taken by two rows"),
                )
                .step("A", "changes the row that the engine looks at first")
                .step("B", "takes e1 over and does so again");
            contract::outcome(effect, finding)
        }
        ConflictEnding::Destroys(how) => {
            let finding = finding(effect, create, how, FurtherDelivery::Destructive)
                .step("A", format!("claims e1, inserts the {table}, commits"))
                .step(
                    "user",
                    format!("changes that {table} and adds rows below it"),
                )
                .step("B", format!("is given e1 again: {how}"));
            contract::outcome(effect, finding)
        }
    }
}

/// An upsert that overwrites is a set: its values must be the same each time.
fn overwrites(effect: &EffectFacts, create: &CreateFacts, how: &str) -> Outcome {
    let moving = effect
        .effect
        .writes
        .iter()
        .find(|write| !write.value.is_stable());
    let Some(write) = moving else {
        return met(
            format!("{how} with values that are the same on every delivery"),
            rules_and_guard(effect, create),
        );
    };
    let finding = finding(
        effect,
        create,
        &format!("{how}, and `{}` differs each time", write.field),
        FurtherDelivery::Overwrite,
    )
    .step("A", "claims e1, inserts the row, commits, stalls")
    .step(
        "B",
        format!("takes e1 over, writes another `{}` over it", write.field),
    )
    .repair(vec![changes::rewrite(
        &effect.effect,
        &write.field,
        &write.value.text,
    )]);
    contract::outcome(effect, finding)
}

/// The row in the way gets a value that differs each time.
fn changed(
    effect: &EffectFacts,
    create: &CreateFacts,
    how: &str,
    field: &str,
    why: &str,
) -> Finding {
    finding(
        effect,
        create,
        &format!("{how}, and `{field}` differs each time: {why}"),
        FurtherDelivery::Overwrite,
    )
    .step("A", "claims e1, inserts the row, commits, stalls")
    .step("B", format!("takes e1 over, sets another `{field}`"))
    .repair(vec![changes::rewrite(
        &effect.effect,
        field,
        &set_to(effect, field),
    )])
}

/// What the statement sets a column of the row in the way to.
fn set_to(effect: &EffectFacts, field: &str) -> String {
    let mut set = effect.effect.on_conflict.set();
    let write = set.find(|write| &*write.field == field);
    write.map_or_else(String::new, |write| write.value.text.to_string())
}

/// Where the conflict is handled: in the statement, where there is one.
fn place(effect: &EffectFacts) -> Place {
    match &effect.effect.on_conflict {
        OnConflict::Statement(said) => said
            .arms
            .first()
            .map_or_else(|| said.place.clone(), |arm| arm.place.clone()),
        _ => effect.effect.place.clone(),
    }
}

/// The statement never writes its row as it stands.
fn refused(effect: &EffectFacts, create: &CreateFacts, refused: &Refused) -> Finding {
    let (label, further, ends) = match refused.lost {
        true => (
            "this statement never writes a row",
            FurtherDelivery::Lost,
            "nothing is written",
        ),
        false => (
            "the engine refuses this statement",
            FurtherDelivery::Error,
            "refused",
        ),
    };
    let mut finding = Finding::new(
        format!("{}: {}", effect.effect.target.name(), refused.why),
        place(effect),
    )
    .label(label)
    .further(further)
    .step("A", format!("claims e1, runs the statement: {ends}"))
    .step("B", format!("takes e1 over: {ends} again"));
    for repair in changes::written(effect, create, refused) {
        finding = finding.repair(repair);
    }
    finding
}

fn finding(
    effect: &EffectFacts,
    create: &CreateFacts,
    how: &str,
    word: FurtherDelivery,
) -> Finding {
    let guard = create.guard().map_or_else(String::new, |guard| {
        format!("{} {}", guard.enforcer, guard.key)
    });
    let mut finding = Finding::new(
        format!(
            "a second delivery meets {guard} on {}: {how}",
            effect.effect.target.name()
        ),
        place(effect),
    )
    .label("the conflict is not handled here")
    .further(word)
    .cites(create.guard().map(|guard| guard.evidence.clone()));
    if word != FurtherDelivery::Overwrite {
        for repair in changes::guard(effect, create) {
            finding = finding.repair(repair);
        }
    }
    finding
}
