//! C1: a key that is the same for every event lets one row in, ever.

use crate::model::check::{CheckInfo, Finding, FurtherDelivery, Obligation, Outcome, Weight};
use crate::model::facts::Facts;
use crate::model::guard::Protection;

use super::{REFUSED, about, changes, contract, live_effects, met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "constant-key",
    clause: "C1",
    title: "a key that no event varies",
    weight: Weight::Gate,
    decides_effect: true,
    page: include_str!("constant_key.md"),
};

/// Decides it for every guarded create on the path.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    for effect in live_effects(facts) {
        let Some(create) = &effect.create else {
            continue;
        };
        // Any key that lets one row in, ever, refuses every event but the first.
        let constant = create.decisions.iter().find(|decision| {
            decision.constant_key && matches!(decision.protection, Protection::Protects)
        });
        let outcome = match constant.or_else(|| create.guard()) {
            _ if create.refused.is_some() => Outcome::NotApplicable(REFUSED),
            None => Outcome::NotApplicable("no key protects the create"),
            Some(guard) if !guard.constant_key => met(
                format!("{} {} varies by event", guard.enforcer, guard.key),
                vec![guard.evidence.clone()],
            ),
            Some(guard) => {
                let finding = Finding::new(
                    format!(
                        "{} {} is the same for every event: only the first event's {} is ever kept",
                        guard.enforcer,
                        guard.key,
                        effect.effect.target.name()
                    ),
                    effect.effect.place.clone(),
                )
                .label("every part of its key is constant")
                .further(FurtherDelivery::Swallowed)
                .step("A", "handles e1 and inserts the row")
                .step(
                    "A",
                    "handles e2, a different event: its row is taken for a repetition and lost",
                )
                .cites([guard.evidence.clone()])
                .repair(vec![changes::rewrite(
                    &effect.effect,
                    guard.columns.first().map_or("", |column| column),
                    "a constant",
                )]);
                contract::outcome(effect, finding)
            }
        };
        out.push(about(effect, &INFO, outcome));
    }
}
