//! The commented configuration file that `init` writes from what it finds.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::model::schema::Dialect;

mod look;
mod text;

pub use look::look;

/// What of a project an audit could read; paths are relative to its root, with `/`, sorted.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Found {
    /// Flow metadata, files or directories.
    pub flows: Vec<String>,
    /// Schema as text, files or directories.
    pub schema: Vec<String>,
    /// The engine that the SQL among them is written for, by its own signs.
    pub dialect: Option<Dialect>,
    /// SQLite databases.
    pub databases: Vec<String>,
    /// Folders with source that can be read.
    pub source: Vec<String>,
    /// Test results.
    pub tests: Vec<String>,
    /// The flag whose flip is asked about.
    pub flag: Option<String>,
    /// True if the search ended before it had seen everything.
    pub cut_short: bool,
}

/// Why no file was written.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    /// There is one already.
    #[error("{} exists and is not overwritten; use --force to replace it", .0.display())]
    Exists(PathBuf),
    /// The file system refused.
    #[error("{} cannot be written: {}", .path.display(), .source)]
    Write {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
}

/// The text of the file: each option with one line that explains it, what was found filled in.
pub fn init(found: &Found) -> String {
    let mut text = String::new();
    for line in text::TEMPLATE.lines() {
        let written = match line.trim_start().strip_prefix("@") {
            Some(slot) => filled(slot, found),
            None => line.to_owned(),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{written}");
    }
    text
}

/// Writes the file into a directory and gives its path.
///
/// # Errors
/// A file of that name is there and `force` is not given, or it cannot be written.
pub fn write(root: &Path, found: &Found, force: bool) -> Result<PathBuf, InitError> {
    let path = root.join(text::FILE_NAME);
    let mut options = OpenOptions::new();
    options.write(true);
    if force {
        options.create(true).truncate(true);
    } else {
        options.create_new(true);
    }
    let failed = |source: std::io::Error| {
        if source.kind() == std::io::ErrorKind::AlreadyExists {
            InitError::Exists(path.clone())
        } else {
            let path = path.clone();
            InitError::Write { path, source }
        }
    };
    let mut file = options.open(&path).map_err(failed)?;
    file.write_all(init(found).as_bytes()).map_err(failed)?;
    Ok(path)
}

/// A line of `inputs` or `gate`: the option with what was found, else an example behind `#`.
fn filled(slot: &str, found: &Found) -> String {
    let (key, example) = slot.split_once(' ').unwrap_or((slot, ""));
    let paths = match key {
        "flows" => &found.flows,
        "schema" => &found.schema,
        "source" => &found.source,
        "tests" => &found.tests,
        "database" => {
            return match found.databases.as_slice() {
                [] => format!("  #database: {example}"),
                [one] => format!("  database: {}", scalar(&format!("sqlite:{one}"))),
                several => several.iter().fold(
                    "  # Several were found: keep the one that is live.".to_owned(),
                    |lines, one| {
                        lines + &format!("\n  #database: {}", scalar(&format!("sqlite:{one}")))
                    },
                ),
            };
        }
        "dialect" => {
            return match found.dialect {
                Some(dialect) => format!("  {key}: {}", dialect.word()),
                None => format!("  #{key}: {example}"),
            };
        }
        _ => {
            return match &found.flag {
                Some(flag) => format!("  {key}: {}", scalar(flag)),
                None => format!("  #{key}: {example}"),
            };
        }
    };
    match paths.as_slice() {
        [] => format!("  #{key}: {example}"),
        [one] => format!("  {key}: {}", scalar(one)),
        several => several.iter().fold(format!("  {key}:"), |lines, one| {
            lines + &format!("\n    - {}", scalar(one))
        }),
    }
}

/// A YAML scalar: plain where that is safe, else in double quotes, whose escapes are JSON's.
fn scalar(text: &str) -> String {
    let plain = text.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '.')
        && text
            .chars()
            .all(|each| each.is_ascii_alphanumeric() || "_./-:".contains(each))
        && !text.ends_with(':');
    if plain {
        return text.to_owned();
    }
    serde_json::Value::from(text).to_string()
}
