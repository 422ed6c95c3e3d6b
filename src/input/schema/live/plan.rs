//! The plan of the eligible query, asked of a server without running the query.

use std::sync::Arc;

use crate::input::outbox::plan::{self, fact, unasked, worth_forcing};
use crate::model::evidence::{Fact, Reason};
use crate::model::outbox::OutboxShape;
use crate::model::plan::Plan;
use crate::model::schema::{Dialect, Schema};
use crate::sql::outbox::{Eligible, eligible};

use super::failure::Failure;
use super::row::{Row, first};
use super::session::Session;

/// Asks for it; `skips` of a PostgreSQL that passes over the first column of an index.
pub(super) async fn ask(
    session: &mut Session,
    label: &Arc<str>,
    schema: &Schema,
    shape: &OutboxShape,
    skips: bool,
) -> Fact<Plan> {
    let eligible = match eligible(shape) {
        Ok(eligible) => eligible,
        Err(why) => return unasked(shape, &why),
    };
    let plan = match shape.dialect {
        Dialect::Postgres => postgres(session, shape, &eligible, skips).await,
        Dialect::Mysql | Dialect::Mariadb => mysql(session, shape, &eligible).await,
        Dialect::Tidb => tidb(session, schema, shape, &eligible).await,
        // Files are not read by a session.
        Dialect::Sqlite => Ok(None),
    };
    let what = format!("how the eligible query reads {} is not known", shape.name);
    let plan = plan.map_err(|failure| reason(&failure, label, &what));
    fact(label, shape, plan)
}

fn reason(failure: &Failure, label: &str, what: &str) -> Reason {
    failure.reason(label, what)
}

/// The plan of today, and the one without scans of the whole table: with these switched off the
/// planner takes whatever index it can use, also where the table is so small that it would not.
async fn postgres(
    session: &mut Session,
    shape: &OutboxShape,
    eligible: &Eligible,
    skips: bool,
) -> Result<Option<Plan>, Failure> {
    session.run("SAVEPOINT plan").await?;
    let asked = in_savepoint(session, shape, eligible).await;
    if !session.is_lost() {
        // The settings go with it.
        session.run("ROLLBACK TO SAVEPOINT plan").await?;
    }
    let (rows, today, probed) = asked?;
    let read = |rows: &[Row]| plan::postgres(first(rows).unwrap_or(""), skips);
    let (Some(today), Some(probed)) = (read(&today), read(&probed)) else {
        return Ok(None);
    };
    Ok(Some(Plan {
        probed: probed.reads,
        how: "with scans of the whole table switched off",
        today: today.reads,
        sorts: today.sorts,
        cost: today.cost,
        table_rows: first(&rows).and_then(|rows| rows.parse().ok()),
    }))
}

async fn in_savepoint(
    session: &mut Session,
    shape: &OutboxShape,
    eligible: &Eligible,
) -> Result<(Vec<Row>, Vec<Row>, Vec<Row>), Failure> {
    let text = |name: &str| name.replace('\'', "''");
    let rows = format!(
        "SELECT c.reltuples::bigint::text FROM pg_catalog.pg_class c \
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
         WHERE n.nspname = '{}' AND c.relname = '{}' AND c.reltuples > 0",
        text(shape.schema.as_deref().unwrap_or("public")),
        text(&shape.name)
    );
    let rows = session.rows(&rows).await?;
    let explain = |sql: &str| format!("EXPLAIN (FORMAT JSON) {sql}");
    let today = session.rows(&explain(&eligible.ordered)).await?;
    for off in ["enable_seqscan", "enable_indexonlyscan", "jit"] {
        session.run(&format!("SET LOCAL {off} = off")).await?;
    }
    let probed = session.rows(&explain(&eligible.unordered)).await?;
    Ok((rows, today, probed))
}

/// One plan tells both: the indexes that can be used stand beside the one that is.
async fn mysql(
    session: &mut Session,
    shape: &OutboxShape,
    eligible: &Eligible,
) -> Result<Option<Plan>, Failure> {
    let table_rows = table_rows(session, shape).await?;
    let values = explained(session, &eligible.ordered).await?;
    Ok(plan::mysql(&values).map(|(can, does)| Plan {
        probed: can.reads,
        how: "by the indexes that it says can be used",
        sorts: does.sorts,
        today: does.reads,
        cost: None,
        table_rows,
    }))
}

/// The plan of today, and one for which the indexes are forced that could serve: a planner of a small
/// table prefers to read the whole of it.
async fn tidb(
    session: &mut Session,
    schema: &Schema,
    shape: &OutboxShape,
    eligible: &Eligible,
) -> Result<Option<Plan>, Failure> {
    let table_rows = table_rows(session, shape).await?;
    let today = explained(session, &eligible.ordered).await?;
    let forced = eligible.with_indexes(&worth_forcing(schema, shape));
    let probed = explained(session, &forced).await?;
    let (Some(today), Some(probed)) = (plan::tidb(&today), plan::tidb(&probed)) else {
        return Ok(None);
    };
    Ok(Some(Plan {
        probed: probed.reads,
        how: "with its indexes forced; TiDB is read as documented, not verified on a server",
        sorts: today.sorts,
        today: today.reads,
        cost: None,
        table_rows,
    }))
}

async fn explained(session: &mut Session, sql: &str) -> Result<Vec<Vec<Option<String>>>, Failure> {
    let rows = session.rows(&format!("EXPLAIN {sql}")).await?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

async fn table_rows(session: &mut Session, shape: &OutboxShape) -> Result<Option<u64>, Failure> {
    let name = shape.name.replace('\'', "''");
    let rows = session
        .rows(&format!(
            "SELECT CAST(TABLE_ROWS AS CHAR) FROM information_schema.TABLES \
             WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '{name}'"
        ))
        .await?;
    Ok(first(&rows).and_then(|rows| rows.parse().ok()))
}
