//! The checks: each one obligation of the audit, decided for every subject of its domain.
//!
//! A check is a pure function of the facts. It emits one obligation per subject, met, not met,
//! unknown or not applicable; nothing is left out because it is fine.

mod backlog;
mod changes;
mod contract;
mod duplicates;
mod guarantees;
mod promises;

mod always_fails;
mod batch_barrier;
mod blind_rescuer;
mod broken_guarantee;
mod burned_number;
mod call_inside_claim;
mod coarse_key;
mod constant_idempotency_key;
mod constant_key;
mod detached_handler_writes;
mod flag_not_read;
mod guard_lapses;
mod held_records;
mod incomplete_selection;
mod index_not_live;
mod input_drift;
mod keyless_events;
mod keyless_writers;
mod literal_formula;
mod lost_retry;
mod lost_update;
mod missing_record_key;
mod moved_enforcement;
mod no_detached_bookkeeping;
mod no_epoch_fence;
mod no_heartbeat;
mod non_atomic_claim;
mod non_converging_cycle;
mod nondeterministic_set;
mod not_business_unique;
mod null_record_keys;
mod order_dependent;
mod out_of_scope_columns;
mod process_clock;
mod savepoint_lost;
mod searched_delete;
mod searched_row;
mod self_moving_heartbeat;
mod short_record_key;
mod spent_retries;
mod stale_claims;
mod stale_retry_count;
mod swallowed_error;
mod unclaimable_events;
mod uncommitted_claim;
mod unconfirmed_rule;
mod unfenced_status;
mod unguarded_create;
mod unhandled_conflict;
mod unheld_assertion;
mod unindexed_outbox;
mod unique_flag_without_index;
mod unknown_consumer;
mod unordered_events;
mod unprotected_external;
mod unproven_guarantee;
mod unqueued_write;
mod unread_side_effect;
mod unshown_exclusion;
mod unstable_condition;
mod unstable_created_id;
mod untested_redelivery;
mod wrong_record_keys;

use std::borrow::Cow;
use std::collections::HashMap;

use std::sync::Arc;

use rayon::prelude::*;

use crate::model::check::{CheckInfo, Finding, Obligation, Outcome, Proof, Subject};
use crate::model::effect::EffectId;
use crate::model::evidence::{Evidence, Reason};
use crate::model::facts::{EffectFacts, Facts};
use crate::model::guard::CreateFacts;

pub use duplicates::tell_duplicates;

/// A check: what it is, and what it does.
#[derive(Debug)]
pub struct Check {
    /// What stands about it.
    pub info: &'static CheckInfo,
    /// Emits its obligations.
    pub run: fn(&Facts, &mut Vec<Obligation>),
}

macro_rules! checks {
    ($($name:ident),+ $(,)?) => {
        /// Every check, in the order of the clauses they belong to.
        pub const CHECKS: &[Check] = &[$(Check { info: &$name::INFO, run: $name::run }),+];
    };
}

checks![
    missing_record_key,
    unordered_events,
    short_record_key,
    unindexed_outbox,
    self_moving_heartbeat,
    out_of_scope_columns,
    null_record_keys,
    wrong_record_keys,
    keyless_writers,
    unclaimable_events,
    keyless_events,
    stale_claims,
    held_records,
    spent_retries,
    flag_not_read,
    batch_barrier,
    incomplete_selection,
    non_atomic_claim,
    uncommitted_claim,
    no_heartbeat,
    lost_retry,
    detached_handler_writes,
    unfenced_status,
    savepoint_lost,
    no_detached_bookkeeping,
    no_epoch_fence,
    stale_retry_count,
    call_inside_claim,
    blind_rescuer,
    process_clock,
    unqueued_write,
    swallowed_error,
    unguarded_create,
    unhandled_conflict,
    burned_number,
    unstable_created_id,
    guard_lapses,
    constant_key,
    coarse_key,
    not_business_unique,
    index_not_live,
    unique_flag_without_index,
    untested_redelivery,
    nondeterministic_set,
    unstable_condition,
    searched_row,
    order_dependent,
    unread_side_effect,
    non_converging_cycle,
    lost_update,
    searched_delete,
    unprotected_external,
    constant_idempotency_key,
    unknown_consumer,
    unconfirmed_rule,
    unshown_exclusion,
    unheld_assertion,
    always_fails,
    literal_formula,
    input_drift,
    broken_guarantee,
    moved_enforcement,
    unproven_guarantee,
];

/// The check of that id.
pub fn find(id: &str) -> Option<&'static CheckInfo> {
    CHECKS
        .iter()
        .map(|check| check.info)
        .find(|info| info.id == id)
}

