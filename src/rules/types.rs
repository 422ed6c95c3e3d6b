//! The entries of a rule pack, as written in YAML. A rule is data: it says what a thing is.

use std::sync::Arc;

use serde::Deserialize;

use crate::model::evidence::InputKind;
use crate::model::outbox::OutboxColumn;
use crate::model::value::ValueSource;

/// `pack.yaml`: the head of a pack.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackHead {
    /// Name.
    pub pack: Arc<str>,
    /// Version of the pack's format.
    pub version: u32,
    /// One line.
    pub title: Arc<str>,
    /// Packs whose entries it builds on.
    #[serde(default)]
    pub uses: Vec<Arc<str>>,
    /// The conditions of the gate, in order.
    #[serde(default)]
    pub gate: Vec<GateRule>,
    /// Ambient inputs of every expression: residuals of the system, reported once.
    #[serde(default)]
    pub ambient: Vec<Arc<str>>,
    /// Residuals of the queue, reported once.
    #[serde(default)]
    pub residuals: Vec<Arc<str>>,
    /// Families of effects put off, with the reason.
    #[serde(default)]
    pub deferred: Vec<DeferredRule>,
}

/// A condition of the gate.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateRule {
    /// Id.
    pub id: Arc<str>,
    /// Title.
    pub title: Arc<str>,
    /// Checks that decide it.
    #[serde(default)]
    pub checks: Vec<Arc<str>>,
    /// Inputs without which it is not shown.
    #[serde(default)]
    pub needs: Vec<InputKind>,
    /// A condition that arises only if something of this kind is there.
    #[serde(default)]
    pub only_if: Option<GateOnlyIf>,
}

/// What must be there for a condition to arise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GateOnlyIf {
    /// An outbox table.
    Outbox,
}

/// A family of effects put off.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeferredRule {
    /// Name of the family.
    pub title: Arc<str>,
    /// Why it is put off.
    pub why: Arc<str>,
    /// Which facts show whether it is on the path.
    pub family: DeferredKind,
    /// For rows of the platform: the side writes that make them.
    #[serde(default)]
    pub entries: Vec<Arc<str>>,
}

/// The families the audit can look for on the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeferredKind {
    /// Effects that leave the database.
    External,
    /// Rows that the platform appends by itself, and creates on audit or grant tables.
    PlatformRows,
    /// Creates outside the named flows.
    OtherCreates,
    /// A mechanism that no input can show to be there or not.
    Mechanism,
}

/// `platform.yaml`: how the platform saves and names things.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlatformRule {
    /// Id of the entry.
    pub id: Arc<str>,
    /// Statuses with which a flow runs, exactly as written.
    pub active: Vec<Arc<str>>,
    /// The flow type that runs steps.
    pub multistep: Arc<str>,
    /// Fields that name a record for ever.
    pub identity: Vec<Arc<str>>,
    /// Fields that every record has.
    pub system_fields: Vec<Arc<str>>,
    /// The field that marks a record as deleted.
    pub soft_delete: Vec<Arc<str>>,
    /// Fields that an insert fills by itself.
    pub generated: Vec<GeneratedRule>,
    /// Field types that hold an id and have no members.
    pub reference_types: Vec<Arc<str>>,
    /// Field types drawn from a counter.
    pub number_types: Vec<Arc<str>>,
    /// True if a counter is raised before the insert is tried.
    pub numbers_before_insert: bool,
    /// True if a rollback gives a counter value back.
    pub numbers_roll_back: bool,
    /// True if an update whose values all equal the stored ones returns early.
    pub equal_update_is_no_op: bool,
    /// Column types for which a stored and a new value print alike.
    pub prints_alike: Vec<Arc<str>>,
    /// What happens to an error of a flow.
    pub on_error: ErrorRule,
    /// The event that each kind of write enqueues.
    pub enqueues: Vec<EnqueueRule>,
    /// Rows that a save appends or recomputes by itself.
    pub side_writes: Vec<SideWriteRule>,
    /// How the find-or-create of the platform behaves.
    pub find_first: FindFirstRule,
}

