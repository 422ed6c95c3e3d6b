//! C1: a create is protected by a uniqueness enforcer whose key it fixes.

use crate::model::check::{CheckInfo, Finding, FurtherDelivery, Obligation, Outcome, Weight};
use crate::model::effect::OnConflict;
use crate::model::facts::{EffectFacts, Facts};
use crate::model::guard::{CreateFacts, GuardDecision, Protection};

use super::{REFUSED, about, changes, contract, live_effects, met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "unguarded-create",
    clause: "C1",
    title: "a create that no UNIQUE index protects",
    weight: Weight::Gate,
    decides_effect: true,
    page: include_str!("unguarded_create.md"),
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
    if let Err(reason) = &create.table {
        return Outcome::Unknown(std::sync::Arc::from(reason.clone()));
    }
    if create.refused.is_some() {
        return Outcome::NotApplicable(REFUSED);
    }
    if let Some(guard) = create.guard() {
        let mut evidence = vec![guard.evidence.clone()];
        evidence.extend(effect.effect.by_rule.iter().cloned());
        return met(proof(effect, guard), evidence);
    }
    let open = create
        .decisions
        .iter()
        .find_map(|decision| match &decision.protection {
            Protection::Unknown(_, reason) => Some(reason),
            _ => None,
        });
    match open {
        Some(reason) => Outcome::Unknown(std::sync::Arc::from(reason.clone())),
        None => contract::outcome(effect, finding(effect, create)),
    }
}

fn proof(effect: &EffectFacts, guard: &GuardDecision) -> String {
    let parts: Vec<String> = guard
        .columns
        .iter()
        .filter_map(|column| {
            let write = effect
                .effect
                .writes
                .iter()
                .find(|write| write.field.eq_ignore_ascii_case(column))?;
            Some(format!("{column} = `{}`", write.value.text))
        })
        .collect();
    let fixed = if parts.is_empty() {
        String::new()
    } else {
        format!(": {}, the same on every delivery", parts.join(", "))
    };
    let beside = guard.beside.as_ref().map_or_else(String::new, |reason| {
        let place = reason.place.as_ref();
        let place = place.map_or_else(String::new, |place| format!(" at {place}"));
        format!("; this rests on a text with an open statement{place} that may drop it")
    });
    let rests_on = match guard.rests_on.as_slice() {
        [] => String::new(),
        names => format!(
            "; that {}() is IMMUTABLE is its own declaration",
            names.join("(), ")
        ),
    };
    format!(
        "UNIQUE {} {}{fixed}{rests_on}{beside}",
        guard.enforcer, guard.key
    )
}

fn finding(effect: &EffectFacts, create: &CreateFacts) -> Finding {
    let table = effect.effect.target.name();
    let fixed: Vec<&str> = effect
        .effect
        .writes
        .iter()
        .filter(|write| write.value.is_stable())
        .map(|write| &*write.field)
        .collect();
    let mut finding = Finding::new(
        format!("a second delivery creates a second {table}"),
        effect.effect.place.clone(),
    )
    .label(format!(
        "no UNIQUE index of {table} is fixed by this effect"
    ))
    .further(FurtherDelivery::Duplicate)
    .note(if fixed.is_empty() {
        "the event fixes none of its fields".to_owned()
    } else {
        format!("fixed by the event: {}", fixed.join(", "))
    });
    for decision in &create.decisions {
        if let Protection::Fails(rule, why) = &decision.protection {
            finding = finding.note(format!(
                "not a guard: {} {} [{}]: {why}",
                decision.enforcer,
                decision.key,
                rule.word()
            ));
            finding.evidence.push(decision.evidence.clone());
        }
    }
    if let Some(number) = effect.effect.numbers.first() {
        finding = finding.note(format!("and a second `{}` is spent", number.field));
    }
    let looks_first = matches!(effect.effect.on_conflict, OnConflict::FindFirst { .. });
    if looks_first {
        finding = finding
            .step("A", format!("claims e1, looks for the {table}, finds none"))
            .step(
                "B",
                format!("takes e1 over, looks for the {table}, finds none"),
            )
            .step("A", format!("inserts the {table}"))
            .step("B", format!("inserts a second {table}: nothing refuses it"));
    } else {
        finding = finding
            .step(
                "A",
                format!("claims e1, inserts the {table}, stalls before the event is marked"),
            )
            .step(
                "B",
                format!("takes e1 over, inserts a second {table}: nothing refuses it"),
            );
    }
    for repair in changes::guard(effect, create) {
        finding = finding.repair(repair);
    }
    finding
}
