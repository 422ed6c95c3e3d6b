//! Entries about guards: what keeps a further delivery apart, and what orders an effect.

use std::sync::Arc;

use serde::Deserialize;

use super::source::CallPattern;
use super::types::Examples;
use crate::model::source::Language;

/// `guard.yaml`: what a call or a value has to do with redelivery.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuardRule {
    /// Id.
    pub id: Arc<str>,
    /// Language.
    pub language: Language,
    /// What it is.
    pub role: GuardRole,
    /// The call; none of a value. A method without a receiver is one of whatever a statement gave.
    #[serde(default)]
    pub call: Option<CallPattern>,
    /// Texts, numbers and qualified names that are it by themselves; of a call, one of them must be
    /// the argument `arg`, in upper or lower case.
    #[serde(default)]
    pub values: Vec<Arc<str>>,
    /// Fields that are it: of the types in `of`, or of any type.
    #[serde(default)]
    pub fields: Vec<Arc<str>>,
    /// Qualified types whose fields they are; empty for any.
    #[serde(default)]
    pub of: Vec<Arc<str>>,
    /// The argument that must be one of `values`, from 1.
    #[serde(default)]
    pub arg: Option<usize>,
    /// The argument that holds the key, from 1.
    #[serde(default)]
    pub key: Option<usize>,
    /// Its names, where it is given by name.
    #[serde(default)]
    pub key_named: Vec<Arc<str>>,
    /// Its own examples.
    pub examples: Examples,
}

/// What a call or a value is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GuardRole {
    /// Sets a mark that ends after a time; gives true if it was not set yet.
    TtlLock,
    /// Asks a set in memory; gives true if it is there.
    MemoryHolds,
    /// Adds to a set in memory; gives true if it was not there yet.
    MemoryAdds,
    /// Makes a queue refuse a message that it knows.
    EnqueueUnique,
    /// The number of rows of a result.
    RowCount,
    /// Fills the variables it is given from what it is called on, and gives an error.
    Fills,
    /// Gives a row of what it is called on; an error if there is none.
    Row,
    /// Gives a row of what it is called on, or nothing.
    MaybeRow,
    /// The error of a result.
    ErrorOf,
    /// Tells whether an error is of a kind, and fills the variable it is given.
    IsError,
    /// The violation of a unique key.
    UniqueViolation,
    /// Begins a transaction.
    Begin,
    /// Ends a transaction, and keeps what it wrote.
    Commit,
    /// Ends a transaction, and drops what it wrote.
    Rollback,
    /// Runs the function it is given inside a transaction.
    Transaction,
    /// A transaction: as a type of a value.
    TransactionType,
    /// Tells the broker that the event is done.
    Acknowledge,
    /// Tells the broker that the event is not done.
    Refuse,
    /// Runs what it is given beside.
    Launch,
    /// Makes an insert do nothing where a key is taken.
    IgnoreConflict,
    /// Locks the rows of a query.
    LockRows,
    /// Gives a statement a value for the next of its placeholders.
    Bind,
    /// Sets a mark that nothing ends, apart from the database; gives true if it was not set yet.
    LastingMark,
    /// Runs what it is given once the transaction is committed.
    AfterCommit,
    /// Gives a row and whether it was made: it is made where the key is free.
    FindOrCreate,
    /// Asks for rows by columns: a filter of a query.
    Asks,
    /// Leaves out rows by columns.
    AsksNot,
    /// Sets columns of a statement that is built.
    Sets,
    /// Reads rows.
    Read,
    /// A key by which a provider recognises a repetition.
    IdempotencyKey,
    /// The id of the event.
    EventId,
    /// All that the event carries.
    Payload,
    /// The number of the attempt.
    Attempt,
}
