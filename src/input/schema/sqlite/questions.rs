//! Further questions to an SQLite file, on a connection of their own that only reads.

use std::path::Path;
use std::sync::Arc;

use sqlx::{AssertSqlSafe, Connection, Executor, Row};

use crate::input::outbox::Answer;
use crate::model::evidence::Reason;
use crate::sql::outbox::Question;

use super::catalog::{limited, opened};
use super::failure;
use super::probe;

/// Asks; the file must not change meanwhile.
pub(in crate::input) fn ask(
    path: &Path,
    label: &Arc<str>,
    questions: &[Question],
) -> Result<Vec<Answer>, Reason> {
    let before = probe::probe(path, label)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(|error| failure::io(label, &error))?;
    let answers = runtime.block_on(async {
        let mut connection = opened(path, label, &before).await?;
        limited(&mut connection, label).await?;
        let mut answers: Vec<Answer> = Vec::with_capacity(questions.len());
        for question in questions {
            let row = connection
                .fetch_one(AssertSqlSafe(question.sql.clone()))
                .await;
            let text = row.and_then(|row| row.try_get::<String, _>(0));
            answers.push(text.map_err(|error| failure::driver(label, &error)));
        }
        // Nothing was written: what closing answers changes nothing.
        let _ = connection.close().await;
        Ok(answers)
    })?;
    match probe::probe(path, label)? == before {
        true => Ok(answers),
        false => Err(failure::changed(label)),
    }
}
