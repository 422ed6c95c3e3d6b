//! What is known at one point of a run: which guards were passed, what values say of them, which
//! transactions are open.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use crate::model::place::Place;

use super::super::program::FnId;

/// Numbers of guards, transactions, effects or keys.
pub(super) type Set = BTreeSet<usize>;

/// What holds if a value is as it is looked at; none if it never is.
pub(super) type Holds = Option<Set>;

/// A variable: the function in which it stands, and its name.
pub(super) type Var<'a> = (FnId, &'a str);

/// What a value says.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Val {
    /// Guards that were passed if it is true, something, not zero, `Ok` of a value that is.
    pub(super) yes: Holds,
    /// Guards that were passed if it is false, nothing, zero.
    pub(super) no: Holds,
    /// Guards that were passed if the call that gave it failed.
    pub(super) failed: Holds,
    /// Guards that were passed if it did not.
    pub(super) went: Holds,
    /// True of an error by itself: it is there if the call failed.
    pub(super) is_error: bool,
    /// Statements whose result, or error, it is.
    pub(super) of: Set,
    /// Effects whose error it can be.
    pub(super) errors: Set,
    /// Transactions that it is, or holds.
    pub(super) tx: Set,
    /// Idempotency keys that it holds.
    pub(super) keys: Set,
    /// The columns that it is, of the row that its statement read; none if that is not told.
    pub(super) columns: BTreeSet<Arc<str>>,
    /// Fields that were set in it since it was read.
    pub(super) set: BTreeSet<Arc<str>>,
    /// True of a number of rows, which is never less than zero.
    pub(super) is_count: bool,
}

impl Default for Val {
    fn default() -> Self {
        let nothing = || Some(Set::new());
        Self {
            yes: nothing(),
            no: nothing(),
            failed: nothing(),
            went: nothing(),
            is_error: false,
            of: Set::new(),
            errors: Set::new(),
            tx: Set::new(),
            keys: Set::new(),
            columns: BTreeSet::new(),
            set: BTreeSet::new(),
            is_count: false,
        }
    }
}

/// What holds on either of two ways.
pub(super) fn either(a: &Holds, b: &Holds) -> Holds {
    match (a, b) {
        (None, other) | (other, None) => other.clone(),
        (Some(a), Some(b)) => Some(a.intersection(b).copied().collect()),
    }
}

/// What holds if both do.
pub(super) fn both(a: &Holds, b: &Holds) -> Holds {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.union(b).copied().collect()),
        _ => None,
    }
}

fn join(into: &mut Set, from: &Set) {
    into.extend(from.iter().copied());
}

impl Val {
    /// A value that is true, or something, where these guards were passed.
    pub(super) fn constant(truth: bool, passed: &Set) -> Self {
        let passed = Some(passed.clone());
        let (yes, no) = if truth {
            (passed, None)
        } else {
            (None, passed)
        };
        Self {
            yes,
            no,
            ..Self::default()
        }
    }

    /// It, or another.
    pub(super) fn or(&self, other: &Self) -> Self {
        let mut joined = Self {
            yes: either(&self.yes, &other.yes),
            no: either(&self.no, &other.no),
            failed: either(&self.failed, &other.failed),
            went: either(&self.went, &other.went),
            is_error: self.is_error || other.is_error,
            is_count: self.is_count && other.is_count,
            ..self.clone()
        };
        joined.holds(other);
        joined
    }

    /// It holds what another holds.
    pub(super) fn holds(&mut self, other: &Self) {
        join(&mut self.of, &other.of);
        join(&mut self.errors, &other.errors);
        join(&mut self.tx, &other.tx);
        join(&mut self.keys, &other.keys);
        self.columns.extend(other.columns.iter().cloned());
        self.set.extend(other.set.iter().cloned());
    }

    /// True if nothing is known of its truth.
    pub(super) fn is_open(&self) -> bool {
        let open = |holds: &Holds| holds.as_ref().is_some_and(Set::is_empty);
        open(&self.yes) && open(&self.no)
    }

    /// True if nothing at all is known of it.
    pub(super) fn says_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// The error of the call that gave it.
    pub(super) fn error(&self) -> Self {
        if self.is_error {
            return self.clone();
        }
        Self {
            yes: self.failed.clone(),
            no: self.went.clone(),
            is_error: true,
            tx: Set::new(),
            ..self.clone()
        }
    }

    /// What is inside, after the error was taken away.
    pub(super) fn inside(&self) -> Self {
        Self {
            errors: Set::new(),
            ..self.clone()
        }
    }

