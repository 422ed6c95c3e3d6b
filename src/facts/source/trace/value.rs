//! Values as far as they decide what workers do.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use crate::model::place::Place;
use crate::model::source::{Call, Closure, Expr};

use super::super::program::FnId;
use super::errors::{self, Codes, Truth};
use super::{Carried, Column, RowAt, Statement};

/// A value.
#[derive(Debug, Clone, Default)]
pub(super) struct Val<'a> {
    /// What it is.
    pub(super) kind: Kind<'a>,
    /// Steps that it is a result of: from, and behind the last.
    pub(super) about: Vec<(usize, usize)>,
    /// Numbers and names that it was compared with.
    pub(super) codes: BTreeSet<Arc<str>>,
    /// Transactions that it carries.
    pub(super) carries: Vec<Carried>,
    /// Signals that end it.
    pub(super) ends: Vec<usize>,
    /// That it is nil tells of a statement that it changed a row (true), or that it changed none.
    pub(super) nil_tells: Option<(usize, bool)>,
    /// A bound that it was compared with, and whether it holds of what is above.
    pub(super) bound: Option<(Arc<str>, bool)>,
    /// Of a question about the flag: whether one that is missing counts as set.
    pub(super) missing: Option<bool>,
}

/// Kinds of values.
#[derive(Debug, Clone, Default)]
pub(super) enum Kind<'a> {
    /// Not known.
    #[default]
    Unknown,
    /// Nothing.
    Nil,
    /// A text or number.
    Text(Arc<str>),
    /// A truth.
    Bool(bool),
    /// True where the flag is set, or where it is not.
    Flag(bool),
    /// The setting of the flag.
    FlagText,
    /// A transaction, by the step that began it.
    Tx(usize),
    /// A connection on which transactions begin.
    Pool,
    /// The result of a statement.
    Result(usize),
    /// How many rows a statement changed.
    Count(usize),
    /// True where a statement changed a row, or where it did not.
    Hit(usize, bool),
    /// What is told where a statement changed a row (true) or none: of this statement, the case, the answer.
    Told(usize, bool, bool),
    /// Given beside an error: whoever looks at the error first does not use it.
    Moot,
    /// True where a step failed, or where it did not.
    Failed(bool),
    /// True of some errors.
    Coded(Codes, Truth),
    /// What is told where such a condition holds (true) or not: of which errors it holds, the case, the answer.
    ToldOf(Codes, Truth, bool, bool),
    /// The process's clock, read in these loops.
    Now(Arc<[usize]>),
    /// Made of it: how many microseconds from it, where that is known.
    OfClock(Option<i64>, Arc<[usize]>),
    /// A span of time, in nanoseconds.
    Span(i64),
    /// A column of a row that a statement gave.
    Column(Column),
    /// A row that a statement gave.
    Row(usize, RowAt),
    /// A list, by its number, of values like this one.
    List(usize, Rc<Val<'a>>),
    /// The number of the round of a loop.
    Round(usize),
    /// A channel, by the number of what is sent through it.
    Channel(usize),
    /// What ticks, by the number of its ticks.
    Ticker(usize),
    /// A function that sends a signal.
    Ends(usize),
    /// A number and one more.
    Raised,
    /// A function without a name, with the names it sees.
    Closure(&'a Closure, Env<'a>, FnId),
    /// A savepoint that a library keeps as a transaction inside another one: of which, and its number.
    Nested(usize, usize),
    /// A statement that is built, and not run yet.
    Query(Rc<Query>),
    /// A function that a thread will run once it is started.
    Job(Rc<Job<'a>>),
    /// Something that runs beside, by its number.
    Started(usize),
    /// A struct or list, by name or number.
    Made(Rc<BTreeMap<Arc<str>, Val<'a>>>),
}

/// A statement that is built and not run yet.
#[derive(Debug, Clone)]
pub(super) struct Query {
    /// The statement, without what it runs on.
    pub(super) statement: Statement,
    /// Where its text is given.
    pub(super) place: Place,
}

/// What a thread will run.
#[derive(Debug, Clone)]
pub(super) struct Job<'a> {
    /// The function.
    pub(super) run: &'a Expr,
    /// What it is, where it is a function without a name.
    pub(super) val: Val<'a>,
    /// The value whose method it is.
    pub(super) on: Val<'a>,
    /// The call that made the thread.
    pub(super) call: &'a Call,
    /// The function in which that stands.
    pub(super) within: FnId,
    /// What the function is given.
    pub(super) args: Vec<Val<'a>>,
}

/// Names and their values.
pub(super) type Env<'a> = Rc<BTreeMap<Arc<str>, Val<'a>>>;

/// More steps than this are not told apart in one value.
const MAX_ABOUT: usize = 8;

impl<'a> Val<'a> {
    pub(super) fn of(kind: Kind<'a>) -> Self {
        Self {
            kind,
            ..Self::default()
        }
    }

    pub(super) fn about(steps: (usize, usize)) -> Self {
        let mut val = Self::default();
        if steps.0 < steps.1 {
            val.about.push(steps);
        }
        val
    }

    /// Takes over what another value is about.
    pub(super) fn taking(mut self, other: &Self) -> Self {
        for steps in &other.about {
            let holds = |(from, end): &(usize, usize), inner: &(usize, usize)| {
                *from <= inner.0 && inner.1 <= *end
            };
            if self.about.iter().any(|known| holds(known, steps)) {
                continue;
            }
            self.about.retain(|known| !holds(steps, known));
            if self.about.len() < MAX_ABOUT {
                self.about.push(*steps);
            }
        }
        self.codes.extend(other.codes.iter().cloned());
        for tx in &other.carries {
            if !self.carries.contains(tx) {
                self.carries.push(tx.clone());
            }
        }
        for end in &other.ends {
            if !self.ends.contains(end) {
                self.ends.push(*end);
            }
        }
        if self.bound.is_none() {
            self.bound.clone_from(&other.bound);
        }
        self
    }

    /// Either of two.
    pub(super) fn or(self, other: Self) -> Self {
        let same = match (&self.kind, &other.kind) {
            (Kind::Text(one), Kind::Text(two)) => one == two,
            (Kind::Tx(one), Kind::Tx(two)) | (Kind::Count(one), Kind::Count(two)) => one == two,
            (Kind::Hit(one, is), Kind::Hit(two, was)) => one == two && is == was,
            (Kind::Bool(one), Kind::Bool(two)) | (Kind::Flag(one), Kind::Flag(two)) => one == two,
            (Kind::OfClock(one, in_one), Kind::OfClock(two, in_two)) => {
                one == two && in_one == in_two
            }
            (Kind::Now(one), Kind::Now(two)) => one == two,
            (Kind::Column(one), Kind::Column(two)) => one == two,
            (Kind::Row(one, of), Kind::Row(two, at)) => one == two && of == at,
            (Kind::Span(one), Kind::Span(two)) => one == two,
            (Kind::Channel(one), Kind::Channel(two))
            | (Kind::Ticker(one), Kind::Ticker(two))
            | (Kind::Ends(one), Kind::Ends(two))
            | (Kind::Result(one), Kind::Result(two))
            | (Kind::Started(one), Kind::Started(two))
            | (Kind::Round(one), Kind::Round(two)) => one == two,
            (Kind::Nil, Kind::Nil)
            | (Kind::Pool, Kind::Pool)
            | (Kind::Raised, Kind::Raised)
            | (Kind::FlagText, Kind::FlagText) => true,
            _ => false,
        };
        // What is told where nothing went wrong counts: `return false, err` says nothing.
        let kind = match (&self.kind, &other.kind) {
            _ if same => self.kind.clone(),
            (_, Kind::Moot) => self.kind.clone(),
            (Kind::Moot, _) => other.kind.clone(),
            (Kind::Told(one, was, said), Kind::Told(two, is, says)) if one == two => {
                match (was == is, said == says) {
                    (true, true) => self.kind.clone(),
                    (false, false) => Kind::Hit(*one, was == said),
                    _ => Kind::Unknown,
                }
            }
            (Kind::Told(one, was, said), Kind::Hit(two, hit))
            | (Kind::Hit(two, hit), Kind::Told(one, was, said))
                if one == two && (was == said) == *hit =>
            {
                Kind::Hit(*one, *hit)
            }
            // An answer of another way out must not look like a row that was changed.
            (Kind::Hit(step, hit), Kind::Bool(is)) | (Kind::Bool(is), Kind::Hit(step, hit))
                if is != hit =>
            {
                Kind::Hit(*step, *hit)
            }
            (Kind::Count(step), Kind::Text(number)) | (Kind::Text(number), Kind::Count(step))
                if &**number == "0" =>
            {
                Kind::Count(*step)
            }
            _ if errors::either(&self.kind, &other.kind).is_some() => {
                errors::either(&self.kind, &other.kind).unwrap_or_default()
            }
            (Kind::Made(one), Kind::Made(two)) => Kind::Made(both(one, two)),
            (Kind::List(number, one), Kind::List(_, two)) => {
                Kind::List(*number, Rc::new((**one).clone().or((**two).clone())))
            }
            (Kind::Failed(_), Kind::Bool(_)) => self.kind.clone(),
            (Kind::Bool(_), Kind::Failed(_)) => other.kind.clone(),
            (Kind::Tx(_) | Kind::Result(_) | Kind::Made(_) | Kind::List(..), Kind::Nil) => {
                self.kind.clone()
            }
            (Kind::Nil, Kind::Tx(_) | Kind::Result(_) | Kind::Made(_) | Kind::List(..)) => {
                other.kind.clone()
            }
            (Kind::Flag(_), Kind::Bool(_)) => self.kind.clone(),
            (Kind::Bool(_), Kind::Flag(_)) => other.kind.clone(),
            _ => Kind::Unknown,
        };
        let nil_tells = told_by_nil(&self, &other);
        Self {
            kind,
            nil_tells,
            ..self
        }
        .taking(&other)
    }

    /// Every transaction that it is or carries.
    pub(super) fn transactions(&self) -> Vec<Carried> {
        let bare = |tx: usize| Carried { tx, key: None };
        let mut found = self.carries.clone();
        match &self.kind {
            Kind::Tx(at) | Kind::Nested(at, _) => found.push(bare(*at)),
            Kind::Made(parts) => {
                for part in parts.values() {
                    found.extend(part.carries.iter().cloned());
                    if let Kind::Tx(at) = part.kind {
                        found.push(bare(at));
                    }
                }
            }
            _ => {}
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    pub(super) fn text(&self) -> Option<&Arc<str>> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// What it tells that one of two is nil.
fn told_by_nil(one: &Val<'_>, two: &Val<'_>) -> Option<(usize, bool)> {
    let is_nil = |val: &Val<'_>| matches!(val.kind, Kind::Nil);
    match (one.nil_tells, two.nil_tells) {
        (Some(mine), Some(its)) => (mine == its).then_some(mine),
        (Some((step, hit)), None) => (is_nil(two) != hit).then_some((step, hit)),
        (None, Some((step, hit))) => (is_nil(one) != hit).then_some((step, hit)),
        (None, None) => None,
    }
}

/// The parts of two structs, each either of two where both have it.
fn both<'a>(
    one: &Rc<BTreeMap<Arc<str>, Val<'a>>>,
    two: &Rc<BTreeMap<Arc<str>, Val<'a>>>,
) -> Rc<BTreeMap<Arc<str>, Val<'a>>> {
    if Rc::ptr_eq(one, two) {
        return Rc::clone(one);
    }
    let mut all = (**one).clone();
    for (name, val) in two.iter() {
        let val = match all.remove(name) {
            Some(before) => before.or(val.clone()),
            None => val.clone(),
        };
        all.insert(Arc::clone(name), val);
    }
    Rc::new(all)
}
