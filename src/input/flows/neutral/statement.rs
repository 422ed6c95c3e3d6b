//! An effect that is given as the statement it runs.

use std::sync::Arc;

use super::Reader;
use super::format;
use super::given::Given;
use super::inside::Inside;
use super::sql_value::Values;
use crate::model::consumer::{Consumer, PathState};
use crate::model::effect::{
    Assignment, Consumed, Effect, EffectKind, OnConflict, RowChoice, Target,
};
use crate::model::evidence::{Reason, Why};
use crate::model::value::{Draw, Shape, Value, ValueSource};
use crate::sql::cursor::QualifiedName;
use crate::sql::statement::{
    self, Condition, Expression, Insert, Merge, Name, Rows, Statement, Update,
};

use super::clauses;
use super::unnamed;

/// What one statement becomes: kind, table, values, rows, conflicts, conditions.
pub(super) struct Part {
    pub(super) kind: EffectKind,
    pub(super) target: Target,
    pub(super) writes: Vec<Assignment>,
    pub(super) rows: RowChoice,
    pub(super) on_conflict: OnConflict,
    pub(super) runs_if: Vec<Value>,
}

impl Reader<'_> {
    /// The effects of a statement: one for each row of an insert, two for a MERGE of both arms.
    pub(super) fn of_statement(
        &mut self,
        raw: &format::Effect,
        consumer: &Consumer,
        order: usize,
        results: &[Arc<str>],
    ) -> Vec<Effect> {
        let Some(sql) = &raw.sql else {
            return Vec::new();
        };
        self.needless(raw);
        let inside = Inside::new(sql, self.file);
        let given = Given::new(self, raw, results);
        let parts = match self.dialect {
            None => Err(Box::new(self.refused(
                "which engine the statement is written for is not known".to_owned(),
                sql.place(self.file),
                "say it with --dialect or `inputs.dialect`, or give the schema",
            ))),
            Some(dialect) => match statement::parse(&sql.value, dialect) {
                Ok(mut statement) => match unnamed::fill(&mut statement, self.schemas) {
                    Ok(()) => Ok(self.parts(statement, &inside, &given)),
                    Err(why) => Err(Box::new(self.refused(
                        format!(
                            "the statement names no columns, and which its values go to is not known here: {why}"
                        ),
                        inside.place(0, 6),
                        "name the columns behind the table, or give the schema",
                    ))),
                },
                Err(error) => Err(Box::new(self.refused(
                    format!("this statement is not understood: {}", error.why),
                    inside.place(error.start, error.end),
                    "write it in a form this reader knows, or describe it by `kind`, `table` and `set`",
                ))),
            },
        };
        self.unused(raw, &given);
        match parts {
            Ok(parts) => parts
                .into_iter()
                .enumerate()
                .map(|(at, part)| self.made(raw, consumer, order + at, results, part))
                .collect(),
            Err(reason) => {
                let part = Part {
                    kind: EffectKind::Unmapped,
                    target: Target::Unknown("sql".into()),
                    writes: Vec::new(),
                    rows: RowChoice::Unknown(reason.clone()),
                    on_conflict: OnConflict::Error,
                    runs_if: Vec::new(),
                };
                let mut effect = self.made(raw, consumer, order, results, part);
                if consumer.path.may_be_on() {
                    effect.path = PathState::Unknown(reason);
                }
                vec![effect]
            }
        }
    }

    fn refused(
        &mut self,
        sentence: String,
        place: crate::model::place::Place,
        next_step: &str,
    ) -> Reason {
        let reason = super::problem(Why::NotParsed, sentence, place, next_step);
        self.problems.push(reason.clone());
        reason
    }

    fn parts(&mut self, statement: Statement, inside: &Inside<'_>, given: &Given) -> Vec<Part> {
        match statement {
            Statement::Insert(insert) => self.insert(&insert, inside, given),
            Statement::Update(update) => vec![self.update(&update, inside, given)],
            Statement::Delete(delete) => {
                let mut values = Values::new(self, inside, given);
                let (rows, runs_if) = chosen(
                    &mut values,
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
            Statement::Merge(merge) => self.merge(&merge, inside, given),
            Statement::With(queries, main) => {
                let mut values = Values::new(self, inside, given);
                for query in &queries {
                    // Their placeholders are used, whatever the statement takes of the rows.
                    values.live(query);
                }
                self.parts(*main, inside, given)
            }
        }
    }

    fn insert(&mut self, insert: &Insert, inside: &Inside<'_>, given: &Given) -> Vec<Part> {
        let mut values = Values::new(self, inside, given);
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
                    place: inside.place(name.start, name.end),
                    value: value.clone(),
                    by_platform: false,
                }));
            }
            let on_conflict = clauses::on_conflict(&mut values, insert, &writes, lookup, repeats);
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

    fn update(&mut self, update: &Update, inside: &Inside<'_>, given: &Given) -> Part {
        let mut values = Values::new(self, inside, given);
        let newer = update
            .only_if
            .as_ref()
            .map_or(&[][..], |condition| condition.newer.as_slice());
        let guarded = clauses::only_newer(&update.set, newer, |_| None);
        let writes = values.set(&update.table, &update.set, &[], guarded);
        let (rows, runs_if) = chosen(
            &mut values,
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

    fn merge(&mut self, merge: &Merge, inside: &Inside<'_>, given: &Given) -> Vec<Part> {
        let mut values = Values::new(self, inside, given);
        let mut parts = Vec::new();
        if let Some(absent) = &merge.absent {
            let writes = values.row(&absent.columns, &absent.values);
            let fields = merge.equals.as_deref().map(names);
            parts.push(Part {
                kind: EffectKind::FindOrCreate,
                target: target(&merge.table),
                writes,
                rows: RowChoice::New,
                on_conflict: clauses::found_first(fields, inside.place(0, 5)),
                runs_if: Vec::new(),
            });
        }
        let rows = |values: &mut Values<'_, '_, '_>| match &merge.equals {
            Some(equals) => by_columns(values, equals, &[]),
            None => RowChoice::Search(values.live_text("the condition of the MERGE", 0, 5).into()),
        };
        if !merge.matched.is_empty() {
            let writes = values.set(&merge.table, &merge.matched, &[], false);
            parts.push(Part {
                kind: kind_of_set(&writes),
                target: target(&merge.table),
                rows: rows(&mut values),
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
                rows: rows(&mut values),
                on_conflict: OnConflict::Error,
                runs_if: Vec::new(),
            });
        }
        parts
    }
}

/// The rows that a condition chooses, and what else decides.
fn chosen(
    values: &mut Values<'_, '_, '_>,
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
        if value
            .draws
            .iter()
            .any(|draw| is_live(draw) && !names_row(draw))
        {
            value
                .draws
                .retain(|draw| !is_live(draw) || !names_row(draw));
        }
        runs_if.push(value);
    }
    (rows, runs_if)
}

fn by_columns(
    values: &mut Values<'_, '_, '_>,
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
