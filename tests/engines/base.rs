//! A database of a case: runs its scripts and tells what its tables hold.

use std::collections::BTreeMap;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, Executor, MySqlConnection, PgConnection, Row,
};

use crate::servers::{self, Database, block_on, mariadb, postgres, postgres_newer};

/// A server that cases run on.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Server {
    Postgres,
    PostgresNewer,
    Mariadb,
    Sqlite,
}

/// The rows of each table, each row as its columns in order, sorted.
pub(crate) type State = BTreeMap<String, Vec<Vec<Option<String>>>>;

/// An empty database.
pub(crate) enum Base {
    Postgres(Box<Session>),
    Mariadb(Database),
    Sqlite(Box<SqliteConnection>),
}

/// A connection that stays open for all but the deliveries: PostgreSQL takes its time to open one.
pub(crate) struct Session {
    database: Database,
    runtime: tokio::runtime::Runtime,
    connection: PgConnection,
}

/// An error of a statement.
#[derive(Debug)]
pub(crate) struct Fault {
    /// SQLSTATE of PostgreSQL, error number of MariaDB, extended result code of SQLite.
    pub(crate) code: String,
    pub(crate) message: String,
}

impl Server {
    pub(crate) fn base(self) -> Base {
        match self {
            Server::Postgres => Base::Postgres(Box::new(Session::of(postgres()))),
            Server::PostgresNewer => Base::Postgres(Box::new(Session::of(postgres_newer()))),
            Server::Mariadb => Base::Mariadb(mariadb().database()),
            Server::Sqlite => Base::Sqlite(Box::new(memory())),
        }
    }

    /// Its major version, where cases ask for one.
    pub(crate) fn version(self) -> u32 {
        let server = match self {
            Server::Postgres => postgres(),
            Server::PostgresNewer => postgres_newer(),
            Server::Mariadb | Server::Sqlite => return u32::MAX,
        };
        let query = "SELECT current_setting('server_version_num')::int / 10000";
        let number: i32 = block_on(async {
            let mut connection = PgConnection::connect(server.url()).await?;
            sqlx::query_scalar(query).fetch_one(&mut connection).await
        })
        .expect("its version");
        number.try_into().expect("a version")
    }
}

fn memory() -> SqliteConnection {
    let options = SqliteConnectOptions::new().in_memory(true);
    let connection = block_on(options.disable_statement_logging().connect());
    connection.expect("an in-memory database")
}

impl Session {
    fn of(server: &servers::Server) -> Session {
        let database = server.database();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let runtime = runtime.expect("a runtime starts");
        let connection = runtime.block_on(PgConnection::connect(database.url()));
        Session {
            database,
            runtime,
            connection: connection.expect("it connects"),
        }
    }

    fn run(&mut self, script: &str) -> Result<(), sqlx::Error> {
        let script = sqlx::raw_sql(AssertSqlSafe(script.to_owned()));
        let ran = self.runtime.block_on(self.connection.execute(script));
        ran.map(|_| ())
    }
}

impl Base {
    /// Makes it as empty as a new one.
    pub(crate) fn clear(&mut self) {
        match self {
            // Much faster than another database.
            Base::Postgres(session) => session
                .run(
                    "ROLLBACK; DO $$ DECLARE name text; BEGIN
                       FOR name IN SELECT quote_ident(nspname) FROM pg_namespace
                         WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
                       LOOP
                         EXECUTE 'DROP SCHEMA ' || name || ' CASCADE';
                       END LOOP;
                       CREATE SCHEMA public;
                     END $$",
                )
                .expect("its schemas go"),
            Base::Mariadb(database) => *database = mariadb().database(),
            Base::Sqlite(connection) => **connection = memory(),
        }
    }

    /// Runs a script outside any transaction of ours.
    pub(crate) fn run(&mut self, script: &str) -> Result<(), Fault> {
        let ran = match self {
            Base::Postgres(session) => session.run(script),
            Base::Mariadb(database) => database.run(script),
            Base::Sqlite(connection) => block_on(async {
                let script = AssertSqlSafe(script.to_owned());
                connection.execute(sqlx::raw_sql(script)).await.map(|_| ())
            }),
        };
        ran.map_err(Fault::of)
    }

