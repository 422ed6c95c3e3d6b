//! A server: the one that the environment names, or an own one for this process.

use std::env;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use super::Database;

/// A running server.
pub(crate) struct Server {
    url: String,
    /// What holds an own server: it stops when its input closes, however this process ends.
    _holder: Option<Child>,
}

/// The PostgreSQL of the distribution, 14 or later.
pub(crate) fn postgres() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| Server::named("OUTBOX_AUDIT_TEST_POSTGRES", "postgres"))
}

/// PostgreSQL 18, whose catalogs know more.
pub(crate) fn postgres_newer() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| Server::named("OUTBOX_AUDIT_TEST_POSTGRES_NEWER", "postgres-newer"))
}

/// MariaDB.
pub(crate) fn mariadb() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| Server::named("OUTBOX_AUDIT_TEST_MARIADB", "mariadb"))
}

impl Server {
    /// The URL of its superuser, at the database that it always has.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// A new, empty database, dropped with its guard.
    pub(crate) fn database(&self) -> Database {
        Database::on(&self.url)
    }

    fn named(variable: &str, engine: &str) -> Server {
        match env::var(variable) {
            Ok(url) if !url.is_empty() => Server { url, _holder: None },
            _ => Server::own(engine),
        }
    }

    fn own(engine: &str) -> Server {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/servers");
        let mut process = Command::new("bash")
            .arg(script)
            .args(["hold", engine])
            // What stops this process must not stop the one that cleans up after it.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("bash runs");
        let mut url = String::new();
        let mut output = BufReader::new(process.stdout.take().expect("its output"));
        output.read_line(&mut url).expect("its output is text");
        let url = url.trim().to_owned();
        if url.is_empty() {
            let mut why = String::new();
            let mut errors = process.stderr.take().expect("its errors");
            errors
                .read_to_string(&mut why)
                .expect("its errors are text");
            panic!("the server {engine} does not start: {why}");
        }
        Server {
            url,
            _holder: Some(process),
        }
    }
}
