//! What happens before what, on every way from a handler to its effects: guards that were passed,
//! transactions that are open, acknowledgements, errors that are passed over.
//!
//! The handler is run on what its statements say and not on values: at each point it is known which
//! guards every way to it has passed. A test counts only with the outcome that means "not done yet".
//!
//! [`super::trace`] is its neighbour: it puts in order what the workers of a queue do, with
//! transactions and row counts as values. Here what counts is every way to one effect.

mod blocks;
mod calls;
mod condition;
mod counts;
mod ends;
mod enter;
mod eval;
mod keys;
mod made;
mod marks;
mod meaning;
mod orm;
mod results;
mod returned;
mod roles;
mod run;
mod state;
mod statements;
mod swallow;
mod worth;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use crate::model::effect::EffectKind;
use crate::model::place::Place;
use crate::model::redelivery::{IdempotencyKey, Note, NoteKind};

use super::frame::{Analysis, Frame};
use super::handler::Handler;
use super::program::FnId;
use super::reached::Reached;

use ends::Ends;
use run::{Given, Last};
use state::{Set, State, Val};
use statements::Statement;

pub(super) use roles::{fits_example, matters};

/// Steps that one handler may take.
const MAX_STEPS: u32 = 150_000;
/// Functions that one handler may enter.
const MAX_BODIES: u32 = 2_500;
/// Longest chain of calls.
const MAX_CALLS: usize = 40;

/// What was seen of one effect, over all ways that lead to it.
#[derive(Debug, Default)]
struct Seen {
    /// How often it was met.
    times: usize,
    /// Guards that were passed each time.
    passed: Set,
    /// Statements that ran before it each time.
    ran: Set,
    /// The functions around it, outermost first.
    around: Vec<usize>,
    /// Statements that ran before it some time.
    may: Set,
    /// Transactions that were open each time.
    open: Set,
    /// Its own statement.
    own: Option<usize>,
    /// Marks that make a queue refuse it.
    unique: Set,
    /// Keys that it is given each time.
    keys: Set,
    /// True if every error of it is taken for success.
    caught: Option<Place>,
    notes: BTreeSet<Note>,
}

struct Flow<'a, 'w> {
    analysis: &'w Analysis<'a>,
    matters: &'w [bool],
    effects: &'w [Reached],
    /// Effects by the place of their call.
    wanted: BTreeMap<&'w Place, Vec<usize>>,
    statements: Vec<Statement>,
    numbers: BTreeMap<(Place, statements::Kind), usize>,
    transactions: BTreeMap<Place, usize>,
    keys: Vec<IdempotencyKey>,
    seen: Vec<Seen>,
    given: Vec<Vec<Given<'a>>>,
    /// Transactions that end with each body that runs.
    deferred: Vec<Set>,
    /// How transactions end.
    ends: Ends,
    /// Where answers of reads are asked for.
    spots: BTreeMap<Place, usize>,
    stack: Vec<usize>,
    known: HashMap<enter::Entry, enter::Left<'a>>,
    steps: u32,
    bodies: u32,
}

/// Adds guards, notes and keys to what a handler reaches.
pub(super) fn judge<'a>(
    analysis: &Analysis<'a>,
    matters: &[bool],
    handler: Handler<'a>,
    acked: Option<Place>,
    effects: &mut [Reached],
) {
    if effects.is_empty() {
        return;
    }
    let reached: &[Reached] = effects;
    let mut wanted: BTreeMap<&Place, Vec<usize>> = BTreeMap::new();
    for (at, effect) in reached.iter().enumerate() {
        wanted.entry(&effect.place).or_default().push(at);
    }
    let mut flow = Flow {
        analysis,
        matters,
        effects: reached,
        wanted,
        statements: Vec::new(),
        numbers: BTreeMap::new(),
        transactions: BTreeMap::new(),
        keys: Vec::new(),
        seen: reached.iter().map(|_| Seen::default()).collect(),
        given: vec![Vec::new()],
        deferred: vec![Set::new()],
        ends: Ends::default(),
        spots: BTreeMap::new(),
        stack: Vec::new(),
        known: HashMap::new(),
        steps: 0,
        bodies: 0,
    };
    let outer = handler.made_by();
    let outer = outer.map(|(call, id)| (call, analysis.frame(id)));
    let frame = Frame {
        entry: outer.as_ref().map(|(call, outer)| (*call, outer)),
        ..analysis.frame(handler.within())
    };
    let mut state = State {
        acked,
        ..State::default()
    };
    if let Handler::Function(id) = handler {
        flow.begin_around(id, &mut state);
    }
    let around = state.open.clone();
    flow.block(handler.body(analysis), Last::Result, &frame, &mut state);
    flow.end_of_handler(&around, state);
    let judged = worth::judged(&flow);
    for (effect, judged) in effects.iter_mut().zip(judged) {
        effect.guards = judged.guards;
        effect.notes = judged.notes;
        effect.key = judged.key;
    }
}

