//! A consumer that the configuration calls excluded is shown to be off the path.

use std::sync::Arc;

use crate::model::check::{
    Change, CheckInfo, Finding, Obligation, Outcome, Severity, Subject, Weight,
};
use crate::model::consumer::{Consumer, PathState};
use crate::model::evidence::{Evidence, InputKind, ObservedBy};
use crate::model::facts::Facts;
use crate::model::place::Place;
use crate::model::scope::Exclusion;

use super::{met, not_met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "unshown-exclusion",
    clause: "map",
    title: "an exclusion of a consumer that nothing shows",
    weight: Weight::Advisory,
    decides_effect: false,
    page: include_str!("unshown_exclusion.md"),
};

/// Decides it for every exclusion of a consumer that was read.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    for exclusion in &facts.declarations.exclusions {
        let name = &exclusion.consumer.value;
        let found = facts
            .consumers
            .iter()
            .filter(|consumer| *name == consumer.id.0 || *name == consumer.title);
        out.extend(found.map(|consumer| Obligation {
            subject: Subject::Consumer(consumer.id.clone()),
            check: &INFO,
            outcome: outcome(consumer, exclusion),
            waiver: None,
        }));
    }
}

fn outcome(consumer: &Consumer, exclusion: &Exclusion) -> Outcome {
    let (why, place) = match &consumer.path {
        PathState::On(_) => return not_met(finding(consumer, exclusion)),
        PathState::Unknown(reason) => return Outcome::Unknown(Arc::new((**reason).clone())),
        PathState::Off(off) => (&off.why, &off.place),
        PathState::Dormant { would_need, place } => (would_need, place),
    };
    met(format!("off the path: {why}"), vec![shows(why, place)])
}

fn shows(why: &Arc<str>, place: &Place) -> Arc<Evidence> {
    Arc::new(Evidence {
        input: InputKind::Flows,
        by: ObservedBy::Text,
        place: place.clone(),
        says: Arc::clone(why),
    })
}

fn finding(consumer: &Consumer, exclusion: &Exclusion) -> Finding {
    Finding::new(
        format!(
            "`{}` is declared excluded, and is on the path: its effects are judged all the same",
            consumer.title
        ),
        exclusion.consumer.place.clone(),
    )
    .severity(Severity::Warning)
    .label("nothing shows that it is off the path")
    .note(format!("the configuration says: {}", exclusion.reason))
    .note(format!("it is read at {}", consumer.place))
    .repair(vec![Change {
        key: format!("exclude:{}", consumer.id),
        title: format!("switch `{}` off, or drop its exclusion", consumer.title),
        how: None,
    }])
}
