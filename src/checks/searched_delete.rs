//! A delete by an id of the event is safe if "already gone" counts; a delete by a search is not.

use crate::model::check::{
    Change, CheckInfo, Finding, FurtherDelivery, Obligation, Outcome, Weight,
};
use crate::model::effect::{EffectKind, RowChoice};
use crate::model::facts::Facts;

use super::{about, contract, live_effects, met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "searched-delete",
    clause: "D",
    title: "a delete of rows that live state chooses",
    weight: Weight::Gate,
    decides_effect: true,
    page: include_str!("searched_delete.md"),
};

/// Decides it for every delete on the path.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    for effect in live_effects(facts) {
        if effect.effect.kind != EffectKind::Delete {
            continue;
        }
        let target = effect.effect.target.name();
        let by_event = match &effect.effect.rows {
            RowChoice::OwnRecord => Some("the event's own record".to_owned()),
            RowChoice::Named(value) if value.is_stable() => {
                Some(format!("the row named by `{}`", value.text))
            }
            RowChoice::Unknown(reason) => {
                let outcome = Outcome::Unknown(std::sync::Arc::from(reason.clone()));
                out.push(about(effect, &INFO, outcome));
                continue;
            }
            _ => None,
        };
        let outcome = match by_event {
            Some(what) => met(
                format!("it deletes {what}: a second delivery finds it gone"),
                Vec::new(),
            ),
            None => contract::outcome(
                effect,
                Finding::new(
                    format!("a second delivery deletes the rows of {target} that match by then"),
                    effect.effect.place.clone(),
                )
                .label("the rows are chosen at delivery")
                .further(FurtherDelivery::Destructive)
                .step(
                    "A",
                    format!("claims e1, deletes the rows of {target} that match, stalls"),
                )
                .step("user", "adds a row that matches")
                .step("B", "takes e1 over and deletes that row too")
                .repair(vec![Change {
                    key: format!("row:{}", effect.effect.id),
                    title: format!(
                        "in `{}`: name the rows of {target} by ids of the event",
                        effect.effect.owner()
                    ),
                    how: None,
                }]),
            ),
        };
        out.push(about(effect, &INFO, outcome));
    }
}
