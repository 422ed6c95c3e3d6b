//! Entries about what tests are made of.

use std::sync::Arc;

use serde::Deserialize;

use super::source::CallPattern;
use super::types::Examples;
use crate::model::source::Language;

/// `test.yaml`: a call that a test makes.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestRule {
    /// Id.
    pub id: Arc<str>,
    /// Language.
    pub language: Language,
    /// The call.
    pub call: CallPattern,
    /// What it does.
    pub means: TestWord,
    /// Its own examples.
    pub examples: Examples,
}

/// What a call does in a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TestWord {
    /// Fails the test: an assertion where a comparison decides whether it runs.
    Fails,
    /// Asserts by itself.
    Asserts,
    /// Leaves the rest of the test out.
    Skips,
    /// Runs a part of the test, named by its first argument.
    Part,
    /// Demands that what it is given fails.
    DemandsError,
    /// True of a call that failed, inside an assertion.
    IsError,
    /// True of a call that went well: it says nothing about rows.
    IsSuccess,
    /// Runs what it is given beside the test.
    Launches,
    /// Begins what was launched before; nobody waits yet.
    Begins,
    /// Waits for all that was launched.
    Joins,
    /// Waits at its end for all that was launched inside.
    Scope,
    /// Runs its arguments beside each other, and waits for them.
    Overlaps,
    /// Puts something in place of what its arguments name.
    Replaces,
}
