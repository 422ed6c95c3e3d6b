//! Where a fact lives: a span of a file, an object of a live database, a row, or an entry of a rule pack.

use std::fmt;
use std::sync::Arc;

/// A position in a text file. Both numbers are 1-based; the column counts characters, not bytes.
///
/// Made only by [`crate::model::text::TextFile`], so that no two readers count differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pos {
    /// Line, 1-based.
    pub line: u32,
    /// Column in characters, 1-based.
    pub column: u32,
}

/// A stretch of a text file; `end` is the position just behind the last character.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Path relative to the audited root, with `/` on every platform.
    pub file: Arc<str>,
    /// First character.
    pub start: Pos,
    /// Just behind the last character.
    pub end: Pos,
}

/// Where a fact lives.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// In a text file.
    File(Span),
    /// A whole file that has no meaningful line (a binary, a file that could not be read).
    Path(Arc<str>),
    /// An object of a live database, for example an index that no file declares.
    Object {
        /// How the connection is called in reports; never a URL.
        connection: Arc<str>,
        /// Table, index or constraint name.
        object: Arc<str>,
    },
    /// A row of a live table. Boxed: places are many, and few are rows.
    Row(Box<RowPlace>),
    /// An entry of a rule pack.
    Rule {
        /// Pack name.
        pack: Arc<str>,
        /// Entry id.
        entry: Arc<str>,
    },
    /// The command line.
    CommandLine,
}

/// A row of a live table, and the column in it when one is meant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowPlace {
    /// The table.
    pub table: Arc<str>,
    /// The primary key, printed.
    pub key: Arc<str>,
    /// The column.
    pub field: Option<Arc<str>>,
}

impl fmt::Display for Place {
    /// `file:line:column`, `connection: object`, `table[key].field`, `rule pack/entry`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File(span) => {
                write!(f, "{}:{}:{}", span.file, span.start.line, span.start.column)
            }
            Place::Path(path) => f.write_str(path),
            Place::Object { connection, object } => write!(f, "{connection}: {object}"),
            Place::Row(row) => {
                write!(f, "{}[{}]", row.table, row.key)?;
                match &row.field {
                    Some(field) => write!(f, ".{field}"),
                    None => Ok(()),
                }
            }
            Place::Rule { pack, entry } => write!(f, "rule {pack}/{entry}"),
            Place::CommandLine => f.write_str("command line"),
        }
    }
}

impl Place {
    /// The span, when the place is one in a text file.
    pub fn span(&self) -> Option<&Span> {
        match self {
            Place::File(span) => Some(span),
            _ => None,
        }
    }
}
