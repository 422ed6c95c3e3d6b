//! A database of a test's own, dropped when the test is done with it.

use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection, PgConnection};

/// A database with a name that nothing else has; it ends with this guard.
pub(crate) struct Database {
    server: String,
    name: String,
    url: String,
}

impl Database {
    /// Creates it on the server of this URL.
    pub(super) fn on(server: &str) -> Database {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("outbox_audit_{}_{count}", std::process::id());
        run(server, &format!("CREATE DATABASE {name}")).expect("a database is created");
        let url = with_database(server, &name);
        let server = server.to_owned();
        Database { server, name, url }
    }

    /// The URL of the superuser at this database.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Runs a script of any number of statements on a connection of its own.
    pub(crate) fn run(&self, script: &str) -> Result<(), sqlx::Error> {
        run(&self.url, script)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // Connections that a failed test left open must not keep it.
        let force = if is_postgres(&self.server) {
            " WITH (FORCE)"
        } else {
            ""
        };
        let statement = format!("DROP DATABASE {}{force}", self.name);
        let server = self.server.clone();
        // A thread of its own: the guard may end inside a runtime, which can start no second one.
        let dropped = std::thread::spawn(move || run(&server, &statement)).join();
        if !std::thread::panicking() {
            dropped.expect("it runs").expect("the database is dropped");
        }
    }
}

/// Runs a future to its end on a runtime of this thread.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime starts")
        .block_on(future)
}

fn is_postgres(url: &str) -> bool {
    url.starts_with("postgres")
}

fn run(url: &str, script: &str) -> Result<(), sqlx::Error> {
    let script = AssertSqlSafe(script.to_owned());
    block_on(async {
        if is_postgres(url) {
            let mut connection = PgConnection::connect(url).await?;
            connection.execute(sqlx::raw_sql(script)).await?;
            connection.close().await
        } else {
            let mut connection = MySqlConnection::connect(url).await?;
            connection.execute(sqlx::raw_sql(script)).await?;
            connection.close().await
        }
    })
}

/// The URL with another database: what stands between the host and `?`.
fn with_database(url: &str, name: &str) -> String {
    let (path, query) = match url.split_once('?') {
        Some((path, query)) => (path, format!("?{query}")),
        None => (url, String::new()),
    };
    let (scheme, rest) = path.split_once("://").expect("a URL has a scheme");
    let host = rest.split_once('/').map_or(rest, |(host, _)| host);
    format!("{scheme}://{host}/{name}{query}")
}
