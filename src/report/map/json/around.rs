//! What the document tells beside consumers: who emits, what could not be followed or read.

use schemars::JsonSchema;
use serde::Serialize;

use super::At;

/// A call that emits an event.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Producer<'m> {
    /// The event, topic or outbox table.
    pub event: &'m str,
    /// `publish`, or what it does to an outbox table.
    pub kind: &'static str,
    /// The function in which it stands.
    pub function: &'m str,
    /// The call.
    #[serde(flatten)]
    pub at: At<'m>,
    /// The rule that says that it emits.
    pub rule: &'m str,
    /// How sure that is.
    #[schemars(extend("enum" = ["high", "medium", "low"]))]
    pub confidence: &'static str,
}

/// A call that cannot be followed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UnresolvedCall<'m> {
    /// Whose handler can reach it.
    pub consumer: &'m str,
    /// What is called.
    pub call: &'m str,
    /// Why it cannot be followed.
    pub why: &'m str,
    /// Where it stands.
    #[serde(flatten)]
    pub at: At<'m>,
}

/// What could not be read.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Gap<'m> {
    /// What, in one sentence.
    pub reason: &'m str,
    /// What to do about it.
    pub next_step: &'m str,
    /// Where.
    pub place: Option<String>,
}
