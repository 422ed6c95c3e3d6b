//! SQLite as the oracle: what its own pragmas say after it has run a script.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use outbox_audit::model::schema::{Dialect, EnforcerKind, Schema, Table};
use outbox_audit::model::text::TextFile;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, Row};

pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("runtime")
        .block_on(future)
}

pub(crate) async fn memory() -> SqliteConnection {
    SqliteConnectOptions::new()
        .in_memory(true)
        .disable_statement_logging()
        .connect()
        .await
        .expect("in-memory database")
}

/// Makes a database file from a script.
pub(crate) fn make(path: &Path, script: &str) {
    block_on(async {
        let mut connection = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .disable_statement_logging()
            .connect()
            .await
            .expect("database file");
        connection
            .execute(AssertSqlSafe(script.to_owned()))
            .await
            .expect("script runs");
        connection.close().await.expect("close");
    });
}

pub(crate) fn read(script: &str, dialect: Dialect) -> Schema {
    let file = Arc::new(TextFile::new("schema.sql", script.to_owned()));
    let (schema, reasons) = outbox_audit::input::schema::read_text(&[file], Some(dialect));
    assert!(reasons.is_empty(), "{reasons:?}");
    schema.expect("a schema")
}

/// One table in words: columns with nullability, indexes with parts.
#[derive(Debug, PartialEq, Eq, Default)]
pub(crate) struct Shape {
    pub(crate) columns: Vec<(String, bool)>,
    pub(crate) indexes: Vec<String>,
}

/// Key parts with collation, and whether it is partial.
fn index(name: &str, kind: &str, parts: &[String], partial: bool) -> String {
    let partial = if partial { " partial" } else { "" };
    format!("{name} {kind} ({}){partial}", parts.join(", ")).to_ascii_lowercase()
}

/// What the reader of text or of the catalog says. The rowid alias has no index in SQLite.
pub(crate) fn shape(table: &Table) -> Shape {
    let parts = |parts: &[outbox_audit::model::schema::KeyPart]| -> Vec<String> {
        parts
            .iter()
            .map(|part| {
                let what = part.column.as_deref().unwrap_or("<expr>");
                let null = if part.nullable && part.column.is_some() {
                    " null"
                } else {
                    ""
                };
                format!(
                    "{what} {}{null}",
                    part.collation.as_deref().unwrap_or("BINARY")
                )
            })
            .collect()
    };
    let mut indexes: Vec<String> = table
        .enforcers
        .iter()
        .map(|enforcer| {
            let kind = match enforcer.kind {
                EnforcerKind::PrimaryKey => "pk",
                EnforcerKind::UniqueConstraint => "u",
                _ => "c unique",
            };
            index(
                &enforcer.name,
                kind,
                &parts(&enforcer.parts),
                enforcer.predicate.is_some(),
            )
        })
        .chain(table.indexes.iter().map(|plain| {
            index(
                &plain.name,
                "c",
                &parts(&plain.parts),
                plain.predicate.is_some(),
            )
        }))
        .collect();
    indexes.sort();
    Shape {
        columns: table
            .columns
            .iter()
            .map(|column| (column.name.to_ascii_lowercase(), column.nullable))
            .collect(),
        indexes,
    }
}

/// What SQLite says after running the script, or its error.
pub(crate) fn oracle(script: &str) -> Result<BTreeMap<String, Shape>, String> {
    block_on(async {
        let mut connection = memory().await;
        connection
            .execute(AssertSqlSafe(script.to_owned()))
            .await
            .map_err(|error| error.to_string())?;
        let mut shapes = BTreeMap::new();
        let tables = connection
            .fetch_all("SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' AND rootpage > 0")
            .await
            .expect("tables");
        for table in tables {
            let name: String = table.get(0);
            let shape = of_table(&mut connection, &name).await;
            shapes.insert(name.to_ascii_lowercase(), shape);
        }
        Ok(shapes)
    })
}

async fn of_table(connection: &mut SqliteConnection, name: &str) -> Shape {
    let columns =
        sqlx::query("SELECT name, \"notnull\", pk FROM pragma_table_xinfo(?) ORDER BY cid")
            .bind(name)
            .fetch_all(&mut *connection)
            .await
            .expect("columns");
    let indexes = sqlx::query("SELECT name, \"unique\", origin, partial FROM pragma_index_list(?)")
        .bind(name)
        .fetch_all(&mut *connection)
        .await
        .expect("indexes");
    let keys: Vec<&_> = columns
        .iter()
        .filter(|row| row.get::<i64, _>(2) > 0)
        .collect();
    let has_index = indexes.iter().any(|row| row.get::<String, _>(2) == "pk");
    let alias = !keys.is_empty() && !has_index;
    let mut shape = Shape::default();
    for column in &columns {
        // The rowid is never NULL, though the pragma does not say so of its alias.
        let never = column.get::<i64, _>(1) != 0 || (alias && column.get::<i64, _>(2) > 0);
        shape
            .columns
            .push((column.get::<String, _>(0).to_ascii_lowercase(), !never));
    }
    for row in &indexes {
        let name: String = row.get(0);
        let found = sqlx::query(
            "SELECT cid, name, coll FROM pragma_index_xinfo(?) WHERE key = 1 ORDER BY seqno",
        )
        .bind(&name)
        .fetch_all(&mut *connection)
        .await
        .expect("parts");
        let parts: Vec<String> = found
            .iter()
            .map(|part| {
                let collation: String = part.get(2);
                if part.get::<i64, _>(0) < 0 {
                    return "<expr> BINARY".to_owned();
                }
                let column: String = part.get(1);
                let nullable = shape
                    .columns
                    .iter()
                    .any(|(known, nullable)| known.eq_ignore_ascii_case(&column) && *nullable);
                format!(
                    "{column} {collation}{}",
                    if nullable { " null" } else { "" }
                )
            })
            .collect();
        let kind = match (row.get::<i64, _>(1) != 0, row.get::<String, _>(2).as_str()) {
            (true, "c") => "c unique".to_owned(),
            (_, origin) => origin.to_owned(),
        };
        shape
            .indexes
            .push(index(&name, &kind, &parts, row.get::<i64, _>(3) != 0));
    }
    if alias {
        let column: String = keys[0].get(0);
        let parts = [format!("{column} BINARY")];
        shape.indexes.push(index("rowid", "pk", &parts, false));
    }
    shape.indexes.sort();
    shape
}
