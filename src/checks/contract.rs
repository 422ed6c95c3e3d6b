//! What a declared contract makes of a finding: accepted, not yet shown, or nothing.

use crate::model::check::{Finding, FurtherDelivery, Outcome};
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::facts::EffectFacts;
use crate::model::scope::ContractKind;

use super::{met, not_met, unknown};

/// The outcome of a finding about an effect whose consumer may have a contract.
///
/// An accepted duplicate is a declaration, and stands by itself. Every other contract is a claim
/// about code, tables and tests; until those are read it protects nothing, and blocks nothing.
pub(super) fn outcome(facts: &EffectFacts, finding: Finding) -> Outcome {
    let Some(contract) = &facts.contract else {
        return not_met(finding);
    };
    if contract.kind == ContractKind::AcceptedDuplicate {
        // By its word it accepts a repetition, nothing that is lost, overwritten or stuck.
        let repeats = matches!(
            finding.further_delivery,
            Some(FurtherDelivery::Duplicate | FurtherDelivery::RepeatedExternal)
        );
        if !repeats {
            return not_met(finding);
        }
        let owner = contract.owner.as_deref().unwrap_or("nobody");
        let reason = contract.reason.as_deref().unwrap_or("no reason");
        return met(
            format!("accepted duplicate: {reason} (owner: {owner})"),
            Vec::new(),
        );
    }
    unknown(Reason {
        why: Why::NotGiven,
        needs: Some(InputKind::Tests),
        sentence: format!(
            "a contract ({}) is declared for `{}`; no source and no test shows that it holds",
            contract.kind.word(),
            facts.effect.owner()
        ),
        place: Some(contract.consumer.place.clone()),
        next_step:
            "give the source (--source) and the test results (--tests); what a contract rests on \
                    is not looked for in them yet"
                .into(),
    })
}
