//! Cycles: the queue is run, and either empties or does not.

use super::case::{Case, state};
use super::drive::drain;
use super::system::System;
use super::tally::Tally;
use super::verdict::Verdict;

/// So many events are taken for "for ever": states are small, and a cycle that rests does so after
/// few rounds.
const MOST: usize = 60;

/// States tried per flow.
const STATES: u64 = 8;

/// A cycle that is said to rest empties the queue from every state; one that is said never to
/// rest fills it from some state.
pub(crate) fn examine(
    case: &Case,
    verdict: &Verdict,
    system: &System,
    tally: &mut Tally,
) -> Result<(), String> {
    for (flows, rests) in &verdict.cycles {
        let Some(rests) = rests else {
            *tally.cycles.entry("not decided").or_default() += 1;
            continue;
        };
        // Other cycles of the case would keep the queue full by themselves.
        let mut alone = System::new(&case.metadata, &case.tables);
        alone.flows.retain(|flow| {
            flows.contains(&flow.name) || flow.trigger.to_ascii_lowercase().starts_with("before")
        });
        let mut endless = None;
        let starts = system
            .flows
            .iter()
            .filter(|flow| flows.contains(&flow.name));
        for flow in starts {
            for seed in 0..STATES {
                let Some(state) = state(case, &flow.object, &flow.trigger, seed, false) else {
                    break;
                };
                let (handled, left) = drain(&alone, &state, MOST);
                if left {
                    endless = endless.or(Some((handled, state)));
                }
            }
        }
        match (rests, endless) {
            (true, Some((handled, state))) => {
                return Err(format!(
                    "the cycle of {flows:?} is said to rest; after {handled} events more come\nstate: {state:#?}"
                ));
            }
            (false, None) => {
                return Err(format!(
                    "the cycle of {flows:?} is said never to rest, and it rests from every state"
                ));
            }
            (true, None) => *tally.cycles.entry("rests").or_default() += 1,
            (false, Some(_)) => *tally.cycles.entry("never").or_default() += 1,
        }
    }
    Ok(())
}
