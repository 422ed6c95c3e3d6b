//! The shape of `outbox-audit.yaml` as types, for its JSON Schema and for nothing else.
//!
//! The reader asks key by key and so has no such types of its own; a test holds both to the same
//! keys and the same samples. A key without a value counts as not given, hence the `Option`s.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::model::guarantee::Guarantee;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// Configuration of outbox-audit. Paths are relative to this file.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields, title = "outbox-audit.yaml")]
pub struct Document {
    /// Version of this format.
    pub version: One,
    /// What the verdict is asked about.
    pub gate: Option<Gate>,
    /// What to read.
    pub inputs: Option<Inputs>,
    /// The outbox, where it differs from what the rule pack says.
    pub outbox: Option<Outbox>,
    /// Business key of each object: what makes two rows one fact.
    pub natural_keys: Option<BTreeMap<String, Key>>,
    /// Rule packs by name.
    pub packs: Option<OneOrMany>,
    /// Files or directories of rules of your own.
    pub rules: Option<OneOrMany>,
    /// How long an event can still be delivered again, for example 7d, 12h, 30m, 90s.
    pub horizon: Option<Duration>,
    /// What makes the repetition of a consumer's effects harmless.
    pub contracts: Option<Vec<Contract>>,
    /// Which tests deliver which effects again.
    pub tests: Option<Vec<Test>>,
    /// Consumers kept off the path.
    pub exclusions: Option<Vec<Exclusion>>,
    /// Findings accepted until a day.
    pub waivers: Option<Vec<Waiver>>,
    /// Flows put off on purpose.
    pub deferred: Option<Vec<Deferred>>,
    /// What people say of code that cannot be resolved.
    pub assertions: Option<Vec<Assertion>>,
    /// What holds when things are run again, where it is enforced and which tests prove it.
    pub guarantees: Option<Vec<Guarantee>>,
    /// Bounds on reading.
    pub limits: Option<Limits>,
}

/// What the verdict is asked about.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Gate {
    /// The flag in question, for the head of the report.
    pub flag: Option<Text>,
    /// The rule pack whose conditions are asked.
    pub pack: Option<Text>,
    /// Names of the flows the gate is about; without them everything on the path is in scope.
    pub named: Option<OneOrMany>,
}

/// What to read.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Inputs {
    /// Flow metadata: files or directories.
    pub flows: Option<OneOrMany>,
    /// Schema as SQL or system_tables.json: files or directories.
    pub schema: Option<OneOrMany>,
    /// The engine that SQL text is written for, where the text does not show it.
    pub dialect: Option<Engine>,
    /// A live database: env:NAME (the URL stands in that environment variable) or sqlite:FILE.
    pub database: Option<Database>,
    /// Source trees.
    pub source: Option<OneOrMany>,
    /// Results of redelivery tests: files or directories.
    pub tests: Option<OneOrMany>,
    /// Answers to printed queries.
    pub answers: Option<Text>,
}

/// Engines whose SQL is read.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub enum Engine {
    /// PostgreSQL.
    Postgres,
    /// MySQL.
    Mysql,
    /// MariaDB.
    Mariadb,
    /// TiDB.
    Tidb,
    /// SQLite.
    Sqlite,
}

/// The outbox, where it differs from what the rule pack says.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Outbox {
    /// Name of the table.
    pub table: Option<Text>,
    /// Names of its columns by the part they play.
    pub columns: Option<Columns>,
    /// Words of the status column.
    pub states: Option<States>,
    /// The key by which events of one record are ordered.
    pub record_key: Option<RecordKey>,
    /// A claim whose heartbeat is older is taken over by another worker.
    pub stale_cutoff: Option<Duration>,
    /// A row that failed is tried again so much later.
    pub retry_cutoff: Option<Duration>,
    /// The query by which workers look for an event: one SELECT, asked for its plan and never run. By
    /// default one is made of the columns and statuses.
    pub eligible_query: Option<Text>,
    /// A row that failed so often is given up.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_retries: Option<u64>,
}

