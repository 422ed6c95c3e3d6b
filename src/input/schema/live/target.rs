//! Which database a reference means: the variable looked up, the engine told by the scheme.

use std::path::PathBuf;

use sqlx::mysql::MySqlConnectOptions;
use sqlx::postgres::PgConnectOptions;

use crate::input::config::database::DatabaseRef;
use crate::model::evidence::{InputKind, Reason, Why};

/// Where to connect. It holds the password and is never printed: no `Debug`.
pub(super) enum Target {
    /// A PostgreSQL server.
    Postgres(Box<PgConnectOptions>),
    /// A MySQL, MariaDB or TiDB server.
    Mysql(Box<MySqlConnectOptions>),
    /// An SQLite file that an environment variable names.
    Sqlite(PathBuf),
}

/// Resolves a reference. Nothing of the URL is repeated in the reason.
pub(super) fn target(reference: &DatabaseRef, label: &str) -> Result<Target, Reason> {
    match reference {
        DatabaseRef::Sqlite(file) => Ok(Target::Sqlite(file.clone())),
        DatabaseRef::Url(url) => of_url(url.expose(), label),
        DatabaseRef::Env(name) => match std::env::var(name) {
            Ok(value) if !value.trim().is_empty() => of_variable(&value, label),
            Ok(_) => Err(unusable(
                format!("the environment variable {name} is empty"),
                format!("put the URL of the database into {name}"),
            )),
            Err(std::env::VarError::NotPresent) => Err(unusable(
                format!("the environment variable {name} is not set"),
                format!("put the URL of the database into {name}"),
            )),
            Err(std::env::VarError::NotUnicode(_)) => Err(unusable(
                format!("the environment variable {name} is not UTF-8"),
                format!("put the URL of the database into {name}"),
            )),
        },
    }
}

fn of_variable(value: &str, label: &str) -> Result<Target, Reason> {
    match DatabaseRef::parse(value) {
        Ok(DatabaseRef::Sqlite(file)) => Ok(Target::Sqlite(file)),
        Ok(DatabaseRef::Url(url)) => of_url(url.expose(), label),
        // A variable that names a variable is a mistake, and could lead in a circle.
        Ok(DatabaseRef::Env(_)) | Err(_) => Err(unusable(
            format!("what {label} holds is no URL of a database"),
            "give postgres://…, mysql://… or sqlite:FILE".to_owned(),
        )),
    }
}

fn of_url(url: &str, label: &str) -> Result<Target, Reason> {
    let scheme = url.split("://").next().unwrap_or("").to_ascii_lowercase();
    let malformed = || {
        unusable(
            format!("{label} is a URL that cannot be read: a part or an option of it is malformed"),
            "write it as scheme://user:password@host:port/database, with %XX for special characters"
                .to_owned(),
        )
    };
    match scheme.as_str() {
        "postgres" | "postgresql" => url
            .parse::<PgConnectOptions>()
            .map(|options| Target::Postgres(Box::new(options)))
            .map_err(|_| malformed()),
        "mysql" | "mariadb" | "tidb" => {
            let options = url
                .parse::<MySqlConnectOptions>()
                .map_err(|_| malformed())?;
            if options.get_database().is_none_or(str::is_empty) {
                return Err(unusable(
                    format!("{label} names a server and no database on it"),
                    "add the name of the database to the end of the URL".to_owned(),
                ));
            }
            Ok(Target::Mysql(Box::new(options)))
        }
        _ => Err(unusable(
            format!("{label} is a URL for an engine that this version does not read"),
            "give postgres://…, mysql://… or sqlite:FILE, or the schema as text (--schema)"
                .to_owned(),
        )),
    }
}

fn unusable(sentence: String, next_step: String) -> Reason {
    Reason {
        why: Why::NotReadable,
        needs: Some(InputKind::Database),
        sentence,
        place: None,
        next_step,
    }
}