impl<'a> Flow<'a, '_> {
    /// False once the handler has taken too many steps.
    fn burns(&mut self) -> bool {
        self.steps = self.steps.saturating_add(1);
        self.steps < MAX_STEPS
    }

    /// True if not every way was gone.
    fn is_spent(&self) -> bool {
        self.steps >= MAX_STEPS || self.bodies >= MAX_BODIES
    }

    /// A way is not gone: what it reaches may not have passed any guard.
    fn give_up(&mut self) {
        self.steps = MAX_STEPS;
    }

    fn note(&mut self, effect: usize, kind: NoteKind, place: &Place) {
        if let Some(seen) = self.seen.get_mut(effect) {
            seen.notes.insert(Note {
                place: place.clone(),
                kind,
            });
        }
    }

    /// An effect happens.
    fn met(&mut self, effect: usize, own: Option<usize>, given: &Val, state: &mut State<'a>) {
        let unique: Set = given
            .of
            .iter()
            .copied()
            .filter(|of| self.is_unique(*of))
            .collect();
        let open: Set = state.open.iter().copied().chain(state.implicit).collect();
        let Some(seen) = self.seen.get_mut(effect) else {
            return;
        };
        let cut = |set: &mut Set, with: &Set| set.retain(|one| with.contains(one));
        if seen.times == 0 {
            seen.around = self.stack.clone();
            seen.passed = state.passed.clone();
            seen.ran = state.ran.clone();
            seen.open = open;
            seen.keys = given.keys.clone();
            seen.unique = unique;
        } else {
            cut(&mut seen.passed, &state.passed);
            cut(&mut seen.ran, &state.ran);
            cut(&mut seen.open, &open);
            cut(&mut seen.keys, &given.keys);
            cut(&mut seen.unique, &unique);
        }
        seen.may.extend(state.may.iter().copied());
        seen.times += 1;
        let ran = state.ran.clone();
        let met = Rc::make_mut(&mut state.met).entry(effect);
        let known = met.or_insert_with(|| ran.clone());
        known.retain(|one| ran.contains(one));
        seen.own = seen.own.or(own);
        let Some(kind) = self.effects.get(effect).map(|effect| effect.kind) else {
            return;
        };
        if let Some(place) = &state.acked {
            let place = place.clone();
            self.note(effect, NoteKind::AcknowledgedBefore, &place);
        }
        if let Some(place) = &state.launched {
            let place = place.clone();
            self.note(effect, NoteKind::LaunchBeforeCommit, &place);
        } else if kind.is_external()
            && !state.open.is_empty()
            // A message that is a row of the transaction leaves with it.
            && own.is_none()
            && given.tx.is_disjoint(&state.open)
        {
            let Some(place) = self.effects.get(effect).map(|it| it.place.clone()) else {
                return;
            };
            let note = match kind {
                EffectKind::Publish => NoteKind::LaunchBeforeCommit,
                _ => NoteKind::ExternalInTransaction,
            };
            self.note(effect, note, &place);
        }
    }

    fn is_entered(&self, id: FnId) -> bool {
        self.stack.contains(&id.index())
    }
}