/// Runs every check; sorted by subject, then in the order of [`CHECKS`].
pub fn run_all(facts: &Facts) -> Vec<Obligation> {
    let (first, second) = CHECKS.split_at(CHECKS.len() / 2);
    let (mut obligations, mut rest) = rayon::join(
        || run(first, facts, CHECKS.len()),
        || run(second, facts, second.len()),
    );
    obligations.append(&mut rest);
    drop(rest);
    sorted(facts, obligations)
}

/// Runs some checks one after another into a list with room for the obligations of `room` checks:
/// most have one for each effect, and room that is not used takes no memory.
fn run(checks: &[Check], facts: &Facts, room: usize) -> Vec<Obligation> {
    let mut list = Vec::with_capacity(facts.effects.len() * room / 2);
    for check in checks {
        (check.run)(facts, &mut list);
    }
    list
}

/// Why nothing is asked of the row of a statement that the engine refuses.
const REFUSED: &str = "the engine refuses the statement: it makes no row";

/// Sorts by subject, keeping the order of the checks.
///
/// Effects, of which there are many, are ranked once by their id: their obligations are then ordered
/// by number, between the few other subjects, and moved into place without a second list.
fn sorted(facts: &Facts, mut obligations: Vec<Obligation>) -> Vec<Obligation> {
    let mut ids: Vec<&EffectId> = facts
        .effects
        .iter()
        .map(|effect| &effect.effect.id)
        .collect();
    ids.par_sort_unstable();
    let ranks: HashMap<&EffectId, u32> = ids.iter().copied().zip(0..).collect();
    let mut others: Vec<&Subject> = obligations
        .iter()
        .map(|obligation| &obligation.subject)
        .filter(|subject| !matches!(subject, Subject::Effect(_)))
        .collect();
    others.sort();
    others.dedup();
    // Subjects of one kind stand together: every other subject is before or behind all effects.
    let first_effect = Subject::Effect(EffectId("".into()));
    let before = others.partition_point(|other| **other < first_effect) as u32;
    let rank = |obligation: &Obligation| match &obligation.subject {
        Subject::Effect(id) => ranks.get(id).map_or(0, |rank| before + rank),
        other => {
            let at = others.partition_point(|each| *each < other) as u32;
            if at < before {
                at
            } else {
                at + ids.len() as u32
            }
        }
    };
    let ranked: Vec<u32> = obligations.par_iter().map(rank).collect();
    let mut order: Vec<(u32, u32)> = ranked.into_iter().zip(0..).collect();
    order.par_sort_unstable();
    let mut from: Vec<u32> = order.into_iter().map(|(_, from)| from).collect();
    // Each place is filled along the cycle it lies on; a place that is done points at itself.
    for start in 0..from.len() {
        let mut at = start;
        loop {
            let next = std::mem::replace(&mut from[at], at as u32) as usize;
            if next == start || next == at {
                break;
            }
            obligations.swap(at, next);
            at = next;
        }
    }
    obligations
}

/// Effects that are on the path, or not known to be off it.
fn live_effects(facts: &Facts) -> impl Iterator<Item = &EffectFacts> {
    facts
        .effects
        .iter()
        .map(Box::as_ref)
        .filter(|effect| effect.effect.path.may_be_on())
}

/// An obligation about an effect.
fn about(effect: &EffectFacts, check: &'static CheckInfo, mut outcome: Outcome) -> Obligation {
    // A large system has hundreds of thousands of these; texts come with room to grow.
    match &mut outcome {
        Outcome::Met(proof) => proof.shrink(),
        Outcome::NotMet(finding) => finding.shrink(),
        Outcome::Unknown(_) | Outcome::NotApplicable(_) => {}
    }
    Obligation {
        subject: Subject::Effect(effect.effect.id.clone()),
        check,
        outcome,
        waiver: None,
    }
}

fn met(sentence: impl Into<Cow<'static, str>>, evidence: Vec<Arc<Evidence>>) -> Outcome {
    Outcome::Met(Proof {
        sentence: sentence.into(),
        evidence,
    })
}

/// What a proof about a guarded create cites: the rules that say what it does, and its guard.
fn rules_and_guard(effect: &EffectFacts, create: &CreateFacts) -> Vec<Arc<Evidence>> {
    let guard = create.guard().map(|guard| &guard.evidence);
    let rules = effect.effect.by_rule.iter();
    rules.chain(guard).cloned().collect()
}

fn not_met(finding: Finding) -> Outcome {
    Outcome::NotMet(Box::new(finding))
}

fn unknown(reason: Reason) -> Outcome {
    Outcome::Unknown(Arc::new(reason))
}
