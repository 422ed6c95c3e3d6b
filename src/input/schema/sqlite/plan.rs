//! The plan of the eligible query, asked of SQLite without running the query.

use std::sync::Arc;

use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, Executor, Row};

use crate::input::outbox::plan::{self, fact, unasked, worth_forcing};
use crate::model::evidence::Fact;
use crate::model::outbox::OutboxShape;
use crate::model::plan::{Access, Plan};
use crate::model::schema::Schema;
use crate::sql::outbox::{CANDIDATE, OLDER, eligible};

use super::failure;

/// Asks for it. An index that the planner does not take by itself is forced: a statement that
/// cannot use it is then refused.
pub(super) async fn ask(
    connection: &mut SqliteConnection,
    label: &Arc<str>,
    schema: &Schema,
    shape: &OutboxShape,
) -> Fact<Plan> {
    let eligible = match eligible(shape) {
        Ok(eligible) => eligible,
        Err(why) => return unasked(shape, &why),
    };
    let today = match explain(connection, &eligible.ordered).await {
        Ok(lines) => plan::sqlite(&lines),
        Err(error) => return fact(label, shape, Err(failure::driver(label, &error))),
    };
    let free = match explain(connection, &eligible.unordered).await {
        Ok(lines) => plan::sqlite(&lines),
        Err(error) => return fact(label, shape, Err(failure::driver(label, &error))),
    };
    let (Some(today), Some(mut can)) = (today, free) else {
        return fact(label, shape, Ok(None));
    };
    let is_bounded = |access: &Access| {
        let used = access.any.first().and_then(|used| used.by.as_ref());
        used.is_some_and(|by| !by.is_empty())
    };
    let reads = &can.reads;
    let open = [
        (CANDIDATE, !reads.selection.iter().all(is_bounded)),
        (OLDER, !reads.lookup.iter().all(is_bounded)),
    ];
    for index in worth_forcing(schema, shape) {
        for (alias, _) in open.iter().filter(|(_, open)| *open) {
            // Refused where it cannot be used.
            if let Ok(lines) = explain(connection, &eligible.forced(alias, &index)).await {
                plan::forced(&lines, &mut can.reads);
            }
        }
    }
    fact(
        label,
        shape,
        Ok(Some(Plan {
            probed: can.reads,
            how: "with indexes forced where it takes none",
            today: today.reads,
            sorts: today.sorts,
            cost: None,
            table_rows: None,
        })),
    )
}

async fn explain(connection: &mut SqliteConnection, sql: &str) -> Result<Vec<String>, sqlx::Error> {
    let rows = connection
        .fetch_all(AssertSqlSafe(format!("EXPLAIN QUERY PLAN {sql}")))
        .await?;
    rows.iter().map(|row| row.try_get("detail")).collect()
}