/// Names of the outbox's columns by the part they play.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Columns {
    /// Primary key.
    pub id: Option<Text>,
    /// Event type.
    pub event_type: Option<Text>,
    /// The frozen snapshot.
    pub payload: Option<Text>,
    /// Status.
    pub status: Option<Text>,
    /// Retries so far.
    pub retry_count: Option<Text>,
    /// Last error.
    pub error_message: Option<Text>,
    /// When it was enqueued.
    pub created: Option<Text>,
    /// Heartbeat.
    pub modified: Option<Text>,
    /// When it was done.
    pub processed: Option<Text>,
    /// The record key.
    pub record_key: Option<Text>,
}

/// Words of the status column.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct States {
    /// Waiting.
    pub ready: Option<OneOrMany>,
    /// Being handled.
    pub claimed: Option<OneOrMany>,
    /// Handled.
    pub done: Option<OneOrMany>,
    /// Given up.
    pub dead: Option<OneOrMany>,
}

/// The key by which events of one record are ordered.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RecordKey {
    /// Literal text and dotted payload paths in braces, for example "{object_api_name}:{record.id}".
    pub template: Template,
    /// Since when every writer fills it: a stamp as the outbox writes it.
    pub since: Option<Moment>,
}

/// What makes the repetition of a consumer's effects harmless.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields, extend("allOf" = conditions()))]
pub struct Contract {
    /// The consumer's id or the flow's name.
    pub consumer: Text,
    /// The mechanism.
    pub kind: Kind,
    /// Why a duplicate does no harm; else a remark.
    pub reason: Option<Text>,
    /// Who answers for it.
    pub owner: Option<Text>,
    /// The dedup table or attempt ledger.
    pub table: Option<Text>,
    /// Columns of the table's key, or fields the idempotency key is made of.
    pub key: Option<OneOrMany>,
    /// The function that writes the table or sends the key.
    pub code: Option<Text>,
    /// A test that shows it, as the results call it; `*` stands for any stretch.
    pub test: Option<Text>,
    /// How long a key is remembered.
    pub window: Option<Duration>,
    /// For a ledger: what is done about an attempt whose outcome is not known.
    pub in_doubt: Option<InDoubt>,
}

/// What is done about an attempt whose outcome is not known.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub enum InDoubt {
    /// It counts as done: the effect may be lost.
    Skip,
    /// It is made again: the effect may be repeated.
    Repeat,
    /// A person decides.
    Park,
}

/// Mechanisms of contracts.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub enum Kind {
    /// A table keyed by consumer and event, written in the effect's transaction.
    DedupTable,
    /// A key that the provider honours.
    IdempotencyKey,
    /// A durable ledger written before the call.
    AttemptLedger,
    /// The repetition is accepted.
    AcceptedDuplicate,
}

/// Tests that deliver an event again.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Test {
    /// The test's id or name in the results; `*` stands for any stretch of it.
    pub test: Text,
    /// Ids of effects or consumers, or names of flows.
    pub proves: Key,
    /// How the event is delivered again; sequential without it.
    pub grade: Option<TestGrade>,
}

/// How a redelivery test delivers the event again.
#[derive(Debug, JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub enum TestGrade {
    /// Twice, one after the other.
    Sequential,
    /// Twice at the same time.
    Concurrent,
    /// Again after a run that was cut off half-way.
    AfterPrefix,
}

/// A consumer kept off the path.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Exclusion {
    /// The consumer's id or the flow's name.
    pub consumer: Text,
    /// What shows that it is off the path.
    pub reason: Text,
}

/// A finding accepted until a day.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Waiver {
    /// Check id, as the finding shows it.
    pub check: Text,
    /// Subject id, as the finding shows it.
    pub subject: Text,
    /// Why it is accepted.
    pub reason: Text,
    /// Who answers for it.
    pub owner: Text,
    /// Last day it applies, YYYY-MM-DD.
    pub expires: Day,
}

/// A flow put off on purpose.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Deferred {
    /// The flow's name.
    pub flow: Text,
    /// Why it can wait.
    pub reason: Text,
    /// Who answers for it.
    pub owner: Text,
}

