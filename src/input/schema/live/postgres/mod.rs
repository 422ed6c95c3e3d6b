//! PostgreSQL: which queries are asked in which order, and what is left unknown when one fails.

mod collations;
mod constraints;
mod defaults;
mod keys;
mod probe;
mod sql;
mod tables;

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;

use crate::model::evidence::{Reason, Why};
use crate::model::schema::{Dialect, Schema, SchemaOrigin, UnknownTable};
use crate::model::server::Server;
use crate::sql::outbox::JsonCheck;

use super::super::rows::{Live, Wanted};
use super::backlog;
use super::failure::Failure;
use super::known::{gap, sorted, unknown_everywhere};
use super::row::Row;
use super::session::{Session, wanted_rows};

use collations::Collations;
use tables::Tables;

/// The oldest server whose catalog this reader knows.
const OLDEST: i64 = 100_000;

/// Reads the schema of a database.
pub(super) async fn read(
    options: &PgConnectOptions,
    label: &Arc<str>,
    limit: Duration,
    wanted: Wanted<'_>,
) -> Result<Live, Reason> {
    let mut session = Session::postgres(options, limit)
        .await
        .map_err(|failure| failure.reason(label, "nothing of the database is known"))?;
    let read = in_session(&mut session, label, wanted).await;
    session.close().await;
    read
}

/// Begins the transaction in which everything is read.
pub(super) async fn open(session: &mut Session) -> Result<(), Failure> {
    for statement in sql::opening(session.limit.as_millis()) {
        session.run(&statement).await?;
    }
    Ok(())
}

async fn in_session(
    session: &mut Session,
    label: &Arc<str>,
    wanted: Wanted<'_>,
) -> Result<Live, Reason> {
    let nothing = |failure: Failure| failure.reason(label, "no table of the database is known");
    open(session).await.map_err(nothing)?;
    let settings = session.rows(sql::SETTINGS).await.map_err(nothing)?;
    let settings = Settings::of(&settings, label)?;
    // A zone that this server does not know leaves the session as it is.
    let _ = session.in_savepoint(&sql::time_zone(&settings.zone)).await;
    session.run(sql::NO_PATH).await.map_err(nothing)?;
    let relations = session.rows(&sql::relations()).await.map_err(nothing)?;
    let columns = session
        .rows(&sql::columns(settings.version))
        .await
        .map_err(nothing)?;
    let types = session.rows(sql::TYPES).await.map_err(nothing)?;
    let mut tables = Tables::new(label, &relations, &columns, &types);
    let mut schema = Schema {
        origin: SchemaOrigin::Live,
        dialect: Some(Dialect::Postgres),
        tables: Vec::new(),
        unknown: Vec::new(),
        search_path: settings.search_path.clone(),
        routines: Vec::new(),
    };
    let rest = rest(session, label, &settings, &mut tables, &columns).await;
    tables.finish(&mut schema);
    sorted(&mut schema.tables);
    if let Err((failure, what)) = rest {
        unknown_everywhere(&mut schema, &failure.reason(label, what));
    }
    if settings.replica {
        schema.unknown.push(replica(label));
    }
    let json = match settings.version >= 160_000 {
        true => JsonCheck::Asks,
        false => JsonCheck::Casts,
    };
    // Source: PostgreSQL 18, release notes: "skip scans" of B-tree indexes.
    let skips = settings.version >= 180_000;
    let mut counted = backlog::ask(session, label, &schema, wanted, json, skips).await;
    if let Some(counted) = &mut counted {
        counted.server = Some(settings.server.clone());
    }
    let rows = wanted_rows(
        session,
        label,
        &schema,
        wanted.tables,
        &probe::quoted,
        &|column| format!("{column}::text"),
    )
    .await;
    Ok(Live {
        schema,
        rows,
        server: Some(settings.server),
        backlog: counted,
    })
}

/// What is asked behind the columns; each failure leaves what was read before it.
async fn rest(
    session: &mut Session,
    label: &Arc<str>,
    settings: &Settings,
    tables: &mut Tables,
    columns: &[Row],
) -> Result<(), (Failure, &'static str)> {
    const KEYS: &str = "which keys its tables have is not known";
    let version = settings.version;
    let constraints = session
        .rows(&sql::constraints(version))
        .await
        .map_err(|failure| (failure, KEYS))?;
    tables.checks(&constraints);
    let collations = session
        .rows(&sql::collations(version))
        .await
        .map_err(|failure| (failure, KEYS))?;
    let of_database = match version >= 150_000 {
        true => session
            .rows(sql::DATABASE_COLLATION)
            .await
            .map_err(|failure| (failure, KEYS))?,
        false => Vec::new(),
    };
    let collations = Collations::new(&collations, &of_database);
    tables.collations(columns, &collations);
    let indexes = session
        .rows(&sql::indexes(version))
        .await
        .map_err(|failure| (failure, KEYS))?;
    let doubtful = tables.keys(&indexes, &collations);
    let triggers = session
        .rows(sql::TRIGGERS)
        .await
        .map_err(|failure| (failure, "which triggers change its rows is not known"))?;
    tables.triggers(&triggers);
    let names = defaults::unknown_functions(tables);
    if !names.is_empty() {
        let functions = session
            .rows(&sql::functions(&names))
            .await
            .map_err(|failure| (failure, "which of its defaults vary is not known"))?;
        defaults::judge(tables, &functions);
    }
    probe::probe(session, label, tables, doubtful).await;
    Ok(())
}

