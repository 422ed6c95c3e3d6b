//! The backlog of the outbox, counted by SQLite in the transaction of the catalog.

use std::sync::Arc;

use futures_util::TryStreamExt;
use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, Executor, Row};

use crate::input::outbox::stream::{Tally, of_stream, unreadable};
use crate::input::outbox::{Source, backlog};
use crate::model::backlog::Backlog;
use crate::model::evidence::Reason;
use crate::model::outbox::{OutboxNames, OutboxShape};
use crate::model::schema::Schema;
use crate::sql::outbox::{JsonCheck, questions, stream};

use super::failure;
use super::plan;

/// Asks, where the schema has the outbox that is looked for.
pub(super) async fn ask(
    connection: &mut SqliteConnection,
    name: &str,
    schema: &Schema,
    names: Option<&OutboxNames>,
) -> Option<Backlog> {
    let shape = names?.shape(schema)?;
    let label: Arc<str> = name.into();
    let plan = plan::ask(connection, &label, schema, &shape).await;
    let asked = questions(&shape, JsonCheck::Asks);
    let streamed = match shape.stream {
        true => Some(streamed(connection, name, &shape).await),
        false => None,
    };
    let mut answers = [const { None }; 6];
    for (question, answer) in asked.iter().zip(&mut answers) {
        let Ok(question) = question else {
            continue;
        };
        *answer = of_stream(streamed.as_ref(), question);
        if answer.is_none() {
            let row = connection
                .fetch_one(AssertSqlSafe(question.sql.clone()))
                .await;
            let text = row.and_then(|row| row.try_get::<String, _>(0));
            *answer = Some(text.map_err(|error| failure::driver(name, &error)));
        }
    }
    let source = Source {
        label: &label,
        shape: &shape,
        is_file: false,
    };
    Some(backlog(&source, &asked, answers, Some(plan)))
}

/// Payloads, batch by batch; each is judged and forgotten.
async fn streamed<'s>(
    connection: &mut SqliteConnection,
    name: &str,
    shape: &'s OutboxShape,
) -> Result<Tally<'s>, Reason> {
    let stream = stream(shape).map_err(|why| unreadable(shape, &why))?;
    let failed = |error: sqlx::Error| failure::driver(name, &error);
    let texts = |row: &sqlx::sqlite::SqliteRow| -> Result<Vec<Option<String>>, sqlx::Error> {
        (0..row.len()).map(|at| row.try_get_unchecked(at)).collect()
    };
    let counted = connection
        .fetch_one(AssertSqlSafe(stream.count.clone()))
        .await
        .map_err(failed)?;
    let mut tally = Tally::new(shape, &texts(&counted).map_err(failed)?);
    loop {
        let before = tally.seen();
        let sql = AssertSqlSafe(stream.batch(tally.last()));
        let mut rows = connection.fetch(sql);
        while let Some(row) = rows.try_next().await.map_err(failed)? {
            tally.take(&texts(&row).map_err(failed)?);
        }
        drop(rows);
        if tally.is_last(before) {
            return Ok(tally);
        }
    }
}
