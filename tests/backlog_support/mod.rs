//! Outboxes with rows of every kind, on the servers of the tests and in SQLite files.
#![allow(dead_code, reason = "each test crate asks for what it needs")]

use std::path::Path;

use sqlx::{AssertSqlSafe, Connection, MySqlConnection, PgConnection, SqliteConnection};
use tempfile::TempDir;

use crate::servers::{Database, Server};

pub(crate) const TEMPLATE: &str = "{object_api_name}:{record.id}";

/// What a database holds the payload in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Payload {
    /// The engine's own type for JSON.
    Json,
    /// Text, which can be anything.
    Text,
    /// Bytes.
    Bytes,
}

/// Where the outbox lies.
pub(crate) enum Place {
    Server(Database),
    File(String),
}

/// A project with a configuration, and its database.
pub(crate) struct Project {
    pub(crate) folder: TempDir,
    pub(crate) place: Place,
}

impl Project {
    /// An outbox on a server.
    pub(crate) fn on(server: &Server, payload: Payload) -> Project {
        let database = server.database();
        let postgres = database.url().starts_with("postgres");
        database
            .run(&table(postgres, payload))
            .expect("the outbox is made");
        Project {
            folder: folder(),
            place: Place::Server(database),
        }
    }

    /// An outbox in a file.
    pub(crate) fn in_file(payload: Payload) -> Project {
        let folder = folder();
        let file = folder.path().join("live.sqlite");
        let url = format!("sqlite:{}", file.to_str().expect("UTF-8"));
        std::fs::write(&file, b"").expect("a file");
        let project = Project {
            folder,
            place: Place::File(url),
        };
        project.run(&table(false, payload).replace("DATETIME(6)", "TEXT"));
        project
    }

    pub(crate) fn url(&self) -> &str {
        match &self.place {
            Place::Server(database) => database.url(),
            Place::File(url) => url,
        }
    }

    pub(crate) fn run(&self, script: &str) {
        let mut connection = Connected::to(self.url());
        connection
            .change(script)
            .unwrap_or_else(|error| panic!("{error}: {script}"));
    }

    pub(crate) fn texts(&self, sql: &str) -> Vec<String> {
        Connected::to(self.url()).texts(sql)
    }

    /// What the program says of it.
    pub(crate) fn says(&self, arguments: &[&str]) -> crate::live_support::Said {
        let mut all = arguments.to_vec();
        all.extend(["--database", "env:LIVE"]);
        crate::live_support::run(self.folder.path(), &all, self.url())
    }

    /// The counts of `backlog`.
    pub(crate) fn counts(&self) -> serde_json::Value {
        let said = self.says(&["backlog", "--format", "json"]);
        assert_eq!(said.status, Some(0), "{}", said.stderr);
        serde_json::from_str(&said.stdout).expect("a document")
    }
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    configure(folder.path(), "");
    folder
}

/// Writes the configuration, with more of `outbox` behind what every test needs.
pub(crate) fn configure(folder: &Path, more: &str) {
    let text = format!(
        "version: 1\noutbox:\n  table: queue\n  columns: {{id: id, event_type: kind, payload: body, \
         status: state, retry_count: tries, created: made, modified: beat, record_key: rkey}}\n  \
         states: {{ready: [new], claimed: [taken], done: [done], dead: [dropped]}}\n  \
         record_key: {{template: \"{TEMPLATE}\"}}\n{more}"
    );
    std::fs::write(folder.join("outbox-audit.yaml"), text).expect("the configuration");
}

/// Writes the configuration with cutoffs, and since when keys are written.
pub(crate) fn configure_cutoffs(folder: &Path) {
    configure(
        folder,
        "  stale_cutoff: 5m\n  retry_cutoff: 30s\n  max_retries: 3\n",
    );
    let file = folder.join("outbox-audit.yaml");
    let text = std::fs::read_to_string(&file).expect("the configuration");
    let since = format!("template: \"{TEMPLATE}\", since: 2026-01-03 00:00:00");
    let text = text.replace(&format!("template: \"{TEMPLATE}\""), &since);
    std::fs::write(file, text).expect("written");
}

