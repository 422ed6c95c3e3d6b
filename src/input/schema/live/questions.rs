//! Further questions to a server, in one read-only transaction of their own.

use std::sync::Arc;
use std::time::Duration;

use sqlx::mysql::MySqlConnectOptions;
use sqlx::postgres::PgConnectOptions;

use crate::input::outbox::Answer;
use crate::model::evidence::Reason;
use crate::model::schema::Dialect;
use crate::sql::outbox::Question;

use super::failure::Failure;
use super::mysql;
use super::postgres;
use super::row::first;
use super::session::Session;

const WHAT: &str = "whether rows share the proposed keys is not known";

/// Asks a PostgreSQL server.
pub(super) async fn of_postgres(
    options: &PgConnectOptions,
    label: &Arc<str>,
    limit: Duration,
    questions: &[Question],
) -> Result<Vec<Answer>, Reason> {
    let failed = |failure: Failure| failure.reason(label, WHAT);
    let mut session = Session::postgres(options, limit).await.map_err(failed)?;
    let opened = postgres::open(&mut session).await.map_err(failed);
    let answers = match opened {
        Ok(()) => ask(&mut session, label, Dialect::Postgres, questions).await,
        Err(reason) => Err(reason),
    };
    session.close().await;
    answers
}

/// Asks MySQL or its kin.
pub(super) async fn of_mysql(
    options: &MySqlConnectOptions,
    label: &Arc<str>,
    limit: Duration,
    questions: &[Question],
) -> Result<Vec<Answer>, Reason> {
    let failed = |failure: Failure| failure.reason(label, WHAT);
    let mut session = Session::mysql(options, limit).await.map_err(failed)?;
    let answers = match mysql::open(&mut session, label, &failed).await {
        Ok(server) => ask(&mut session, label, server.dialect, questions).await,
        Err(reason) => Err(reason),
    };
    session.close().await;
    answers
}

async fn ask(
    session: &mut Session,
    label: &Arc<str>,
    dialect: Dialect,
    questions: &[Question],
) -> Result<Vec<Answer>, Reason> {
    let mut answers = Vec::with_capacity(questions.len());
    for question in questions {
        let rows = match dialect {
            Dialect::Postgres => session.in_savepoint(&question.sql).await,
            _ => session.rows(&question.sql).await,
        };
        answers.push(match rows {
            Ok(rows) => Ok(first(&rows).unwrap_or("").to_owned()),
            Err(failure) => Err(failure.reason(label, WHAT)),
        });
    }
    Ok(answers)
}
