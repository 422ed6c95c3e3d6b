//! `contracts`, `tests`, `exclusions`, `waivers` and `assertions`: what people answer for.

use std::sync::Arc;

use super::date::parse_day;
use super::fields::{Fields, Sink, Text};
use super::queue::seconds;
use super::secret::shown;
use crate::model::nearest::nearest;
use crate::model::scope::{
    Assertion, Contract, ContractKind, Exclusion, InDoubt, TestMapping, Waiver,
};
use crate::model::tests::Grade;

const OWNER: &str = "add `owner:` with who answers for it";
const CONSUMER: &str = "add `consumer:` with its id or the flow's name";

/// What words stand for, as a sentence calls one of them and all.
const KIND: (&str, &str) = ("kind of contract", "kinds");
const GRADE: (&str, &str) = ("grade of a redelivery test", "grades");
const POLICY: (&str, &str) = ("policy for an attempt in doubt", "policies");

/// The kinds of contracts.
pub(super) const KINDS: [ContractKind; 4] = [
    ContractKind::DedupTable,
    ContractKind::IdempotencyKey,
    ContractKind::AttemptLedger,
    ContractKind::AcceptedDuplicate,
];

/// Reads `contracts`. What a kind rests on may not be left out.
pub(super) fn contracts(sink: &Sink<'_>, root: &Fields<'_>) -> Vec<Contract> {
    let read = |fields: Fields<'_>| {
        let consumer = fields.required("consumer", CONSUMER);
        let kind = fields
            .required("kind", "add `kind:`, for example `kind: dedup-table`")
            .map(|word| one_of(sink, word, &KINDS, ContractKind::word, KIND));
        let reason = fields.text("reason");
        let owner = fields.text("owner");
        let table = fields.text("table");
        let key = fields.texts("key");
        let code = fields.text("code").map(|text| sink.declared(text));
        let test = fields.text("test").map(|text| sink.declared(text));
        let window_seconds = seconds(sink, &fields, "window");
        let in_doubt = fields
            .text("in_doubt")
            .and_then(|word| one_of(sink, word, &InDoubt::ALL, InDoubt::word, POLICY));
        let mut whole = true;
        let mut needs = |given: bool, name: &'static str, why: &'static str| {
            if !given {
                fields.missing(name, why);
                whole = false;
            }
        };
        match kind.flatten() {
            Some(ContractKind::AcceptedDuplicate) => {
                needs(
                    reason.is_some(),
                    "reason",
                    "say why a duplicate does no harm",
                );
                needs(owner.is_some(), "owner", OWNER);
            }
            Some(ContractKind::DedupTable) => {
                needs(table.is_some(), "table", "name the dedup table");
                needs(!key.is_empty(), "key", "name the columns of its key");
            }
            Some(ContractKind::IdempotencyKey) => {
                needs(!key.is_empty(), "key", "name the fields the key is made of");
            }
            Some(ContractKind::AttemptLedger) => {
                needs(table.is_some(), "table", "name the ledger's table");
            }
            None => {}
        }
        fields.finish();
        let (Some(consumer), Some(Some(kind)), true) = (consumer, kind, whole) else {
            return None;
        };
        Some(Contract {
            consumer: sink.declared(consumer),
            kind,
            reason: reason.map(|text| Arc::from(text.value)),
            owner: owner.map(|text| Arc::from(text.value)),
            table: table.map(|text| Arc::from(text.value)),
            key: key.iter().map(|text| Arc::from(text.value)).collect(),
            code,
            test,
            window_seconds,
            in_doubt,
        })
    };
    root.each("contracts")
        .into_iter()
        .filter_map(read)
        .collect()
}

/// The value that a word stands for; a word that stands for none is a problem.
fn one_of<T: Copy>(
    sink: &Sink<'_>,
    word: Text<'_>,
    all: &[T],
    name: fn(T) -> &'static str,
    (what, plural): (&str, &str),
) -> Option<T> {
    let found = all.iter().copied().find(|one| name(*one) == word.value);
    if found.is_none() {
        let words: Vec<&str> = all.iter().map(|one| name(*one)).collect();
        let sentence = format!("`{}` is no {what}", shown(word.value));
        let problem = sink.problem(word, sentence);
        sink.push(match nearest(word.value, &words) {
            Some(near) => problem.label(format!("did you mean `{near}`?")),
            None => problem.help(format!("{plural} are {}", words.join(", "))),
        });
    }
    found
}

