//! What a declared contract makes of a finding: accepted, shown, not yet shown, or nothing.

use std::sync::Arc;

use crate::model::check::{Finding, FurtherDelivery, Outcome};
use crate::model::evidence::{Evidence, Reason, Why};
use crate::model::facts::EffectFacts;
use crate::model::scope::{Contract, ContractKind, ContractPart};

use super::{met, not_met, unknown};

/// The outcome of a finding about an effect whose consumer may have a contract.
///
/// An accepted duplicate is a declaration, and stands by itself. Every other contract is a claim
/// about code, tables and tests: one part that does not hold, and it protects nothing; one that
/// could not be checked leaves it open.
pub(super) fn outcome(facts: &EffectFacts, finding: Finding) -> Outcome {
    let Some(judged) = &facts.contract else {
        return not_met(finding);
    };
    let contract = &judged.contract;
    if let Some((kind, place)) = judged.rivals.first() {
        // Which of them is meant nobody can tell, and one of them may accept what the other forbids.
        return not_met(finding.note(format!(
            "two contracts are declared for it, {} ({}) and {} ({place}), so none of them counts: keep the one that holds",
            contract.kind.word(),
            contract.consumer.place,
            kind.word()
        )));
    }
    if contract.kind == ContractKind::AcceptedDuplicate {
        return accepted(contract, finding);
    }
    let failing: Vec<String> = judged
        .parts
        .iter()
        .filter_map(|part| match part {
            ContractPart::Fails(why, place) => Some(format!("{why} ({place})")),
            _ => None,
        })
        .collect();
    if !failing.is_empty() {
        return not_met(failing.into_iter().fold(
            finding.note(format!(
                "a contract ({}) is declared, and protects nothing",
                contract.kind.word()
            )),
            |finding, why| finding.note(format!("of the contract: {why}")),
        ));
    }
    let open: Vec<&Arc<Reason>> = judged
        .parts
        .iter()
        .filter_map(|part| match part {
            ContractPart::Open(reason) => Some(reason),
            _ => None,
        })
        .collect();
    match open.first() {
        Some(first) => unknown(not_shown(facts, contract, first, &open)),
        None => {
            let shown: Vec<Arc<Evidence>> = judged
                .parts
                .iter()
                .filter_map(|part| match part {
                    ContractPart::Holds(evidence) => Some(Arc::clone(evidence)),
                    _ => None,
                })
                .collect();
            let kind = contract.kind.word();
            met(
                format!("a contract ({kind}) makes a repetition harmless"),
                shown,
            )
        }
    }
}

/// By its word it accepts a repetition, nothing that is lost, overwritten or stuck.
fn accepted(contract: &Contract, finding: Finding) -> Outcome {
    let repeats = matches!(
        finding.further_delivery,
        Some(FurtherDelivery::Duplicate | FurtherDelivery::RepeatedExternal)
    );
    if !repeats {
        return not_met(finding);
    }
    let owner = contract.owner.as_deref().unwrap_or("nobody");
    let reason = contract.reason.as_deref().unwrap_or("no reason");
    met(
        format!("accepted duplicate: {reason} (owner: {owner})"),
        Vec::new(),
    )
}

/// The parts that could not be checked, by name; what is asked for is what the first of them needs,
/// an input that is missing before anything else.
fn not_shown(
    facts: &EffectFacts,
    contract: &Contract,
    first: &Arc<Reason>,
    open: &[&Arc<Reason>],
) -> Reason {
    let missing = open.iter().find(|reason| reason.why == Why::NotGiven);
    let asks = missing.unwrap_or(&first);
    let parts: Vec<&str> = open.iter().map(|reason| reason.sentence.as_str()).collect();
    Reason {
        why: asks.why,
        needs: asks.needs,
        sentence: format!(
            "a contract ({}) is declared for `{}`, and not all of it could be checked: {}",
            contract.kind.word(),
            facts.effect.owner(),
            parts.join("; ")
        ),
        place: Some(contract.consumer.place.clone()),
        next_step: asks.next_step.clone(),
    }
}
