//! Arguments of the commands that look at one thing: a schema, a source tree, an outbox.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::values;
use crate::input::config::database::DatabaseRef;
use crate::model::schema::Dialect;

/// Arguments of `schema`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true).args(["files", "database"]))]
pub struct SchemaArgs {
    /// SQL, migrations, system_tables.json or directories of them
    #[arg(value_name = "FILE", value_parser = values::path())]
    pub files: Vec<PathBuf>,
    /// SQL dialect [default: told from the text]
    #[arg(long, value_name = "DIALECT")]
    pub dialect: Option<Dialect>,
    /// Live database: env:NAME, sqlite:FILE or a URL (never shown again)
    #[arg(long, value_name = "DATABASE", value_parser = values::DatabaseValue)]
    pub database: Option<DatabaseRef>,
    /// Only this table; may be repeated
    #[arg(long = "table", value_name = "NAME")]
    pub tables: Vec<String>,
    /// Format on stdout
    #[arg(long, value_name = "FORMAT", default_value = "terminal")]
    pub format: SchemaFormat,
}

/// Arguments of `map`.
#[derive(Debug, Default, Args)]
pub struct MapArgs {
    /// The source tree [default: the current directory]
    #[arg(value_parser = values::path())]
    pub path: Option<PathBuf>,
    /// Only these files or directories of it; may be repeated
    #[arg(long = "source", value_name = "PATH", value_parser = values::path())]
    pub sources: Vec<PathBuf>,
    /// File or directory with rules of your own; may be repeated
    #[arg(long, value_name = "PATH", value_parser = values::path())]
    pub rules: Vec<PathBuf>,
    /// Format on stdout
    #[arg(long, value_name = "FORMAT", default_value = "terminal")]
    pub format: MapFormat,
    /// Report only what files that differ from this git revision take part in; all is analysed
    #[arg(long, value_name = "REV")]
    pub changed_since: Option<String>,
    /// Show the calls that lead to each effect, and the calls that emit events
    #[arg(long)]
    pub verbose: bool,
}

/// Formats of `map`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum MapFormat {
    /// Text
    #[default]
    Terminal,
    /// A document for programs
    Json,
    /// A Mermaid flowchart
    Mermaid,
    /// A Graphviz graph
    Dot,
}

/// Where the outbox is, and what it is called.
#[derive(Debug, Default, Args)]
pub struct OutboxArgs {
    /// The project whose configuration is used [default: the current directory]
    #[arg(value_parser = values::path())]
    pub path: Option<PathBuf>,
    /// Configuration file [default: outbox-audit.yaml in PATH or above]
    #[arg(long, value_name = "FILE", value_parser = values::path())]
    pub config: Option<PathBuf>,
    /// Rule pack to use; may be repeated
    #[arg(long = "pack", value_name = "NAME")]
    pub packs: Vec<String>,
    /// Schema as SQL, migrations or system_tables.json; may be repeated
    #[arg(long, value_name = "PATH", value_parser = values::path())]
    pub schema: Vec<PathBuf>,
    /// SQL dialect of the schema [default: told from the text]
    #[arg(long, value_name = "DIALECT")]
    pub dialect: Option<Dialect>,
    /// Live database: env:NAME, sqlite:FILE or a URL (never shown again)
    #[arg(long, value_name = "DATABASE", value_parser = values::DatabaseValue)]
    pub database: Option<DatabaseRef>,
}

/// Arguments of `backlog`.
#[derive(Debug, Args)]
pub struct BacklogArgs {
    /// Where the outbox is.
    #[command(flatten)]
    pub outbox: OutboxArgs,
    /// Count among so many rows only, in the order of their ids; the counts are then lower bounds
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u64).range(1..))]
    pub sample: Option<u64>,
    /// Read payloads of rows that wait row by row, where the database cannot compute their keys;
    /// only counts, ids and names come out
    #[arg(long, conflicts_with = "sample")]
    pub stream_payloads: bool,
    /// Format on stdout
    #[arg(long, value_name = "FORMAT", default_value = "terminal")]
    pub format: SchemaFormat,
}

/// Arguments of `backfill`.
#[derive(Debug, Args)]
pub struct BackfillArgs {
    /// Where the outbox is.
    #[command(flatten)]
    pub outbox: OutboxArgs,
    /// Rows that one statement changes
    #[arg(long, value_name = "ROWS", default_value = "500", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub batch: u32,
}

/// Formats of `schema` and `backlog`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum SchemaFormat {
    /// Text
    #[default]
    Terminal,
    /// A document for programs
    Json,
}
