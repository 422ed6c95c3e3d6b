//! The query for candidates, compared by meaning: which rows it chooses of small tables, against the
//! rows that may be claimed.

use crate::model::outbox::OutboxColumn;
use crate::model::queue::Promise;
use crate::sql::query::{Query, Term};

use super::answer::{Answer, broken, kept, unknown};
use super::read::{Reading, State};
use super::shape::Shape;
use crate::facts::source::trace::{Statement as Run, Step};

/// A table, the row that is asked about, and whether it must be chosen.
type Case = (Vec<Shape>, usize, bool, &'static str);

/// What the query for candidates keeps.
pub(super) fn answers(
    reading: Reading<'_>,
    step: &Step,
    run: &Run,
    query: &Query,
) -> Vec<(Promise, Answer)> {
    let decide = |how: &str, cases: Vec<Case>| {
        for (rows, at, must, harm) in cases {
            match reading.chosen(query, run, &rows) {
                None => {
                    return unknown(
                        &step.place,
                        "the query for candidates holds a part that is not known to the audit",
                        "write it without what only this engine or this program knows, or declare \
                         the query's meaning",
                    );
                }
                Some(chosen) if chosen.contains(&at) != must => {
                    return broken(&step.place, harm);
                }
                Some(_) => {}
            }
        }
        kept(&step.place, how)
    };
    vec![
        (
            Promise::SelectsReady,
            decide("rows that wait are candidates", ready()),
        ),
        (
            Promise::SelectsStale,
            decide(
                "claimed rows are candidates once their heartbeat is old",
                stale(),
            ),
        ),
        (
            Promise::WaitsForRetryCutoff,
            decide("a row that failed waits for the retry cutoff", retry()),
        ),
        (
            Promise::SkipsBehindOlder,
            decide(
                "a row is passed over while an older one of its key is open",
                behind(),
            ),
        ),
        (
            Promise::TakesKeyless,
            decide("rows without a key are candidates", keyless()),
        ),
        (Promise::OldestFirst, oldest(reading, step, query)),
    ]
}

/// True of a query that looks for rows, not for one row by its id.
pub(super) fn looks_for_rows(reading: Reading<'_>, run: &Run, query: &Query) -> bool {
    let mine = [Shape::new(State::Ready).old().at(1, 3)];
    let claimed = [Shape::new(State::Claimed).old().at(1, 3)];
    let by_status = |rows: &[Shape]| reading.chosen(query, run, rows) != Some(Vec::new());
    let bound = query
        .only_if
        .as_ref()
        .is_some_and(|term| binds_id(reading, term));
    !bound && (by_status(&mine) || by_status(&claimed))
}

/// True if a condition asks for one id.
fn binds_id(reading: Reading<'_>, term: &Term) -> bool {
    let is_id = |term: &Term| match term {
        Term::Column(_, name) => reading.part(name) == Some(OutboxColumn::Id),
        _ => false,
    };
    let value =
        |term: &Term| matches!(term, Term::Placeholder(_) | Term::Text(_) | Term::Number(_));
    match term {
        Term::And(left, right) => binds_id(reading, left) || binds_id(reading, right),
        Term::Compare(crate::sql::query::Comparison::Equal, left, right) => {
            (is_id(left) && value(right)) || (is_id(right) && value(left))
        }
        _ => false,
    }
}

fn ready() -> Vec<Case> {
    let one = |shape: Shape| vec![shape];
    vec![
        (
            one(Shape::new(State::Ready)),
            0,
            true,
            "a row that waits is no candidate: it is never handed on",
        ),
        (
            one(Shape::new(State::Done).old()),
            0,
            false,
            "a row that is done is a candidate: it is handed on again and again",
        ),
        (
            one(Shape::new(State::Dead).old()),
            0,
            false,
            "a row that was given up is a candidate: it is handed on again and again",
        ),
    ]
}

fn stale() -> Vec<Case> {
    vec![
        (
            vec![Shape::new(State::Claimed).old()],
            0,
            true,
            "a claimed row is never a candidate: what a worker held when it died stays claimed, and \
             all later events of its record wait behind it",
        ),
        (
            vec![Shape::new(State::Claimed)],
            0,
            false,
            "a claimed row is a candidate while its heartbeat is fresh: a second worker runs the \
             handler beside the first",
        ),
    ]
}

fn retry() -> Vec<Case> {
    vec![
        (
            vec![Shape::new(State::Ready).retried()],
            0,
            false,
            "a row that just failed is a candidate at once: its retries are spent within moments",
        ),
        (
            vec![Shape::new(State::Ready).retried().old()],
            0,
            true,
            "a row that failed is never a candidate again: its retry is lost",
        ),
    ]
}

fn behind() -> Vec<Case> {
    let overtaken = "a younger row is a candidate while an older one of its record is not done: its \
                     effects come first, and the older ones overwrite them";
    let young = || Shape::new(State::Ready).at(3, 5);
    let pair = |older: Shape| vec![older, young()];
    let mut cases: Vec<Case> = [
        Shape::new(State::Ready),
        Shape::new(State::Ready).retried(),
        Shape::new(State::Claimed),
        Shape::new(State::Claimed).old(),
    ]
    .into_iter()
    .map(|older| (pair(older.at(2, 9)), 1, false, overtaken))
    .collect();
    for done in [State::Done, State::Dead] {
        cases.push((
            pair(Shape::new(done).at(2, 9)),
            1,
            true,
            "a row waits behind an older one that is done or given up: it is never handed on",
        ));
    }
    cases.push((
        vec![Shape::new(State::Ready).at(3, 4), young()],
        1,
        false,
        "two rows of one record and one stamp are not told apart by their ids: both are candidates, \
         and the younger may run first",
    ));
    cases.push((
        pair(Shape::new(State::Ready).at(2, 9)),
        0,
        true,
        "the older of two rows is no candidate: both wait for each other",
    ));
    cases.push((
        vec![Shape::new(State::Ready).at(2, 9), young().keyed(Some("b"))],
        1,
        true,
        "a row waits behind one of another record",
    ));
    cases
}

fn keyless() -> Vec<Case> {
    let harm = "a row without a key is no candidate: it is never handed on";
    let row = || Shape::new(State::Ready).keyed(None);
    vec![
        (vec![row()], 0, true, harm),
        (
            vec![row().at(1, 1), row()],
            1,
            true,
            "a row without a key waits behind all others that have none",
        ),
    ]
}

fn oldest(reading: Reading<'_>, step: &Step, query: &Query) -> Answer {
    let mut terms = Vec::new();
    for (term, down) in &query.order {
        match term {
            Some(Term::Row(parts)) => terms.extend(parts.iter().map(|part| (part, *down))),
            Some(part) => terms.push((part, *down)),
            None => {}
        }
    }
    let parts: Vec<(Option<OutboxColumn>, bool)> = terms
        .into_iter()
        .map(|(term, down)| match term {
            Term::Column(_, name) => (reading.part(name), down),
            _ => (None, down),
        })
        .collect();
    match &parts[..] {
        [
            (Some(OutboxColumn::Created), false),
            (Some(OutboxColumn::Id), false),
            ..,
        ] if query.limited => kept(
            &step.place,
            "candidates come by creation and id, a bounded number of them",
        ),
        [
            (Some(OutboxColumn::Created), false),
            (Some(OutboxColumn::Id), false),
            ..,
        ] => broken(
            &step.place,
            "nothing bounds how many candidates are read: a long backlog is read as a whole by \
             every worker",
        ),
        [(Some(OutboxColumn::Created), false), ..] => broken(
            &step.place,
            "candidates of one stamp come in any order: ids do not break the tie",
        ),
        _ => broken(
            &step.place,
            "candidates do not come oldest first: the first rows of a long backlog wait for ever",
        ),
    }
}
