//! Flow metadata: one file per format, all read into one [`Metadata`].

pub mod neutral;
pub mod nexuscrm;

use std::sync::Arc;

use crate::input::json;
use crate::input::schema::TableRows;
use crate::model::evidence::InputKind;
use crate::model::metadata::{Metadata, Node, NodeKind};
use crate::model::schema::{Dialect, Schema};
use crate::model::text::TextFile;

/// Reads every file by what it holds, in the order of their paths; a path given twice is read
/// once. Rows of one file may refer to rows of another. Two flows of the same name stay two.
///
/// What cannot be read, and each row that had to be left out, is among the problems; `read` is
/// set once one file was read to its end.
pub fn read(files: &[Arc<TextFile>]) -> Metadata {
    read_for(files, None)
}

/// The same, with the engine that statements in them are written for.
pub fn read_for(files: &[Arc<TextFile>], dialect: Option<Dialect>) -> Metadata {
    let files = files.iter().map(|file| (Arc::clone(file), None));
    read_parsed(files.collect(), Vec::new(), dialect, &[])
}

/// As [`read_for`]; the tree of a file that was parsed already is taken as it is, and the rows of
/// the platform's own tables, read from a live database, are metadata too. The schemas say which
/// columns a statement means that names none.
pub fn read_parsed(
    mut files: Vec<(Arc<TextFile>, Option<Node>)>,
    tables: Vec<TableRows>,
    dialect: Option<Dialect>,
    schemas: &[&Schema],
) -> Metadata {
    files.sort_by(|(one, _), (other, _)| one.path.cmp(&other.path));
    files.dedup_by(|(one, _), (other, _)| one.path == other.path);
    let mut metadata = Metadata::default();
    let mut ids = neutral::Ids::new();
    let mut rows = nexuscrm::Rows::default();
    for (file, tree) in files {
        if !is_json(&file) {
            neutral::read(&file, dialect, schemas, &mut metadata, &mut ids);
            continue;
        }
        match tree.map_or_else(|| json::parse(&file), Ok) {
            Ok(node) if is_neutral(&node) => {
                neutral::read(&file, dialect, schemas, &mut metadata, &mut ids);
            }
            Ok(node) => rows.read(node),
            Err(error) => metadata
                .problems
                .push(error.reason(&file, InputKind::Flows)),
        }
    }
    for table in tables {
        rows.read_table(table);
    }
    rows.join(&mut metadata);
    metadata
}

/// True if parsed JSON holds flow metadata or consumers in the neutral format.
pub fn is_flows(node: &Node) -> bool {
    is_neutral(node) || nexuscrm::is_metadata(node)
}

/// A report or map of this tool lists consumers too, and says what document it is.
fn is_neutral(node: &Node) -> bool {
    let consumers = node.get("consumers");
    consumers.is_some_and(|it| matches!(it.kind, NodeKind::Array(_)))
        && node.get("document").is_none()
}

/// By the extension; without a telling one, by the first character.
fn is_json(file: &TextFile) -> bool {
    let extension = file.path.rsplit_once('.').map(|(_, extension)| extension);
    match extension {
        Some(it) if it.eq_ignore_ascii_case("json") => true,
        Some(it) if it.eq_ignore_ascii_case("yaml") || it.eq_ignore_ascii_case("yml") => false,
        _ => file.text().trim_start().starts_with(['{', '[']),
    }
}
