//! The backlog of the outbox, counted by the server in the session and snapshot of the catalog.

use std::sync::Arc;

use crate::input::outbox::{Answer, Source, backlog};
use crate::model::backlog::Backlog;
use crate::model::evidence::{Reason, Why};
use crate::model::outbox::{OutboxNames, OutboxShape};
use crate::model::schema::{Dialect, Schema};
use crate::sql::outbox::{JsonCheck, Question, questions, rowwise};

use super::failure::Failure;
use super::plan;
use super::row::first;
use super::session::Session;

/// Asks, where the schema has the outbox that is looked for.
pub(super) async fn ask(
    session: &mut Session,
    label: &Arc<str>,
    schema: &Schema,
    names: Option<&OutboxNames>,
    json: JsonCheck,
    skips: bool,
) -> Option<Backlog> {
    let shape = names?.shape(schema)?;
    let plan = plan::ask(session, label, &shape, skips).await;
    let asked = questions(&shape, json);
    let mut answers = [const { None }; 5];
    for (question, answer) in asked.iter().zip(&mut answers) {
        if let Ok(question) = question {
            *answer = Some(one(session, label, &shape, question).await);
        }
    }
    let source = Source {
        label,
        shape: &shape,
        is_file: false,
    };
    Some(backlog(&source, &asked, answers, Some(plan)))
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
