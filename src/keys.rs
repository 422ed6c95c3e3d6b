//! The UNIQUE indexes that findings propose, and whether rows that are there would refuse them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::check::{Obligation, Outcome};
use crate::model::duplicates::Duplicates;
use crate::model::evidence::Reason;
use crate::model::facts::Facts;
use crate::model::guard::KeyProposal;
use crate::sql::outbox::{Question, duplicates};

/// The keys that findings propose and of which the database can be asked, each once, in the order
/// of their names.
pub(crate) fn proposed(facts: &Facts, obligations: &[Obligation]) -> Vec<KeyProposal> {
    let wanted: BTreeSet<&str> = obligations
        .iter()
        .filter_map(|obligation| match &obligation.outcome {
            Outcome::NotMet(finding) => Some(finding),
            _ => None,
        })
        .flat_map(|finding| finding.repairs.iter().flatten())
        .map(|change| change.key.as_str())
        .collect();
    let proposals = facts
        .effects
        .iter()
        .filter_map(|effect| effect.create.as_ref())
        .flat_map(|create| &create.proposals);
    let by_key: BTreeMap<String, &KeyProposal> = proposals
        .filter(|proposal| proposal.shape.is_some())
        .map(|proposal| (proposal.change_key(), proposal))
        .filter(|(key, _)| wanted.contains(key.as_str()))
        .collect();
    by_key.into_values().cloned().collect()
}

/// The question of each.
pub(crate) fn questions(proposed: &[KeyProposal]) -> Vec<Question> {
    proposed
        .iter()
        .filter_map(|proposal| {
            let shape = proposal.shape.as_ref()?;
            Some(duplicates(shape, &proposal.columns))
        })
        .collect()
}

/// What was told, by the change that it speaks of.
pub(crate) fn told(
    proposed: &[KeyProposal],
    answers: Vec<Option<Result<Duplicates, Arc<Reason>>>>,
) -> BTreeMap<String, Result<Duplicates, Arc<Reason>>> {
    proposed
        .iter()
        .zip(answers)
        .filter_map(|(proposal, answer)| Some((proposal.change_key(), answer?)))
        .collect()
}
