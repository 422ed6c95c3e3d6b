//! The live catalog of a server: PostgreSQL, MariaDB, MySQL, TiDB.
//!
//! One connection, one read-only transaction on one consistent snapshot, a handful of catalog
//! queries for the whole database. What could not be read is said of every table it concerns, and
//! what was read stays. Async ends here: the caller gets a schema.

mod backlog;
mod equality;
mod failure;
mod known;
mod mysql;
mod plan;
mod postgres;
mod questions;
mod row;
mod session;
mod target;

use std::sync::Arc;
use std::time::Duration;

use crate::input::config::database::DatabaseRef;
use crate::input::outbox::Answer;
use crate::model::evidence::{InputKind, Reason, Why};
use crate::sql::outbox::Question;

use super::rows::{Live, Wanted};
use target::Target;

/// Reads the schema behind a reference, and the rows of the tables that are wanted; reports call it
/// `label`. The limit holds for the connection
/// and for every single answer.
pub(super) fn read(
    reference: &DatabaseRef,
    label: &Arc<str>,
    limit: Duration,
    wanted: Wanted<'_>,
) -> Result<Live, Reason> {
    match target::target(reference, label)? {
        Target::Sqlite(path) => super::sqlite::read(&path, label, wanted),
        Target::Postgres(options) => wait(label, postgres::read(&options, label, limit, wanted)),
        Target::Mysql(options) => wait(label, mysql::read(&options, label, limit, wanted)),
    }
}

/// Asks further questions behind a reference, each for the JSON text of its one row.
pub(super) fn ask(
    reference: &DatabaseRef,
    label: &Arc<str>,
    limit: Duration,
    questions: &[Question],
) -> Result<Vec<Answer>, Reason> {
    match target::target(reference, label)? {
        Target::Sqlite(path) => super::sqlite::ask(&path, label, questions),
        Target::Postgres(options) => wait(
            label,
            questions::of_postgres(&options, label, limit, questions),
        ),
        Target::Mysql(options) => wait(
            label,
            questions::of_mysql(&options, label, limit, questions),
        ),
    }
}

fn wait<T>(label: &str, reading: impl Future<Output = Result<T, Reason>>) -> Result<T, Reason> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|_| Reason {
            why: Why::NotReadable,
            needs: Some(InputKind::Database),
            sentence: format!("this process cannot connect to {label}: it gets no sockets"),
            place: None,
            next_step: "raise the limit of open files of the process".to_owned(),
        })?;
    let read = runtime.block_on(reading);
    // A name that is still being looked up runs on a thread of its own, and is not waited for.
    runtime.shutdown_background();
    read
}
