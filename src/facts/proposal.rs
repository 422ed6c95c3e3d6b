//! The UNIQUE index that would protect a create, chosen among keys that its effect fixes.

use std::sync::Arc;

use crate::model::effect::Effect;
use crate::model::guard::{KeyMend, KeyProposal};
use crate::model::name::quoted;
use crate::model::outbox::{OutboxColumn, OutboxCutoffs, OutboxShape, OutboxStates};
use crate::model::schema::{Dialect, EnforcerKind, Table, TableKind};
use crate::model::scope::NaturalKey;
use crate::model::value::{Nullness, Root, Value};

use super::inserted::Inserted;

/// What a proposal looks at.
pub(super) struct ProposalInput<'a> {
    pub(super) effect: &'a Effect,
    pub(super) table: Option<&'a Table>,
    pub(super) natural: Option<&'a NaturalKey>,
    /// Fields that name a record for ever.
    pub(super) identity: &'a [Arc<str>],
    /// True if others append rows to the table, of which nothing is known here.
    pub(super) shared: bool,
    /// The value that lands in a column.
    pub(super) row: &'a dyn Fn(&str) -> Inserted,
    /// Other creates on the path that write the same table.
    pub(super) siblings: &'a [&'a Effect],
    /// What would let a key that is there protect the create.
    pub(super) mends: &'a [KeyMend],
    pub(super) dialect: Option<Dialect>,
}

/// Keys that would protect the create, best first; none if the effect fixes nothing that varies.
pub(super) fn proposals(input: &ProposalInput<'_>) -> Vec<KeyProposal> {
    let stable = |field: &Arc<str>| (input.row)(field).value.is_stable();
    let mut proposals = Vec::new();
    if let Some(natural) = input.natural {
        if input.mends.is_empty() && natural.fields.iter().all(stable) {
            proposals.push(proposal(input, natural.fields.clone(), None));
        }
        return proposals;
    }
    if input.shared {
        // A key chosen by this effect alone would refuse rows of the others.
        return proposals;
    }
    let fixed: Vec<(&Arc<str>, &Value)> = input
        .effect
        .writes
        .iter()
        .filter(|write| write.value.is_stable())
        .map(|write| (&write.field, &write.value))
        .collect();
    let by_identity: Vec<&Arc<str>> = fixed
        .iter()
        .filter(|(_, value)| names_record(value, input.identity))
        .map(|(field, _)| *field)
        .collect();
    for field in by_identity {
        let mut columns = vec![Arc::clone(field)];
        columns.extend(discriminators(input, &fixed));
        let caution = Some(format!(
            "it lets one row in per value of {field}: confirm that this is meant"
        ));
        if !is_refuted(input.table, &columns) {
            proposals.push(proposal(input, columns, caution));
        }
    }
    if proposals.is_empty() {
        let columns: Vec<Arc<str>> = fixed
            .iter()
            .filter(|(_, value)| value.varies_by_event() && value.null == Nullness::Never)
            .map(|(field, _)| Arc::clone(field))
            .collect();
        if !columns.is_empty() && !is_refuted(input.table, &columns) {
            let caution = "confirm that these fields together name the business fact".to_owned();
            proposals.push(proposal(input, columns, Some(caution)));
        }
    }
    proposals
}

/// True if the table has a key that lets several rows with these columns in: one over more than
/// these, or one for some rows only.
fn is_refuted(table: Option<&Table>, columns: &[Arc<str>]) -> bool {
    let enforcers = table.map_or(&[][..], |table| &table.enforcers);
    enforcers.iter().any(|enforcer| {
        let covers = columns.iter().all(|column| {
            enforcer.parts.iter().any(|part| {
                let name = part.column.as_deref();
                name.is_some_and(|name| name.eq_ignore_ascii_case(column))
            })
        });
        covers && (enforcer.parts.len() > columns.len() || enforcer.predicate.is_some())
    })
}

