//! The backlog of the outbox, counted by the server in the session and snapshot of the catalog.

use std::sync::Arc;

use crate::input::outbox::stream::{Tally, of_stream, unreadable};
use crate::input::outbox::{Answer, Source, backlog, settled};
use crate::input::schema::rows::Wanted;
use crate::model::backlog::Backlog;
use crate::model::evidence::{Fact, Reason, Why};
use crate::model::outbox::{OutboxColumn, OutboxShape};
use crate::model::plan::{Access, Plan};
use crate::model::schema::{Dialect, Schema};
use crate::sql::outbox::{JsonCheck, Question, questions, rowwise, stream};

use super::failure::Failure;
use super::plan;
use super::row::first;
use super::session::Session;

/// Asks, where the schema has the outbox that is looked for.
pub(super) async fn ask(
    session: &mut Session,
    label: &Arc<str>,
    schema: &Schema,
    wanted: Wanted<'_>,
    json: JsonCheck,
    skips: bool,
) -> Option<Backlog> {
    let shape = wanted.outbox?.shape(schema)?;
    let plan = plan::ask(session, label, schema, &shape, skips).await;
    if let (Some(notice), Fact::Shown(plan, _)) = (wanted.notice, &plan) {
        tell(notice, plan, schema, &shape, session.limit.as_secs());
    }
    let asked = questions(&shape, json);
    let streamed = match shape.stream {
        true => Some(streamed(session, label, &shape).await),
        false => None,
    };
    let mut answers = [const { None }; 6];
    for (at, question) in asked.iter().enumerate() {
        let Ok(question) = question else {
            continue;
        };
        let known = of_stream(streamed.as_ref(), question);
        let answer = match known.or_else(|| settled(question, answers[1].as_ref())) {
            Some(answer) => answer,
            None => one(session, label, &shape, question).await,
        };
        answers[at] = Some(answer);
    }
    let source = Source {
        label,
        shape: &shape,
        is_file: false,
    };
    Some(backlog(&source, &asked, answers, Some(plan)))
}

/// Rows that are read for each count, from which on it is said beforehand.
const MANY: u64 = 100_000;

fn tell(notice: fn(&str), plan: &Plan, schema: &Schema, shape: &OutboxShape, seconds: u64) {
    let status = shape.columns.get(&OutboxColumn::Status);
    let bounds = |name: &str| {
        let tables = schema.tables.iter();
        let mut indexes = tables.flat_map(|table| &table.indexes);
        indexes.any(|index| {
            let first = index.parts.first().and_then(|part| part.column.as_ref());
            let begins = first.is_some() && first == status.map(|status| &status.name);
            &*index.name == name && (begins || index.predicate.is_some())
        })
    };
    let is_bounded = |access: &Access| access.any.iter().any(|used| bounds(&used.index));
    let scans = !plan.probed.selection.iter().all(is_bounded);
    let rows = plan.table_rows.unwrap_or(0);
    if !scans || rows < MANY {
        return;
    }
    let read = match shape.sample {
        Some(sample) => format!(
            "each count reads {} of its about {rows} rows",
            sample.min(rows)
        ),
        None => {
            format!("each count reads all of its about {rows} rows (--sample ROWS reads fewer)")
        }
    };
    notice(&format!(
        "note: no index finds the rows of {} that are not done: {read}, and is stopped after {seconds} s\n",
        shape.name
    ));
}

async fn one(
    session: &mut Session,
    label: &str,
    shape: &OutboxShape,
    question: &Question,
) -> Answer {
    let what = format!("what {} asks of {} is not known", question.id, shape.name);
    let answered = match shape.dialect {
        Dialect::Postgres => session.in_savepoint(&question.sql).await,
        _ => session.rows(&question.sql).await,
    };
    match answered {
        Ok(rows) => Ok(first(&rows).unwrap_or("").to_owned()),
        Err(Failure::Other(code)) if is_no_json(&code) => {
            by_row(session, label, shape, question, code).await
        }
        Err(failure) => Err(failure.reason(label, &what)),
    }
}

/// Payloads, batch by batch; each is judged and forgotten.
async fn streamed<'s>(
    session: &mut Session,
    label: &str,
    shape: &'s OutboxShape,
) -> Result<Tally<'s>, Reason> {
    let stream = stream(shape).map_err(|why| unreadable(shape, &why))?;
    let failed = |failure: Failure| {
        let what = format!(
            "which keys the payloads of {} give is not known",
            shape.name
        );
        failure.reason(label, &what)
    };
    let counted = session.rows(&stream.count).await.map_err(failed)?;
    let mut tally = Tally::new(shape, counted.first().map_or(&[], |row| &row.0));
    loop {
        let before = tally.seen();
        let sql = stream.batch(tally.last());
        let read = session.each(&sql, &mut |row| tally.take(row)).await;
        read.map_err(failed)?;
        if tally.is_last(before) {
            return Ok(tally);
        }
    }
}

/// Row by row, where one payload that is no JSON fails the whole.
async fn by_row(
    session: &mut Session,
    label: &str,
    shape: &OutboxShape,
    question: &Question,
    code: String,
) -> Answer {
    let answered = match rowwise(shape, question) {
        Some(rowwise) => match session.in_savepoint(&rowwise.block).await {
            Ok(_) => session.in_savepoint(&rowwise.read).await,
            Err(failure) => Err(failure),
        },
        None => Err(Failure::Other(code)),
    };
    match answered {
        Ok(rows) => Ok(first(&rows).unwrap_or("").to_owned()),
        Err(failure @ (Failure::Other(_) | Failure::Right)) => Err(Reason {
            why: Why::NotDecidable,
            sentence: format!(
                "{}: a payload is no JSON, or no UTF-8, and this server could not pass it over",
                shape.name
            ),
            next_step: "find and repair such rows, or make the payload a jsonb column; PostgreSQL from 16 on counts them"
                .to_owned(),
            ..failure.reason(label, "")
        }),
        Err(failure) => {
            let what = format!("what {} asks of {} is not known", question.id, shape.name);
            Err(failure.reason(label, &what))
        }
    }
}

/// Source: PostgreSQL, appendix A: invalid text representation, untranslatable character,
/// character not in repertoire.
fn is_no_json(code: &str) -> bool {
    matches!(code, "22P02" | "22P05" | "22021")
}
