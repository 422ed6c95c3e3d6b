//! Waivers: a person's acceptance of one finding, until a day.

use crate::model::check::{Obligation, Outcome};
use crate::model::evidence::Why;
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
            let state = if ignore {
                WaiverState::Ignored
            } else if *waiver.expires < *as_of {
                WaiverState::Expired
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
            }
        })
        .collect()
}

fn cover(waiver: &Waiver, at: usize, obligations: &mut [Obligation]) -> WaiverState {
    let mut state = WaiverState::Unused;
    for obligation in obligations.iter_mut() {
        let names = *waiver.check.value == *obligation.check.id
            && obligation.subject.to_string() == *waiver.subject.value;
        if !names {
            continue;
        }
        if can_be_waived(obligation) {
            obligation.waiver = Some(at as u32);
            state = WaiverState::Applied;
        } else if state == WaiverState::Unused && matches!(obligation.outcome, Outcome::Unknown(_))
        {
            state = WaiverState::Refused;
        }
    }
    state
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

/// A finding can be waived, and so can a doubt about something that was read; a consumer that is
/// not known and an input that was not read cannot.
pub fn can_be_waived(obligation: &Obligation) -> bool {
    match &obligation.outcome {
        Outcome::NotMet(_) => true,
        Outcome::Unknown(reason) => {
            obligation.check.id != "unknown-consumer"
                && !matches!(
                    reason.why,
                    Why::NotGiven | Why::NotReadable | Why::NotParsed | Why::NotMapped
                )
        }
        Outcome::Met(_) | Outcome::NotApplicable(_) => false,
    }
}