/// True if a value is the id of the event's own record.
fn names_record(value: &Value, identity: &[Arc<str>]) -> bool {
    match value.draws.as_slice() {
        [draw] => draw.field.as_ref().is_some_and(|field| {
            field.root == Root::Record
                && identity.contains(&field.name)
                && value.shape == crate::model::value::Shape::Plain
        }),
        _ => false,
    }
}

/// Constant columns that tell this create from others of the same table for the same record;
/// without them the key would let only the first of the two in.
fn discriminators(input: &ProposalInput<'_>, fixed: &[(&Arc<str>, &Value)]) -> Vec<Arc<str>> {
    if input.siblings.is_empty() {
        return Vec::new();
    }
    fixed
        .iter()
        .filter(|(field, value)| {
            value.constant.is_some()
                && input.siblings.iter().any(|sibling| {
                    sibling.writes.iter().any(|write| {
                        write.field == **field && write.value.constant != value.constant
                    })
                })
        })
        .map(|(field, _)| Arc::clone(field))
        .take(1)
        .collect()
}

fn proposal(
    input: &ProposalInput<'_>,
    columns: Vec<Arc<str>>,
    caution: Option<String>,
) -> KeyProposal {
    let table = input.table.map_or_else(
        || Arc::clone(input.effect.target.name()),
        |table| Arc::clone(&table.name),
    );
    let name = index_name(&table, &columns);
    let list: Vec<String> = columns
        .iter()
        .map(|column| quoted(column, input.dialect))
        .collect();
    let nullable: Vec<&str> = columns
        .iter()
        .filter(|column| {
            input
                .table
                .and_then(|table| table.column(column))
                .is_some_and(|column| column.nullable)
        })
        .map(|column| &**column)
        .collect();
    let null_caution = (!nullable.is_empty()).then(|| {
        format!(
            "{} must be NOT NULL first: NULLs never collide",
            nullable.join(", ")
        )
    });
    let is_partitioned = |table: &Table| table.kind == TableKind::Partitioned;
    let partition_caution = input.table.is_some_and(is_partitioned).then(|| {
        format!("{table} is partitioned: the key must hold its partition columns too, set from the event")
    });
    let cautions: Vec<String> = [caution, null_caution, partition_caution]
        .into_iter()
        .flatten()
        .collect();
    let caution = (!cautions.is_empty()).then(|| cautions.join("; "));
    KeyProposal {
        ddl: format!(
            "CREATE UNIQUE INDEX {name} ON {} ({});",
            quoted(&table, input.dialect),
            list.join(", ")
        ),
        table,
        columns,
        caution,
        shape: input
            .table
            .zip(input.dialect)
            .map(|(table, dialect)| Box::new(shape(table, dialect))),
    }
}

/// The table with its primary key as its id, where that is one column.
pub(super) fn shape(table: &Table, dialect: Dialect) -> OutboxShape {
    let id = table
        .enforcers
        .iter()
        .find(|key| key.kind == EnforcerKind::PrimaryKey)
        .and_then(|key| match key.parts.as_slice() {
            [part] => table.column(part.column.as_deref()?),
            _ => None,
        });
    OutboxShape {
        dialect,
        schema: table.schema.clone(),
        name: Arc::clone(&table.name),
        kind: table.kind,
        columns: id
            .map(|id| (OutboxColumn::Id, id.clone()))
            .into_iter()
            .collect(),
        states: OutboxStates::default(),
        template: None,
        cutoffs: OutboxCutoffs::default(),
        sample: None,
        stream: false,
    }
}

pub(super) fn index_name(table: &str, columns: &[Arc<str>]) -> String {
    let mut name = format!("uq_{}", table.to_ascii_lowercase());
    for column in columns {
        name.push('_');
        name.push_str(&column.to_ascii_lowercase());
    }
    name.retain(|character| character.is_ascii_alphanumeric() || character == '_');
    // The shortest limit among the engines is PostgreSQL's 63 bytes.
    name.truncate(60);
    name
}
