//! What is found out about one promise.

use std::sync::Arc;

use crate::model::evidence::{Evidence, Fact, InputKind, ObservedBy, Reason, Why};
use crate::model::place::Place;

/// Kept, broken or not known.
pub(super) type Answer = Fact<Arc<str>>;

/// Kept: how, and where.
pub(super) fn kept(place: &Place, how: impl Into<Arc<str>>) -> Answer {
    let how = how.into();
    Fact::Shown(Arc::clone(&how), seen(place, how))
}

/// Broken: how, and where.
pub(super) fn broken(place: &Place, how: impl Into<Arc<str>>) -> Answer {
    Fact::Absent(seen(place, how.into()))
}

/// Not known: why, and what to do.
pub(super) fn unknown(place: &Place, why: impl Into<String>, next: impl Into<String>) -> Answer {
    reason(Why::NotDecidable, Some(place.clone()), why, next)
}

/// Not known, for a reason of any kind.
pub(super) fn reason(
    why: Why,
    place: Option<Place>,
    sentence: impl Into<String>,
    next: impl Into<String>,
) -> Answer {
    Fact::Unknown(Arc::new(Reason {
        why,
        needs: Some(InputKind::Source),
        sentence: sentence.into(),
        place,
        next_step: next.into(),
    }))
}

fn seen(place: &Place, says: Arc<str>) -> Arc<Evidence> {
    Arc::new(Evidence {
        input: InputKind::Source,
        by: ObservedBy::Text,
        place: place.clone(),
        says,
    })
}

/// The worse of two answers: broken before not known before kept.
pub(super) fn worse(one: Answer, two: Answer) -> Answer {
    let rank = |answer: &Answer| match answer {
        Fact::Absent(_) => 0,
        Fact::Unknown(_) => 1,
        Fact::Shown(..) => 2,
    };
    if rank(&two) < rank(&one) { two } else { one }
}