/// Reads `tests`: which test delivers which effects again.
pub(super) fn tests(sink: &Sink<'_>, root: &Fields<'_>) -> Vec<TestMapping> {
    let read = |fields: Fields<'_>| {
        let test = fields.required(
            "test",
            "add `test:` with its id as the results have it; `*` stands for any stretch",
        );
        let proves = fields.texts("proves");
        if proves.is_empty() {
            fields.missing("proves", "add `proves:` with ids of effects or consumers");
        }
        let grade = match fields.text("grade") {
            Some(word) => one_of(sink, word, &Grade::ALL, Grade::word, GRADE),
            None => Some(Grade::default()),
        };
        fields.finish();
        Some(TestMapping {
            test: sink.declared(test?),
            proves: proves.into_iter().map(|text| sink.declared(text)).collect(),
            grade: grade?,
        })
    };
    root.each("tests").into_iter().filter_map(read).collect()
}

/// Reads `exclusions`.
pub(super) fn exclusions(sink: &Sink<'_>, root: &Fields<'_>) -> Vec<Exclusion> {
    let read = |fields: Fields<'_>| {
        let consumer = fields.required("consumer", CONSUMER);
        let reason = fields.required("reason", "say what shows that it is off the path");
        fields.finish();
        Some(Exclusion {
            consumer: sink.declared(consumer?),
            reason: Arc::from(reason?.value),
        })
    };
    root.each("exclusions")
        .into_iter()
        .filter_map(read)
        .collect()
}

/// Reads `waivers`; all five keys are required, and two waivers of one finding are one too many.
pub(super) fn waivers(sink: &Sink<'_>, root: &Fields<'_>) -> Vec<Waiver> {
    let mut waivers: Vec<Waiver> = Vec::new();
    for fields in root.each("waivers") {
        let check = fields.required("check", "add `check:` with the id the finding shows");
        let subject = fields.required("subject", "add `subject:` with the id the finding shows");
        let reason = fields.required("reason", "add `reason:` with why it is accepted");
        let owner = fields.required("owner", OWNER);
        let expires = fields
            .required("expires", "add `expires:` with its last day, YYYY-MM-DD")
            .and_then(|text| day(sink, text));
        fields.finish();
        let (Some(check), Some(subject)) = (check, subject) else {
            continue;
        };
        let twice = waivers.iter().any(|before| {
            &*before.check.value == check.value && &*before.subject.value == subject.value
        });
        if twice {
            let sentence = format!("this finding of `{}` is waived twice", shown(check.value));
            sink.push(sink.problem(subject, sentence));
        }
        let (Some(reason), Some(owner), Some(expires)) = (reason, owner, expires) else {
            continue;
        };
        waivers.push(Waiver {
            check: sink.declared(check),
            subject: sink.declared(subject),
            reason: Arc::from(reason.value),
            owner: Arc::from(owner.value),
            expires: Arc::from(expires),
        });
    }
    waivers
}

fn day<'t>(sink: &Sink<'_>, text: Text<'t>) -> Option<&'t str> {
    parse_day(text.value)
        .map_err(|why| {
            let sentence = format!("`{}` is no day of the calendar", shown(text.value));
            sink.push(sink.problem(text, sentence).label(why));
        })
        .ok()
}

/// Reads `assertions`.
pub(super) fn assertions(sink: &Sink<'_>, root: &Fields<'_>) -> Vec<Assertion> {
    let read = |fields: Fields<'_>| {
        let callee = fields.required("callee", "add `callee:` with the function's name");
        let says = fields.required("says", "add `says:` with what it does");
        let owner = fields.required("owner", OWNER);
        let digest = fields.required("digest", "add `digest:` of the source it speaks of");
        fields.finish();
        let digest = digest.filter(|text| {
            let hex = text.value.len() >= 16 && text.value.bytes().all(|it| it.is_ascii_hexdigit());
            if !hex {
                let sentence = "a digest is hex digits, 16 at least";
                sink.push(sink.problem(*text, sentence));
            }
            hex
        });
        Some(Assertion {
            callee: sink.declared(callee?),
            says: Arc::from(says?.value),
            owner: Arc::from(owner?.value),
            digest: sink.declared(digest?),
        })
    };
    root.each("assertions")
        .into_iter()
        .filter_map(read)
        .collect()
}
