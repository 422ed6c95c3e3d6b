//! The backlog of the outbox, counted by SQLite in the transaction of the catalog.

use std::sync::Arc;

use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, Executor, Row};

use crate::input::outbox::{Source, backlog};
use crate::model::backlog::Backlog;
use crate::model::outbox::OutboxNames;
use crate::model::schema::Schema;
use crate::sql::outbox::{JsonCheck, questions};

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
    let mut answers = [const { None }; 6];
    for (question, answer) in asked.iter().zip(&mut answers) {
        if let Ok(question) = question {
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
