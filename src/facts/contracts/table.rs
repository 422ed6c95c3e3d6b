//! The table of a dedup or ledger contract: that it is there, and that a UNIQUE key of it refuses a
//! second row for the same consumer and event.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::evidence::{Fact, InputKind, Reason, Why};
use crate::model::nearest::nearest;
use crate::model::schema::{Deferral, Enforcer, Schema, Table, Volatility};
use crate::model::scope::{Contract, ContractKind, ContractPart};

use super::{ContractInput, open};

/// What was found out about the table.
pub(super) fn parts(input: &ContractInput<'_>, contract: &Contract) -> Vec<ContractPart> {
    let place = &contract.consumer.place;
    let Some(name) = contract.table.as_deref() else {
        return Vec::new();
    };
    let Some(schema) = input.schema else {
        return vec![open(
            Why::NotGiven,
            Some(InputKind::Schema),
            format!("its table `{name}` was not looked for: no schema was read"),
            place,
            "give the schema (--schema) or the database (--database)",
        )];
    };
    let Some(table) = schema.table(name) else {
        return vec![missing(schema, contract, name)];
    };
    let mut parts: Vec<ContractPart> = contract
        .key
        .iter()
        .filter_map(|column| column_fault(contract, table, column))
        .collect();
    if parts.is_empty() && !contract.key.is_empty() {
        parts.push(key(input, contract, table));
    }
    if contract.key.is_empty() {
        parts.push(open(
            Why::NotDecidable,
            None,
            format!("the key by which `{name}` knows an event again is not declared"),
            place,
            "add `key` with its columns",
        ));
    }
    parts
}

fn did_you_mean(name: &str, known: &[&str]) -> String {
    nearest(name, known).map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

fn missing(schema: &Schema, contract: &Contract, name: &str) -> ContractPart {
    let place = &contract.consumer.place;
    let bare = name.rsplit_once('.').map_or(name, |(_, bare)| bare);
    let namesakes = schema
        .tables
        .iter()
        .filter(|table| table.name.eq_ignore_ascii_case(bare));
    if namesakes.count() > 1 {
        return open(
            Why::NotResolved,
            None,
            format!("there are several tables `{name}`"),
            place,
            "name its schema too",
        );
    }
    // A statement that was not understood may make it.
    if let Some(unknown) = schema.unknown.first() {
        return ContractPart::Open(Arc::new(Reason {
            sentence: format!(
                "its table `{name}` is not in the schema, a part of which was not read: {}",
                unknown.reason.sentence
            ),
            ..unknown.reason.clone()
        }));
    }
    let known: Vec<&str> = schema.tables.iter().map(|table| &*table.name).collect();
    let near = did_you_mean(bare, &known);
    ContractPart::Fails(
        format!("its table `{name}` is not in the schema{near}").into(),
        place.clone(),
    )
}

/// A column that is not there, or whose value differs between deliveries unless code sets it.
fn column_fault(contract: &Contract, table: &Table, name: &str) -> Option<ContractPart> {
    let place = &contract.consumer.place;
    let fails = |sentence: String| Some(ContractPart::Fails(sentence.into(), place.clone()));
    let Some(column) = table.column(name) else {
        let known: Vec<&str> = table.columns.iter().map(|column| &*column.name).collect();
        let near = did_you_mean(name, &known);
        return fails(format!("`{}` has no column `{name}`{near}", table.name));
    };
    if column.auto_number {
        return fails(format!(
            "its key column `{}.{name}` is a number that the engine draws anew for each row",
            table.name
        ));
    }
    let volatile = column
        .default
        .as_ref()
        .filter(|default| default.volatility == Volatility::Volatile);
    if let Some(default) = volatile {
        return Some(open(
            Why::NotDecidable,
            Some(InputKind::Source),
            format!(
                "its key column `{}.{name}` is `{}` where the code sets no value: another on each delivery",
                table.name, default.text
            ),
            place,
            "drop the default, so that the event must give the value",
        ));
    }
    None
}

/// A UNIQUE key on exactly the columns declared.
fn key(input: &ContractInput<'_>, contract: &Contract, table: &Table) -> ContractPart {
    let place = &contract.consumer.place;
    let wanted: BTreeSet<String> = contract
        .key
        .iter()
        .map(|name| name.to_ascii_lowercase())
        .collect();
    let shown = contract.key.join(", ");
    let exact = table
        .enforcers
        .iter()
        .find(|one| columns(one).as_ref() == Some(&wanted));
    let Some(enforcer) = exact else {
        let coarser = table
            .enforcers
            .iter()
            .find(|one| columns(one).is_some_and(|has| !has.is_empty() && has.is_subset(&wanted)));
        let sentence = match coarser {
            Some(other) => format!(
                "`{}` is unique on ({}) alone, not on ({shown}): what is refused as a repetition can be another event or consumer",
                table.name,
                other.key_text()
            ),
            None => format!(
                "no UNIQUE key of `{}` is on ({shown}): a second row is let in",
                table.name
            ),
        };
        return ContractPart::Fails(sentence.into(), table.place.clone());
    };
    if let Some(fault) = fault(enforcer) {
        let sentence = format!("`{}` of `{}` {fault}", enforcer.name, table.name);
        return ContractPart::Fails(sentence.into(), table.place.clone());
    }
    if let Some(other) = sharer(input, contract) {
        return ContractPart::Fails(
            format!(
                "`{}` on ({shown}) does not tell consumers apart, and `{other}` uses it too: the first of them takes the event from the other",
                table.name
            )
            .into(),
            place.clone(),
        );
    }
    match &enforcer.enforced {
        Fact::Absent(evidence) | Fact::Shown(false, evidence) => {
            ContractPart::Fails(Arc::clone(&evidence.says), evidence.place.clone())
        }
        Fact::Unknown(_) | Fact::Shown(true, _) => {
            ContractPart::Holds(Arc::clone(&enforcer.evidence))
        }
    }
}

/// Columns of a key in lower case; none where a part is an expression.
fn columns(enforcer: &Enforcer) -> Option<BTreeSet<String>> {
    let names = enforcer.parts.iter().map(|part| part.column.as_ref());
    names.map(|name| Some(name?.to_ascii_lowercase())).collect()
}

/// Why a key on the right columns lets a second row in.
fn fault(enforcer: &Enforcer) -> Option<String> {
    if let Some(predicate) = &enforcer.predicate {
        return Some(format!("holds only where {}", predicate.text));
    }
    let nullable = enforcer.parts.iter().find(|part| part.nullable);
    if let Some(part) = nullable.filter(|_| !enforcer.nulls_not_distinct) {
        let name = part.column.as_deref().unwrap_or("a part");
        return Some(format!("lets rows through whose `{name}` is NULL"));
    }
    if enforcer
        .parts
        .iter()
        .any(|part| part.prefix_length.is_some())
    {
        return Some("compares the beginning of its values only".into());
    }
    // The claim must be refused before the effect, not at the commit behind it.
    (enforcer.deferral == Deferral::Deferred).then(|| "is checked only at the commit".into())
}

/// Another contract on the same table whose rows collide with this one's: the key has one column.
fn sharer<'a>(input: &'a ContractInput<'_>, contract: &Contract) -> Option<&'a str> {
    if contract.key.len() != 1 {
        return None;
    }
    let others = input.declarations.contracts.iter();
    others
        .filter(|other| {
            matches!(
                other.kind,
                ContractKind::DedupTable | ContractKind::AttemptLedger
            ) && other.consumer.value != contract.consumer.value
                && other.table == contract.table
        })
        .map(|other| &*other.consumer.value)
        .next()
}
