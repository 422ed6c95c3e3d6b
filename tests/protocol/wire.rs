//! A connection to a server of either kind.

use std::time::Duration;

use outbox_audit::protocol::Engine;
use sqlx::mysql::MySqlDatabaseError;
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection, PgConnection};

/// MariaDB shows transactions as they were until nobody has looked for a tenth of a second: whoever
/// looks waits so long before, and alone, or nobody ever sees anything new.
const BETWEEN_LOOKS: Duration = Duration::from_millis(110);
static LOOKING: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// A connection, and the number by which the server knows it.
pub(crate) struct Wire {
    inner: Inner,
    number: i64,
}

enum Inner {
    MySql(MySqlConnection),
    Postgres(PgConnection),
}

fn code(error: &sqlx::Error) -> String {
    let error = error.as_database_error();
    let error = error.unwrap_or_else(|| panic!("the connection stands"));
    match error.try_downcast_ref::<MySqlDatabaseError>() {
        Some(error) => error.number().to_string(),
        None => error.code().expect("a code").into_owned(),
    }
}

impl Wire {
    /// Opens one; `waits` if its statements wait for locks as long as it takes.
    pub(crate) async fn open(engine: Engine, url: &str, waits: bool) -> Wire {
        // MariaDB counts in seconds.
        let limit = match (waits, engine) {
            (true, _) => "60000",
            (false, Engine::MySql) => "1000",
            (false, Engine::Postgres) => "300",
        };
        let (inner, setting, asked) = match engine {
            Engine::MySql => (
                Inner::MySql(MySqlConnection::connect(url).await.expect("it connects")),
                format!("SET innodb_lock_wait_timeout = {limit} DIV 1000"),
                "SELECT CAST(CONNECTION_ID() AS SIGNED)",
            ),
            Engine::Postgres => (
                Inner::Postgres(PgConnection::connect(url).await.expect("it connects")),
                // A session that waits leaves finding deadlocks to the others.
                format!(
                    "SET lock_timeout = '{limit}ms'; SET deadlock_timeout = '{}'",
                    if waits { "60s" } else { "50ms" }
                ),
                "SELECT pg_backend_pid()::bigint",
            ),
        };
        let mut wire = Wire { inner, number: 0 };
        wire.must(&setting).await;
        wire.number = wire.numbers(asked).await[0][0].expect("a number");
        wire
    }

    /// Runs a statement: how many rows it touched, or the engine's code of its error.
    pub(crate) async fn run(&mut self, sql: &str) -> Result<u64, String> {
        let text = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
        let ran = match &mut self.inner {
            Inner::MySql(wire) => wire.execute(text).await.map(|done| done.rows_affected()),
            Inner::Postgres(wire) => wire.execute(text).await.map(|done| done.rows_affected()),
        };
        ran.map_err(|error| code(&error))
    }

    /// The same, where no error may come.
    pub(crate) async fn must(&mut self, sql: &str) -> u64 {
        let ran = self.run(sql).await;
        ran.unwrap_or_else(|code| panic!("{sql}: {code}"))
    }

    /// The rows of a query whose columns are integers.
    pub(crate) async fn numbers(&mut self, sql: &str) -> Vec<Vec<Option<i64>>> {
        macro_rules! rows {
            ($wire:expr) => {{
                let text = sqlx::query(AssertSqlSafe(sql.to_owned()));
                let rows = text.fetch_all($wire).await.expect("it answers");
                let columns = |row| {
                    (0..sqlx::Row::len(row))
                        .map(|at| sqlx::Row::get(row, at))
                        .collect()
                };
                rows.iter().map(columns).collect()
            }};
        }
        match &mut self.inner {
            Inner::MySql(wire) => rows!(wire),
            Inner::Postgres(wire) => rows!(wire),
        }
    }

    /// Ends the connection as a crash does, and waits until the server has noticed.
    pub(crate) async fn break_off(self, watcher: &mut Wire) {
        let number = self.number;
        let (kill, count) = match self.inner {
            Inner::MySql(_) => (
                format!("KILL {number}"),
                // Its transaction may outlive its line in the list of processes.
                format!(
                    "SELECT (SELECT COUNT(*) FROM information_schema.processlist WHERE id = {number}) + \
                     (SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_mysql_thread_id = {number})"
                ),
            ),
            Inner::Postgres(_) => (
                format!("SELECT pg_terminate_backend({number})"),
                format!("SELECT COUNT(*) FROM pg_stat_activity WHERE pid = {number}"),
            ),
        };
        watcher.must(&kill).await;
        drop(self.inner);
        loop {
            let _alone = LOOKING.lock().await;
            tokio::time::sleep(BETWEEN_LOOKS).await;
            if watcher.numbers(&count).await[0][0] == Some(0) {
                return;
            }
        }
    }
}
