//! Every consumer of the path is known, down to its single effects.

use std::sync::Arc;

use crate::model::check::{CheckInfo, Obligation, Outcome, Subject, Weight};
use crate::model::consumer::PathState;
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::facts::Facts;

use super::{about, met, unknown};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "unknown-consumer",
    clause: "map",
    title: "a consumer or effect that no rule describes",
    weight: Weight::Gate,
    decides_effect: true,
    page: include_str!("unknown_consumer.md"),
};

/// What keeps flows from being read that were given.
fn torn(facts: &Facts) -> Option<Reason> {
    let mut states = facts.inputs.iter();
    let flows = states.find(|state| state.kind == InputKind::Flows)?;
    let mut torn = flows.unknown.iter();
    torn.find(|reason| reason.why == Why::NotParsed)
        .map(|reason| (**reason).clone())
}

/// Decides it for the system, for every consumer that may be on the path, and for every effect of
/// which nothing is known.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    if facts.consumers.is_empty() {
        out.push(Obligation {
            subject: Subject::System,
            check: &INFO,
            outcome: unknown(torn(facts).unwrap_or_else(|| Reason {
                why: Why::NotGiven,
                needs: Some(InputKind::Flows),
                sentence: "no consumer was found in what was read".into(),
                place: None,
                next_step: "give the flow metadata (--flows)".into(),
            })),
            waiver: None,
        });
    }
    for consumer in &facts.consumers {
        if !consumer.path.may_be_on() {
            continue;
        }
        let open = match (&consumer.path, consumer.gaps.first()) {
            (PathState::Unknown(reason), _) => Some((**reason).clone()),
            (_, Some(gap)) => Some(gap.clone()),
            _ => None,
        };
        out.push(Obligation {
            subject: Subject::Consumer(consumer.id.clone()),
            check: &INFO,
            outcome: match open {
                Some(reason) => Outcome::Unknown(Arc::new(reason)),
                None => met("the consumer is read and its trigger is known", Vec::new()),
            },
            waiver: None,
        });
    }
    for effect in &facts.effects {
        if let PathState::Unknown(reason) = &effect.effect.path {
            let outcome = Outcome::Unknown(Arc::from(reason.clone()));
            out.push(about(effect, &INFO, outcome));
        }
    }
}
