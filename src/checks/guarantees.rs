//! What the checks on guarantees share: parts that hold, do not, or are not known, as one outcome.

use std::sync::Arc;

use crate::model::check::{Change, CheckInfo, Finding, Obligation, Outcome, Subject};
use crate::model::evidence::Evidence;
use crate::model::scope::ContractPart;

use super::{met, not_met};

/// An obligation about a guarantee, or about one check of it: `id/kind`.
pub(super) fn about(name: String, check: &'static CheckInfo, outcome: Outcome) -> Obligation {
    Obligation {
        subject: Subject::Guarantee(name.into()),
        check,
        outcome,
        waiver: None,
    }
}

/// One part that does not hold, and it is not met; else one that is not known leaves it open.
pub(super) fn outcome(parts: &[ContractPart], label: &'static str, repair: Change) -> Outcome {
    let failing: Vec<(&Arc<str>, &crate::model::place::Place)> = parts
        .iter()
        .filter_map(|part| match part {
            ContractPart::Fails(why, place) => Some((why, place)),
            _ => None,
        })
        .collect();
    if let Some(((first, place), rest)) = failing.split_first() {
        let finding = Finding::new(first.to_string(), (*place).clone())
            .label(label)
            .repair(vec![repair]);
        let noted = rest.iter().fold(finding, |finding, (why, place)| {
            finding.note(format!("{why} ({place})"))
        });
        return not_met(noted);
    }
    let mut open = parts.iter().filter_map(|part| match part {
        ContractPart::Open(reason) => Some(reason),
        _ => None,
    });
    if let Some(reason) = open.next() {
        return Outcome::Unknown(Arc::clone(reason));
    }
    let shown: Vec<Arc<Evidence>> = parts
        .iter()
        .filter_map(|part| match part {
            ContractPart::Holds(evidence) => Some(Arc::clone(evidence)),
            _ => None,
        })
        .collect();
    let mut sentences: Vec<&str> = Vec::new();
    for one in &shown {
        if !sentences.contains(&&*one.says) {
            sentences.push(&one.says);
        }
    }
    met(sentences.join("; "), shown)
}
