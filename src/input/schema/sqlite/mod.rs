//! The live catalog of an SQLite file, read without changing a byte of it or leaving one beside it.
//!
//! The pragmas say what SQLite has; the stored text of each definition adds what no pragma shows:
//! predicates, conflict clauses, CHECK constraints, triggers. Where the two disagree the table is
//! unknown.
//!
//! A file in WAL mode is opened as immutable, for an ordinary reader would make `-shm` and `-wal`
//! beside it; that is right only while no log with changes lies there, and then the file is refused.

mod backlog;
mod catalog;
mod compare;
mod failure;
mod plan;
mod probe;
mod questions;

use std::path::Path;
use std::sync::Arc;

use crate::model::evidence::{Evidence, Fact, InputKind, ObservedBy, Reason};
use crate::model::place::Place;
use crate::model::schema::{Dialect, Schema, SchemaOrigin, Table, TableKind, UnknownTable};
use crate::sql::ddl::Replay;

use super::rows::{Live, Wanted};
use catalog::Catalog;
pub(super) use questions::ask;

/// Reads the schema of the file at `path`; reports call it `name`,
/// with the rows of the tables that are wanted.
pub(super) fn read(path: &Path, name: &str, wanted: Wanted<'_>) -> Result<Live, Reason> {
    let before = probe::probe(path, name)?;
    let read = catalog::load(path, name, &before, wanted)?;
    // An immutable file is read without locks: it must not have changed meanwhile.
    if probe::probe(path, name)? != before {
        return Err(failure::changed(name));
    }
    // SQLite reads the schema of such a file without a word if the pages at its end are not needed.
    if before.is_cut_off() {
        return Err(failure::cut_off(name));
    }
    Ok(read)
}

/// The schema that a catalog describes.
fn schema(catalog: &Catalog, name: &str) -> Schema {
    let connection: Arc<str> = name.into();
    let mut replay = Replay::new(Dialect::Sqlite);
    for kind in ["table", "view", "index", "trigger"] {
        for object in catalog.objects.iter().filter(|object| object.kind == kind) {
            let Some(text) = object.sql.as_deref().filter(|_| !object.is_internal()) else {
                continue;
            };
            replay.read(text, &|_, _| Place::Object {
                connection: connection.clone(),
                object: object.name.as_str().into(),
            });
        }
    }
    let checked: Vec<(String, String)> = catalog
        .tables
        .iter()
        .flat_map(|table| {
            table
                .columns
                .iter()
                .map(move |column| (&table.name, &column.name))
        })
        .filter(|(table, column)| replay.has_null_check(table, column))
        .map(|(table, column)| (table.clone(), column.clone()))
        .collect();
    let read = replay.finish(InputKind::Database, ObservedBy::Catalog);
    let mut unknown = read.unknown;
    let mut tables: Vec<Table> = Vec::new();
    let mut texts = read.tables;
    for table in &catalog.tables {
        let at = texts
            .iter()
            .position(|text| text.name.eq_ignore_ascii_case(&table.name));
        let text = at.map(|at| texts.swap_remove(at));
        let is_checked = |column: &str| {
            checked
                .iter()
                .any(|(of, known)| *of == table.name && known == column)
        };
        match text {
            Some(text) => match compare::difference(table, &text, &is_checked) {
                None => tables.push(text),
                Some(what) => {
                    unknown.push(disagreement(table, &what, &connection));
                    tables.push(compare::of_pragmas(table, &connection));
                }
            },
            None => {
                let what = "its definition is not understood";
                unknown.push(disagreement(table, what, &connection));
                tables.push(compare::of_pragmas(table, &connection));
            }
        }
    }
    // Views and virtual tables have no entry among the pragmas that were asked.
    tables.extend(
        texts
            .into_iter()
            .filter(|text| matches!(text.kind, TableKind::View | TableKind::Foreign)),
    );
    for enforcer in tables.iter_mut().flat_map(|table| &mut table.enforcers) {
        enforcer.enforced = Fact::Shown(true, enforcer.evidence.clone());
        enforcer.trusted = enforcer.enforced.clone();
    }
    tables.sort_by(|one, other| one.name.cmp(&other.name));
    Schema {
        origin: SchemaOrigin::Live,
        dialect: Some(Dialect::Sqlite),
        tables,
        unknown,
        search_path: Vec::new(),
        routines: Vec::new(),
    }
}

fn disagreement(table: &catalog::CatalogTable, what: &str, connection: &Arc<str>) -> UnknownTable {
    UnknownTable {
        table: Some(table.name.as_str().into()),
        reason: failure::disagree(connection, &table.name, what),
    }
}

fn evidence(place: Place, says: String) -> Arc<Evidence> {
    Arc::new(Evidence {
        input: InputKind::Database,
        by: ObservedBy::Catalog,
        place,
        says: says.into(),
    })
}