    /// The guards passed beside, added to all that it says.
    pub(super) fn beside(mut self, passed: &Set) -> Self {
        let all = [
            &mut self.yes,
            &mut self.no,
            &mut self.failed,
            &mut self.went,
        ];
        all.into_iter()
            .flatten()
            .for_each(|holds| join(holds, passed));
        self
    }

    /// The opposite truth.
    pub(super) fn not(self) -> Self {
        Self {
            yes: self.no,
            no: self.yes,
            ..self
        }
    }
}

/// One point of a run.
#[derive(Debug, Clone, Default)]
pub(super) struct State<'a> {
    /// True if nothing runs here: the way was left before.
    pub(super) left: bool,
    /// Guards that every way to here passed.
    pub(super) passed: Set,
    /// Statements that ran on every way to here.
    pub(super) ran: Set,
    /// Statements that ran on some way to here.
    pub(super) may: Set,
    /// Effects that happened on some way to here, each with the writes that ran on every way on
    /// which it happened.
    pub(super) met: Rc<BTreeMap<usize, Set>>,
    /// What variables say; what is not in it says nothing.
    pub(super) vars: Rc<BTreeMap<Var<'a>, Val>>,
    /// Transactions that are open on every way to here.
    pub(super) open: Set,
    /// The transaction that the library began by itself.
    pub(super) implicit: Option<usize>,
    /// Where the event may have been acknowledged before.
    pub(super) acked: Option<Place>,
    /// Where what runs here was launched beside a transaction that is open.
    pub(super) launched: Option<Place>,
}

impl<'a> State<'a> {
    /// What a variable says.
    pub(super) fn var(&self, var: Var<'a>) -> Val {
        self.vars.get(&var).cloned().unwrap_or_default()
    }

    /// Gives a variable a value.
    pub(super) fn set(&mut self, var: Var<'a>, val: Val) {
        if val.says_nothing() {
            if self.vars.contains_key(&var) {
                Rc::make_mut(&mut self.vars).remove(&var);
            }
        } else if self.vars.len() < MAX_VARS && self.vars.get(&var) != Some(&val) {
            Rc::make_mut(&mut self.vars).insert(var, val);
        }
    }

    /// Passes guards.
    pub(super) fn pass(&mut self, holds: &Holds) {
        if let Some(holds) = holds {
            join(&mut self.passed, holds);
        }
    }
}

/// Variables that are known at one point.
const MAX_VARS: usize = 400;

/// The effects of two ways: what ran with one on both, or on the one way on which it happened.
fn met(a: &Rc<BTreeMap<usize, Set>>, b: &Rc<BTreeMap<usize, Set>>) -> Rc<BTreeMap<usize, Set>> {
    if Rc::ptr_eq(a, b) {
        return Rc::clone(a);
    }
    let mut all = (**a).clone();
    for (effect, ran) in &**b {
        match all.get_mut(effect) {
            Some(known) => known.retain(|one| ran.contains(one)),
            None => {
                all.insert(*effect, ran.clone());
            }
        }
    }
    Rc::new(all)
}

/// Where two ways meet; a way that was left does not count.
pub(super) fn meet<'a>(a: State<'a>, b: State<'a>) -> State<'a> {
    match (a.left, b.left) {
        (true, _) => return b,
        (false, true) => return a,
        (false, false) => {}
    }
    let mut vars = BTreeMap::new();
    if Rc::ptr_eq(&a.vars, &b.vars) {
        vars = (*a.vars).clone();
    } else {
        for var in a.vars.keys().chain(b.vars.keys()) {
            if vars.contains_key(var) {
                continue;
            }
            // What holds on one way alone counts with what was passed on that way.
            let first = a.var(*var).beside(&a.passed);
            let second = b.var(*var).beside(&b.passed);
            let joined = first.or(&second);
            if !joined.says_nothing() {
                vars.insert(*var, joined);
            }
        }
    }
    State {
        left: false,
        passed: a.passed.intersection(&b.passed).copied().collect(),
        ran: a.ran.intersection(&b.ran).copied().collect(),
        may: a.may.union(&b.may).copied().collect(),
        met: met(&a.met, &b.met),
        vars: Rc::new(vars),
        open: a.open.intersection(&b.open).copied().collect(),
        // What may be over on one way is over.
        implicit: a.implicit.filter(|_| a.implicit == b.implicit),
        acked: a.acked.or(b.acked),
        launched: a.launched.or(b.launched),
    }
}
