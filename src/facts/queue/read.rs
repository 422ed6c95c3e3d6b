//! What the statements of a worker say about rows of the outbox.

use std::sync::Arc;

use crate::facts::source::trace::{Given as Handed, Statement as Run};
use crate::model::outbox::{OutboxColumn, OutboxNames};
use crate::model::predicate::SqlLiteral;
use crate::model::schema::Dialect;
use crate::sql::query::{self, Given, Query, Term, Value};
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
    /// What it writes into the heartbeat.
    pub(super) stamp: Stamp,
    /// Its condition; an error if it is not read, nothing if it has none.
    pub(super) only_if: Result<Option<Term>, ()>,
}

/// What is written into the heartbeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stamp {
    /// Nothing.
    Kept,
    /// The database's time.
    Database,
    /// The process's, read in these loops.
    Process(Arc<[usize]>),
    /// Something that is not the present.
    Stale,
    /// Not known.
    Unknown,
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
            Some(Handed::Now(_)) => Value::Moment(Value::NOW),
            Some(Handed::OfClock(Some(micros), _)) => {
                Value::Moment(Value::NOW.saturating_add(*micros))
            }
            Some(Handed::Span(micros)) => Value::Span(Some(*micros)),
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

    pub(super) fn is_outbox(&self, table: &str) -> bool {
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
            stamp: Stamp::Kept,
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
                Some(OutboxColumn::Modified) => {
                    change.stamp = self.stamped(&set.value, run, dialect);
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

    /// What is written into the heartbeat: the present, if its value for a row is.
    fn stamped(&self, value: &Expression, run: &Run, dialect: Dialect) -> Stamp {
        if let Some(placeholder) = placeholder(value) {
            return match run.given(&placeholder) {
                Some(Handed::Now(loops)) => Stamp::Process(Arc::clone(loops)),
                Some(Handed::OfClock(Some(micros), loops)) if *micros >= 0 => {
                    Stamp::Process(Arc::clone(loops))
                }
                Some(Handed::OfClock(None, _) | Handed::Other) | None => Stamp::Unknown,
                Some(_) => Stamp::Stale,
            };
        }
        let only_clock = |draw: &statement::Draw| draw.source == statement::DrawSource::Clock;
        let term = query::condition(&value.text, 0, dialect);
        match term.map(|term| self.value_of(&term, run)) {
            Some(Value::Moment(at)) if at >= Value::NOW => Stamp::Database,
            None | Some(Value::Unknown | Value::Given) => {
                match !value.draws.is_empty() && value.draws.iter().all(only_clock) {
                    true => Stamp::Database,
                    false => Stamp::Unknown,
                }
            }
            Some(_) => Stamp::Stale,
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
