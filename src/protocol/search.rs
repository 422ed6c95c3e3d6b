//! Breadth-first search over all runs within the bound, shortest first.

use rustc_hash::FxHashMap;

use super::act::Act;
use super::key::Keys;
use super::shape::{Limits, Protocol};
use super::state::{At, State};
use super::step::{Next, successors};
use crate::model::queue::{Bound, Property};

/// A run: what happened, and the state behind each step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// What fails in its last step, or at its end.
    pub property: Property,
    /// The state it starts in.
    pub first: State,
    /// Its steps.
    pub steps: Vec<(Act, State)>,
}

/// What a search came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Searched {
    /// For each property that was found to fail, the shortest run in which it does; harm to the rows
    /// first, then the shorter first.
    pub runs: Vec<Run>,
    /// How far was looked.
    pub bound: Bound,
}

/// So many states more are looked at after the first harm, for other properties that fail.
const PATIENCE: usize = 100_000;

/// The states that were found, in the order in which they were.
struct Found {
    keys: Vec<u128>,
    /// Where each was come from first.
    parents: Vec<u32>,
    /// Steps that nobody needs a mishap for, from one state to another.
    duties: Vec<(u32, u32)>,
    /// States in which all is done.
    done: Vec<u32>,
}

/// Looks for runs in which a property fails: one that must hold in every step, or an event that
/// never ends. The latter is told only of a search that left no state out.
///
/// First without any fault, then with one more each time, up to the limit: the harm that needs the
/// fewest faults is the one that is told, and the bound is that of the last search.
pub fn search(protocol: &Protocol) -> Searched {
    let most = protocol.limits.faults;
    let mut faults = 0;
    loop {
        let limits = Limits {
            faults,
            ..protocol.limits
        };
        let searched = explore(&protocol.within(limits), |_| false);
        if faults >= most || !searched.runs.is_empty() || !searched.bound.whole {
            return searched;
        }
        faults += 1;
    }
}

/// Where every promise is kept: the shortest run at whose end a worker that had stalled goes on with
/// an event that another one has taken over.
pub fn takeover(protocol: &Protocol) -> Option<Run> {
    let limits = Limits {
        faults: 0,
        ..protocol.limits
    };
    let searched = explore(&protocol.within(limits), |state| {
        let runs = |event: u8, had_stalled: bool| {
            let mut workers = state.workers.iter();
            workers.any(|it| {
                it.at == At::Running
                    && it.event == event
                    && !it.stalled
                    && it.had_stalled == had_stalled
            })
        };
        (0..protocol.limits.events).any(|event| runs(event, true) && runs(event, false))
    });
    searched.runs.into_iter().next()
}

/// The search; it ends at a state that is `sought`, which counts as two holders of one event.
fn explore(protocol: &Protocol, sought: impl Fn(&State) -> bool) -> Searched {
    let limits = protocol.limits;
    let first = State::first(protocol);
    let keys = Keys::of(protocol);
    let mut found = Found {
        keys: vec![keys.key(&first)],
        parents: vec![0],
        duties: Vec::new(),
        done: Vec::new(),
    };
    let mut numbers: FxHashMap<u128, u32> = FxHashMap::default();
    numbers.insert(found.keys[0], 0);
    let mut bound = Bound {
        workers: limits.workers,
        events: limits.events,
        stalls: limits.stalls,
        crashes: limits.crashes,
        faults: limits.faults,
        steps: 0,
        states: 0,
        whole: true,
    };
    let mut most = limits.states as usize;
    let mut level = vec![(0_u32, first)];
    let mut harms: Vec<(u32, u128, Property)> = Vec::new();
    let mut next = Vec::new();
    'levels: while !level.is_empty() {
        let mut deeper = Vec::new();
        for (number, state) in &level {
            if state.is_done(&limits) {
                found.done.push(*number);
            }
            successors(protocol, state, &mut next);
            for Next { act, state, harm } in &next {
                let key = keys.key(state);
                if sought(state) {
                    harms.push((*number, key, Property::TwoHolders));
                    bound.whole = false;
                    break 'levels;
                }
                if let Some(property) = harm
                    && harms.iter().all(|(_, _, known)| known != property)
                {
                    harms.push((*number, key, *property));
                    most = most.min(found.keys.len() + PATIENCE);
                }
                let count = found.keys.len() as u32;
                let to = *numbers.entry(key).or_insert(count);
                if to == count {
                    found.keys.push(key);
                    found.parents.push(*number);
                    deeper.push((to, *state));
                }
                if !act.is_mishap() {
                    found.duties.push((*number, to));
                }
            }
        }
        level = deeper;
        bound.steps += u32::from(!level.is_empty());
        if found.keys.len() > most && !level.is_empty() {
            bound.whole = false;
            break;
        }
    }
    bound.states = found.keys.len() as u32;
    drop(numbers);
    let mut runs: Vec<Run> = Vec::new();
    for (from, key, property) in harms {
        let mut path = path_to(&found, from);
        path.push(key);
        runs.push(follow(protocol, &path, property));
    }
    if bound.whole
        && let Some(stuck) = first_stuck(&found)
    {
        let run = follow(protocol, &path_to(&found, stuck), Property::Stuck);
        runs.push(until_rest(protocol, run));
    }
    runs.sort_by_key(|run| (!run.property.harms_rows(), run.steps.len(), run.property));
    Searched { runs, bound }
}

