//! Rows that statements are asked about: which of them they take, and from which age on.

use std::collections::BTreeMap;

use crate::facts::source::trace::Statement as Run;
use crate::model::outbox::OutboxColumn;
use crate::sql::query::{self, Query, Row, Term, Value, World};

use super::read::{Caller, Change, Reading, State};

/// How old a heartbeat is that is older than every cutoff, in microseconds: 30 years.
const OLD: i64 = 1_000_000_000_000_000;
/// How old one is that was just written.
const FRESH: i64 = 1_000;
/// What a span that is not known is taken for: an hour.
const SPAN: i64 = 3_600_000_000;

impl Reading<'_> {
    /// A row in a state, under every name its columns may have.
    pub(super) fn row(&self, shape: &Shape) -> Row {
        let mut row = Row::new();
        for (part, names) in &self.outbox.columns {
            let value = match part {
                OutboxColumn::Id => Value::Id(shape.id),
                OutboxColumn::Status => Value::Text(self.word(shape.state)),
                OutboxColumn::RetryCount => Value::Number(shape.retries),
                OutboxColumn::Created => {
                    Value::Moment(Value::NOW - OLD / 2 + shape.created * 1_000_000)
                }
                OutboxColumn::Modified => Value::Moment(Value::NOW - shape.age),
                OutboxColumn::RecordKey => match shape.key {
                    Some(key) => Value::Text(key.into()),
                    None => Value::Null,
                },
                _ => Value::Unknown,
            };
            for name in names {
                row.insert(name.to_lowercase(), value.clone());
            }
        }
        row
    }

    /// Whether a change is made to a row; none if that is not known.
    pub(super) fn applies(&self, change: &Change, run: &Run, shape: &Shape) -> Option<bool> {
        let term = match &change.only_if {
            Ok(Some(term)) => term,
            Ok(None) => return Some(true),
            Err(()) => return None,
        };
        let given = Caller(run);
        let world = World {
            tables: BTreeMap::new(),
            given: &given,
            span: shape.span,
        };
        query::holds(term, &self.row(shape), "", &world)
    }

    /// The rows that a query chooses; none if that is not known.
    pub(super) fn chosen(&self, query: &Query, run: &Run, shapes: &[Shape]) -> Option<Vec<usize>> {
        let given = Caller(run);
        let rows: Vec<Row> = shapes.iter().map(|shape| self.row(shape)).collect();
        let tables = self.outbox.tables.iter();
        let world = World {
            tables: tables
                .map(|table| (table.to_lowercase(), rows.clone()))
                .collect(),
            given: &given,
            span: shapes.first().map_or(SPAN, |shape| shape.span),
        };
        query::chosen(query, &world)
    }

    /// The value of a term for a claimed row whose heartbeat is old.
    pub(super) fn value_of(&self, term: &Term, run: &Run) -> Value {
        let given = Caller(run);
        let world = World {
            tables: BTreeMap::new(),
            given: &given,
            span: SPAN,
        };
        query::computed(
            term,
            &self.row(&Shape::new(State::Claimed).old()),
            "",
            &world,
        )
    }

    /// How old the heartbeat of a claimed row is when a change is first made to it.
    pub(super) fn changes_at(&self, change: &Change, run: &Run) -> Option<i64> {
        cutoff(|shape| self.applies(change, run, &shape))
    }

    /// How old the heartbeat of a claimed row is when a query first chooses it.
    pub(super) fn chooses_at(&self, query: &Query, run: &Run) -> Option<i64> {
        cutoff(|shape| Some(!self.chosen(query, run, &[shape])?.is_empty()))
    }
}

/// The age in microseconds from which on claimed rows are taken; none if it depends on a span that is not
/// known, or if none are taken, or all.
fn cutoff(takes: impl Fn(Shape) -> Option<bool>) -> Option<i64> {
    let search = |span: i64| {
        let at = |age| {
            takes(Shape {
                age,
                span,
                ..Shape::new(State::Claimed)
            })
        };
        let (mut young, mut old) = (0, OLD);
        if at(young)? || !at(old)? {
            return None;
        }
        while old - young > 1 {
            let middle = young + (old - young) / 2;
            if at(middle)? {
                old = middle;
            } else {
                young = middle;
            }
        }
        Some(young)
    };
    let found = search(SPAN)?;
    (search(2 * SPAN)? == found).then_some(found)
}

/// A row of the questions.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    pub(super) state: State,
    /// How old its heartbeat is, in microseconds.
    pub(super) age: i64,
    /// What a span that is not known is taken for, in microseconds.
    pub(super) span: i64,
    pub(super) retries: i64,
    pub(super) key: Option<&'static str>,
    pub(super) created: i64,
    pub(super) id: i64,
}

impl Shape {
    /// A row that waits, just written, with the id that callers mean.
    pub(super) fn new(state: State) -> Self {
        Self {
            state,
            age: FRESH,
            span: SPAN,
            retries: 0,
            key: Some("a"),
            created: 2,
            id: Value::MEANT,
        }
    }

    pub(super) fn old(self) -> Self {
        Self { age: OLD, ..self }
    }

    pub(super) fn retried(self) -> Self {
        Self { retries: 1, ..self }
    }

    pub(super) fn keyed(self, key: Option<&'static str>) -> Self {
        Self { key, ..self }
    }

    pub(super) fn at(self, created: i64, id: i64) -> Self {
        Self {
            created,
            id,
            ..self
        }
    }
}
