//! What the configuration asks of the gate: scope, business keys, contracts, waivers, horizon.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::evidence::{Evidence, Reason};
use super::guarantee::Guarantee;
use super::place::Place;
use super::tests::Grade;

/// The audited project's own declarations, checked and ready to use.
#[derive(Debug, Default, Clone)]
pub struct Declarations {
    /// The flag in question, for the head of the report.
    pub flag: Option<Arc<str>>,
    /// Names of the flows the gate is about; empty means every consumer on the path.
    pub named: Vec<Declared>,
    /// Flows put off on purpose.
    pub deferred: Vec<DeferredFlow>,
    /// Business keys by object.
    pub natural_keys: BTreeMap<Arc<str>, NaturalKey>,
    /// Template of the record key.
    pub record_key_template: Option<Declared>,
    /// How long redelivery is possible, in seconds.
    pub horizon_seconds: Option<u64>,
    /// Contracts by consumer.
    pub contracts: Vec<Contract>,
    /// Consumers declared off the path, to be shown.
    pub exclusions: Vec<Exclusion>,
    /// Waivers.
    pub waivers: Vec<Waiver>,
    /// Which tests deliver which effects again.
    pub tests: Vec<TestMapping>,
    /// What people say of calls that cannot be followed.
    pub assertions: Vec<Assertion>,
    /// What the project guarantees.
    pub guarantees: Vec<Guarantee>,
}

/// A declared word with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Declared {
    /// The word.
    pub value: Arc<str>,
    /// Where it is declared.
    pub place: Place,
}

/// A business key of an object.
#[derive(Debug, Clone)]
pub struct NaturalKey {
    /// Fields in order.
    pub fields: Vec<Arc<str>>,
    /// Where each field is declared.
    pub field_places: Vec<Place>,
    /// Where it is declared.
    pub place: Place,
}

/// A flow put off on purpose.
#[derive(Debug, Clone)]
pub struct DeferredFlow {
    /// Its name.
    pub flow: Declared,
    /// Why.
    pub reason: Arc<str>,
    /// Who answers for it.
    pub owner: Arc<str>,
}

/// What makes the repetition of a consumer's effects harmless, as declared.
#[derive(Debug, Clone)]
pub struct Contract {
    /// The consumer's id or flow name.
    pub consumer: Declared,
    /// The kind of mechanism.
    pub kind: ContractKind,
    /// Why, for an accepted duplicate; else a remark.
    pub reason: Option<Arc<str>>,
    /// Who answers for it.
    pub owner: Option<Arc<str>>,
    /// The dedup table or attempt ledger.
    pub table: Option<Arc<str>>,
    /// Key of the table, or field of the idempotency key.
    pub key: Vec<Arc<str>>,
    /// The function that writes the table or sends the key.
    pub code: Option<Declared>,
    /// A test that shows it, as the results call it.
    pub test: Option<Declared>,
    /// How long the other side, or the table, remembers a key, in seconds.
    pub window_seconds: Option<u64>,
    /// For a ledger: what is done about an attempt whose outcome is not known.
    pub in_doubt: Option<InDoubt>,
}

/// A contract held against what was read.
#[derive(Debug, Clone)]
pub struct JudgedContract {
    /// As declared.
    pub contract: Contract,
    /// Each thing it rests on.
    pub parts: Vec<ContractPart>,
    /// Other contracts that are declared for the same consumer: the kind of each and its place.
    pub rivals: Vec<(ContractKind, Place)>,
}

/// One thing that a contract rests on.
#[derive(Debug, Clone)]
pub enum ContractPart {
    /// It is there, by this observation.
    Holds(Arc<Evidence>),
    /// It is not: in one sentence, with the place that shows it.
    Fails(Arc<str>, Place),
    /// It could not be checked.
    Open(Arc<Reason>),
}

/// What is done about an attempt whose outcome is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InDoubt {
    /// It counts as done: the effect may be lost.
    Skip,
    /// It is made again: the effect may be repeated.
    Repeat,
    /// A person decides.
    Park,
}

impl InDoubt {
    /// Every policy.
    pub const ALL: [InDoubt; 3] = [InDoubt::Skip, InDoubt::Repeat, InDoubt::Park];

    /// The word used in configuration and reports.
    pub fn word(self) -> &'static str {
        match self {
            InDoubt::Skip => "skip",
            InDoubt::Repeat => "repeat",
            InDoubt::Park => "park",
        }
    }
}

/// Kinds of contracts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContractKind {
    /// A table keyed by consumer and event, written in the effect's transaction.
    DedupTable,
    /// A key that the provider honours.
    IdempotencyKey,
    /// A durable ledger written before the call.
    AttemptLedger,
    /// The repetition is accepted, with reason and owner.
    AcceptedDuplicate,
}

/// What tests show, as a person says.
#[derive(Debug, Clone)]
pub struct TestMapping {
    /// The test's id or name; `*` stands for any stretch of it.
    pub test: Declared,
    /// Ids of effects and consumers, or names of flows.
    pub proves: Vec<Declared>,
    /// How the event is delivered again.
    pub grade: Grade,
}

/// A consumer declared off the path.
#[derive(Debug, Clone)]
pub struct Exclusion {
    /// The consumer's id or flow name.
    pub consumer: Declared,
    /// How that shows.
    pub reason: Arc<str>,
}

/// What a person says of code that cannot be resolved, bound to the source it speaks of.
#[derive(Debug, Clone)]
pub struct Assertion {
    /// The function or method.
    pub callee: Declared,
    /// What it does: `pure`, or the effect it has.
    pub says: Arc<str>,
    /// Who answers for it.
    pub owner: Arc<str>,
    /// Digest of the source it speaks of: hex digits, 16 at least.
    pub digest: Declared,
}

/// A person's acceptance of one finding, until a day.
#[derive(Debug, Clone)]
pub struct Waiver {
    /// Check id.
    pub check: Declared,
    /// Subject id.
    pub subject: Declared,
    /// Why.
    pub reason: Arc<str>,
    /// Who answers for it.
    pub owner: Arc<str>,
    /// Last day it applies, `YYYY-MM-DD`.
    pub expires: Arc<str>,
}

impl Declarations {
    /// The business key of an object, without regard to case.
    pub fn natural_key(&self, object: &str) -> Option<&NaturalKey> {
        self.natural_keys
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(object))
            .map(|(_, key)| key)
    }
}

impl ContractKind {
    /// The word used in configuration and JSON.
    pub fn word(self) -> &'static str {
        match self {
            ContractKind::DedupTable => "dedup-table",
            ContractKind::IdempotencyKey => "idempotency-key",
            ContractKind::AttemptLedger => "attempt-ledger",
            ContractKind::AcceptedDuplicate => "accepted-duplicate",
        }
    }
}
