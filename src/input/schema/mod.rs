//! Readers of the schema: SQL text, `system_tables.json`, SQLite database files, live servers.

pub mod dialect;
mod json;
mod live;
mod merge;
pub mod migrations;
mod revisions;
mod rows;
pub mod sql_files;
pub mod sqlite;
pub mod system_tables;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use revisions::Revisions;
pub(in crate::input) use revisions::is_migration;
pub use rows::{Live, TableRows, Wanted};

use crate::input::config::database::DatabaseRef;
use crate::input::outbox::Answer;
use crate::model::evidence::Reason;
use crate::model::schema::{Dialect, Schema};
use crate::model::text::TextFile;
use crate::sql::outbox::Question;

/// Reads schema files in the order given, which for migrations is the order they run in, and merges
/// them into one declared schema. A file that cannot be read whole gives a reason and no tables.
pub fn read_text(
    files: &[Arc<TextFile>],
    dialect: Option<Dialect>,
) -> (Option<Schema>, Vec<Reason>) {
    let mut reasons = Vec::new();
    let mut schemas = Vec::new();
    let mut scripts = Vec::new();
    let mut python = Vec::new();
    for file in files {
        let path = file.path.to_ascii_lowercase();
        if path.ends_with(".py") {
            python.push(Arc::clone(file));
        } else if path.ends_with(".json") {
            match system_tables::read(file) {
                Ok(schema) => schemas.push(schema),
                Err(reason) => reasons.push(reason),
            }
        } else {
            scripts.push(Arc::clone(file));
        }
    }
    let revisions = Revisions::parse(&python);
    let dialect = match (scripts.is_empty() && python.is_empty(), dialect) {
        (true, _) | (_, Some(_)) => dialect,
        (false, None) => match engine(&scripts, &revisions) {
            Ok(dialect) => Some(dialect),
            Err(reason) => {
                reasons.push(reason);
                return (merge::merge(schemas), reasons);
            }
        },
    };
    if !scripts.is_empty() {
        match sql_files::read(&scripts, dialect) {
            Ok(schema) => schemas.push(schema),
            Err(reason) => reasons.push(reason),
        }
    }
    if let Some(dialect) = dialect.filter(|_| !python.is_empty()) {
        schemas.push(revisions.schema(dialect));
    }
    (merge::merge(schemas), reasons)
}

/// The engine that scripts and migrations are written for.
fn engine(scripts: &[Arc<TextFile>], revisions: &Revisions) -> Result<Dialect, Reason> {
    let mut written = scripts.to_vec();
    written.extend(revisions.written());
    let Some((imported, file)) = revisions.dialect() else {
        return match written.is_empty() {
            true => Err(revisions.no_engine()),
            false => sql_files::dialect_of(&written),
        };
    };
    if sql_files::says_nothing(&written) {
        return Ok(imported);
    }
    let told = sql_files::dialect_of(&written)?;
    if told != imported && !sql_files::refines(told, imported) {
        let sentence = format!(
            "{} is written for {} and the scripts for {}",
            file.path,
            imported.word(),
            told.word()
        );
        return Err(sql_files::undecided(sentence, &file));
    }
    Ok(told)
}

/// Reads the live catalog of an SQLite file without changing a byte of it; `name` is how reports
/// call it, its path relative to the audited root.
pub fn read_sqlite(path_on_disk: &Path, name: &str) -> Result<Schema, Reason> {
    sqlite::read(path_on_disk, name, Wanted::default()).map(|live| live.schema)
}

/// The same, with what is wanted beside the schema.
pub fn read_sqlite_with(
    path_on_disk: &Path,
    name: &str,
    wanted: Wanted<'_>,
) -> Result<Live, Reason> {
    sqlite::read(path_on_disk, name, wanted)
}

/// Asks further questions of an SQLite file, each for the JSON text of its one row.
pub(super) fn ask_sqlite(
    path_on_disk: &Path,
    label: &Arc<str>,
    questions: &[Question],
) -> Result<Vec<Answer>, Reason> {
    sqlite::ask(path_on_disk, label, questions)
}

/// The same of a server.
pub(super) fn ask_server(
    reference: &DatabaseRef,
    label: &Arc<str>,
    limit: Duration,
    questions: &[Question],
) -> Result<Vec<Answer>, Reason> {
    live::ask(reference, label, limit, questions)
}

/// Reads the live catalog of a server, or of the SQLite file that an environment variable names,
/// without writing to it. `label` is how reports call it; `limit` bounds the wait for each answer.
pub fn read_server(
    reference: &DatabaseRef,
    label: &Arc<str>,
    limit: Duration,
) -> Result<Schema, Reason> {
    live::read(reference, label, limit, Wanted::default()).map(|live| live.schema)
}

/// The same, with what is wanted beside the schema.
pub fn read_server_with(
    reference: &DatabaseRef,
    label: &Arc<str>,
    limit: Duration,
    wanted: Wanted<'_>,
) -> Result<Live, Reason> {
    live::read(reference, label, limit, wanted)
}