    /// Runs a script as one transaction, some moments after the last.
    pub(crate) fn deliver(&mut self, script: &str) -> Result<(), Fault> {
        std::thread::sleep(Duration::from_millis(3));
        let script = format!("BEGIN;\n{script}\n;COMMIT;");
        let delivered = match self {
            // Each delivery has a connection of its own.
            Base::Postgres(session) => session.database.run(&script).map_err(Fault::of),
            _ => self.run(&script),
        };
        if let (Err(_), Base::Sqlite(_)) = (&delivered, &self) {
            // Fails where the error itself has ended the transaction.
            let _ = self.run("ROLLBACK");
        }
        delivered
    }

    /// What every table holds.
    pub(crate) fn state(&mut self) -> State {
        let columns = self.ask(match self {
            Base::Postgres(_) => {
                "SELECT format('%I.%I', nspname, relname), attname::text \
                 FROM pg_attribute JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace \
                 WHERE nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') \
                   AND relkind IN ('r', 'p') AND NOT relispartition AND attnum > 0 AND NOT attisdropped \
                 ORDER BY attrelid, attnum"
            }
            Base::Mariadb(_) => {
                "SELECT CAST(table_name AS char(200)), CAST(column_name AS char(200)) \
                 FROM information_schema.columns WHERE table_schema = DATABASE() \
                 ORDER BY table_name, ordinal_position"
            }
            Base::Sqlite(_) => {
                "SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c \
                 WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' ORDER BY t.name, c.cid"
            }
        });
        let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for row in columns {
            let mut names = row.into_iter().map(|name| name.expect("a name"));
            let table = names.next().expect("a table");
            all.entry(table).or_default().extend(names);
        }
        let mut state = State::new();
        for (table, columns) in all {
            let columns: Vec<String> = columns.iter().map(|column| self.as_text(column)).collect();
            let mut rows = self.ask(&format!("SELECT {} FROM {table}", columns.join(", ")));
            rows.sort();
            state.insert(table, rows);
        }
        state
    }

    /// How far the numbers are that the engine draws.
    pub(crate) fn numbers(&mut self) -> Vec<Vec<Option<String>>> {
        match self {
            Base::Postgres(_) => self.ask(
                "SELECT sequencename::text, last_value::text FROM pg_sequences ORDER BY 1",
            ),
            Base::Mariadb(_) => self.ask(
                "SELECT CAST(table_name AS char(200)), CAST(auto_increment AS char(20)) FROM information_schema.tables \
                 WHERE table_schema = DATABASE() ORDER BY 1",
            ),
            Base::Sqlite(_) => self.ask("SELECT name, CAST(seq AS TEXT) FROM sqlite_sequence ORDER BY 1"),
        }
    }

    fn as_text(&self, column: &str) -> String {
        match self {
            Base::Postgres(_) => format!("\"{column}\"::text"),
            Base::Mariadb(_) => format!("CAST(`{column}` AS char(200))"),
            Base::Sqlite(_) => format!("quote(\"{column}\")"),
        }
    }

    /// The rows of a query whose columns are texts.
    fn ask(&mut self, query: &str) -> Vec<Vec<Option<String>>> {
        let sql = AssertSqlSafe(query.to_owned());
        macro_rules! rows {
            ($connection:expr) => {{
                let rows = sqlx::query(sql).fetch_all($connection).await?;
                let columns = |row| -> Vec<Option<String>> {
                    (0..Row::len(row)).map(|at| Row::get(row, at)).collect()
                };
                Ok(rows.iter().map(columns).collect())
            }};
        }
        let answer: Result<Vec<Vec<Option<String>>>, sqlx::Error> = match self {
            Base::Postgres(session) => {
                let Session {
                    runtime,
                    connection,
                    ..
                } = &mut **session;
                runtime.block_on(async { rows!(connection) })
            }
            Base::Mariadb(database) => block_on(async {
                let mut connection = MySqlConnection::connect(database.url()).await?;
                rows!(&mut connection)
            }),
            Base::Sqlite(connection) => block_on(async { rows!(&mut **connection) }),
        };
        answer.unwrap_or_else(|error| panic!("{query}: {error}"))
    }
}

impl Fault {
    fn of(error: sqlx::Error) -> Fault {
        let code = error.as_database_error().and_then(|error| match error
            .try_downcast_ref::<sqlx::mysql::MySqlDatabaseError>(
        ) {
            Some(error) => Some(error.number().to_string()),
            None => error.code().map(|code| code.into_owned()),
        });
        Fault {
            code: code.unwrap_or_default(),
            message: error.to_string(),
        }
    }
}
