//! What a file is, told from its name and its first bytes; JSON from its top-level keys.

use std::path::Path;

use crate::input::flows;
use crate::input::schema::is_migration;
use crate::model::metadata::Node;

/// The first bytes of an SQLite database (SQLite file format, section 1.3).
const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";

/// What a file is, as far as a cheap look can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileKind {
    /// JSON; [`json_kind`] says more once it is parsed.
    Json,
    /// Consumers in the neutral YAML format.
    NeutralFlows,
    /// The audit's own configuration.
    Configuration,
    /// SQL text.
    Sql,
    /// A migration in Python.
    Migration,
    /// An SQLite database.
    Sqlite,
    /// Nothing the audit reads.
    Unknown,
}

/// What a JSON file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum JsonKind {
    /// Flow metadata, or consumers in the neutral format.
    Flows,
    /// Declared tables.
    SystemTables,
}

/// True if the name allows a kind that is known, so that the file is worth opening. A database
/// may be called anything, so names without an extension count.
pub fn worth_opening(path: &Path) -> bool {
    let Some(extension) = path.extension() else {
        return true;
    };
    let extension = extension.to_string_lossy().to_ascii_lowercase();
    matches!(
        extension.as_str(),
        "json"
            | "yaml"
            | "yml"
            | "sql"
            | "py"
            | "db"
            | "db3"
            | "sqlite"
            | "sqlite3"
            | "s3db"
            | "sl3"
    )
}

/// Recognises a file by its name and its first bytes.
pub fn recognise(path: &Path, head: &[u8]) -> FileKind {
    if head.starts_with(SQLITE_MAGIC) {
        return FileKind::Sqlite;
    }
    let lower = |text: Option<&std::ffi::OsStr>| {
        text.map(|text| text.to_string_lossy().to_ascii_lowercase())
            .unwrap_or_default()
    };
    let name = lower(path.file_name());
    if matches!(name.as_str(), "outbox-audit.yaml" | "outbox-audit.yml") {
        return FileKind::Configuration;
    }
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    match lower(path.extension()).as_str() {
        "json" if matches!(head.trim_ascii_start().first(), Some(b'{' | b'[')) => FileKind::Json,
        // Whatever it holds instead has to be told, not passed by.
        "json" if is_called_flows(path) => FileKind::Json,
        "yaml" | "yml" if has_consumers(head) => FileKind::NeutralFlows,
        "yaml" | "yml" if is_called_flows(path) && is_damaged(head) => FileKind::NeutralFlows,
        "sql" => FileKind::Sql,
        "py" if is_migration(&String::from_utf8_lossy(head)) => FileKind::Migration,
        _ => FileKind::Unknown,
    }
}

/// True if the name says that the file holds flows: `flows.json`, `crm.flow.json`, `metadata.json`.
pub fn is_called_flows(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default();
    let stem = stem.to_string_lossy().to_ascii_lowercase();
    let last = stem.rsplit(['.', '-', '_']).next().unwrap_or_default();
    matches!(last, "flow" | "flows" | "metadata" | "consumers")
}

/// True if a YAML file is empty, is no text, or is of a version but declares nothing known: it may
/// be meant as what its name says.
fn is_damaged(head: &[u8]) -> bool {
    let mut lines = head.split(|byte| *byte == b'\n');
    head.trim_ascii().is_empty()
        || head.contains(&0)
        || lines.any(|line| line.starts_with(b"version:"))
}

/// True if YAML declares `consumers` at its top level.
fn has_consumers(head: &[u8]) -> bool {
    let in_braces = head.trim_ascii_start().starts_with(b"{");
    head.split(|byte| *byte == b'\n').any(|line| {
        let line = if in_braces {
            line.trim_ascii_start()
        } else {
            line
        };
        [
            &b"consumers"[..],
            b"\"consumers\"",
            b"'consumers'",
            b"{consumers",
        ]
        .iter()
        .filter_map(|key| line.strip_prefix(*key))
        .any(|rest| rest.trim_ascii_start().starts_with(b":"))
    })
}

/// True if a JSON text names a key of the kinds that are known, so that a file met in a directory
/// is worth parsing, and worth a complaint when it cannot be parsed.
pub fn json_worth_parsing(text: &str) -> bool {
    const KEYS: [&str; 9] = [
        "\"trigger_type\"",
        "\"trigger_object\"",
        "\"action_type\"",
        "\"flow_id\"",
        "\"object_api_name\"",
        "\"object_id\"",
        "\"sharing_model\"",
        "\"consumers\"",
        "\"tableName\"",
    ];
    KEYS.iter()
        .any(|key| memchr::memmem::find(text.as_bytes(), key.as_bytes()).is_some())
}

/// Recognises a parsed file; none if it is neither.
pub fn json_kind(node: &Node) -> Option<JsonKind> {
    if flows::is_flows(node) {
        return Some(JsonKind::Flows);
    }
    let is_table = |node: &Node| node.get("tableName").is_some() && node.get("columns").is_some();
    let tables = is_table(node) || (!node.items().is_empty() && node.items().iter().any(is_table));
    tables.then_some(JsonKind::SystemTables)
}
