//! What SQLite's own catalog says, asked through pragmas in one read transaction.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteRow};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, Row};

use crate::model::evidence::Reason;

use super::super::rows::{self, Live, TableRows, Wanted};
use super::backlog;
use super::failure;
use super::probe::Probe;

/// How long another process's lock is waited for.
const BUSY: Duration = Duration::from_secs(2);
/// Instructions of SQLite's machine between two looks at the budget, and the number of looks.
const STEPS: i32 = 10_000;
const LOOKS: u32 = 50_000;
/// Larger files are not checked as a whole, in bytes.
const CHECKED: u64 = 64 << 20;
/// Largest schema taken: objects, and bytes of text.
const OBJECTS: i64 = 200_000;
const TEXT: i64 = 64 << 20;

/// The catalog as rows.
#[derive(Debug, Default)]
pub(super) struct Catalog {
    pub(super) objects: Vec<Object>,
    pub(super) tables: Vec<CatalogTable>,
}

/// A row of `sqlite_schema`.
#[derive(Debug)]
pub(super) struct Object {
    pub(super) kind: String,
    pub(super) name: String,
    /// Absent for the indexes that constraints make.
    pub(super) sql: Option<String>,
}

impl Object {
    /// True of SQLite's own tables.
    pub(super) fn is_internal(&self) -> bool {
        is_internal(&self.name)
    }
}

fn is_internal(name: &str) -> bool {
    name.get(..7)
        .is_some_and(|prefix| prefix.eq_ignore_ascii_case("sqlite_"))
}

/// A table with rows of its own.
#[derive(Debug)]
pub(super) struct CatalogTable {
    pub(super) name: String,
    pub(super) columns: Vec<CatalogColumn>,
    pub(super) indexes: Vec<CatalogIndex>,
    /// Number of foreign keys.
    pub(super) foreign_keys: usize,
}

/// A row of `PRAGMA table_xinfo`.
#[derive(Debug)]
pub(super) struct CatalogColumn {
    pub(super) name: String,
    pub(super) data_type: String,
    pub(super) not_null: bool,
    pub(super) default: Option<String>,
    /// Position in the primary key, 1-based; 0 outside it.
    pub(super) primary: i64,
}

/// A row of `PRAGMA index_list` with its `index_xinfo`.
#[derive(Debug)]
pub(super) struct CatalogIndex {
    pub(super) name: String,
    pub(super) unique: bool,
    /// `c`, `u` or `pk`.
    pub(super) origin: String,
    pub(super) partial: bool,
    pub(super) parts: Vec<CatalogPart>,
}

/// A key column of an index.
#[derive(Debug)]
pub(super) struct CatalogPart {
    /// Absent for an expression or the rowid.
    pub(super) column: Option<String>,
    pub(super) collation: String,
}

/// Opens the file read-only, reads the catalog and the rows that are wanted, and closes.
pub(super) fn load(
    path: &Path,
    name: &str,
    probe: &Probe,
    wanted: Wanted<'_>,
) -> Result<Live, Reason> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(|error| failure::io(name, &error))?;
    runtime.block_on(async {
        let mut connection = opened(path, name, probe).await?;
        let read = match read(&mut connection, name, probe).await {
            Ok(catalog) => {
                let rows = wanted_rows(&mut connection, name, &catalog, wanted.tables).await;
                let schema = super::schema(&catalog, name);
                let backlog = backlog::ask(&mut connection, name, &schema, wanted.outbox).await;
                Ok(Live {
                    schema,
                    rows,
                    server: None,
                    backlog,
                })
            }
            Err(reason) => Err(reason),
        };
        // Nothing was written: what closing answers changes nothing.
        let _ = connection.close().await;
        read
    })
}

