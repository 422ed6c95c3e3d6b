//! MySQL, MariaDB and TiDB: which queries are asked in which order, and what is left unknown when
//! one fails.
//!
//! MariaDB is read by tests on a server. For MySQL and TiDB there is none: their rows are taken
//! from their documentation, and tested as recorded rows.

mod columns;
mod keys;
mod periods;
mod rest;
mod rights;
mod server;
mod sql;
mod tables;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use sqlx::mysql::MySqlConnectOptions;

use crate::model::evidence::Reason;
use crate::model::schema::{Dialect, Schema, SchemaOrigin};
use crate::sql::outbox::JsonCheck;

use super::super::rows::{Live, Wanted};
use super::backlog;
use super::failure::Failure;
use super::known::{sorted, unknown_everywhere};
use super::row::Row;
use super::session::{Session, wanted_rows};

pub(super) use server::Server;
use tables::Tables;

const KEYS: &str = "which keys its tables have is not known";
const CHECKS: &str = "which columns a CHECK keeps from being NULL is not known";
const TRIGGERS: &str = "which triggers change its rows is not known";

/// Reads the schema of the database that the URL names.
pub(super) async fn read(
    options: &MySqlConnectOptions,
    label: &Arc<str>,
    limit: Duration,
    wanted: Wanted<'_>,
) -> Result<Live, Reason> {
    let mut session = Session::mysql(options, limit)
        .await
        .map_err(|failure| failure.reason(label, "nothing of the database is known"))?;
    let read = in_session(&mut session, label, wanted).await;
    session.close().await;
    read
}

/// Begins the transaction in which everything is read, once it is known which server it is.
pub(super) async fn open(
    session: &mut Session,
    label: &str,
    failed: &dyn Fn(Failure) -> Reason,
) -> Result<Server, Reason> {
    let version = session.rows(sql::VERSION).await.map_err(failed)?;
    let server = Server::of(&version, label)?;
    for statement in sql::opening(server.dialect, session.limit) {
        session.run(&statement).await.map_err(failed)?;
    }
    Ok(server)
}

async fn in_session(
    session: &mut Session,
    label: &Arc<str>,
    wanted: Wanted<'_>,
) -> Result<Live, Reason> {
    let nothing = |failure: Failure| failure.reason(label, "no table of the database is known");
    let mut server = open(session, label, &nothing).await?;
    let variables = session.rows(sql::VARIABLES).await.map_err(nothing)?;
    server.variables(&variables);
    if server.dialect == Dialect::Tidb {
        // Without the right to read it, it is not known; the server says so.
        let framework = session.rows(sql::TIDB_COLLATION).await.unwrap_or_default();
        server.collation_framework(&framework);
    }
    let relations = session
        .rows(&sql::tables(server.dialect))
        .await
        .map_err(nothing)?;
    let columns = session.rows(sql::COLUMNS).await.map_err(nothing)?;
    let mut tables = Tables::new(label, &server, &relations, &columns);
    let rest = rest(session, &server, &mut tables).await;
    let mut schema = Schema {
        origin: SchemaOrigin::Live,
        dialect: Some(server.dialect),
        tables: Vec::new(),
        unknown: server.gaps(label),
        search_path: vec![Arc::clone(&server.database)],
        routines: Vec::new(),
    };
    tables.finish(&mut schema);
    sorted(&mut schema.tables);
    match rest {
        Err((failure, what)) => unknown_everywhere(&mut schema, &failure.reason(label, what)),
        Ok(Some(gap)) => unknown_everywhere(&mut schema, &gap(label)),
        Ok(None) => {}
    }
    let mut counted = backlog::ask(session, label, &schema, wanted, JsonCheck::Asks, false).await;
    if let Some(counted) = &mut counted {
        counted.server = Some(server.told());
    }
    let rows = wanted_rows(
        session,
        label,
        &schema,
        wanted.tables,
        &sql::quoted,
        &|column| format!("CAST({column} AS CHAR)"),
    )
    .await;
    Ok(Live {
        schema,
        rows,
        server: Some(server.told()),
        backlog: counted,
    })
}

