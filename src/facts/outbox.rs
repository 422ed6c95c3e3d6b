//! What the schema shows of the outbox table.

mod backlog;
mod heartbeat;
mod indexes;
mod plan;
mod room;
mod scope;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::backlog::Backlog;
use crate::model::evidence::{Evidence, Fact, InputKind, ObservedBy, Reason, Why};
use crate::model::inputs::InputState;
use crate::model::outbox::{
    EventOrder, Outbox, OutboxColumn, OutboxCutoffs, OutboxNames, OutboxStates,
};
use crate::model::schema::{Column, Dialect, Schema, SchemaOrigin, Table};
use crate::rules::OutboxRule;

/// The names of the rules, with those of the configuration in front.
pub fn outbox_names(
    rules: &[OutboxRule],
    table: Option<&Arc<str>>,
    columns: &BTreeMap<OutboxColumn, Arc<str>>,
    states: &OutboxStates,
    cutoffs: &OutboxCutoffs,
    template: Option<&Arc<str>>,
) -> OutboxNames {
    let mut names = OutboxNames {
        states: states.clone(),
        template: template.cloned(),
        cutoffs: cutoffs.clone(),
        ..OutboxNames::default()
    };
    names.tables.extend(table.cloned());
    for (part, column) in columns {
        names.columns.insert(*part, vec![Arc::clone(column)]);
    }
    for rule in rules {
        if table.is_none() {
            names.tables.extend(rule.table.iter().cloned());
        }
        names.random_ids |= rule.random_ids;
        for column in &rule.columns {
            let known = names.columns.entry(column.part).or_default();
            if !columns.contains_key(&column.part) {
                known.extend(column.names.iter().cloned());
            }
        }
        let add = |known: &mut Vec<Arc<str>>, own: &[Arc<str>], words: &[Arc<str>]| {
            if own.is_empty() {
                known.extend(words.iter().cloned());
            }
        };
        let known = &mut names.states;
        add(&mut known.ready, &states.ready, &rule.states.ready);
        add(&mut known.claimed, &states.claimed, &rule.states.claimed);
        add(&mut known.done, &states.done, &rule.states.done);
        add(&mut known.dead, &states.dead, &rule.states.dead);
        names.out_of_scope.extend(rule.out_of_scope.iter().cloned());
        let most = &mut names.cutoffs.max_retries;
        *most = most.or(rule.max_retries);
        names.object_path = names.object_path.or_else(|| rule.object_path.clone());
        names.record_paths.extend(rule.record_paths.iter().cloned());
    }
    names
}

/// Reads the outbox off the schema, beside what was counted of its rows.
pub fn outbox_of(
    names: &OutboxNames,
    schema: Option<&Schema>,
    counted: Option<Backlog>,
    database: Option<&InputState>,
) -> Outbox {
    let template = names.template.clone();
    let found = schema.and_then(|schema| Some((schema, names.table(schema)?)));
    let Some((schema, table)) = found else {
        let reason = missing(names, schema);
        return Outbox {
            table: Fact::Unknown(Arc::clone(&reason)),
            columns: BTreeMap::new(),
            looked_for: names.columns.clone(),
            record_key: Fact::Unknown(Arc::clone(&reason)),
            order: Fact::Unknown(Arc::clone(&reason)),
            key_room: Fact::Unknown(Arc::clone(&reason)),
            lookup: Fact::Unknown(Arc::clone(&reason)),
            selection: Fact::Unknown(Arc::clone(&reason)),
            heartbeat_mover: Fact::Unknown(reason),
            neglected_index: None,
            out_of_scope: None,
            backlog: counted.ok_or_else(|| backlog::reason(names, schema, database)),
            shape: None,
            dialect: None,
            template,
            place: None,
        };
    };
    let columns = names.columns_of(table);
    let judging = plan::Judging {
        schema,
        table,
        columns: &columns,
        states: &names.states,
    };
    let planned = plan::planned(
        &judging,
        counted.as_ref(),
        indexes::lookup(schema, table, &columns),
        indexes::selection(schema, table, &columns),
    );
    Outbox {
        record_key: record_key(schema, table, &columns),
        order: order_of(schema, table, &columns, names.random_ids),
        key_room: room::key_room(names, schema, table, &columns, template.as_deref()),
        lookup: planned.lookup,
        selection: planned.selection,
        neglected_index: planned.neglected,
        heartbeat_mover: heartbeat::mover(schema, table, &columns),
        out_of_scope: scope::out_of_scope(&names.out_of_scope, table, &columns),
        backlog: counted.ok_or_else(|| backlog::reason(names, Some(schema), database)),
        shape: names.shape(schema),
        table: Fact::Shown(
            Arc::clone(&table.name),
            seen(schema, table, format!("the outbox is table {}", table.name)),
        ),
        columns,
        looked_for: names.columns.clone(),
        dialect: schema.dialect,
        template,
        place: Some(table.place.clone()),
    }
}

