//! C5: the guard stands as long as the event can come again.

use crate::model::check::{
    CheckInfo, Finding, FurtherDelivery, Obligation, Outcome, Severity, Weight,
};
use crate::model::facts::Facts;

use super::{about, live_effects, met, not_met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "guard-lapses",
    clause: "C5",
    title: "a guard that ends while the event can still come again",
    weight: Weight::Advisory,
    decides_effect: false,
    page: include_str!("guard_lapses.md"),
};

/// Decides it for every guarded create on the path.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    for effect in live_effects(facts) {
        let Some(create) = &effect.create else {
            continue;
        };
        let outcome = match create.guard() {
            None => Outcome::NotApplicable("no key protects the create"),
            Some(guard) => match &guard.lapses {
                None => met(
                    format!("{} counts every row of the table", guard.enforcer),
                    vec![guard.evidence.clone()],
                ),
                Some(why) => not_met(
                    Finding::new(
                        format!(
                            "{} {} guards only for a while: {why}",
                            guard.enforcer, guard.key
                        ),
                        guard.evidence.place.clone(),
                    )
                    .label("the guard ends here")
                    .severity(Severity::Warning)
                    .further(FurtherDelivery::Duplicate)
                    .step("A", "claims e1, inserts the row, stalls")
                    .step("user", "deletes the row, or moves it out of the predicate")
                    .step("B", "takes e1 over and inserts it again")
                    .cites([guard.evidence.clone()]),
                ),
            },
        };
        out.push(about(effect, &INFO, outcome));
    }
}
