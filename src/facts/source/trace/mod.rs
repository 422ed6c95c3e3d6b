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

mod branches;
mod calls;
mod conditions;
mod roots;
mod ruled;
mod statements;
mod value;
mod words;

use std::sync::Arc;

use crate::model::place::Place;
use crate::sql::statement::Placeholder;

pub(in crate::facts::source) use conditions::holds;

use super::buses::Buses;
use super::calls::Calls;
use super::frame::Analysis;

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
    pub(in crate::facts) flag_read: Vec<Place>,
    /// Steps whose error nobody looks at: from, and behind the last; and where it is dropped.
    pub(in crate::facts) dropped: Vec<((usize, usize), Place)>,
    /// True if errors are values: what stands behind a step that failed runs unless something looks.
    pub(in crate::facts) by_value: bool,
    /// The step with which the walk from each root begins.
    pub(in crate::facts) roots: Vec<usize>,
    /// Loops over the elements of something, by number.
    pub(in crate::facts) each: Vec<usize>,
    /// False if there was more than is followed.
    pub(in crate::facts) whole: bool,
    /// Statements on the outbox anywhere in the tree: the text, and where.
    pub(in crate::facts) elsewhere: Vec<(String, Place)>,
}

/// One step.
#[derive(Debug, Clone)]
pub(in crate::facts) struct Step {
    /// Where.
    pub(in crate::facts) place: Place,
    /// What it stands in, the outermost first.
    pub(in crate::facts) within: Vec<Inside>,
    /// What it is.
    pub(in crate::facts) what: What,
}

/// What a step stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::facts) enum Inside {
    /// Runs where the condition of a branch holds.
    Then(usize),
    /// Runs where it does not.
    Else(usize),
    /// A loop, by its number.
    Loop(usize),
    /// Beside all else, by its number.
    Spawn(usize),
    /// When the function ends, by its number.
    Defer(usize),
}

/// Kinds of steps.
#[derive(Debug, Clone)]
pub(in crate::facts) enum What {
    /// A SQL statement.
    Statement(Box<Statement>),
    /// A transaction begins; it is named by the number of this step.
    Begin,
    /// It commits.
    Commit(Option<usize>),
    /// It rolls back.
    Rollback(Option<usize>),
    /// An event goes to its handlers.
    HandOff {
        /// Transactions that go with it.
        carries: Vec<usize>,
        /// True if they go in a context, and the tree never takes them out of one.
        lost: bool,
    },
    /// Waits a while.
    Tick,
    /// Waits until others are done.
    Wait,
    /// A number is made of a text.
    Hash,
    /// Something outside the database is called.
    Outside,
}

/// A statement as it is run.
#[derive(Debug, Clone)]
pub(in crate::facts) struct Statement {
    /// The text; none if it is built at run time.
    pub(in crate::facts) sql: Option<String>,
    /// The text as far as it is known.
    pub(in crate::facts) shown: String,
    /// What it runs on.
    pub(in crate::facts) on: Runs,
    /// What the caller gives, by position.
    pub(in crate::facts) given: Vec<Given>,
}

/// What a statement runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::facts) enum Runs {
    /// A transaction, by the step that began it.
    Within(usize),
    /// A connection of its own.
    Alone,
    /// Not known.
    Unknown,
}

/// A value given to a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::facts) enum Given {
    /// A text or number that is known.
    Text(Arc<str>),
    /// The process's clock.
    Now,
    /// A value made of the process's clock.
    OfClock,
    /// A number that was read before, and one more.
    Raised,
    /// Not known.
    Other,
}

impl Statement {
    /// What the caller gives for a placeholder.
    pub(in crate::facts) fn given(&self, placeholder: &Placeholder) -> Option<&Given> {
        match placeholder {
            Placeholder::Position(at) => self.given.get((*at as usize).checked_sub(1)?),
            Placeholder::Name(_) => None,
        }
    }
}

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
}

/// Walks an analysed tree; no steps if nothing in it hands events of the outbox to handlers.
pub(super) fn trace<'a>(
    analysis: &Analysis<'a>,
    buses: &Buses,
    calls: &Calls<'a>,
    wanted: Wanted<'_>,
) -> Trace {
    let map = roots::Map::of(analysis, buses, calls, wanted);
    statements::walk(analysis, buses, &map, wanted)
}
