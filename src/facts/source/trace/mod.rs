//! What the workers of a queue do, in order: the statements they run, the transactions around them,
//! the hand-off to handlers, and the conditions under which each happens.
//!
//! A walk from the functions that start the workers, through the functions of the tree, with the
//! values that decide: transactions, row counts, errors, contexts. It says what is, and judges
//! nothing.
//!
//! [`super::flow`] is its neighbour: it runs one handler for every way to one effect, and asks which
//! guard stands on all of them. Here one run over all that a worker does is put in order, across
//! functions and threads, with transactions as values; ways are not multiplied.

mod beside;
mod bound;
mod branches;
mod calls;
mod conditions;
mod enqueues;
mod enter;
mod errors;
mod fits;
mod hands;
mod joined;
mod logic;
mod loops;
mod queries;
mod results;
mod roots;
mod rows;
mod ruled;
mod scopes;
mod settings;
mod signals;
mod spans;
mod statements;
mod step;
mod value;
mod walk;
mod words;

use std::sync::Arc;

use crate::model::place::Place;
use crate::model::source::Language;

pub(in crate::facts::source) use logic::holds;

use super::buses::Buses;
use super::calls::Calls;
use super::frame::Analysis;
use super::handler::Handler;

pub(in crate::facts) use errors::{ANY_CODE, Truth, UNKNOWN_CODE};
pub(in crate::facts) use logic::is_off;
pub(in crate::facts) use step::{
    Carried, Column, ColumnAt, Given, Inside, RowAt, Runs, Statement, Step, What,
};

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub(in crate::facts) struct Wanted<'w> {
    /// Names of the outbox table.
    pub(in crate::facts) tables: &'w [Arc<str>],
    /// Name of the flag.
    pub(in crate::facts) flag: Option<&'w str>,
}

/// All that workers do.
#[derive(Debug, Default)]
pub(in crate::facts) struct Trace {
    /// Steps in order.
    pub(in crate::facts) steps: Vec<Step>,
    /// Conditions on the way.
    pub(in crate::facts) branches: Vec<Branch>,
    /// Where the setting named like the flag is read, in the whole tree.
    pub(in crate::facts) flag_read: Vec<FlagRead>,
    /// Calls that a function which takes rows makes of an interface that is not followed.
    pub(in crate::facts) open_calls: Vec<Place>,
    /// Steps whose error nobody looks at: from, and behind the last; and where it is dropped.
    pub(in crate::facts) dropped: Vec<((usize, usize), Place)>,
    /// The walk from each root.
    pub(in crate::facts) roots: Vec<Root>,
    /// Ways out of loops and of functions without a name, other than by their end.
    pub(in crate::facts) exits: Vec<Exit>,
    /// Signals that come by themselves after a while, by number.
    pub(in crate::facts) timed: Vec<usize>,
    /// What handlers run, each as if it were given the attempt's transaction.
    pub(in crate::facts) handlers: Vec<HandlerSteps>,
    /// Loops over the elements of something, by number.
    pub(in crate::facts) each: Vec<usize>,
    /// False if there was more than is followed.
    pub(in crate::facts) whole: bool,
    /// Where the tree makes connections on which every statement is a transaction of its own.
    pub(in crate::facts) autocommit: Option<Place>,
    /// Inserts into the outbox anywhere in the tree.
    pub(in crate::facts) enqueues: Vec<Enqueue>,
    /// Statements on the outbox anywhere in the tree: the text, and where.
    pub(in crate::facts) elsewhere: Vec<(String, Place)>,
}

/// A place that reads the flag.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::facts) struct FlagRead {
    /// Where.
    pub(in crate::facts) place: Place,
    /// What it is taken for where it is missing, if the call says so.
    pub(in crate::facts) default: Option<Arc<str>>,
}

/// An insert into the outbox.
#[derive(Debug)]
pub(in crate::facts) struct Enqueue {
    /// Where.
    pub(in crate::facts) place: Place,
    /// Whether it is part of the transaction of a write.
    pub(in crate::facts) joins: Joins,
}

/// Whether an insert into the outbox is part of the transaction of a write.
#[derive(Debug)]
pub(in crate::facts) enum Joins {
    /// It is.
    With,
    /// It is not: with the place of the write beside it.
    Apart(Place),
    /// What one of both runs on is not known.
    Unknown,
    /// No write was found beside it.
    NoWrite,
}

/// The walk from one root.
#[derive(Debug, Clone, Copy)]
pub(in crate::facts) struct Root {
    /// The step with which it begins.
    pub(in crate::facts) at: usize,
    /// Its language.
    pub(in crate::facts) language: Language,
}