/// The event that a kind of write enqueues.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnqueueRule {
    /// On which write.
    pub on: WriteKind,
    /// Which event.
    pub event: Arc<str>,
}

/// A field that an insert fills by itself.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneratedRule {
    /// Names it goes by.
    pub fields: Vec<Arc<str>>,
    /// Where its value comes from.
    pub draws: ValueSource,
    /// The value, when it is constant.
    #[serde(default)]
    pub constant: Option<Arc<str>>,
}

/// What happens to an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorRule {
    /// Logged, and the event is marked done.
    Swallowed,
    /// The event is retried.
    Retried,
}

/// Rows that a save appends or recomputes.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SideWriteRule {
    /// Id of the entry.
    pub id: Arc<str>,
    /// On which writes.
    pub on: Vec<WriteKind>,
    /// One sentence.
    pub says: Arc<str>,
}

/// Kinds of writes a rule can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WriteKind {
    /// An insert.
    Insert,
    /// An effective update.
    Update,
    /// A delete.
    Delete,
}

/// How the platform's find-or-create behaves.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindFirstRule {
    /// True if a violation of the key is caught and the existing row taken.
    pub retries: bool,
    /// True if the lookup also sees rows marked deleted.
    pub sees_deleted: bool,
}

/// `trigger.yaml`: what a trigger word means.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TriggerRule {
    /// Words, compared without regard to case unless `exact`.
    pub words: Vec<Arc<str>>,
    /// When it runs.
    pub phase: TriggerPhase,
    /// The event it takes.
    #[serde(default)]
    pub event: Option<Arc<str>>,
    /// The write it runs inside of.
    #[serde(default)]
    pub inside: Option<WriteKind>,
    /// For dormant words: what it would need to run.
    #[serde(default)]
    pub would_need: Option<Arc<str>>,
}

/// When a trigger runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TriggerPhase {
    /// From the outbox.
    AfterCommit,
    /// Inside the save.
    InsideSave,
    /// On a schedule, outside the outbox.
    Schedule,
    /// Stored and never run today.
    Dormant,
}

/// `action.yaml`: what an action does at delivery.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActionRule {
    /// Id.
    pub id: Arc<str>,
    /// Words.
    pub words: Vec<Arc<str>>,
    /// How words are compared.
    #[serde(default)]
    pub case: WordCase,
    /// Where it may stand.
    pub from: Vec<ActionSite>,
    /// In which phase; every phase if empty.
    #[serde(default)]
    pub phase: Vec<TriggerPhase>,
    /// What it is.
    pub becomes: Becomes,
    /// Configuration key that names the object written.
    #[serde(default)]
    pub target: Option<Arc<str>>,
    /// Configuration key that names the row.
    #[serde(default)]
    pub row: Option<Arc<str>>,
    /// Configuration key that holds the assignments.
    #[serde(default)]
    pub writes: Option<Arc<str>>,
    /// How a value is told from a formula.
    #[serde(default)]
    pub formula: FormulaSyntax,
    /// Configuration keys whose values reach the outside.
    #[serde(default)]
    pub values: Vec<Arc<str>>,
    /// Keys without which it fails.
    #[serde(default)]
    pub required: Vec<Arc<str>>,
    /// Configuration key that turns a create into find-or-create.
    #[serde(default)]
    pub find_first: Option<Arc<str>>,
    /// Configuration key of a map that is sent as written.
    #[serde(default)]
    pub sent_as_written: Vec<Arc<str>>,
    /// Names, in those maps, that the other side takes for an idempotency key.
    #[serde(default)]
    pub idempotency_names: Vec<Arc<str>>,
    /// Keys seen in real metadata that are not read, with what follows.
    #[serde(default)]
    pub ignored: Vec<IgnoredKeyRule>,
    /// Rows it inserts by itself.
    #[serde(default)]
    pub inserts: Vec<FixedInsertRule>,
    /// For dormant words: what it would need to run.
    #[serde(default)]
    pub would_need: Option<Arc<str>>,
}

/// How words are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WordCase {
    /// Letter for letter.
    #[default]
    Exact,
    /// Without regard to case.
    Insensitive,
}