/// What the server says of itself.
struct Settings {
    version: i64,
    replica: bool,
    server: Server,
    search_path: Vec<Arc<str>>,
    zone: String,
}

impl Settings {
    fn of(rows: &[Row], label: &str) -> Result<Self, Reason> {
        let Some(row) = rows.first() else {
            return Err(Failure::Protocol.reason(label, "no table of the database is known"));
        };
        let kind = row.text(1);
        // They speak the protocol and keep other catalogs, or the same ones with other meanings.
        let other = [
            ("CockroachDB", "CockroachDB"),
            ("-YB-", "YugabyteDB"),
            ("Redshift", "Redshift"),
            ("Greenplum", "Greenplum"),
            ("Materialize", "Materialize"),
        ];
        if let Some((_, name)) = other.iter().find(|(sign, _)| kind.contains(sign)) {
            return Err(gap(
                Why::NotReadable,
                None,
                format!("{label} is {name}, whose catalog this version does not read"),
                "give the schema as text (--schema)",
            ));
        }
        let version = row.number(0);
        if version < OLDEST {
            return Err(gap(
                Why::NotReadable,
                None,
                format!(
                    "{label} is PostgreSQL older than 10, whose catalog this version does not read"
                ),
                "give the schema as text (--schema)",
            ));
        }
        Ok(Self {
            version,
            zone: row.maybe(6).unwrap_or(row.text(7)).to_owned(),
            replica: row.is(2),
            server: Server {
                // The build of a distribution stands behind it.
                version: row.text(4).split(' ').next().unwrap_or_default().into(),
                isolation: row.text(5).into(),
                time_zone: match row.maybe(6) {
                    Some(zone) => zone.into(),
                    None => format!("{}, of its log", row.text(7)).into(),
                },
                is_copy: row.is(2),
            },
            search_path: serde_json::from_str::<Vec<String>>(row.text(3))
                .unwrap_or_default()
                .into_iter()
                .map(Arc::from)
                .collect(),
        })
    }
}

fn replica(label: &Arc<str>) -> UnknownTable {
    UnknownTable {
        table: None,
        reason: gap(
            Why::Stale,
            None,
            format!(
                "{label} is a replica: it was read, and what its primary has by now is not known"
            ),
            "name the primary with --database",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(values: [&str; 4]) -> Result<Settings, String> {
        let row = Row(values
            .iter()
            .map(|value| Some((*value).to_owned()))
            .collect());
        Settings::of(&[row], "env:DB").map_err(|reason| reason.sentence)
    }

    #[test]
    fn a_replica_is_read_and_said_to_be_one() {
        let kind = "PostgreSQL 15.18 on x86_64-pc-linux-gnu";
        let primary = settings(["150018", kind, "false", "[\"public\"]"]).expect("it is read");
        assert!(!primary.replica);
        let standby = settings(["150018", kind, "true", "[\"app\",\"public\"]"]).expect("read");
        assert!(standby.replica);
        assert_eq!(standby.search_path, [Arc::from("app"), Arc::from("public")]);
        let label: Arc<str> = "env:DB".into();
        let note = replica(&label);
        assert!(note.table.is_none());
        assert!(note.reason.next_step.contains("primary"));
    }

    #[test]
    fn what_only_speaks_the_protocol_is_refused_by_name() {
        for (kind, name) in [
            ("CockroachDB CCL v24.1.0", "CockroachDB"),
            ("PostgreSQL 11.2-YB-2.20.1.0-b0", "YugabyteDB"),
            ("PostgreSQL 8.0.2 on i686, Redshift 1.0.6", "Redshift"),
        ] {
            let refused = settings(["130000", kind, "false", "[]"])
                .err()
                .expect("refused");
            assert!(refused.contains(name), "{refused}");
        }
        let old = settings(["90624", "PostgreSQL 9.6.24", "false", "[]"]);
        assert!(old.err().expect("refused").contains("older than 10"));
    }

    #[test]
    fn what_a_version_lacks_is_not_asked() {
        for (version, word) in [
            (110_000, "attgenerated"),
            (110_000, "collisdeterministic"),
            (100_000, "indnkeyatts"),
            (140_000, "indnullsnotdistinct"),
            (170_000, "conperiod"),
            (170_000, "conenforced"),
        ] {
            let all = |version| {
                [
                    sql::columns(version),
                    sql::collations(version),
                    sql::indexes(version),
                    sql::constraints(version),
                ]
                .join(" ")
            };
            assert!(!all(version).contains(word), "{word} at {version}");
            assert!(all(180_000).contains(word), "{word} at 18");
        }
    }
}
