//! What a statement leaves behind, in the words of the model: kind, table, values, rows, conflicts.
//!
//! What its placeholders stand for, and where its parts are written, whoever has the text says.

mod clauses;
mod unnamed;
mod value;

use std::sync::Arc;

use super::cursor::QualifiedName;
use super::statement::{Condition, Expression, Insert, Merge, Name, Rows, Statement, Update};
use crate::model::effect::{Assignment, Consumed, EffectKind, OnConflict, RowChoice, Target};
use crate::model::value::{Draw, Shape, Value, ValueSource};

pub use unnamed::fill;
pub use value::Values;

/// What one statement becomes: kind, table, values, rows, conflicts, conditions.
#[derive(Debug)]
pub struct Part {
    /// What it does.
    pub kind: EffectKind,
    /// The table.
    pub target: Target,
    /// What it assigns.
    pub writes: Vec<Assignment>,
    /// Which rows.
    pub rows: RowChoice,
    /// What happens when a key is taken.
    pub on_conflict: OnConflict,
    /// What else decides whether it happens.
    pub runs_if: Vec<Value>,
}

/// What a statement becomes: a part for each row of an insert, several for a MERGE.
pub fn parts(statement: &Statement, values: &mut Values<'_>) -> Vec<Part> {
    match statement {
        Statement::Insert(insert) => of_insert(insert, values),
        Statement::Update(update) => vec![of_update(update, values)],
        Statement::Delete(delete) => {
            let (rows, runs_if) = chosen(
                values,
                &delete.table,
                delete.only_if.as_ref(),
                delete.chooses,
                &[],
                &[],
            );
            vec![Part {
                kind: EffectKind::Delete,
                target: target(&delete.table),
                writes: Vec::new(),
                rows,
                on_conflict: OnConflict::Error,
                runs_if,
            }]
        }
        Statement::Merge(merge) => of_merge(merge, values),
        Statement::With(queries, main) => {
            for query in queries {
                // Their placeholders are used, whatever the statement takes of the rows.
                values.live(query);
            }
            parts(main, values)
        }
    }
}

fn of_insert(insert: &Insert, values: &mut Values<'_>) -> Vec<Part> {
    let (rows, lookup, query) = match &insert.rows {
        Rows::Values(rows) => (rows.as_slice(), None, None),
        Rows::Defaults => (&[] as &[Vec<Expression>], None, None),
        Rows::IfAbsent(row, lookup) => (std::slice::from_ref(row), Some(lookup), None),
        Rows::Query(query) => (&[] as &[Vec<Expression>], None, Some(query)),
    };
    let repeats = clauses::repeats_key(insert, rows);
    let empty = Vec::new();
    let rows: Vec<&Vec<Expression>> = match rows.is_empty() {
        true => vec![&empty],
        false => rows.iter().collect(),
    };
    let mut parts = Vec::with_capacity(rows.len());
    for row in rows {
        let mut writes = values.row(&insert.columns, row);
        let mut runs_if = Vec::new();
        if let Some(query) = query {
            let value = values.live(query);
            runs_if.push(value.clone());
            writes.extend(insert.columns.iter().map(|name| Assignment {
                field: Arc::clone(&name.name),
                place: values.place(name.start, name.end),
                value: value.clone(),
                by_platform: false,
            }));
        }
        let on_conflict = clauses::on_conflict(values, insert, &writes, lookup, repeats);
        let kind = clauses::kind(insert, lookup);
        parts.push(Part {
            kind,
            target: target(&insert.table),
            writes,
            rows: RowChoice::New,
            on_conflict,
            runs_if,
        });
    }
    parts
}

fn of_update(update: &Update, values: &mut Values<'_>) -> Part {
    let newer = update
        .only_if
        .as_ref()
        .map_or(&[][..], |condition| condition.newer.as_slice());
    let guarded = clauses::only_newer(&update.set, newer, |_| None);
    let writes = values.set(&update.table, &update.set, &[], guarded);
    let (rows, runs_if) = chosen(
        values,
        &update.table,
        update.only_if.as_ref(),
        update.chooses,
        match guarded {
            true => newer,
            false => &[],
        },
        &writes,
    );
    Part {
        kind: kind_of_set(&writes),
        target: target(&update.table),
        writes,
        rows,
        on_conflict: OnConflict::Error,
        runs_if,
    }
}