fn missing(names: &OutboxNames, schema: Option<&Schema>) -> Arc<Reason> {
    let sentence = match (names.tables.as_slice(), schema) {
        ([], _) => "no outbox table is named by a pack or by the configuration".to_owned(),
        (tables, None) => format!(
            "no schema was read, so outbox {} is not known",
            tables.join(", ")
        ),
        (tables, Some(_)) => {
            format!(
                "no schema that was read has the outbox table {}",
                tables.join(", ")
            )
        }
    };
    Arc::new(Reason {
        why: if schema.is_some() {
            Why::NotResolved
        } else {
            Why::NotGiven
        },
        needs: Some(InputKind::Schema),
        sentence,
        place: None,
        next_step: "give the schema that defines it, or name it under `outbox.table`".into(),
    })
}

fn record_key(
    schema: &Schema,
    table: &Table,
    columns: &BTreeMap<OutboxColumn, Column>,
) -> Fact<Column> {
    match columns.get(&OutboxColumn::RecordKey) {
        Some(column) => {
            let says = format!("{}.{} {}", table.name, column.name, column.data_type);
            Fact::Shown(column.clone(), seen(schema, table, says))
        }
        None => Fact::Absent(seen(
            schema,
            table,
            format!("{} has no record-key column", table.name),
        )),
    }
}

fn order_of(
    schema: &Schema,
    table: &Table,
    columns: &BTreeMap<OutboxColumn, Column>,
    random_ids: bool,
) -> Fact<EventOrder> {
    let (Some(created), Some(id)) = (
        columns.get(&OutboxColumn::Created),
        columns.get(&OutboxColumn::Id),
    ) else {
        return Fact::Unknown(Arc::new(Reason {
            why: Why::NotResolved,
            needs: None,
            sentence: format!("{} has no known creation stamp or id", table.name),
            place: Some(table.place.clone()),
            next_step: "name the columns under `outbox.columns`".into(),
        }));
    };
    let evidence = |says: String| seen(schema, table, says);
    let stamp = format!("{} {}", created.name, created.data_type);
    // TiDB's servers hand out numbers from ranges of their own: a later row can have a lower one.
    if id.auto_number && schema.dialect != Some(Dialect::Tidb) {
        let says = format!("{} breaks ties in the order of enqueueing", id.name);
        return Fact::Shown(EventOrder::Total(says.clone().into()), evidence(says));
    }
    match fraction_digits(&created.data_type) {
        Some(digits) if digits >= 3 => {
            let says = format!("{stamp} resolves {digits} digits of a second");
            Fact::Shown(EventOrder::Total(says.clone().into()), evidence(says))
        }
        Some(_) if !random_ids => Fact::Unknown(Arc::new(Reason {
            why: Why::NotDecidable,
            needs: None,
            sentence: format!(
                "whether {} orders two events with an equal {stamp} is not known",
                id.name
            ),
            place: Some(created.place.clone()),
            next_step:
                "give the stamp microseconds, or the table an id that the database counts up".into(),
        })),
        Some(digits) => {
            let says = format!(
                "{stamp} resolves {digits} digits of a second and {} is random: two events of one record in the same second are ordered by chance",
                id.name
            );
            Fact::Shown(EventOrder::Ties(says.clone().into()), evidence(says))
        }
        None => Fact::Unknown(Arc::new(Reason {
            why: Why::NotDecidable,
            needs: None,
            sentence: format!("the resolution of {stamp} is not known"),
            place: Some(created.place.clone()),
            next_step: "declare the column with a precision, such as DATETIME(6)".into(),
        })),
    }
}

/// Digits of a second that a type keeps; none for a type whose resolution is not known.
///
/// MySQL: DATETIME and TIMESTAMP without a precision keep whole seconds. PostgreSQL: timestamp
/// without one keeps six digits, which its type name spells out in full.
fn fraction_digits(data_type: &str) -> Option<u32> {
    let lower = data_type.trim().to_ascii_lowercase();
    if let Some(inside) = lower
        .split_once('(')
        .and_then(|(_, rest)| rest.split_once(')'))
    {
        return inside.0.trim().parse().ok();
    }
    if lower.starts_with("timestamp with") || lower == "timestamptz" {
        return Some(6);
    }
    match lower.as_str() {
        "datetime" | "timestamp" | "date" => Some(0),
        _ => None,
    }
}

fn seen(schema: &Schema, table: &Table, says: String) -> Arc<Evidence> {
    Arc::new(Evidence {
        input: match schema.origin {
            SchemaOrigin::Live => InputKind::Database,
            SchemaOrigin::Declared => InputKind::Schema,
        },
        by: match schema.origin {
            SchemaOrigin::Live => ObservedBy::Catalog,
            SchemaOrigin::Declared => ObservedBy::Text,
        },
        place: table.place.clone(),
        says: says.into(),
    })
}
