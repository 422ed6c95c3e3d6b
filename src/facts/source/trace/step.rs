//! Steps of a worker.

use std::sync::Arc;

use crate::model::place::Place;
use crate::sql::statement::Placeholder;

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
        /// Columns of rows that it is made of.
        of: Vec<Column>,
        /// Signals that end it.
        ends: Vec<usize>,
        /// Transactions that go with it.
        carries: Vec<Carried>,
        /// True if they go in a context, and the tree never takes them out of one.
        lost: bool,
    },
    /// Waits a while, or makes what ticks again and again.
    Tick {
        /// How long, in nanoseconds, where it is known.
        nanos: Option<i64>,
        /// The number by which its ticks are received.
        number: usize,
    },
    /// A signal is sent, by its number: a channel is closed, a context ended, a ticker stopped.
    Signal(usize),
    /// Signals are waited for, or looked at; empty for one whose origin is not known.
    Receive(Vec<usize>),
    /// Waits until others are done.
    Wait,
    /// A number is made of a text.
    Hash,
    /// Something outside the database is called.
    Outside,
}

/// A transaction that a value is, or that a context carries.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::facts) struct Carried {
    /// By the step that began it.
    pub(in crate::facts) tx: usize,
    /// The key under which a context carries it; none where it is not in a context, or is not known.
    pub(in crate::facts) key: Option<Arc<str>>,
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
    /// The process's clock, read in these loops.
    Now(Arc<[usize]>),
    /// A value made of the process's clock: how many microseconds from it, where that is known; and the loops
    /// in which it was read.
    OfClock(Option<i64>, Arc<[usize]>),
    /// A span of time in microseconds.
    Span(i64),
    /// A column of a row that was read.
    Column(Column),
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

/// A column of a row that a statement gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::facts) struct Column {
    /// The statement, by the number of its step.
    pub(in crate::facts) of: usize,
    /// Which column.
    pub(in crate::facts) at: ColumnAt,
    /// Which row.
    pub(in crate::facts) row: RowAt,
}

/// Which column of what a statement gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::facts) enum ColumnAt {
    /// By its position, from 0.
    Number(usize),
    /// By its name, or the name of the field that stands for it.
    Name(Arc<str>),
}

/// Which row of what a statement gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::facts) enum RowAt {
    /// The one that is read.
    Read,
    /// The one of the round of a loop, by its number.
    Round(usize),
    /// One at a fixed place of a list.
    Fixed(usize, Arc<str>),
    /// Not known.
    Unknown,
}
