//! What each kind of guarantee is asked with.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

/// A write to a table.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Write {
    /// The table.
    pub table: Arc<str>,
    /// `insert`, `update` or `delete`; without it any of them.
    #[serde(default)]
    pub verb: Option<Verb>,
    /// Columns and the constants they are given.
    #[serde(default)]
    pub sets: BTreeMap<Arc<str>, Arc<str>>,
    /// Columns that are given something.
    #[serde(default)]
    pub columns: Vec<Arc<str>>,
}

/// What a statement does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verb {
    /// INSERT, an upsert too.
    Insert,
    /// UPDATE.
    Update,
    /// DELETE.
    Delete,
    /// SELECT.
    Select,
}

impl Verb {
    /// The word as SQL has it.
    pub fn word(self) -> &'static str {
        match self {
            Verb::Insert => "INSERT",
            Verb::Update => "UPDATE",
            Verb::Delete => "DELETE",
            Verb::Select => "SELECT",
        }
    }
}

/// Parameters of `unique-key`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UniqueKey {
    /// The table.
    pub table: Arc<str>,
    /// The columns of the key.
    pub key: Vec<Arc<str>>,
    /// The predicate, if the index is partial: SQL over the table's columns.
    #[serde(default, rename = "where")]
    pub only_if: Option<Arc<str>>,
    /// The functions that insert.
    #[serde(default)]
    pub writers: Vec<Arc<str>>,
    /// True if the writers look the key up before they insert.
    #[serde(default, deserialize_with = "flag")]
    pub lookup_first: bool,
    /// True if the lookup and the insert stand under one lock.
    #[serde(default, deserialize_with = "flag")]
    pub under_lock: bool,
    /// The type of error that a violation of the key is raised as.
    #[serde(default)]
    pub raises: Option<Arc<str>>,
    /// The column that holds a fingerprint of the request, NULL in rows from before it.
    #[serde(default)]
    pub fingerprint: Option<Arc<str>>,
    /// True if an exact replay writes nothing.
    #[serde(default, deserialize_with = "flag")]
    pub replay_writes_nothing: bool,
}

/// Parameters of `same-transaction`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SameTransaction {
    /// The function that writes.
    pub function: Arc<str>,
    /// What it writes together.
    pub writes: Vec<Write>,
}

/// Parameters of `after-commit`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AfterCommit {
    /// The function that commits and calls.
    pub function: Arc<str>,
    /// The function that is called behind the commit.
    pub call: Arc<str>,
}

/// Parameters of `first-lock`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FirstLock {
    /// The function.
    pub function: Arc<str>,
    /// The table whose rows it locks first.
    pub table: Arc<str>,
    /// The column that connects the rows of a group, where it is the group that is locked.
    #[serde(default)]
    pub edge: Option<Arc<str>>,
}

/// Parameters of `ordered-lock`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OrderedLock {
    /// The function.
    pub function: Arc<str>,
    /// The table whose rows it locks.
    pub table: Arc<str>,
    /// The column by which the rows are ordered.
    pub order_by: Arc<str>,
    /// The column that connects the rows of a group.
    #[serde(default)]
    pub edge: Option<Arc<str>>,
}

/// Parameters of `critical-section`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CriticalSection {
    /// The function.
    pub function: Arc<str>,
    /// The table that is read.
    pub reads: Arc<str>,
    /// The column by which it is read: that of the group, never of one edge.
    #[serde(default)]
    pub by: Option<Arc<str>>,
    /// The table that is inserted into.
    pub inserts: Arc<str>,
}

/// Parameters of `write-points`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WritePoints {
    /// The table.
    pub table: Arc<str>,
    /// The functions that write it, themselves or by what they call.
    pub only: Vec<Arc<str>>,
    /// A file, or a class of one, whose functions alone are asked: the nodes of a graph. Without it the
    /// whole tree is.
    #[serde(default)]
    pub within: Option<Arc<str>>,
    /// States in which no row may rest.
    #[serde(default)]
    pub intermediate: Option<States>,
}

/// A column and some of its values.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct States {
    /// The column.
    pub column: Arc<str>,
    /// The values.
    pub values: Vec<Arc<str>>,
}

/// Parameters of `bounded-loop`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoundedLoop {
    /// The function that decides whether there is another round.
    pub function: Arc<str>,
    /// What it gives for another round: the name of the step.
    pub again: Arc<str>,
}

