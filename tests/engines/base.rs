//! A database of a case: runs its scripts and tells what its tables hold.

use std::collections::BTreeMap;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, Executor, MySqlConnection, PgConnection, Row,
};

use crate::servers::{Database, block_on, mariadb, postgres, postgres_newer};

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
    Postgres(Database),
    Mariadb(Database),
    Sqlite(Box<SqliteConnection>),
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
            Server::Postgres => Base::Postgres(postgres().database()),
            Server::PostgresNewer => Base::Postgres(postgres_newer().database()),
            Server::Mariadb => Base::Mariadb(mariadb().database()),
            Server::Sqlite => {
                let options = SqliteConnectOptions::new().in_memory(true);
                let connection = block_on(options.disable_statement_logging().connect());
                Base::Sqlite(Box::new(connection.expect("an in-memory database")))
            }
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

impl Base {
    /// Runs a script outside any transaction of ours.
    pub(crate) fn run(&mut self, script: &str) -> Result<(), Fault> {
        let ran = match self {
            Base::Postgres(database) | Base::Mariadb(database) => database.run(script),
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
        let delivered = self.run(&format!("BEGIN;\n{script}\n;COMMIT;"));
        if let (Err(_), Base::Sqlite(_)) = (&delivered, &self) {
            // Fails where the error itself has ended the transaction.
            let _ = self.run("ROLLBACK");
        }
        delivered
    }

    /// What every table holds.
    pub(crate) fn state(&mut self) -> State {
        let columns = "SELECT CAST(table_name AS char(200)), CAST(column_name AS char(200)) FROM information_schema.columns";
        let tables = match self {
            Base::Postgres(_) => self.ask(&format!(
                "{columns} JOIN pg_class ON oid = to_regclass(quote_ident(table_schema) || '.' || quote_ident(table_name)) \
                 WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND relkind IN ('r', 'p') AND NOT relispartition \
                 ORDER BY table_schema, table_name, ordinal_position"
            )),
            Base::Mariadb(_) => self.ask(&format!(
                "{columns} WHERE table_schema = DATABASE() ORDER BY table_name, ordinal_position"
            )),
            Base::Sqlite(_) => self.ask(
                "SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c \
                 WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' ORDER BY t.name, c.cid",
            ),
        };
        let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for row in tables {
            let mut names = row
                .into_iter()
                .map(|name| name.expect("a name").trim().to_owned());
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
        let answer: Result<Vec<Vec<Option<String>>>, sqlx::Error> = block_on(async {
            match self {
                Base::Postgres(database) => {
                    let mut connection = PgConnection::connect(database.url()).await?;
                    rows!(&mut connection)
                }
                Base::Mariadb(database) => {
                    let mut connection = MySqlConnection::connect(database.url()).await?;
                    rows!(&mut connection)
                }
                Base::Sqlite(connection) => rows!(&mut **connection),
            }
        });
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
