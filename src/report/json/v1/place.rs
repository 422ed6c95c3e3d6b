//! Places in the document.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::place::Place as Model;

/// Where a fact lives. The keys present tell the kind: `file`, `object`, `table`, `rule` or
/// `command_line`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Place<'r> {
    /// In a text file; lines and columns are 1-based, columns count characters, and the end is
    /// just behind the last character.
    File {
        /// Relative path with `/`.
        file: &'r str,
        /// First line.
        line: u32,
        /// First column.
        column: u32,
        /// Line of the end.
        end_line: u32,
        /// Column of the end.
        end_column: u32,
    },
    /// A whole file that has no meaningful line.
    Path {
        /// Relative path with `/`.
        file: &'r str,
    },
    /// An object of a live database.
    Object {
        /// Name of the connection; never a URL.
        connection: &'r str,
        /// Table, index or constraint.
        object: &'r str,
    },
    /// A row of a live table.
    Row {
        /// The table.
        table: &'r str,
        /// Its primary key, printed.
        key: &'r str,
        /// The column, when one is meant.
        field: Option<&'r str>,
    },
    /// An entry of a rule pack.
    Rule {
        /// Pack name.
        pack: &'r str,
        /// Entry id.
        rule: &'r str,
    },
    /// The command line.
    CommandLine {
        /// Always true.
        command_line: bool,
    },
}

impl<'r> Place<'r> {
    pub(super) fn new(place: &'r Model) -> Self {
        match place {
            Model::File(span) => Place::File {
                file: &span.file,
                line: span.start.line,
                column: span.start.column,
                end_line: span.end.line,
                end_column: span.end.column,
            },
            Model::Path(file) => Place::Path { file },
            Model::Object { connection, object } => Place::Object { connection, object },
            Model::Row(row) => Place::Row {
                table: &row.table,
                key: &row.key,
                field: row.field.as_deref(),
            },
            Model::Rule { pack, entry } => Place::Rule { pack, rule: entry },
            Model::CommandLine => Place::CommandLine { command_line: true },
        }
    }
}
