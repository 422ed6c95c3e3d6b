//! An increment, append or fill-if-empty computed from the frozen snapshot: the same each time, and
//! blind to what happened since.

use crate::model::check::{CheckInfo, Finding, FurtherDelivery, Obligation, Severity, Weight};
use crate::model::effect::{Assignment, EffectKind};
use crate::model::facts::Facts;
use crate::model::value::Shape;

use super::{about, live_effects, met, not_met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "lost-update",
    clause: "S1",
    title: "a set that computes a field from its frozen value",
    weight: Weight::Advisory,
    decides_effect: false,
    page: include_str!("lost_update.md"),
};

/// Decides it for every set on the path.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    for effect in live_effects(facts) {
        if effect.effect.kind != EffectKind::Update {
            continue;
        }
        let outcome = match effect.effect.writes.iter().find(|write| is_blind(write)) {
            None => met("no field is computed from its own frozen value", Vec::new()),
            Some(write) => not_met(
                Finding::new(
                    format!(
                        "{}.{} is computed from its value in the event: what was written since is lost",
                        effect.effect.target.name(),
                        write.field
                    ),
                    write.value.place.clone(),
                )
                .label("reads the frozen value of the field it sets")
                .severity(Severity::Note)
                .further(FurtherDelivery::Overwrite)
                .step("A", format!("handles e1, sets {} from the snapshot, stalls", write.field))
                .step("user", format!("changes {}", write.field))
                .step("B", "takes e1 over and writes the value of the snapshot again"),
            ),
        };
        out.push(about(effect, &INFO, outcome));
    }
}

fn is_blind(write: &Assignment) -> bool {
    write.value.reads(&write.field)
        && matches!(
            write.value.shape,
            Shape::Accumulates | Shape::Toggles | Shape::FillsEmpty | Shape::Computed
        )
}