fn of_merge(merge: &Merge, values: &mut Values<'_>) -> Vec<Part> {
    let mut parts = Vec::new();
    if let Some(absent) = &merge.absent {
        let writes = values.row(&absent.columns, &absent.values);
        let fields = merge.equals.as_deref().map(names);
        parts.push(Part {
            kind: EffectKind::FindOrCreate,
            target: target(&merge.table),
            writes,
            rows: RowChoice::New,
            on_conflict: clauses::found_first(fields, values.place(0, 5)),
            runs_if: Vec::new(),
        });
    }
    let rows = |values: &mut Values<'_>| match &merge.equals {
        Some(equals) => by_columns(values, equals, &[]),
        None => RowChoice::Search(values.live_text("the condition of the MERGE", 0, 5).into()),
    };
    if !merge.matched.is_empty() {
        let writes = values.set(&merge.table, &merge.matched, &[], false);
        parts.push(Part {
            kind: kind_of_set(&writes),
            target: target(&merge.table),
            rows: rows(values),
            writes,
            on_conflict: OnConflict::Error,
            runs_if: Vec::new(),
        });
    }
    if merge.deletes {
        parts.push(Part {
            kind: EffectKind::Delete,
            target: target(&merge.table),
            writes: Vec::new(),
            rows: rows(values),
            on_conflict: OnConflict::Error,
            runs_if: Vec::new(),
        });
    }
    parts
}

/// The rows that a condition chooses, and what else decides.
fn chosen(
    values: &mut Values<'_>,
    table: &QualifiedName,
    condition: Option<&Condition>,
    chooses: bool,
    settled: &[(Name, Expression)],
    writes: &[Assignment],
) -> (RowChoice, Vec<Value>) {
    let Some(condition) = condition else {
        let every = format!("every row of {}", table.name);
        return (
            RowChoice::Search(values.live_text(&every, 0, 6).into()),
            Vec::new(),
        );
    };
    if chooses || condition.equals.is_empty() {
        return (
            RowChoice::Search(values.live(&condition.whole).into()),
            Vec::new(),
        );
    }
    let rows = by_columns(values, &condition.equals, writes);
    let known =
        condition.only_equals || (condition.only_known && condition.newer.len() == settled.len());
    let mut runs_if = Vec::new();
    if !known {
        let mut value = values.live(&condition.whole);
        // What names the row is the same each time: the rest of the condition is what moves.
        let names_row = |draw: &Draw| {
            let column = draw.what.rsplit('.').next().unwrap_or(&draw.what);
            let mut equals = condition.equals.iter();
            equals.any(|(name, _)| name.name.eq_ignore_ascii_case(column))
        };
        let is_live = |draw: &Draw| draw.source == ValueSource::LiveState;
        let moves = |draw: &Draw| is_live(draw) && !names_row(draw);
        if value.draws.iter().any(moves) {
            value
                .draws
                .retain(|draw| !is_live(draw) || !names_row(draw));
        }
        runs_if.push(value);
    }
    (rows, runs_if)
}

fn by_columns(
    values: &mut Values<'_>,
    equals: &[(Name, Expression)],
    writes: &[Assignment],
) -> RowChoice {
    let parts: Vec<Value> = equals
        .iter()
        .map(|(_, it)| values.value(it, None, &[]))
        .collect();
    RowChoice::Where {
        columns: names(equals),
        value: values.joined(&parts).into(),
        consumes: consumed(equals, &parts, writes).map(Box::new),
    }
}

/// The comparison with a constant that the assignments make false, each column assigned once.
fn consumed(
    equals: &[(Name, Expression)],
    parts: &[Value],
    writes: &[Assignment],
) -> Option<Consumed> {
    equals.iter().zip(parts).find_map(|((name, _), value)| {
        let consumed = Consumed {
            column: Arc::clone(&name.name),
            wanted: value.constant.clone()?,
        };
        let mut set = writes
            .iter()
            .filter(|write| write.field.eq_ignore_ascii_case(&name.name));
        let is_false = set
            .next()
            .is_some_and(|write| !consumed.is_met_by(write.value.constant.as_ref()));
        (is_false && set.next().is_none()).then_some(consumed)
    })
}

pub(super) fn names(equals: &[(Name, Expression)]) -> Vec<Arc<str>> {
    equals
        .iter()
        .map(|(name, _)| Arc::clone(&name.name))
        .collect()
}

fn target(table: &QualifiedName) -> Target {
    Target::Object(match &table.schema {
        Some(schema) => format!("{schema}.{}", table.name).into(),
        None => Arc::clone(&table.name),
    })
}

/// An update that adds to, extends or inverts what is stored is called so.
fn kind_of_set(writes: &[Assignment]) -> EffectKind {
    let moving = writes.iter().find(|write| {
        matches!(write.value.shape, Shape::Accumulates | Shape::Toggles) && !write.value.is_stable()
    });
    match moving {
        Some(write) if write.value.shape == Shape::Toggles => EffectKind::Toggle,
        Some(write) if write.value.text.contains("||") => EffectKind::Append,
        Some(_) => EffectKind::Increment,
        None => EffectKind::Update,
    }
}
