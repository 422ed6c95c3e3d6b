//! `interpreter.yaml` and `confirm.yaml`: how the source tree and the metadata of a platform belong
//! together.

use std::sync::Arc;

use serde::Deserialize;

use crate::model::effect::EffectKind;

/// `interpreter.yaml`: the code consumer that runs the flows.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InterpreterRule {
    /// Id.
    pub id: Arc<str>,
    /// It chooses by at least so many of the action words of the pack.
    pub min_words: usize,
    /// Rows that it writes beside what the words do, of which rules of the pack speak.
    #[serde(default)]
    pub beside: Vec<ReachedRule>,
}

/// Effects by what they do and to which table.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReachedRule {
    /// What it does.
    #[serde(default)]
    pub kind: Option<EffectKind>,
    /// The same, for several.
    #[serde(default)]
    pub kinds: Vec<EffectKind>,
    /// Tables; any if empty.
    #[serde(default)]
    pub tables: Vec<Arc<str>>,
    /// True if the table is the outbox.
    #[serde(default)]
    pub outbox: bool,
}

/// `confirm.yaml`: the source fact that has to show a rule. All that is asked must hold.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfirmRule {
    /// Id.
    pub id: Arc<str>,
    /// Entries of the pack that rest on it.
    pub rules: Vec<Arc<str>>,
    /// One sentence: what is to be shown.
    pub says: Arc<str>,
    /// The action word whose code has to show it.
    #[serde(default)]
    pub word: Option<Arc<str>>,
    /// What that code has to reach.
    #[serde(default)]
    pub reaches: Vec<ReachedRule>,
    /// True if it reaches nothing at all.
    #[serde(default)]
    pub reaches_nothing: bool,
    /// True if an update is left out where no value differs.
    #[serde(default)]
    pub skips_equal: bool,
    /// True if that code writes no name of an idempotency key.
    #[serde(default)]
    pub adds_no_key: bool,
    /// Codes of the engine for a key that is taken: the row is looked for first, and taken where the
    /// insert ends in one of these.
    #[serde(default)]
    pub finds_first: Vec<Arc<str>>,
    /// A kind of effect that consumers of the path have at one place only.
    #[serde(default)]
    pub one_place: Option<EffectKind>,
    /// True if an error of a flow is dropped before the dispatcher sees it.
    #[serde(default)]
    pub drops_errors: bool,
}
