//! S3: no event that is not ordered with this one writes the same field of that row.

use crate::model::check::{CheckInfo, Finding, FurtherDelivery, Obligation, Severity, Weight};
use crate::model::effect::RowChoice;
use crate::model::facts::{EffectFacts, Facts, Unordered};

use super::{about, live_effects, met, not_met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "order-dependent",
    clause: "S3",
    title: "a set whose result depends on an order that nothing keeps",
    weight: Weight::Advisory,
    decides_effect: false,
    page: include_str!("order_dependent.md"),
};

/// Decides it for every set on stored rows on the path.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    for effect in live_effects(facts) {
        let stored = matches!(
            effect.effect.rows,
            RowChoice::OwnRecord | RowChoice::Named(_) | RowChoice::Search(_)
        );
        if !effect.effect.kind.is_set() || !stored {
            continue;
        }
        let outcome = match effect.unordered.first() {
            None => met(
                "only events of the record itself write these fields: the record key, where there is one, orders them",
                Vec::new(),
            ),
            Some(unordered) => not_met(finding(effect, unordered)),
        };
        out.push(about(effect, &INFO, outcome));
    }
}

fn finding(effect: &EffectFacts, unordered: &Unordered) -> Finding {
    let target = effect.effect.target.name();
    let field = &unordered.field;
    let others = match (unordered.others.first(), unordered.total) {
        (None, _) => "events of different records that name the same row".to_owned(),
        (Some(other), 1) => format!("{other}, in an event of another record"),
        (Some(other), total) => format!("{other} and {} more", total - 1),
    };
    Finding::new(
        format!("{target}.{field} is also written by {others}: the record key does not order them"),
        effect.effect.place.clone(),
    )
    .label("the last delivery wins, whichever event is older")
    .severity(Severity::Warning)
    .further(FurtherDelivery::Overwrite)
    .step(
        "A",
        format!("handles e1, sets {field}, stalls before the event is marked"),
    )
    .step(
        "B",
        format!("handles e2 of another record, sets {field} of the same row"),
    )
    .step("C", "takes e1 over and writes the older value over it")
}
