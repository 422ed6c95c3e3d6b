//! Entries about what the workers of a queue use of their language's libraries.

use std::sync::Arc;

use serde::Deserialize;

use super::source::CallPattern;
use super::types::Examples;
use crate::model::source::Language;

/// `queue.yaml`: a call that a worker of a queue makes.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueRule {
    /// Id.
    pub id: Arc<str>,
    /// Language.
    pub language: Language,
    /// The call.
    pub call: CallPattern,
    /// What it does.
    pub means: QueueWord,
    /// The argument that it is about, from 1: the name looked up, the value carried, the function run.
    #[serde(default)]
    pub arg: Option<usize>,
    /// How long the unit is that it speaks of, in nanoseconds.
    #[serde(default)]
    pub nanos: Option<i64>,
    /// Names of that argument, where it can be given by name.
    #[serde(default)]
    pub arg_named: Vec<Arc<str>>,
    /// Its own examples.
    pub examples: Examples,
}

/// What a call does, as far as a queue asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QueueWord {
    /// Begins a transaction, and gives it.
    Begin,
    /// Runs the function `arg` in a transaction.
    Transaction,
    /// Commits.
    Commit,
    /// Rolls back.
    Rollback,
    /// Gives how many rows a statement changed.
    RowCount,
    /// Waits a while, or ticks again and again.
    Tick,
    /// Waits until others are done.
    Wait,
    /// Runs the function `arg` beside.
    Spawn,
    /// Makes a number of a text.
    Hash,
    /// Looks up the setting named by `arg`.
    Setting,
    /// Fills its arguments with the columns of a row, in their order.
    Scan,
    /// Is so many units long: a constant, or a call whose `arg` says how many.
    Span,
    /// Gives how many units a span has.
    Amount,
    /// Gives a moment that is later by `arg`.
    Later,
    /// Gives a context that can be ended, and the function that ends it.
    Cancellable,
    /// The same of a context that ends by itself after a while.
    Timed,
    /// Tells when a context or a signal ends, or whether it has.
    Ended,
    /// Ends what ticks, or what runs beside; sends a signal.
    Stop,
    /// Makes a signal that is sent later, and that others wait for.
    Signal,
    /// Gives a function that runs the function `arg`.
    Wraps,
    /// Tells whether the first argument is the error `arg`.
    ErrorIs,
    /// Finds what kind of error the first argument is, and keeps it in `arg`.
    ErrorAs,
    /// Gives a context that carries the value `arg`.
    Carries,
    /// Gives a value that a context carries.
    Carried,
    /// Reads the clock of the process.
    Clock,
    /// Builds a statement of the text `arg`, which runs later.
    Query,
    /// Builds one of pieces that are added later, or that stand elsewhere: its text is not known.
    Pieces,
    /// Gives a built statement the value `arg`.
    Bind,
    /// Runs a built statement on the connection or transaction `arg`.
    Run,
    /// The same, and gives a row if there is one.
    RunForRow,
    /// A block that is a transaction: it commits where the block ends, and rolls back after an error.
    Scope,
    /// The same on a connection that is there already: what runs on it is part of the transaction.
    OwnScope,
    /// A block with a connection whose first statement begins a transaction; without a commit nothing of
    /// it stays.
    Connection,
    /// Begins a transaction inside another one: a savepoint.
    Savepoint,
    /// Makes every statement a transaction of its own.
    Autocommit,
    /// Gives what it is called on, or its argument `arg`, in other words.
    Same,
    /// Makes a thread that runs the function `arg` once it is started.
    Job,
    /// Starts one.
    Start,
}
