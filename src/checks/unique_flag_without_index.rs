//! A field that metadata calls unique and no index does.

use crate::model::check::{
    Change, CheckInfo, Finding, FurtherDelivery, Obligation, Outcome, Severity, Subject, Weight,
};
use crate::model::facts::{Facts, UniqueFlag};

use super::{met, not_met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "unique-flag-without-index",
    clause: "C1",
    title: "a unique flag that no index stands behind",
    weight: Weight::Advisory,
    decides_effect: false,
    page: include_str!("unique_flag_without_index.md"),
};

/// Decides it for every field that metadata declares unique.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    for flag in &facts.unique_flags {
        out.push(Obligation {
            subject: Subject::Field(flag.name.clone()),
            check: &INFO,
            outcome: outcome(flag),
            waiver: None,
        });
    }
}

fn outcome(flag: &UniqueFlag) -> Outcome {
    match &flag.index {
        Ok(Some(evidence)) => met(
            format!("{} is unique by an index", flag.name),
            vec![evidence.clone()],
        ),
        Err(reason) => Outcome::Unknown(std::sync::Arc::from(reason.clone())),
        Ok(None) => not_met(
            Finding::new(
                format!(
                    "{} is flagged unique and no index enforces it: changing the flag runs no DDL",
                    flag.name
                ),
                flag.place.clone(),
            )
            .label("only a read before the write checks this")
            .severity(Severity::Warning)
            .further(FurtherDelivery::Duplicate)
            .step("A", format!("reads that no {} has this value", flag.object))
            .step("B", "reads the same")
            .step("A", "inserts")
            .step("B", "inserts a second one: nothing refuses it")
            .repair(vec![Change {
                key: format!("unique:{}:{}", flag.object, flag.field),
                title: format!("UNIQUE ({}) on {}", flag.field, flag.object),
                how: None,
            }]),
        ),
    }
}