/// Parameters of `bounded-retry`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoundedRetry {
    /// The function that retries, or makes the policy of retries.
    pub function: Arc<str>,
    /// The argument that bounds them, by name, where a library retries.
    #[serde(default)]
    pub bound: Option<Arc<str>>,
    /// The argument that says which errors are retried, by name: a type, or a function that tells.
    #[serde(default)]
    pub errors: Option<Arc<str>>,
    /// The function that tells which errors are retried.
    #[serde(default)]
    pub told_by: Option<Arc<str>>,
    /// Types of errors that may be retried.
    pub only_on: Vec<Arc<str>>,
}

/// Parameters of `raises`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Raises {
    /// The function.
    pub function: Arc<str>,
}

/// Parameters of `outcome-recorded`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutcomeRecorded {
    /// The function that calls and records.
    pub function: Arc<str>,
    /// The function whose failure is recorded.
    pub call: Arc<str>,
    /// What is written about it.
    pub writes: Vec<Write>,
    /// Functions that give the outcome on to whoever asked.
    #[serde(default)]
    pub given_on_by: Vec<Arc<str>>,
}

/// Parameters of `recovery-paths`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecoveryPaths {
    /// The function that is reached again.
    pub function: Arc<str>,
    /// The functions from which it is reached.
    pub from: Vec<Arc<str>>,
    /// The function that looks for what was left.
    #[serde(default)]
    pub sweep: Option<Arc<str>>,
    /// What it looks for.
    #[serde(default)]
    pub takes: Option<TableStates>,
}

/// Values of a column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableStates {
    /// The table.
    pub table: Arc<str>,
    /// The column.
    pub column: Arc<str>,
    /// The values.
    pub values: Vec<Arc<str>>,
}

/// Parameters of `never-automatic`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NeverAutomatic {
    /// What is given up.
    pub state: TableStates,
    /// The functions that run by themselves.
    pub functions: Vec<Arc<str>>,
}

/// Parameters of `durable-checkpointer`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DurableCheckpointer {
    /// The function that gives the checkpointer.
    pub function: Arc<str>,
    /// Types of checkpointers that outlive the process.
    pub durable: Vec<Arc<str>>,
    /// Types that do not.
    #[serde(default)]
    pub in_memory: Vec<Arc<str>>,
}

/// Parameters of `dsn-mode`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DsnMode {
    /// Names of the settings that hold the DSN.
    pub settings: Vec<Arc<str>>,
    /// Ports of transaction poolers.
    #[serde(default)]
    pub pooler_ports: Vec<Arc<str>>,
    /// Parts of host names that only poolers have.
    #[serde(default)]
    pub pooler_hosts: Vec<Arc<str>>,
    /// Parameters of a DSN that only poolers in transaction mode are given: `name=value`.
    #[serde(default)]
    pub pooler_parameters: Vec<Arc<str>>,
}

/// Parameters of `group-invariant`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupInvariant {
    /// The table.
    pub table: Arc<str>,
    /// Its key.
    pub id: Arc<str>,
    /// The column that points at another row of the group.
    pub edge: Arc<str>,
    /// The states of which a group has one at most.
    pub at_most_one: States,
    /// A column that says the same of a row where it is not NULL.
    #[serde(default)]
    pub or_not_null: Option<Arc<str>>,
    /// The function that refuses a second one.
    #[serde(default)]
    pub guard: Option<Arc<str>>,
    /// The type of error that it refuses with.
    #[serde(default)]
    pub refuses: Option<Arc<str>>,
}

/// Parameters of `store-parity`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StoreParity {
    /// The table.
    pub table: Arc<str>,
    /// The columns of its key.
    pub key: Vec<Arc<str>>,
    /// Columns of the predicate of its index.
    #[serde(default)]
    pub predicate: Vec<Arc<str>>,
    /// The method of the store that writes to the database.
    pub store: Arc<str>,
    /// The method of the double.
    pub double: Arc<str>,
    /// The type of error that both raise.
    pub raises: Arc<str>,
}

/// Parameters of `flag-not-merge`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlagNotMerge {
    /// The function that meets the conflict.
    pub function: Arc<str>,
    /// The type of error it catches, where the conflict is one.
    #[serde(default)]
    pub catches: Option<Arc<str>>,
    /// The table.
    pub table: Arc<str>,
    /// Columns and the constants they are given.
    pub sets: BTreeMap<Arc<str>, Arc<str>>,
    /// The column that points at the row that was there.
    pub points: Arc<str>,
}

/// True or false, as a value or as a text.
fn flag<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Flag {
        Value(bool),
        Text(String),
    }
    match Flag::deserialize(deserializer)? {
        Flag::Value(is) => Ok(is),
        Flag::Text(text) if text == "true" => Ok(true),
        Flag::Text(text) if text == "false" => Ok(false),
        Flag::Text(text) => Err(serde::de::Error::custom(format!(
            "`{text}` is neither true nor false"
        ))),
    }
}