/// A way out of a loop or of a function.
#[derive(Debug, Clone)]
pub(in crate::facts) struct Exit {
    /// The number of the step that comes next.
    pub(in crate::facts) at: usize,
    /// What it stands in.
    pub(in crate::facts) within: Vec<Inside>,
    /// Where.
    pub(in crate::facts) place: Place,
}

/// What one handler runs.
#[derive(Debug, Clone)]
pub(in crate::facts) struct HandlerSteps {
    /// What a person calls it.
    pub(in crate::facts) title: Arc<str>,
    /// Where it stands.
    pub(in crate::facts) place: Place,
    /// Its steps. Those on the attempt's transaction run within the step [`ATTEMPT`].
    pub(in crate::facts) steps: Vec<Step>,
    /// False if there was more than is followed.
    pub(in crate::facts) whole: bool,
}

/// The number that stands for the attempt's transaction in what a handler runs.
pub(in crate::facts) const ATTEMPT: usize = usize::MAX;

/// How a function ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::facts) enum End {
    /// It gives an error.
    Fails,
    /// It gives none.
    Goes,
    /// Which of both is not known.
    Unknown,
}

/// A condition.
#[derive(Debug, Clone, Default)]
pub(in crate::facts) struct Branch {
    /// Steps whose results it looks at: from, and behind the last.
    pub(in crate::facts) about: Vec<(usize, usize)>,
    /// True if it holds where they failed, false where they did not.
    pub(in crate::facts) failed: Option<bool>,
    /// The statement whose row count it looks at, and whether it holds where a row was changed.
    pub(in crate::facts) hit: Option<(usize, bool)>,
    /// Whether it holds where the flag is set.
    pub(in crate::facts) flag: Option<bool>,
    /// Which errors it tells apart, by their numbers and names, and of which it holds.
    pub(in crate::facts) error: Option<(Vec<Arc<str>>, Truth)>,
    /// Whether a flag that is missing counts as set there.
    pub(in crate::facts) missing: Option<bool>,
    /// Numbers and names of errors that it compares with.
    pub(in crate::facts) codes: Vec<Arc<str>>,
    /// A bound that a number is compared with, and whether the condition holds of what is above.
    pub(in crate::facts) bound: Option<(Arc<str>, bool)>,
    /// The number of the step that comes next.
    pub(in crate::facts) at: usize,
    /// The loop of its own function that it stands in, the innermost.
    pub(in crate::facts) inside: Option<usize>,
    /// Ways out of the function that lead through it: the arm, and how they end.
    pub(in crate::facts) ends: Vec<(bool, End)>,
    /// Where.
    pub(in crate::facts) place: Option<Place>,
    /// True if it catches errors that are thrown.
    pub(in crate::facts) caught: bool,
}

impl Trace {
    /// The language of the walk in which a step stands.
    fn language(&self, step: usize) -> Option<Language> {
        let behind = self.roots.partition_point(|root| root.at <= step);
        let root = self.roots.get(behind.saturating_sub(1))?;
        Some(root.language)
    }

    /// True if errors are values where a step stands: what is behind one that failed runs unless
    /// something looks.
    pub(in crate::facts) fn by_value(&self, step: usize) -> bool {
        self.language(step) != Some(Language::Python)
    }

    /// True if waiting for what runs beside can leave no trace where a step stands: `task.await`.
    pub(in crate::facts) fn awaits(&self, step: usize) -> bool {
        self.language(step) != Some(Language::Go)
    }
}

/// What the contexts hold that events are handed on with: the attempt's transaction, under their keys.
fn carried(trace: &Trace) -> Vec<Carried> {
    let mut found = Vec::new();
    for step in &trace.steps {
        if let What::HandOff { carries, .. } = &step.what {
            for Carried { key, .. } in carries {
                let (tx, key) = (ATTEMPT, key.clone());
                let carried = Carried { tx, key };
                if !found.contains(&carried) {
                    found.push(carried);
                }
            }
        }
    }
    found
}

/// Walks an analysed tree; no steps if nothing in it hands events of the outbox to handlers.
pub(super) fn trace<'a>(
    analysis: &Analysis<'a>,
    buses: &Buses,
    calls: &Calls<'a>,
    handlers: &[Handler<'a>],
    wanted: Wanted<'_>,
) -> Trace {
    let map = roots::Map::of(analysis, buses, calls, wanted);
    let mut trace = walk::walk(analysis, buses, &map, wanted);
    if !trace.steps.is_empty() {
        let carries = carried(&trace);
        trace.handlers = joined::walk(analysis, buses, &map, handlers, &carries, wanted);
    }
    trace.enqueues = enqueues::find(analysis, buses, calls, &map, wanted);
    trace
}