/// A connection that only reads.
pub(super) async fn opened(
    path: &Path,
    name: &str,
    probe: &Probe,
) -> Result<SqliteConnection, Reason> {
    // An absolute path is never taken for a `file:` URI.
    let path = std::path::absolute(path).map_err(|error| failure::io(name, &error))?;
    let options = SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .create_if_missing(false)
        .immutable(probe.wal)
        // A row can hold a long payload: few of them wait to be looked at.
        .row_buffer_size(2)
        .busy_timeout(BUSY)
        .disable_statement_logging();
    options
        .connect()
        .await
        .map_err(|error| failure::driver(name, &error))
}

/// Bounds its work, and begins a transaction.
pub(super) async fn limited(connection: &mut SqliteConnection, name: &str) -> Result<(), Reason> {
    let mut left = LOOKS;
    let bounded = async {
        let mut handle = connection.lock_handle().await?;
        handle.set_progress_handler(STEPS, move || {
            left = left.saturating_sub(1);
            left > 0
        });
        Ok::<(), sqlx::Error>(())
    };
    bounded
        .await
        .map_err(|error| failure::driver(name, &error))?;
    for statement in [
        "PRAGMA query_only = 1",
        "PRAGMA trusted_schema = 0",
        "PRAGMA cell_size_check = 1",
        "PRAGMA temp_store = 2",
        "BEGIN",
    ] {
        connection
            .execute(statement)
            .await
            .map_err(|error| failure::driver(name, &error))?;
    }
    Ok(())
}

async fn read(
    connection: &mut SqliteConnection,
    name: &str,
    probe: &Probe,
) -> Result<Catalog, Reason> {
    limited(connection, name).await?;
    let size = connection
        .fetch_one("SELECT count(*), coalesce(sum(length(sql)), 0) FROM main.sqlite_schema")
        .await
        .map_err(|error| failure::driver(name, &error))?;
    if size.get::<i64, _>(0) > OBJECTS || size.get::<i64, _>(1) > TEXT {
        return Err(failure::too_large(name));
    }
    if probe.length <= CHECKED {
        check(connection, name).await?;
    }
    catalog_rows(connection)
        .await
        .map_err(|error| failure::driver(name, &error))
}

async fn wanted_rows(
    connection: &mut SqliteConnection,
    name: &str,
    catalog: &Catalog,
    wanted: &[&str],
) -> Vec<TableRows> {
    let quote = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let mut found = Vec::new();
    for wanted in wanted {
        let mut tables = catalog.tables.iter();
        let Some(table) = tables.find(|table| table.name.eq_ignore_ascii_case(wanted)) else {
            continue;
        };
        let columns: Vec<Arc<str>> = table
            .columns
            .iter()
            .map(|column| column.name.as_str().into())
            .collect();
        let query = rows::query(None, &table.name, &columns, &quote, &|column| {
            format!("CAST({column} AS TEXT)")
        });
        let read = connection.fetch_all(AssertSqlSafe(query)).await;
        let read = read.and_then(|read| {
            read.iter()
                .map(|row| (0..row.len()).map(|at| row.try_get(at)).collect())
                .collect()
        });
        let read = read.map_err(|error| failure::driver(name, &error));
        found.push(TableRows::new(wanted, columns, read));
    }
    found
}

/// SQLite's own check. It also reports rows that break a CHECK or NOT NULL, which is no corruption.
async fn check(connection: &mut SqliteConnection, name: &str) -> Result<(), Reason> {
    let is_of_rows = |line: &str| {
        line == "ok" || line.contains(" value in ") || line.starts_with("CHECK constraint failed")
    };
    match connection.fetch_all("PRAGMA main.quick_check(100)").await {
        Ok(lines) => {
            let sound = lines.iter().all(|line| {
                let line: String = line.try_get(0).unwrap_or_default();
                is_of_rows(&line)
            });
            if sound {
                Ok(())
            } else {
                Err(failure::corrupt(name))
            }
        }
        // A definition that needs a function or module of the application cannot be checked.
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some("1") => Ok(()),
        Err(error) => Err(failure::driver(name, &error)),
    }
}