type Gap = Option<fn(&str) -> Reason>;

/// What is asked behind the columns; each failure leaves what was read before it.
async fn rest(
    session: &mut Session,
    server: &Server,
    tables: &mut Tables<'_>,
) -> Result<Gap, (Failure, &'static str)> {
    if let Some(query) = checks(session, server).await? {
        let rows = session
            .rows(query)
            .await
            .map_err(|failure| (failure, CHECKS))?;
        tables.checks(&rows);
    }
    let fields = session
        .rows("SHOW COLUMNS FROM information_schema.STATISTICS")
        .await
        .map_err(|failure| (failure, KEYS))?;
    let rows = session
        .rows(&sql::statistics(has_field(&fields, "EXPRESSION")))
        .await
        .map_err(|failure| (failure, KEYS))?;
    tables.keys(&rows);
    for table in periods::candidates(tables) {
        let rows = session
            .rows(&format!("SHOW CREATE TABLE {}", sql::quoted(&table)))
            .await
            .map_err(|failure| (failure, KEYS))?;
        periods::apply(tables, &table, rows.first().map_or("", |row| row.text(1)));
    }
    let children = "which rows a deletion takes along is not known";
    let columns = session
        .rows(sql::FOREIGN_KEYS)
        .await
        .map_err(|failure| (failure, children))?;
    let rules = session
        .rows(sql::DELETE_RULES)
        .await
        .map_err(|failure| (failure, children))?;
    tables.foreign_keys(&columns, &rules);
    if server.dialect == Dialect::Tidb {
        // It has no triggers. Source: TiDB, "MySQL Compatibility".
        return Ok(None);
    }
    let rows = session
        .rows(sql::TRIGGERS)
        .await
        .map_err(|failure| (failure, TRIGGERS))?;
    tables.triggers(&rows);
    let grants = grants(session, server)
        .await
        .map_err(|failure| (failure, TRIGGERS))?;
    Ok(rights::hidden(&grants, &server.database))
}

/// The query for CHECK constraints, where the server has any.
async fn checks(
    session: &mut Session,
    server: &Server,
) -> Result<Option<&'static str>, (Failure, &'static str)> {
    if server.dialect == Dialect::Tidb || !server.checks_hold {
        return Ok(None);
    }
    let fields = session
        .rows("SHOW COLUMNS FROM information_schema.CHECK_CONSTRAINTS")
        .await;
    match fields {
        Ok(fields) if has_field(&fields, "TABLE_NAME") => Ok(Some(sql::CHECKS_OF_TABLE)),
        Ok(_) => Ok(Some(sql::CHECKS_BY_NAME)),
        // MySQL before 8.0.16 parses them and keeps none: there is no such table.
        Err(Failure::Other(code)) if code == "1109" || code == "1146" => Ok(None),
        Err(failure) => Err((failure, CHECKS)),
    }
}

/// The grants of this user, those of its active roles among them.
async fn grants(session: &mut Session, server: &Server) -> Result<Vec<Row>, Failure> {
    let mut grants = session.rows("SHOW GRANTS").await?;
    // MariaDB lists the current role's by itself; MySQL before 8 has no roles.
    if server.dialect == Dialect::Mysql
        && let Ok(roles) = session.rows("SELECT CAST(CURRENT_ROLE() AS CHAR)").await
        && let Some(roles) = super::row::first(&roles).filter(|roles| *roles != "NONE")
    {
        let query = format!("SHOW GRANTS FOR CURRENT_USER() USING {roles}");
        grants.extend(session.rows(&query).await?);
    }
    Ok(grants)
}

fn has_field(fields: &[Row], name: &str) -> bool {
    fields
        .iter()
        .any(|row| row.text(0).eq_ignore_ascii_case(name))
}