/// The first state from which no steps of duty lead to a state where all is done.
fn first_stuck(found: &Found) -> Option<u32> {
    let count = found.keys.len();
    let mut starts = vec![0_u32; count + 2];
    for (_, to) in &found.duties {
        starts[*to as usize + 2] += 1;
    }
    for at in 2..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut sources = vec![0_u32; found.duties.len()];
    for (from, to) in &found.duties {
        let at = &mut starts[*to as usize + 1];
        sources[*at as usize] = *from;
        *at += 1;
    }
    let mut can_end = vec![false; count];
    let mut todo = found.done.clone();
    while let Some(number) = todo.pop() {
        let number = number as usize;
        if !std::mem::replace(&mut can_end[number], true) {
            let range = starts[number] as usize..starts[number + 1] as usize;
            todo.extend_from_slice(&sources[range]);
        }
    }
    can_end.iter().position(|ends| !ends).map(|at| at as u32)
}

/// The keys on the way from the first state to this one, without the first.
fn path_to(found: &Found, mut number: u32) -> Vec<u128> {
    let mut path = Vec::new();
    while number != 0 {
        path.push(found.keys[number as usize]);
        number = found.parents[number as usize];
    }
    path.reverse();
    path
}

/// Walks along the keys from the first state: keys know no names of workers, a run does.
fn follow(protocol: &Protocol, path: &[u128], property: Property) -> Run {
    let first = State::first(protocol);
    let keys = Keys::of(protocol);
    let mut state = first;
    let mut steps = Vec::with_capacity(path.len());
    let mut next = Vec::new();
    for (at, key) in path.iter().enumerate() {
        successors(protocol, &state, &mut next);
        let leads = |step: &&Next| keys.key(&step.state) == *key;
        let is_last = at + 1 == path.len();
        let step = next
            .iter()
            .find(|step| leads(step) && (!is_last || step.harm == Some(property)))
            .or_else(|| next.iter().find(leads));
        // Every key was found by such a step.
        let Some(step) = step else { break };
        state = step.state;
        steps.push((step.act, state));
    }
    Run {
        property,
        first,
        steps,
    }
}

/// The run of these acts from the first state, where the protocol allows each of them; the last one does
/// the harm, unless it lies in what never happens.
pub(super) fn replay(protocol: &Protocol, acts: &[Act], property: Property) -> Option<Run> {
    let first = State::first(protocol);
    let mut state = first;
    let mut steps = Vec::with_capacity(acts.len());
    let mut next = Vec::new();
    for (at, act) in acts.iter().enumerate() {
        successors(protocol, &state, &mut next);
        let does_harm = at + 1 == acts.len() && property != Property::Stuck;
        let step = next
            .iter()
            .find(|step| step.act == *act && (!does_harm || step.harm == Some(property)))?;
        state = step.state;
        steps.push((*act, state));
    }
    Some(Run {
        property,
        first,
        steps,
    })
}

/// Where an event is stuck from the start, one worker's attempt shows how.
fn until_rest(protocol: &Protocol, mut run: Run) -> Run {
    if !run.steps.is_empty() {
        return run;
    }
    let mut state = run.first;
    let mut next = Vec::new();
    loop {
        successors(protocol, &state, &mut next);
        let Some(step) = next.iter().find(|step| step.act.worker() == Some(0)) else {
            return run;
        };
        state = step.state;
        run.steps.push((step.act, state));
        if matches!(step.act, Act::Finish(_) | Act::LetGo(_)) {
            return run;
        }
    }
}
