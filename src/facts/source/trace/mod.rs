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
mod branches;
mod calls;
mod conditions;
mod enqueues;
mod hands;
mod queries;
mod results;
mod roots;
mod ruled;
mod scopes;
mod settings;
mod statements;
mod value;
mod words;

pub(in crate::facts) use conditions::is_off;

use std::sync::Arc;

use crate::model::place::Place;
use crate::model::source::Language;
use crate::sql::statement::Placeholder;

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
    pub(in crate::facts) flag_read: Vec<FlagRead>,
    /// Calls that a function which takes rows makes of an interface that is not followed.
    pub(in crate::facts) open_calls: Vec<Place>,
    /// Steps whose error nobody looks at: from, and behind the last; and where it is dropped.
    pub(in crate::facts) dropped: Vec<((usize, usize), Place)>,
    /// The step with which the walk from each root begins.
    pub(in crate::facts) roots: Vec<usize>,
    /// The language of each root.
    pub(in crate::facts) languages: Vec<Language>,
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
    /// Behind a condition on an error or a row count: a way on which it was asked came by with this
    /// answer.
    Past(usize, bool),
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
    /// What the caller gives by name.
    pub(in crate::facts) named: Vec<(Arc<str>, Given)>,
    /// Where the text is built, if it is built at run time.
    pub(in crate::facts) built: Option<Place>,
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
            Placeholder::Name(name) => {
                let mut named = self.named.iter();
                let found = named.find(|(given, _)| given == name);
                found.map(|(_, given)| given)
            }
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
    /// The number of the root from which a step is reached.
    pub(in crate::facts) fn root_of(&self, step: usize) -> usize {
        let behind = self.roots.partition_point(|root| *root <= step);
        behind.saturating_sub(1)
    }

    /// True if errors are values where a step stands: what is behind one that failed runs unless
    /// something looks.
    pub(in crate::facts) fn by_value(&self, step: usize) -> bool {
        self.languages.get(self.root_of(step)) != Some(&Language::Python)
    }

    /// True if waiting for what runs beside can leave no trace where a step stands: `task.await`.
    pub(in crate::facts) fn awaits(&self, step: usize) -> bool {
        self.languages.get(self.root_of(step)) != Some(&Language::Go)
    }
}

/// Walks an analysed tree; no steps if nothing in it hands events of the outbox to handlers.
pub(super) fn trace<'a>(
    analysis: &Analysis<'a>,
    buses: &Buses,
    calls: &Calls<'a>,
    wanted: Wanted<'_>,
) -> Trace {
    let map = roots::Map::of(analysis, buses, calls, wanted);
    let mut trace = statements::walk(analysis, buses, &map, wanted);
    trace.enqueues = enqueues::find(analysis, buses, calls, &map, wanted);
    trace
}