/// Where an action can stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ActionSite {
    /// The action of a flow.
    Flow,
    /// A step of a multistep flow.
    Step,
    /// An action run by id.
    Named,
    /// A step of a composite action.
    Composite,
}

/// What an action becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Becomes {
    /// An insert.
    Insert,
    /// An update of the row the event is about.
    UpdateOwn,
    /// An update of a named row.
    UpdateNamed,
    /// A change of the record being saved.
    RecordSet,
    /// Mail.
    Mail,
    /// An HTTP call.
    Http,
    /// The action that its configuration names.
    NamedAction,
    /// The steps in its configuration.
    Composite,
    /// Rows of the platform.
    FixedInserts,
    /// Nothing today.
    Dormant,
}

/// How a value is told from a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FormulaSyntax {
    /// No formulas: every value is a literal.
    #[default]
    None,
    /// The whole string is `{!…}`.
    Braces,
    /// The string begins with `=`.
    Equals,
}

/// A key that the platform does not read.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IgnoredKeyRule {
    /// The key.
    pub key: Arc<str>,
    /// What follows.
    pub says: Arc<str>,
}

/// A row that an action inserts by itself.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixedInsertRule {
    /// The table.
    pub table: Arc<str>,
    /// Only in multistep flows.
    #[serde(default)]
    pub only_multistep: bool,
    /// Columns and where their values come from.
    pub columns: Vec<FixedColumnRule>,
}

/// A column of such a row.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixedColumnRule {
    /// Column.
    pub column: Arc<str>,
    /// Where its value comes from.
    pub draws: ValueSource,
    /// In words, for reports.
    pub what: Arc<str>,
}

/// `function.yaml`: what a function of an expression language draws from.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FunctionRule {
    /// Id.
    pub id: Arc<str>,
    /// Language.
    pub language: Arc<str>,
    /// Names, letter for letter.
    pub names: Vec<Arc<str>>,
    /// What it draws from beside its arguments; empty for a pure function.
    #[serde(default)]
    pub draws: Vec<ValueSource>,
    /// Why, where it is not plain.
    #[serde(default)]
    pub note: Option<Arc<str>>,
    /// True if it is called on a value: `now().Year()`.
    #[serde(default)]
    pub method: bool,
    /// True if the order of its result is not defined.
    #[serde(default)]
    pub unordered: bool,
    /// True if it defines the order of its argument anew.
    #[serde(default)]
    pub orders: bool,
    /// True if applying it twice is applying it once.
    #[serde(default)]
    pub idempotent: bool,
    /// True if it never gives nil.
    #[serde(default)]
    pub never_nil: bool,
    /// Its own examples, run by `rules test`.
    pub examples: Examples,
}

/// Examples of a rule.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Examples {
    /// Texts in which the rule must be found.
    #[serde(rename = "match")]
    pub matching: Vec<Arc<str>>,
    /// Texts in which it must not.
    pub no_match: Vec<Arc<str>>,
}

/// `name.yaml`: what a top-level name of an expression means.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NameRule {
    /// Id.
    pub id: Arc<str>,
    /// Language.
    pub language: Arc<str>,
    /// The name.
    pub name: Arc<str>,
    /// What it stands for.
    pub is: NameKind,
    /// Its own examples.
    pub examples: Examples,
}

/// What a top-level name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NameKind {
    /// The event's record.
    Record,
    /// The record before the change.
    Prior,
    /// The user in the payload.
    User,
    /// The environment of the deployment.
    Environment,
    /// Results of earlier steps.
    Results,
}

/// `outbox.yaml`: how an outbox table is spelled.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutboxRule {
    /// Id.
    pub id: Arc<str>,
    /// Table names.
    pub table: Vec<Arc<str>>,
    /// Column names by part.
    pub columns: Vec<OutboxColumnRule>,
    /// True if ids are drawn at random, so that they do not order events.
    pub random_ids: bool,
}

/// Names of one column.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutboxColumnRule {
    /// The part it plays.
    pub part: OutboxColumn,
    /// Names it goes by.
    pub names: Vec<Arc<str>>,
}
