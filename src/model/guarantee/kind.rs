//! The kinds of guarantees and what each is asked with. A further kind is a variant here and a file
//! under `facts/guarantees`.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::parameters::*;

/// One check: a kind with its parameters. Functions are named `path/of/file.py::function` or
/// `path/of/file.py::Class.method`; the path may be cut in front, at a `/`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Kind {
    /// A key is unique, looked up first under a lock, and a conflict is a typed one.
    UniqueKey(UniqueKey),
    /// Some statements are written in one transaction or not at all.
    SameTransaction(SameTransaction),
    /// A call is made only behind a commit, on every path.
    AfterCommit(AfterCommit),
    /// The first lock that a function takes is this one, on every path.
    FirstLock(FirstLock),
    /// The rows of a whole group are locked in one order by one statement.
    OrderedLock(OrderedLock),
    /// A read and the insert that rests on it stand under one lock that is held across both.
    CriticalSection(CriticalSection),
    /// Only these functions write a table.
    WritePoints(WritePoints),
    /// A loop between two steps of a graph ends.
    BoundedLoop(BoundedLoop),
    /// Retries are bounded, and only for transient errors.
    BoundedRetry(BoundedRetry),
    /// A function hands its failures on.
    Raises(Raises),
    /// The one owner of a call records its failure, commits it and gives it back.
    OutcomeRecorded(OutcomeRecorded),
    /// Enough ways lead to a function again, and the sweep takes what a crash left.
    RecoveryPaths(RecoveryPaths),
    /// What is given up is never taken up by the machine.
    NeverAutomatic(NeverAutomatic),
    /// Runs are checkpointed in something that outlives the process.
    DurableCheckpointer(DurableCheckpointer),
    /// Connections that need a stable session do not go through a transaction pooler.
    DsnMode(DsnMode),
    /// Of each group of connected rows, at most one is in some states.
    GroupInvariant(GroupInvariant),
    /// The test's double of a store enforces what the database enforces.
    StoreParity(StoreParity),
    /// A second row of a key is flagged for a person, and nothing is merged.
    FlagNotMerge(FlagNotMerge),
}

impl Kind {
    /// The kind's word.
    pub fn word(&self) -> &'static str {
        match self {
            Kind::UniqueKey(_) => "unique-key",
            Kind::SameTransaction(_) => "same-transaction",
            Kind::AfterCommit(_) => "after-commit",
            Kind::FirstLock(_) => "first-lock",
            Kind::OrderedLock(_) => "ordered-lock",
            Kind::CriticalSection(_) => "critical-section",
            Kind::WritePoints(_) => "write-points",
            Kind::BoundedLoop(_) => "bounded-loop",
            Kind::BoundedRetry(_) => "bounded-retry",
            Kind::Raises(_) => "raises",
            Kind::OutcomeRecorded(_) => "outcome-recorded",
            Kind::RecoveryPaths(_) => "recovery-paths",
            Kind::NeverAutomatic(_) => "never-automatic",
            Kind::DurableCheckpointer(_) => "durable-checkpointer",
            Kind::DsnMode(_) => "dsn-mode",
            Kind::GroupInvariant(_) => "group-invariant",
            Kind::StoreParity(_) => "store-parity",
            Kind::FlagNotMerge(_) => "flag-not-merge",
        }
    }

    /// The functions that it speaks of.
    pub fn functions(&self) -> Vec<&Arc<str>> {
        match self {
            Kind::UniqueKey(kind) => kind.writers.iter().collect(),
            Kind::SameTransaction(kind) => vec![&kind.function],
            Kind::AfterCommit(kind) => vec![&kind.function, &kind.call],
            Kind::FirstLock(kind) => vec![&kind.function],
            Kind::OrderedLock(kind) => vec![&kind.function],
            Kind::CriticalSection(kind) => vec![&kind.function],
            Kind::WritePoints(kind) => kind.only.iter().collect(),
            Kind::BoundedLoop(kind) => vec![&kind.function],
            Kind::BoundedRetry(kind) => {
                let told = kind.told_by.iter();
                told.chain([&kind.function]).collect()
            }
            Kind::Raises(kind) => vec![&kind.function],
            Kind::OutcomeRecorded(kind) => {
                let own = [&kind.function, &kind.call];
                own.into_iter().chain(&kind.given_on_by).collect()
            }
            Kind::RecoveryPaths(kind) => {
                let from = kind.from.iter().chain(&kind.sweep);
                from.chain([&kind.function]).collect()
            }
            Kind::NeverAutomatic(kind) => kind.functions.iter().collect(),
            Kind::DurableCheckpointer(kind) => vec![&kind.function],
            Kind::DsnMode(_) => Vec::new(),
            Kind::GroupInvariant(kind) => kind.guard.iter().collect(),
            Kind::StoreParity(kind) => vec![&kind.store, &kind.double],
            Kind::FlagNotMerge(kind) => vec![&kind.function],
        }
    }
}