/// What a person says of code that cannot be resolved.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Assertion {
    /// The function or method.
    pub callee: Text,
    /// What it does: pure, or the effect it has.
    pub says: Text,
    /// Who answers for it.
    pub owner: Text,
    /// Digest of the source it speaks of.
    pub digest: Digest,
}

/// Bounds on reading.
#[derive(Debug, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Limits {
    /// Largest file that is read, in bytes.
    #[schemars(range(min = 1, max = 4_294_967_295_u32))]
    pub max_file_bytes: Option<u64>,
    /// Most files that are read of one kind of input.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_files: Option<u64>,
    /// Longest wait for one answer of a database, in seconds.
    #[schemars(range(min = 1, max = 3_600))]
    pub timeout_seconds: Option<u64>,
}

/// What each kind of contract cannot do without.
fn conditions() -> serde_json::Value {
    let needs = |kind: &str, keys: &[&str]| {
        let given: serde_json::Map<String, serde_json::Value> = keys
            .iter()
            .map(|key| {
                (
                    (*key).to_owned(),
                    serde_json::json!({"not": {"enum": [null, []]}}),
                )
            })
            .collect();
        serde_json::json!({
            "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
            "then": {"required": keys, "properties": given},
        })
    };
    serde_json::json!([
        needs("accepted-duplicate", &["reason", "owner"]),
        needs("dedup-table", &["table", "key"]),
        needs("idempotency-key", &["key"]),
        needs("attempt-ledger", &["table"]),
    ])
}

/// Declares a type that exists for its schema alone.
macro_rules! shape {
    ($(#[doc = $doc:literal] $name:ident = $schema:tt;)*) => {$(
        #[doc = $doc]
        #[derive(Debug)]
        pub struct $name;

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    )*};
}

shape! {
    /// The number 1.
    One = {"type": "integer", "const": 1};
    /// One text; a number or `true` is read as it is written.
    Text = {"type": ["string", "number", "boolean"], "pattern": r"\S"};
    /// One text or a list of them, each once.
    OneOrMany = {"anyOf": [
        {"type": ["string", "number", "boolean"], "pattern": r"\S"},
        {"type": "array", "uniqueItems": true,
         "items": {"type": ["string", "number", "boolean"], "pattern": r"\S"}}
    ]};
    /// Fields of a key, at least one.
    Key = {"anyOf": [
        {"type": ["string", "number", "boolean"], "pattern": r"\S"},
        {"type": "array", "uniqueItems": true, "minItems": 1,
         "items": {"type": ["string", "number", "boolean"], "pattern": r"\S"}}
    ]};
    /// `env:NAME` or `sqlite:FILE`.
    Database = {"type": "string", "pattern": r"^\s*(env:[A-Za-z_][A-Za-z0-9_]*|sqlite:(//)?[^/\s].*|sqlite:(//)?/.*[^/\s].*)\s*$"};
    /// A number and d, h, m or s.
    Duration = {"type": "string", "pattern": r"^\s*0*[1-9][0-9]*[dhms]\s*$"};
    /// A day, with or without a time behind it.
    Moment = {"type": "string", "pattern": r"^\s*[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])([ T][0-9][0-9.:+Z-]*:[0-9.:+Z-]*)?\s*$"};
    /// A day, YYYY-MM-DD.
    Day = {"type": "string", "pattern": r"^\s*[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])\s*$"};
    /// Text and dotted paths in braces.
    Template = {"type": "string", "pattern": r"^([^{}]*\{[^{}\s.]+(\.[^{}\s.]+)*\})+[^{}]*$"};
    /// Hex digits.
    Digest = {"type": ["string", "number"], "pattern": "^\\s*[0-9A-Fa-f]{16,}\\s*$"};
}

/// The JSON Schema of the file, as pretty-printed text with a line end.
pub fn json_schema() -> String {
    let schema = schemars::schema_for!(Document);
    format!("{schema:#}\n", schema = schema.as_value())
}
