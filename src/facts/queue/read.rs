//! What the statements of a worker say about rows of the outbox.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::facts::source::trace::{Given as Handed, Statement as Run};
use crate::model::outbox::{OutboxColumn, OutboxNames};
use crate::model::predicate::SqlLiteral;
use crate::model::schema::Dialect;
use crate::sql::query::{self, Given, Query, Row, Term, Value, World};
use crate::sql::statement::{self, Expression, Form, Placeholder, Statement};

/// The states that a row can be in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    /// Waiting.
    Ready,
    /// Being handled.
    Claimed,
    /// Handled.
    Done,
    /// Given up.
    Dead,
}

/// What a statement does to the outbox.
#[derive(Debug)]
pub(super) enum Act {
    /// Looks for rows.
    Selects(Box<Query>),
    /// Changes rows.
    Updates(Box<Change>),
    /// Sets a savepoint.
    Savepoint,
    /// Goes back to one.
    RollbackTo,
    /// Something of the outbox, or a text built at run time, that is not read.
    Unread(Arc<str>),
    /// Nothing that is asked about.
    Other,
}

/// A change of rows.
#[derive(Debug)]
pub(super) struct Change {
    /// The state it sets; none if it sets none, or one that is not known.
    pub(super) state: Option<State>,
    /// True if it sets the status to something that is not known.
    pub(super) unknown_state: bool,
    /// How it changes the retry count.
    pub(super) retries: Option<Retries>,
    /// True if it moves the heartbeat; with true if by the process's clock.
    pub(super) beats: Option<bool>,
    /// Its condition; an error if it is not read, nothing if it has none.
    pub(super) only_if: Result<Option<Term>, ()>,
}

/// How a retry count is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Retries {
    /// Raised from what is stored.
    InSql,
    /// A number read before, and one more.
    FromBefore,
    /// Not known.
    Unknown,
}

/// What is known of the outbox.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading<'o> {
    pub(super) outbox: &'o OutboxNames,
    pub(super) dialect: Option<Dialect>,
}

/// What a statement's caller gives, for the questions.
#[derive(Debug)]
pub(super) struct Caller<'r>(pub(super) &'r Run);

impl Given for Caller<'_> {
    fn value(&self, placeholder: &Placeholder) -> Value {
        match self.0.given(placeholder) {
            Some(Handed::Text(text)) => match text.parse() {
                Ok(number) => Value::Number(number),
                Err(_) => Value::Text(Arc::clone(text)),
            },
            Some(Handed::Now) => Value::Moment(Value::NOW),
            _ => Value::Given,
        }
    }
}

