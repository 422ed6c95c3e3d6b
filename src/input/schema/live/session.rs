//! One connection that only reads: opened, bounded in time, and closed. Every query goes through it.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{Stream, TryStreamExt};
use sqlx::mysql::{MySqlConnectOptions, MySqlConnection};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor};

use crate::model::schema::Schema;

use super::super::rows::{self, TableRows};
use super::failure::Failure;
use super::row::Row;

/// How much longer than the server's own limit an answer is waited for, so that the server's says
/// what happened where it can.
const GRACE: Duration = Duration::from_millis(500);
/// How long saying goodbye may take.
const GOODBYE: Duration = Duration::from_secs(1);

enum Wire {
    Postgres(PgConnection),
    Mysql(MySqlConnection),
}

/// An open connection with its limit.
pub(super) struct Session {
    wire: Wire,
    /// Longest wait for one answer.
    pub(super) limit: Duration,
    /// No statement can follow: an answer is still out, or the connection is gone.
    lost: bool,
}

impl Session {
    pub(super) async fn postgres(
        options: &PgConnectOptions,
        limit: Duration,
    ) -> Result<Self, Failure> {
        let options = options
            .clone()
            .application_name("outbox-audit")
            .disable_statement_logging();
        let wire = within(limit, options.connect()).await?;
        Ok(Self::new(Wire::Postgres(wire), limit))
    }

    pub(super) async fn mysql(
        options: &MySqlConnectOptions,
        limit: Duration,
    ) -> Result<Self, Failure> {
        // The session keeps the server's own modes and time zone: they are part of what is read.
        let options = options
            .clone()
            .pipes_as_concat(false)
            .no_engine_substitution(false)
            .timezone(None)
            .disable_statement_logging();
        let wire = within(limit, options.connect()).await?;
        Ok(Self::new(Wire::Mysql(wire), limit))
    }

    fn new(wire: Wire, limit: Duration) -> Self {
        Self {
            wire,
            limit,
            lost: false,
        }
    }

    /// Runs a statement without rows.
    pub(super) async fn run(&mut self, sql: &str) -> Result<(), Failure> {
        self.rows(sql).await.map(drop)
    }

    /// The statement as it is sent. MySQL takes a name of the program only as an attribute of the
    /// connection, which the driver does not send: a comment says who asks.
    fn signed(&self, sql: &str) -> AssertSqlSafe<String> {
        AssertSqlSafe(match self.wire {
            Wire::Postgres(_) => sql.to_owned(),
            Wire::Mysql(_) => format!("/* outbox-audit */ {sql}"),
        })
    }

    /// Runs a query whose every value is text. The plain protocol is used: poolers that know
    /// nothing of prepared statements let it through.
    pub(super) async fn rows(&mut self, sql: &str) -> Result<Vec<Row>, Failure> {
        if self.lost {
            return Err(Failure::CutOff);
        }
        let limit = self.limit + GRACE;
        let sql = self.signed(sql);
        let result = match &mut self.wire {
            Wire::Postgres(wire) => {
                let rows = within(limit, wire.fetch_all(sql)).await;
                rows.and_then(|rows| rows.iter().map(|row| texts(row).map(Row)).collect())
            }
            Wire::Mysql(wire) => {
                let rows = within(limit, wire.fetch_all(sql)).await;
                rows.and_then(|rows| rows.iter().map(|row| texts(row).map(Row)).collect())
            }
        };
        if let Err(Failure::Silent(_)) = &result {
            self.lost = true;
            // The server was given the limit; the grace is nobody's business.
            return Err(Failure::Silent(self.limit));
        }
        result
    }

    /// Runs a query and hands its rows out one by one: no more than one is held. The limit is for
    /// each of them.
    pub(super) async fn each(
        &mut self,
        sql: &str,
        take: &mut dyn FnMut(&[Option<String>]),
    ) -> Result<(), Failure> {
        if self.lost {
            return Err(Failure::CutOff);
        }
        let limit = self.limit + GRACE;
        let sql = self.signed(sql);
        let result = match &mut self.wire {
            Wire::Postgres(wire) => each(wire.fetch(sql), limit, take).await,
            Wire::Mysql(wire) => each(wire.fetch(sql), limit, take).await,
        };
        if let Err(Failure::Silent(_)) = &result {
            self.lost = true;
            return Err(Failure::Silent(self.limit));
        }
        result
    }

    /// Runs a query on PostgreSQL that takes only itself back where it fails.
    pub(super) async fn in_savepoint(&mut self, sql: &str) -> Result<Vec<Row>, Failure> {
        self.run("SAVEPOINT question").await?;
        let rows = self.rows(sql).await;
        if rows.is_err() && !self.is_lost() {
            self.run("ROLLBACK TO SAVEPOINT question").await?;
        }
        rows
    }

    /// True if no statement can follow.
    pub(super) fn is_lost(&self) -> bool {
        self.lost
    }

    /// Ends the connection. Nothing was written: what closing answers changes nothing.
    pub(super) async fn close(self) {
        if self.lost {
            return;
        }
        let closing = async {
            match self.wire {
                Wire::Postgres(wire) => wire.close().await,
                Wire::Mysql(wire) => wire.close().await,
            }
        };
        let _ = tokio::time::timeout(GOODBYE, closing).await;
    }
}

async fn each<R: sqlx::Row>(
    mut rows: impl Stream<Item = Result<R, sqlx::Error>> + Unpin,
    limit: Duration,
    take: &mut dyn FnMut(&[Option<String>]),
) -> Result<(), Failure>
where
    usize: sqlx::ColumnIndex<R>,
    for<'r> Option<String>: sqlx::Decode<'r, R::Database> + sqlx::Type<R::Database>,
{
    while let Some(row) = within(limit, rows.try_next()).await? {
        take(&texts(&row)?);
    }
    Ok(())
}

/// The values of a row, each as text.
fn texts<R: sqlx::Row>(row: &R) -> Result<Vec<Option<String>>, Failure>
where
    usize: sqlx::ColumnIndex<R>,
    for<'r> Option<String>: sqlx::Decode<'r, R::Database> + sqlx::Type<R::Database>,
{
    (0..row.len())
        .map(|at| row.try_get_unchecked(at))
        .collect::<Result<_, sqlx::Error>>()
        .map_err(|error| Failure::of(&error))
}

async fn within<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, Failure> {
    match tokio::time::timeout(limit, work).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => Err(Failure::of(&error)),
        Err(_) => Err(Failure::Silent(limit)),
    }
}

/// The rows of the tables that are wanted, of those that the schema has.
pub(super) async fn wanted_rows(
    session: &mut Session,
    label: &str,
    schema: &Schema,
    wanted: &[&str],
    quote: &dyn Fn(&str) -> String,
    text: &dyn Fn(&str) -> String,
) -> Vec<TableRows> {
    let mut found = Vec::new();
    for wanted in wanted {
        let Some(table) = schema.table(wanted) else {
            continue;
        };
        let columns: Vec<Arc<str>> = table
            .columns
            .iter()
            .map(|column| Arc::clone(&column.name))
            .collect();
        let of = table.schema.as_deref();
        let query = rows::query(of, &table.name, &columns, quote, text);
        let read = session.rows(&query).await;
        let read = read
            .map(|read| read.into_iter().map(|row| row.0).collect())
            .map_err(|failure| failure.reason(label, &format!("what {wanted} holds is not known")));
        found.push(TableRows::new(wanted, columns, read));
    }
    found
}
