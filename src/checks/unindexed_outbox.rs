//! Indexes serve the queue: rows that wait are found, and the older row of one record.

use std::sync::Arc;

use crate::model::check::{
    Change, CheckInfo, Finding, Obligation, Outcome, Severity, Subject, Weight,
};
use crate::model::evidence::{Evidence, Fact};
use crate::model::facts::Facts;
use crate::model::name::quoted;
use crate::model::outbox::{Outbox, OutboxColumn};
use crate::model::place::Place;
use crate::model::schema::Dialect;

use super::{met, not_met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "unindexed-outbox",
    clause: "queue",
    title: "an outbox that is scanned for each event",
    weight: Weight::Gate,
    decides_effect: false,
    page: include_str!("unindexed_outbox.md"),
};

/// Decides it for the queue, where an outbox is named.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    if facts.outbox.looked_for.is_empty() {
        return;
    }
    out.push(Obligation {
        subject: Subject::Queue,
        check: &INFO,
        outcome: outcome(&facts.outbox),
        waiver: None,
    });
}

fn outcome(outbox: &Outbox) -> Outcome {
    if matches!(&outbox.record_key, Fact::Absent(_)) {
        return Outcome::NotApplicable("there is no record-key column to look rows up by");
    }
    match (&outbox.lookup, &outbox.selection) {
        (Fact::Absent(evidence), _) => missing(
            outbox,
            "no index finds the older event of a record: each claim reads the whole table",
            &[
                OutboxColumn::RecordKey,
                OutboxColumn::Status,
                OutboxColumn::Created,
                OutboxColumn::Id,
            ],
            "record_key",
            evidence,
        ),
        (_, Fact::Absent(evidence)) => missing(
            outbox,
            "no index finds the events that wait: each look for work reads all that are done",
            &[
                OutboxColumn::Status,
                OutboxColumn::Created,
                OutboxColumn::Id,
            ],
            "status",
            evidence,
        ),
        (Fact::Unknown(reason), _) | (_, Fact::Unknown(reason)) => {
            Outcome::Unknown(Arc::clone(reason))
        }
        (Fact::Shown(..), Fact::Shown(_, evidence)) if outbox.neglected_index.is_some() => {
            neglected(outbox, evidence)
        }
        (Fact::Shown(lookup, one), Fact::Shown(selection, other)) => met(
            format!("{selection} finds events that wait, {lookup} the older event of a record"),
            vec![Arc::clone(one), Arc::clone(other)],
        ),
    }
}

/// The index is there: what is missing is that the planner knows of the rows.
fn neglected(outbox: &Outbox, evidence: &Arc<Evidence>) -> Outcome {
    let table = outbox.table.shown().cloned().unwrap_or_default();
    let today = outbox.neglected_index.clone().unwrap_or_default();
    not_met(
        Finding::new(
            format!("{table}: indexes serve the eligible query, and the planner does not take them today"),
            outbox.place.clone().unwrap_or(Place::CommandLine),
        )
        .severity(Severity::Warning)
        .label("its statistics may be old")
        .note(today.to_string())
        .cites([Arc::clone(evidence)])
        .repair(vec![Change {
            key: "outbox-statistics".to_owned(),
            title: format!("let the engine count the rows of {table} anew, then read the plan again"),
            how: Some(match outbox.dialect {
                Some(Dialect::Mysql | Dialect::Mariadb | Dialect::Tidb) => {
                    format!("ANALYZE TABLE {};", quoted(&table, outbox.dialect))
                }
                _ => format!("ANALYZE {};", quoted(&table, outbox.dialect)),
            }),
        }]),
    )
}

fn missing(
    outbox: &Outbox,
    sentence: &str,
    parts: &[OutboxColumn],
    name: &str,
    evidence: &Arc<Evidence>,
) -> Outcome {
    let table = outbox.table.shown().cloned().unwrap_or_default();
    let columns: Vec<&str> = parts
        .iter()
        .filter_map(|part| Some(&*outbox.columns.get(part)?.name))
        .collect();
    let in_sql: Vec<String> = columns
        .iter()
        .map(|column| quoted(column, outbox.dialect))
        .collect();
    let columns = columns.join(", ");
    not_met(
        Finding::new(
            format!("{table}: {sentence}"),
            outbox.place.clone().unwrap_or(Place::CommandLine),
        )
        .label("no index that serves it")
        .note("a table that keeps its done rows grows, and the claim with it, until locks time out")
        .cites([Arc::clone(evidence)])
        .repair(vec![Change {
            key: format!("outbox-index-{name}"),
            title: format!("index {table} on ({columns})"),
            how: Some(format!(
                "CREATE INDEX idx_outbox_{name} ON {} ({});",
                quoted(&table, outbox.dialect),
                in_sql.join(", ")
            )),
        }]),
    )
}