/// The definition of the outbox.
pub(crate) fn table(postgres: bool, payload: Payload) -> String {
    let kind = match (postgres, payload) {
        (true, Payload::Json) => "jsonb",
        (false, Payload::Json) => "JSON",
        (_, Payload::Text) => "TEXT",
        (true, Payload::Bytes) => "bytea",
        (false, Payload::Bytes) => "BLOB",
    };
    let stamp = if postgres {
        "timestamptz"
    } else {
        "DATETIME(6)"
    };
    format!(
        "CREATE TABLE queue (id VARCHAR(36) PRIMARY KEY, kind VARCHAR(40) NOT NULL, body {kind}, \
         state VARCHAR(20), tries INT NOT NULL DEFAULT 0, made {stamp} NOT NULL, beat {stamp}, \
         rkey VARCHAR(255));\
         CREATE INDEX queue_key ON queue (rkey, state, made, id);\
         CREATE INDEX queue_state ON queue (state, made);"
    )
}

/// An INSERT of one row; a number in the stamp keeps rows apart.
pub(crate) fn row(id: &str, state: Option<&str>, body: &str, key: Option<&str>) -> String {
    let text = |value: Option<&str>| {
        value.map_or_else(
            || "NULL".to_owned(),
            |value| format!("'{}'", value.replace('\'', "''")),
        )
    };
    let stamp = "'2026-01-02 03:04:05.000006'";
    format!(
        "INSERT INTO queue (id, kind, body, state, made, beat, rkey) VALUES ('{id}', 'k', {}, {}, \
         {stamp}, {stamp}, {});",
        text(Some(body)),
        text(state),
        text(key)
    )
}

/// A payload of a lead.
pub(crate) fn lead(id: &str) -> String {
    format!("{{\"object_api_name\": \"Lead\", \"record\": {{\"id\": {id}}}}}")
}

/// The part of the printed backfill behind a heading.
pub(crate) fn section(printed: &str, heading: &str) -> Option<String> {
    let at = printed.find(heading)? + heading.len();
    let rest = &printed[at..];
    let end = rest.find("\n\n-- ").unwrap_or(rest.len());
    Some(rest[..end].trim().to_owned())
}

/// A connection of any engine, on a runtime of its own.
pub(crate) struct Connected {
    wire: Wire,
    runtime: tokio::runtime::Runtime,
}

enum Wire {
    Postgres(PgConnection),
    Mysql(MySqlConnection),
    Sqlite(SqliteConnection),
}

impl Connected {
    pub(crate) fn to(url: &str) -> Connected {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime starts");
        let wire = runtime.block_on(async {
            match url.split(':').next() {
                Some("sqlite") => {
                    Wire::Sqlite(SqliteConnection::connect(url).await.expect("opened"))
                }
                Some("mysql") => Wire::Mysql(MySqlConnection::connect(url).await.expect("met")),
                _ => Wire::Postgres(PgConnection::connect(url).await.expect("met")),
            }
        });
        Connected { wire, runtime }
    }

    /// Runs statements; how many rows they changed.
    pub(crate) fn change(&mut self, sql: &str) -> Result<u64, sqlx::Error> {
        let sql = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
        self.runtime.block_on(async {
            Ok(match &mut self.wire {
                Wire::Postgres(wire) => sql.execute(wire).await?.rows_affected(),
                Wire::Mysql(wire) => sql.execute(wire).await?.rows_affected(),
                Wire::Sqlite(wire) => sql.execute(wire).await?.rows_affected(),
            })
        })
    }

    /// The first column, as text.
    pub(crate) fn texts(&mut self, sql: &str) -> Vec<String> {
        let query = AssertSqlSafe(sql.to_owned());
        self.runtime
            .block_on(async {
                match &mut self.wire {
                    Wire::Postgres(wire) => sqlx::query_scalar(query).fetch_all(wire).await,
                    Wire::Mysql(wire) => sqlx::query_scalar(query).fetch_all(wire).await,
                    Wire::Sqlite(wire) => sqlx::query_scalar(query).fetch_all(wire).await,
                }
            })
            .unwrap_or_else(|error| panic!("{error}: {sql}"))
    }
}
