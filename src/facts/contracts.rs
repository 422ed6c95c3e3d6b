//! Holds each declared contract against what was read: its table and key, its code, its test, and
//! how long it remembers.

mod code;
mod table;
mod tests;

use std::sync::Arc;

use crate::model::evidence::{Evidence, InputKind, ObservedBy, Reason, Why};
use crate::model::inputs::InputState;
use crate::model::map::ConsumerMap;
use crate::model::outbox::{OutboxColumn, OutboxNames};
use crate::model::place::Place;
use crate::model::schema::Schema;
use crate::model::scope::{
    Contract, ContractKind, ContractPart, Declarations, InDoubt, JudgedContract,
};
use crate::model::tests::TestResults;

use super::ran_on::Audited;

/// What contracts are held against.
pub(super) struct ContractInput<'a> {
    pub(super) declarations: &'a Declarations,
    pub(super) schema: Option<&'a Schema>,
    pub(super) outbox: &'a OutboxNames,
    /// The map of the source, where one was read.
    pub(super) map: Option<&'a ConsumerMap>,
    pub(super) results: &'a TestResults,
    /// What a result of a test must be of.
    pub(super) audited: &'a Audited,
    /// What became of the results of tests.
    pub(super) tests: Option<&'a InputState>,
}

/// Judges every contract, in the order declared.
pub(super) fn judge(input: &ContractInput<'_>) -> Vec<Arc<JudgedContract>> {
    let contracts = input.declarations.contracts.iter();
    contracts
        .map(|contract| {
            Arc::new(JudgedContract {
                rivals: Vec::new(),
                parts: parts(input, contract),
                contract: contract.clone(),
            })
        })
        .collect()
}

fn parts(input: &ContractInput<'_>, contract: &Contract) -> Vec<ContractPart> {
    let mut parts = Vec::new();
    match contract.kind {
        // A declaration that stands by itself.
        ContractKind::AcceptedDuplicate => return parts,
        ContractKind::DedupTable => parts.extend(table::parts(input, contract)),
        ContractKind::AttemptLedger => {
            parts.extend(table::parts(input, contract));
            parts.push(policy(contract));
        }
        ContractKind::IdempotencyKey => parts.push(provider(contract)),
    }
    parts.extend(
        contract
            .key
            .iter()
            .filter_map(|key| lint(input, contract, key)),
    );
    parts.push(code::part(input, contract));
    parts.extend(
        contract
            .test
            .iter()
            .flat_map(|test| tests::parts(input, contract, test)),
    );
    parts.push(window(input, contract));
    parts
}

fn declared(says: String, place: &Place) -> ContractPart {
    ContractPart::Holds(Arc::new(Evidence {
        input: InputKind::Configuration,
        by: ObservedBy::Declared,
        place: place.clone(),
        says: says.into(),
    }))
}

fn open(
    why: Why,
    needs: Option<InputKind>,
    sentence: String,
    place: &Place,
    next: &str,
) -> ContractPart {
    ContractPart::Open(Arc::new(Reason {
        why,
        needs,
        sentence,
        place: Some(place.clone()),
        next_step: next.to_owned(),
    }))
}

/// What a ledger does about an attempt of which it is not known whether it came through.
fn policy(contract: &Contract) -> ContractPart {
    let place = &contract.consumer.place;
    match contract.in_doubt {
        Some(InDoubt::Repeat) => ContractPart::Fails(
            "an attempt whose outcome is not known is repeated (`in_doubt: repeat`): the call can \
             be made twice"
                .into(),
            place.clone(),
        ),
        Some(policy) => declared(
            format!("an attempt in doubt: {}", policy.word()),
            place,
        ),
        None => ContractPart::Fails(
            "it names no policy for an attempt whose outcome is not known; add `in_doubt: park` or \
             `skip`"
                .into(),
            place.clone(),
        ),
    }
}

/// That the other side honours the key nobody can read; a person answers for it.
fn provider(contract: &Contract) -> ContractPart {
    let place = &contract.consumer.place;
    match (&contract.owner, &contract.reason) {
        (Some(owner), Some(reason)) => declared(
            format!("the other side honours the key: {reason} (owner: {owner})"),
            place,
        ),
        _ => open(
            Why::NotDecidable,
            None,
            "who says that the other side honours the key is not named".into(),
            place,
            "add `reason` and `owner` to the contract",
        ),
    }
}

/// What a key may not be made of: it would differ between deliveries, or between nothing.
fn lint(input: &ContractInput<'_>, contract: &Contract, key: &str) -> Option<ContractPart> {
    let place = &contract.consumer.place;
    let fails = |why: &str| {
        let sentence = format!("its key `{key}` {why}");
        Some(ContractPart::Fails(sentence.into(), place.clone()))
    };
    let bare = key.rsplit_once('.').map_or(key, |(_, bare)| bare);
    let is = |column: OutboxColumn| {
        let names = input.outbox.columns.get(&column);
        names.is_some_and(|names| names.iter().any(|name| name.eq_ignore_ascii_case(bare)))
    };
    // `record.created` is a fact of the record; `created` alone is the outbox's own stamp, and the
    // same on every delivery.
    let of_the_row = !key.contains('.') && contract.kind == ContractKind::IdempotencyKey;
    if of_the_row && is(OutboxColumn::Payload) {
        return fails("is the whole payload: two spellings of one event are two keys");
    }
    if of_the_row && is(OutboxColumn::RetryCount) {
        return fails("counts attempts: each delivery has another key");
    }
    if of_the_row && is(OutboxColumn::Modified) {
        return fails("is the heartbeat, a clock: each delivery has another key");
    }
    if of_the_row && is(OutboxColumn::EventType) && contract.key.len() == 1 {
        return fails(
            "is the same for every event of a type: all but the first call are swallowed",
        );
    }
    None
}

/// How long a key is remembered, against how long an event may come again.
fn window(input: &ContractInput<'_>, contract: &Contract) -> ContractPart {
    let place = &contract.consumer.place;
    let horizon = input.declarations.horizon_seconds;
    match (contract.window_seconds, horizon) {
        (Some(window), Some(horizon)) if window < horizon => ContractPart::Fails(
            format!(
                "it remembers for {window} seconds, and an event can come again for {horizon} (`horizon`)"
            )
            .into(),
            place.clone(),
        ),
        (Some(window), Some(_)) => {
            declared(format!("it remembers for {window} seconds, as long as the horizon"), place)
        }
        (None, _) if contract.kind != ContractKind::IdempotencyKey => {
            declared("its rows are kept: no `window` is declared".into(), place)
        }
        (None, _) => open(
            Why::NotDecidable,
            None,
            "how long the other side remembers a key is not declared".into(),
            place,
            "add `window` to the contract, for example `window: 24h`",
        ),
        (Some(_), None) => open(
            Why::NotDecidable,
            None,
            "how long an event can come again is not declared, so the window covers nothing known".into(),
            place,
            "declare `horizon` in outbox-audit.yaml",
        ),
    }
}
