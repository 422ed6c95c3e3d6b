//! Which row a statement is about: the id that it is given is traced to the row that was read.

use std::sync::Arc;

use crate::facts::source::trace::{Column, ColumnAt, Given, RowAt, What};
use crate::model::outbox::OutboxColumn;
use crate::sql::query::{Comparison, Query, Term};
use crate::sql::statement::Placeholder;

use super::answer::{Answer, unknown};
use super::attempt::{Attempt, Read};
use super::read::Act;

/// A row is read again by the id of one that was read before, so often at most.
const MAX_AGAIN: usize = 4;

/// A row, by the statement that gave it, and which of those it gave.
type Row = (usize, RowAt);

/// What a value was read from.
enum Origin {
    /// The id of a row of the outbox.
    Id(Row),
    /// Another column, by its name.
    Other(Arc<str>),
    /// Not known.
    Unknown,
}

/// Nothing if a statement is about the row that is handed on; else what is known instead. `who` says which
/// statement it is.
pub(super) fn of_another_row(attempt: &Attempt<'_>, read: &Read<'_>, who: &str) -> Option<Answer> {
    let change = read.change()?;
    let Ok(Some(term)) = &change.only_if else {
        return None;
    };
    let place = &read.step.place;
    let mut equal = Vec::new();
    equations(term, &mut equal);
    for (column, value) in equal {
        let is_id = attempt.reading.part(column) == Some(OutboxColumn::Id);
        let wrong = |what: &str| {
            let says = match is_id {
                true => format!(
                    "{who} is given {what} in place of the chosen row's id: it takes no row, or a wrong one"
                ),
                false => {
                    format!("{who} compares `{column}` with {what}: it never takes the chosen row")
                }
            };
            Some(attempt.lacks(place, &says))
        };
        let given = match value {
            Term::Placeholder(placeholder) => given(read, placeholder),
            Term::Text(_) | Term::Number(_) if is_id => return wrong("a constant"),
            _ => continue,
        };
        let origin = match given {
            Some(Given::Column(column)) => origin(attempt, column, 0),
            Some(Given::Text(_)) if is_id => return wrong("a constant"),
            Some(Given::Now(_) | Given::OfClock(..) | Given::Span(_)) if is_id => {
                return wrong("a time");
            }
            _ => Origin::Unknown,
        };
        match origin {
            Origin::Id(row) if is_id => {
                match is_meant(attempt, read, &row) {
                    Some(true) => {}
                    Some(false) => {
                        return Some(attempt.lacks(
                        place,
                        &format!("{who} is given the id of another row than the one that is handed on"),
                    ));
                    }
                    None => return Some(which(place, who)),
                }
            }
            Origin::Other(name) if !same(attempt, column, &name) => {
                return wrong(&format!("`{name}`"));
            }
            Origin::Id(_) => return wrong("the id"),
            Origin::Unknown if is_id => return Some(which(place, who)),
            _ => {}
        }
    }
    None
}

fn which(place: &crate::model::place::Place, who: &str) -> Answer {
    unknown(
        place,
        format!("whose id {who} is given is not known: it was not traced to the row that was read"),
        "hand the id down as the query for candidates read it, by variables that the tree shows",
    )
}

/// True if two names stand for one column.
fn same(attempt: &Attempt<'_>, one: &str, two: &str) -> bool {
    let part = attempt.reading.part(one);
    plain(one) == plain(two) || (part.is_some() && part == attempt.reading.part(two))
}

/// A name without regard to case and underscores, as libraries map columns to fields.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(|letter| *letter != '_');
    letters.flat_map(char::to_lowercase).collect()
}

fn given<'t>(read: &Read<'t>, placeholder: &Placeholder) -> Option<&'t Given> {
    read.run()?.given(placeholder)
}

/// The columns that a condition asks to be equal to something.
fn equations<'q>(term: &'q Term, into: &mut Vec<(&'q str, &'q Term)>) {
    match term {
        Term::And(left, right) => {
            equations(left, into);
            equations(right, into);
        }
        Term::Compare(Comparison::Equal, left, right) => match (&**left, &**right) {
            (Term::Column(_, name), value) | (value, Term::Column(_, name)) => {
                into.push((name, value));
            }
            _ => {}
        },
        Term::In(of, list) => {
            if let (Term::Column(_, name), [value]) = (&**of, &list[..]) {
                into.push((name, value));
            }
        }
        _ => {}
    }
}