impl Reading<'_> {
    pub(super) fn dialect(&self, sql: &str) -> Dialect {
        self.dialect.unwrap_or(match sql.contains('`') {
            true => Dialect::Mysql,
            false => Dialect::Postgres,
        })
    }

    fn is_outbox(&self, table: &str) -> bool {
        let mut tables = self.outbox.tables.iter();
        tables.any(|known| known.eq_ignore_ascii_case(table))
    }

    /// The part that a column plays.
    pub(super) fn part(&self, column: &str) -> Option<OutboxColumn> {
        let mut parts = self.outbox.columns.iter();
        parts.find_map(|(part, names)| {
            let mut names = names.iter();
            names
                .any(|name| name.eq_ignore_ascii_case(column))
                .then_some(*part)
        })
    }

    /// The state that a word means.
    pub(super) fn state(&self, word: &str) -> Option<State> {
        let states = &self.outbox.states;
        let lists = [
            (&states.ready, State::Ready),
            (&states.claimed, State::Claimed),
            (&states.done, State::Done),
            (&states.dead, State::Dead),
        ];
        lists
            .into_iter()
            .find(|(words, _)| words.iter().any(|known| **known == *word))
            .map(|(_, state)| state)
    }

    /// The first word of a state.
    pub(super) fn word(&self, state: State) -> Arc<str> {
        let states = &self.outbox.states;
        let words = match state {
            State::Ready => &states.ready,
            State::Claimed => &states.claimed,
            State::Done => &states.done,
            State::Dead => &states.dead,
        };
        words.first().cloned().unwrap_or_else(|| "".into())
    }

    /// What a statement does.
    pub(super) fn act(&self, run: &Run) -> Act {
        let Some(sql) = &run.sql else {
            let shown = run.shown.trim_start().to_ascii_uppercase();
            let lost = shown.starts_with('$') || shown.is_empty() || self.speaks_of(&run.shown);
            return match lost {
                true => Act::Unread(run.shown.as_str().into()),
                false => self.savepoint(&shown).unwrap_or(Act::Other),
            };
        };
        let sql = sql.trim().trim_end_matches(';');
        if let Some(act) = self.savepoint(&sql.to_ascii_uppercase()) {
            return act;
        }
        let dialect = self.dialect(sql);
        if let Ok(read) = statement::parse(sql, dialect) {
            return match read {
                Statement::Update(update) if self.is_outbox(&update.table.name) => {
                    Act::Updates(Box::new(self.change(&update, run, dialect)))
                }
                _ => Act::Other,
            };
        }
        match query::query(sql, dialect) {
            Some(query) => {
                let mut tables = query.tables.iter();
                match tables.any(|source| self.is_outbox(&source.table)) {
                    true => Act::Selects(Box::new(query)),
                    false => Act::Other,
                }
            }
            None if self.speaks_of(sql) => Act::Unread(sql.into()),
            None => Act::Other,
        }
    }

    fn savepoint(&self, upper: &str) -> Option<Act> {
        let mut words = upper.split_whitespace();
        match (words.next(), words.next()) {
            (Some("SAVEPOINT"), _) => Some(Act::Savepoint),
            (Some("SAVE"), Some("TRAN" | "TRANSACTION")) => Some(Act::Savepoint),
            (Some("ROLLBACK"), Some("TO")) => Some(Act::RollbackTo),
            (Some("ROLLBACK"), Some("WORK" | "TRANSACTION")) if words.next() == Some("TO") => {
                Some(Act::RollbackTo)
            }
            (Some("RELEASE"), _) => Some(Act::Other),
            _ => None,
        }
    }

    fn speaks_of(&self, text: &str) -> bool {
        let lower = text.to_ascii_lowercase();
        let mut tables = self.outbox.tables.iter();
        tables.any(|table| lower.contains(&table.to_ascii_lowercase()))
    }

    fn change(&self, update: &statement::Update, run: &Run, dialect: Dialect) -> Change {
        let mut change = Change {
            state: None,
            unknown_state: false,
            retries: None,
            beats: None,
            only_if: Ok(None),
        };
        let mut before = 0;
        for set in &update.set {
            for draw in &set.value.draws {
                if let statement::DrawSource::Placeholder(Placeholder::Position(at)) = draw.source {
                    before = before.max(at);
                }
            }
            match self.part(&set.column.name) {
                Some(OutboxColumn::Status) => {
                    change.state = self
                        .word_of(&set.value, run)
                        .and_then(|word| self.state(&word));
                    change.unknown_state = change.state.is_none();
                }
                Some(OutboxColumn::RetryCount) => change.retries = self.raised(&set.value, run),
                // A stamp that is a constant does not move.
                Some(OutboxColumn::Modified) if matches!(set.value.form, Form::Literal(_)) => {}
                Some(OutboxColumn::Modified) => {
                    let handed = placeholder(&set.value).and_then(|at| run.given(&at).cloned());
                    change.beats = Some(handed.is_some());
                }
                _ => {}
            }
        }
        if let Some(condition) = &update.only_if {
            let term = query::condition(&condition.whole.text, before, dialect);
            change.only_if = term.map(Some).ok_or(());
        }
        if update.chooses {
            change.only_if = Err(());
        }
        change
    }

    fn word_of(&self, value: &Expression, run: &Run) -> Option<Arc<str>> {
        if let Form::Literal(SqlLiteral::String(text)) = &value.form {
            return Some(Arc::clone(text));
        }
        match run.given(&placeholder(value)?)? {
            Handed::Text(text) => Some(Arc::clone(text)),
            _ => None,
        }
    }

    fn raised(&self, value: &Expression, run: &Run) -> Option<Retries> {
        let of_itself = value.draws.iter().any(|draw| match &draw.source {
            statement::DrawSource::Column { name, .. } => {
                self.part(name) == Some(OutboxColumn::RetryCount)
            }
            _ => false,
        });
        if of_itself {
            let mut parts = value.text.split('+').map(str::trim);
            let raises = parts.any(|part| part.parse::<i64>().is_ok_and(|number| number > 0));
            return Some(if raises {
                Retries::InSql
            } else {
                Retries::Unknown
            });
        }
        // Set to a number: not raised.
        let at = placeholder(value)?;
        Some(match run.given(&at) {
            Some(Handed::Raised) => Retries::FromBefore,
            _ => Retries::Unknown,
        })
    }

    /// A row in a state, under every name its columns may have.
    pub(super) fn row(&self, shape: &Shape) -> Row {
        let mut row = Row::new();
        for (part, names) in &self.outbox.columns {
            let value = match part {
                OutboxColumn::Id => Value::Id(shape.id),
                OutboxColumn::Status => Value::Text(self.word(shape.state)),
                OutboxColumn::RetryCount => Value::Number(shape.retries),
                OutboxColumn::Created => Value::Moment(shape.created),
                OutboxColumn::Modified => Value::Moment(if shape.old { 1 } else { 9 }),
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
        };
        query::chosen(query, &world)
    }
}

fn placeholder(value: &Expression) -> Option<Placeholder> {
    match (&value.form, &value.draws[..]) {
        (Form::Plain, [draw]) => match &draw.source {
            statement::DrawSource::Placeholder(placeholder) => Some(placeholder.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// A row of the questions.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    pub(super) state: State,
    /// True if its heartbeat is older than every cutoff.
    pub(super) old: bool,
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
            old: false,
            retries: 0,
            key: Some("a"),
            created: 2,
            id: Value::MEANT,
        }
    }

    pub(super) fn old(self) -> Self {
        Self { old: true, ..self }
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
