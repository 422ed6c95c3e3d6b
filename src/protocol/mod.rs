//! A model of the queue's protocol, searched exhaustively for the shortest run that does harm.
//!
//! [`Protocol`] holds which promises are kept; [`step`] makes the transitions from it, on one of two
//! kinds of engines; `property` says what must hold, and knows no promise; [`search()`] looks at every
//! run within a bound, shortest first; `known` keeps what searches came to that never change; `words`
//! tells a run. The handler of every event creates one
//! row behind a UNIQUE key and sets one value of its record, so no run creates a second row: that is
//! the key's doing, not the queue's.
//!
//! Supposed: at least one worker goes on, every waiting for a lock ends, and a worker that stalls may
//! never wake. Left out: more than one stall or crash in a run, the order of creation stamps, and a
//! worker that claims a row which has failed since it selected it (the claim does not ask the retry
//! cutoff again, so each worker may try once too early).

pub mod act;
mod attempt;
mod key;
mod known;
mod others;
mod property;
pub mod search;
pub mod shape;
pub mod state;
pub mod step;
mod words;

use std::collections::BTreeMap;
use std::sync::OnceLock;

pub use act::Act;
pub use attempt::{Left, left_by};
pub use search::{Run, Searched, search};
pub use shape::{Engine, Limits, Protocol};

use rayon::prelude::*;

use crate::model::evidence::Fact;
use crate::model::queue::{Beside, Harm, Promise, Property, Queue, Search};

/// What goes wrong by each promise that is broken, and what would by each that is not known. Promises
/// that are kept have no entry.
///
/// Each is first searched with all others kept: a person repairs one promise at a time, and wants to
/// see what this one costs. Before a repair nearly all are broken at once, and the shortest run of
/// them all together is the same for each. Only where a broken promise does no harm alone is it
/// searched beside the others as they were found, and only the runs count that could not happen
/// with this promise kept.
pub fn harms(queue: &Queue, engine: Engine) -> BTreeMap<Promise, Search> {
    let together = Together::of(queue, engine);
    let asked = queue.promises.par_iter();
    asked
        .filter_map(|(promise, _)| Some((*promise, harm_beside(queue, &together, *promise)?)))
        .collect()
}

/// The promises as they were found, searched once for all of them that do no harm alone.
struct Together {
    as_found: Protocol,
    searched: OnceLock<Searched>,
}

impl Together {
    fn of(queue: &Queue, engine: Engine) -> Self {
        Self {
            as_found: Protocol::from(queue, engine),
            searched: OnceLock::new(),
        }
    }

    fn searched(&self) -> &Searched {
        self.searched.get_or_init(|| search(&self.as_found))
    }
}

/// The same for one promise; none if it is kept, or was not asked.
pub fn harm(queue: &Queue, engine: Engine, promise: Promise) -> Option<Search> {
    harm_beside(queue, &Together::of(queue, engine), promise)
}

fn harm_beside(queue: &Queue, together: &Together, promise: Promise) -> Option<Search> {
    let supposed = match queue.promises.get(&promise)? {
        Fact::Shown(..) => return None,
        Fact::Absent(_) => false,
        Fact::Unknown(_) => true,
    };
    let as_found = together.as_found;
    let alone = Protocol::kept(as_found.engine).without(promise);
    let searched = known::alone(as_found.engine, promise);
    let found = tell(
        &alone,
        searched.runs.iter(),
        &searched,
        Beside::AllKept,
        supposed,
    );
    if !found.harms.is_empty() || supposed || as_found == alone {
        return Some(found);
    }
    let together = together.searched();
    let repaired = as_found.with(promise);
    let needed = together
        .runs
        .iter()
        .filter(|run| needs(&repaired, run, together));
    let beside = tell(&as_found, needed, together, Beside::AsFound, supposed);
    Some(match beside.harms.is_empty() {
        true => found,
        false => beside,
    })
}

/// True if the run cannot happen once a promise is kept that was broken in it.
fn needs(repaired: &Protocol, run: &Run, searched: &Searched) -> bool {
    if run.property == Property::Stuck {
        let repaired = search(repaired);
        return repaired.bound.whole && repaired.runs.iter().all(|it| it.property != run.property);
    }
    let limits = Limits {
        faults: searched.bound.faults,
        ..repaired.limits
    };
    let acts: Vec<Act> = run.steps.iter().map(|(act, _)| *act).collect();
    search::replay(&repaired.within(limits), &acts, run.property).is_none()
}

fn tell<'a>(
    protocol: &Protocol,
    runs: impl Iterator<Item = &'a Run>,
    searched: &Searched,
    beside: Beside,
    supposed: bool,
) -> Search {
    let harm = |run: &Run| Harm {
        property: run.property,
        steps: words::steps(protocol, run),
        beside,
    };
    Search {
        harms: runs.map(harm).collect(),
        supposed,
        bound: searched.bound,
    }
}

/// What is left to happen where every promise is kept: the shortest run in which a worker takes an
/// event over while its old holder wakes and goes on.
pub fn takeover(engine: Engine) -> Vec<crate::model::check::Step> {
    let protocol = Protocol::kept(engine);
    known::known_takeover(engine).map_or_else(Vec::new, |run| words::steps(&protocol, &run))
}