/// Whether a row is the one that is handed on; where the hand-off does not show which that is, the one
/// that is claimed.
fn is_meant(attempt: &Attempt<'_>, read: &Read<'_>, row: &Row) -> Option<bool> {
    if row.1 == RowAt::Unknown {
        return None;
    }
    let mut meant = handed(attempt);
    if meant.is_empty() {
        meant.extend(
            attempt
                .claim()
                .filter(|claim| claim.at != read.at)
                .and_then(|claim| claimed(attempt, claim)),
        );
    }
    if meant.is_empty() || meant.contains(row) {
        return Some(true);
    }
    match meant.iter().any(|(_, at)| *at == RowAt::Unknown) {
        true => None,
        false => Some(false),
    }
}

/// The rows of the outbox of which the event is made.
fn handed(attempt: &Attempt<'_>) -> Vec<Row> {
    let What::HandOff { of, .. } = &attempt.hand.step.what else {
        return Vec::new();
    };
    let rows = of.iter().filter_map(|column| {
        let (_, query) = selects(attempt, column.of)?;
        Some(read_again(attempt, query, column, 0))
    });
    rows.collect()
}

/// The row whose id a claim is given.
fn claimed(attempt: &Attempt<'_>, claim: &Read<'_>) -> Option<Row> {
    let Ok(Some(term)) = &claim.change()?.only_if else {
        return None;
    };
    by_id(attempt, claim, term, 0)
}

/// The row whose id a condition asks for.
fn by_id(attempt: &Attempt<'_>, read: &Read<'_>, term: &Term, depth: usize) -> Option<Row> {
    let mut equal = Vec::new();
    equations(term, &mut equal);
    equal.into_iter().find_map(|(column, value)| {
        let Term::Placeholder(placeholder) = value else {
            return None;
        };
        if attempt.reading.part(column) != Some(OutboxColumn::Id) {
            return None;
        }
        match given(read, placeholder) {
            Some(Given::Column(column)) => match origin(attempt, column, depth) {
                Origin::Id(row) => Some(row),
                _ => None,
            },
            _ => None,
        }
    })
}

fn selects<'t>(attempt: &Attempt<'t>, step: usize) -> Option<(&'t Read<'t>, &'t Query)> {
    let read = attempt.steps.iter().find(|read| read.at == step)?;
    match &read.act {
        Act::Selects(query) => Some((read, query)),
        _ => None,
    }
}

/// The row that a column belongs to: one that is read again by its id is the one that gave the id.
fn read_again(attempt: &Attempt<'_>, query: &Query, column: &Column, depth: usize) -> Row {
    let read = attempt.steps.iter().find(|read| read.at == column.of);
    let again = match (&query.only_if, read) {
        (Some(term), Some(read)) if depth < MAX_AGAIN => by_id(attempt, read, term, depth + 1),
        _ => None,
    };
    again.unwrap_or_else(|| (column.of, column.row.clone()))
}

/// What a column that a statement gave is.
fn origin(attempt: &Attempt<'_>, column: &Column, depth: usize) -> Origin {
    let Some((_, query)) = selects(attempt, column.of) else {
        return Origin::Unknown;
    };
    let term = match &column.at {
        ColumnAt::Number(at) => match query.gives.get(*at) {
            Some(Some(term)) if !query.gives[..*at].contains(&None) => Some(term.clone()),
            _ => None,
        },
        ColumnAt::Name(name) => named(query, name),
    };
    match term {
        Some(Term::Column(of, name)) => {
            let id = attempt.reading.part(&name) == Some(OutboxColumn::Id);
            match id && of_outbox(attempt, query, of.as_deref()) {
                true => Origin::Id(read_again(attempt, query, column, depth)),
                false => Origin::Other(name),
            }
        }
        Some(_) => Origin::Other("a computed value".into()),
        None => Origin::Unknown,
    }
}

/// The column that a field of a row stands for.
fn named(query: &Query, name: &Arc<str>) -> Option<Term> {
    let mut given = query.gives.iter();
    let found = given.find(|given| match given {
        Some(Term::Column(_, column)) => plain(column) == plain(name),
        _ => false,
    });
    match found {
        Some(term) => term.clone(),
        None => query
            .gives
            .contains(&None)
            .then(|| Term::Column(None, Arc::clone(name))),
    }
}

/// True if a name in front of a column stands for the outbox.
fn of_outbox(attempt: &Attempt<'_>, query: &Query, of: Option<&str>) -> bool {
    let mut tables = query.tables.iter();
    match of {
        Some(of) => tables.any(|source| {
            source.alias.eq_ignore_ascii_case(of) && attempt.reading.is_outbox(&source.table)
        }),
        None => tables.all(|source| attempt.reading.is_outbox(&source.table)),
    }
}
