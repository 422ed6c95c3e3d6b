//! The live catalog of a server: PostgreSQL, MariaDB, MySQL, TiDB.
//!
//! One connection, one read-only transaction on one consistent snapshot, a handful of catalog
//! queries for the whole database. What could not be read is said of every table it concerns, and
//! what was read stays. Async ends here: the caller gets a schema.

mod equality;
mod failure;
mod known;
mod mysql;
mod postgres;
mod row;
mod session;
mod target;

use std::sync::Arc;
use std::time::Duration;

use crate::input::config::database::DatabaseRef;
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::schema::Schema;

use target::Target;

/// Reads the schema behind a reference; reports call it `label`. The limit holds for the connection
/// and for every single answer.
pub(super) fn read(
    reference: &DatabaseRef,
    label: &Arc<str>,
    limit: Duration,
) -> Result<Schema, Reason> {
    match target::target(reference, label)? {
        Target::Sqlite(path) => super::read_sqlite(&path, label),
        Target::Postgres(options) => wait(label, postgres::read(&options, label, limit)),
        Target::Mysql(options) => wait(label, mysql::read(&options, label, limit)),
    }
}

fn wait(
    label: &str,
    reading: impl Future<Output = Result<Schema, Reason>>,
) -> Result<Schema, Reason> {
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
    let schema = runtime.block_on(reading);
    // A name that is still being looked up runs on a thread of its own, and is not waited for.
    runtime.shutdown_background();
    schema
}
