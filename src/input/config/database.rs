//! How a database is named: by an environment variable, by an SQLite file, or, on the command
//! line only, by a URL that is never shown again.

use std::fmt;
use std::path::PathBuf;

/// A database to read.
#[derive(Clone, PartialEq, Eq)]
pub enum DatabaseRef {
    /// `env:NAME`: the URL stands in that environment variable.
    Env(String),
    /// `sqlite:FILE`.
    Sqlite(PathBuf),
    /// A URL typed on the command line.
    Url(SecretUrl),
}

/// A connection URL. It may hold a password, so neither `Debug` nor `Display` shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretUrl(String);

impl SecretUrl {
    /// The URL itself, for the connection and for nothing else.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretUrl(hidden)")
    }
}

impl DatabaseRef {
    /// Reads `env:NAME`, `sqlite:FILE` or a URL.
    ///
    /// The error is a fixed sentence: what was typed may hold a password and is not repeated.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let text = text.trim();
        if let Some(name) = text.strip_prefix("env:") {
            return if is_variable_name(name) {
                Ok(DatabaseRef::Env(name.to_owned()))
            } else {
                Err(
                    "`env:` wants the name of an environment variable, for example `env:DATABASE_URL`",
                )
            };
        }
        if let Some(file) = text.strip_prefix("sqlite:") {
            let file = file.strip_prefix("//").unwrap_or(file);
            return if file.is_empty() {
                Err("`sqlite:` wants the path of a file, for example `sqlite:data/app.db`")
            } else {
                Ok(DatabaseRef::Sqlite(PathBuf::from(file)))
            };
        }
        if is_url(text) {
            return Ok(DatabaseRef::Url(SecretUrl(text.to_owned())));
        }
        Err("a database is given as `env:NAME`, `sqlite:FILE` or a URL")
    }

    /// How the database is called in reports; never a URL.
    pub fn label(&self) -> String {
        match self {
            DatabaseRef::Env(name) => format!("env:{name}"),
            DatabaseRef::Sqlite(file) => {
                format!("sqlite:{}", file.to_string_lossy().replace('\\', "/"))
            }
            DatabaseRef::Url(_) => "the URL given with --database".to_owned(),
        }
    }
}

impl fmt::Debug for DatabaseRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DatabaseRef({})", self.label())
    }
}

/// True of the names POSIX allows for an environment variable.
fn is_variable_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name
            .chars()
            .all(|each| each.is_ascii_alphanumeric() || each == '_')
}

/// True of `scheme://…`.
pub(crate) fn is_url(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, rest)| {
        !scheme.is_empty()
            && !rest.is_empty()
            && scheme
                .chars()
                .all(|each| each.is_ascii_alphanumeric() || "+-.".contains(each))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_forms_are_told_apart() {
        assert_eq!(
            DatabaseRef::parse("env:DB_URL"),
            Ok(DatabaseRef::Env("DB_URL".into()))
        );
        for (text, file) in [
            ("sqlite:a/b.db", "a/b.db"),
            ("sqlite://b.db", "b.db"),
            ("sqlite:///b.db", "/b.db"),
        ] {
            assert_eq!(
                DatabaseRef::parse(text),
                Ok(DatabaseRef::Sqlite(file.into()))
            );
        }
        let url = DatabaseRef::parse("mysql://u:hunter2@h/db").unwrap();
        assert!(matches!(&url, DatabaseRef::Url(url) if url.expose().contains("hunter2")));
        assert!(!format!("{url:?} {}", url.label()).contains("hunter2"));
    }

    #[test]
    fn what_is_none_of_them_is_refused_without_repeating_it() {
        for text in [
            "",
            "env:",
            "env:a-b",
            "env:postgres://u:hunter2@h",
            "sqlite:",
            "sqlite://",
            "u:hunter2@tcp(h)/d",
            "app.db",
        ] {
            let refused = DatabaseRef::parse(text).unwrap_err();
            assert!(!refused.contains("hunter2"), "{refused}");
        }
    }
}
