//! Waivers: a person's acceptance of one finding, until a day.

use crate::model::check::{Obligation, Outcome};
use crate::model::nearest::nearest_few;
use crate::model::report::{WaiverRow, WaiverState};
use crate::model::scope::{Declarations, Waiver};

/// Marks the obligations that waivers cover; gives every waiver with what became of it.
pub(super) fn apply(
    declarations: &Declarations,
    obligations: &mut [Obligation],
    as_of: &str,
    ignore: bool,
) -> Vec<WaiverRow> {
    declarations
        .waivers
        .iter()
        .enumerate()
        .map(|(at, waiver)| {
            let (state, refused) = if ignore {
                (WaiverState::Ignored, None)
            } else if *waiver.expires < *as_of {
                (WaiverState::Expired, None)
            } else {
                cover(waiver, at, obligations)
            };
            WaiverRow {
                waiver: waiver.clone(),
                meant: match state {
                    WaiverState::Unused => meant(waiver, obligations),
                    _ => Vec::new(),
                },
                state,
                refused,
            }
        })
        .collect()
}

fn cover(
    waiver: &Waiver,
    at: usize,
    obligations: &mut [Obligation],
) -> (WaiverState, Option<&'static str>) {
    let mut refused = None;
    let mut applies = false;
    for obligation in obligations.iter_mut() {
        let names = *waiver.check.value == *obligation.check.id
            && obligation.subject.to_string() == *waiver.subject.value;
        if !names {
            continue;
        }
        if can_be_waived(obligation) {
            obligation.waiver = Some(at as u32);
            applies = true;
        } else {
            refused = refused.or(refusal(obligation));
        }
    }
    match (applies, refused) {
        (true, _) => (WaiverState::Applied, None),
        (false, Some(_)) => (WaiverState::Refused, refused),
        (false, None) => (WaiverState::Unused, None),
    }
}

/// Subjects of findings of that check whose names are like the one that is waived.
fn meant(waiver: &Waiver, obligations: &[Obligation]) -> Vec<String> {
    let of_check = obligations
        .iter()
        .filter(|one| *waiver.check.value == *one.check.id && can_be_waived(one));
    let subjects: Vec<String> = of_check.map(|one| one.subject.to_string()).collect();
    let names: Vec<&str> = subjects.iter().map(String::as_str).collect();
    let near = nearest_few(&waiver.subject.value, &names, 3);
    near.into_iter().map(str::to_owned).collect()
}

/// Why no waiver covers an unknown outcome.
const UNKNOWN: &str = "covers nothing: the outcome is unknown";

/// Why no waiver covers a failed test.
const FAILED_TEST: &str = "covers nothing: a failed redelivery test is never waived";

/// A finding can be waived, for it says what is accepted; what is not known cannot. A test that
/// failed shows more than whoever accepted an earlier state of it could know.
pub fn can_be_waived(obligation: &Obligation) -> bool {
    matches!(obligation.outcome, Outcome::NotMet(_)) && refusal(obligation).is_none()
}

/// Why a waiver that names the obligation covers nothing; none where it does, or where there is
/// nothing to waive.
fn refusal(obligation: &Obligation) -> Option<&'static str> {
    match &obligation.outcome {
        Outcome::Unknown(_) => Some(UNKNOWN),
        Outcome::NotMet(_) if obligation.check.id == "untested-redelivery" => Some(FAILED_TEST),
        _ => None,
    }
}
