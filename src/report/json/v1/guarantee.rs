//! Guarantees in the document.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::guarantee::{JudgedGuarantee, JudgedKind};
use crate::model::scope::ContractPart;
use crate::report::guarantees::{Standing, standing};

/// One guarantee with what became of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Guarantee<'r> {
    /// Its name.
    pub id: &'r str,
    /// What holds, in one sentence.
    pub statement: &'r str,
    /// `met`, `not-met` or `unknown`: all of what follows together.
    #[schemars(extend("enum" = ["met", "not-met", "unknown"]))]
    pub state: &'static str,
    /// Where it is enforced.
    pub enforced_by: Vec<Part<'r>>,
    /// The tests that would fail if it broke.
    pub proven_by: Vec<Part<'r>>,
    /// What is held against code, schema and rows.
    pub checks: Vec<Check<'r>>,
}

/// Something that a guarantee names.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Part<'r> {
    /// `code`, `migration`, `index` or `test`.
    #[schemars(extend("enum" = ["code", "migration", "index", "test"]))]
    pub kind: &'static str,
    /// Its name as declared; of a test the suite, `::` and the test.
    pub name: String,
    /// `met`, `not-met` or `unknown`.
    #[schemars(extend("enum" = ["met", "not-met", "unknown"]))]
    pub state: &'static str,
    /// What was found, or why nothing is known.
    pub says: &'r str,
    /// Where.
    pub place: Option<String>,
}

/// One kind of check.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Check<'r> {
    /// The kind.
    pub kind: &'static str,
    /// `met`, `not-met` or `unknown`.
    #[schemars(extend("enum" = ["met", "not-met", "unknown"]))]
    pub state: &'static str,
    /// What was found, one thing after another.
    pub says: Vec<&'r str>,
}

impl<'r> Guarantee<'r> {
    pub(super) fn new(judged: &'r JudgedGuarantee) -> Self {
        let guarantee = &judged.guarantee;
        let enforced = guarantee.enforced_by.iter().zip(&judged.enforced);
        let proven = guarantee.proven_by.iter().zip(&judged.proven);
        Self {
            id: &guarantee.id,
            statement: &guarantee.statement,
            state: Standing::of(judged).word(),
            enforced_by: enforced
                .map(|(one, part)| Part::new(one.word(), one.name().to_string(), part))
                .collect(),
            proven_by: proven
                .map(|(one, part)| Part::new("test", one.title(), part))
                .collect(),
            checks: judged.kinds.iter().map(Check::new).collect(),
        }
    }
}

impl<'r> Part<'r> {
    fn new(kind: &'static str, name: String, part: &'r ContractPart) -> Self {
        let (says, place) = told(part);
        Self {
            kind,
            name,
            state: standing([part]).word(),
            says,
            place,
        }
    }
}

impl<'r> Check<'r> {
    fn new(kind: &'r JudgedKind) -> Self {
        Self {
            kind: kind.word,
            state: standing(&kind.parts).word(),
            says: kind.parts.iter().map(|part| told(part).0).collect(),
        }
    }
}

fn told(part: &ContractPart) -> (&str, Option<String>) {
    match part {
        ContractPart::Holds(evidence) => (&evidence.says, Some(evidence.place.to_string())),
        ContractPart::Fails(why, place) => (why, Some(place.to_string())),
        ContractPart::Open(reason) => (
            &reason.sentence,
            reason.place.as_ref().map(ToString::to_string),
        ),
    }
}