async fn catalog_rows(connection: &mut SqliteConnection) -> Result<Catalog, sqlx::Error> {
    let mut catalog = Catalog::default();
    let objects = connection
        .fetch_all("SELECT type, name, sql FROM main.sqlite_schema ORDER BY rowid")
        .await?;
    for row in &objects {
        catalog.objects.push(Object {
            kind: row.try_get(0)?,
            name: row.try_get(1)?,
            sql: row.try_get(2)?,
        });
    }
    let mut tables: BTreeMap<String, CatalogTable> = BTreeMap::new();
    // Virtual tables have no root page, and asking them would load their module.
    let columns = connection
        .fetch_all(
            "SELECT m.name, x.name, x.type, x.\"notnull\", x.dflt_value, x.pk FROM main.sqlite_schema m \
             JOIN pragma_table_xinfo(m.name, 'main') x WHERE m.type = 'table' AND m.rootpage > 0 \
             ORDER BY m.rowid, x.cid",
        )
        .await?;
    for row in &columns {
        let column = CatalogColumn {
            name: row.try_get(1)?,
            data_type: row.try_get(2)?,
            not_null: row.try_get::<i64, _>(3)? != 0,
            default: row.try_get(4)?,
            primary: row.try_get(5)?,
        };
        table(&mut tables, row)?.columns.push(column);
    }
    indexes(connection, &mut tables).await?;
    let foreign_keys = connection
        .fetch_all(
            "SELECT m.name, count(DISTINCT k.id) FROM main.sqlite_schema m \
             JOIN pragma_foreign_key_list(m.name, 'main') k WHERE m.type = 'table' AND m.rootpage > 0 \
             GROUP BY m.name",
        )
        .await?;
    for row in &foreign_keys {
        let count: i64 = row.try_get(1)?;
        table(&mut tables, row)?.foreign_keys = count.unsigned_abs() as usize;
    }
    catalog.tables = tables
        .into_values()
        .filter(|table| !is_internal(&table.name))
        .collect();
    Ok(catalog)
}

async fn indexes(
    connection: &mut SqliteConnection,
    tables: &mut BTreeMap<String, CatalogTable>,
) -> Result<(), sqlx::Error> {
    let rows = connection
        .fetch_all(
            "SELECT m.name, l.name, l.\"unique\", l.origin, l.partial, x.cid, x.name, x.coll, x.key \
             FROM main.sqlite_schema m JOIN pragma_index_list(m.name, 'main') l \
             JOIN pragma_index_xinfo(l.name, 'main') x WHERE m.type = 'table' AND m.rootpage > 0 \
             ORDER BY m.rowid, l.seq DESC, x.seqno",
        )
        .await?;
    for row in &rows {
        let name: String = row.try_get(1)?;
        let table = table(tables, row)?;
        if table.indexes.last().is_none_or(|last| last.name != name) {
            table.indexes.push(CatalogIndex {
                name,
                unique: row.try_get::<i64, _>(2)? != 0,
                origin: row.try_get(3)?,
                partial: row.try_get::<i64, _>(4)? != 0,
                parts: Vec::new(),
            });
        }
        let is_key: i64 = row.try_get(8)?;
        if is_key != 0
            && let Some(index) = table.indexes.last_mut()
        {
            let position: i64 = row.try_get(5)?;
            let column: Option<String> = row.try_get(6)?;
            index.parts.push(CatalogPart {
                column: column.filter(|_| position >= 0),
                collation: row.try_get(7)?,
            });
        }
    }
    Ok(())
}

fn table<'t>(
    tables: &'t mut BTreeMap<String, CatalogTable>,
    row: &SqliteRow,
) -> Result<&'t mut CatalogTable, sqlx::Error> {
    let name: String = row.try_get(0)?;
    Ok(tables.entry(name.clone()).or_insert_with(|| CatalogTable {
        name,
        columns: Vec::new(),
        indexes: Vec::new(),
        foreign_keys: 0,
    }))
}
