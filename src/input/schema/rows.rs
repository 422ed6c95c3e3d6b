//! Rows of tables that hold metadata, read beside the schema in the same transaction.

use std::sync::Arc;

use crate::model::backlog::Backlog;
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::outbox::OutboxNames;
use crate::model::schema::Schema;
use crate::model::server::Server;

/// More rows of one table than anybody's metadata has.
pub(super) const MOST: usize = 100_000;

/// A live database: its schema, and the rows that were asked for.
#[derive(Debug)]
pub struct Live {
    /// The schema.
    pub schema: Schema,
    /// Rows by table, for those of the tables that it has.
    pub rows: Vec<TableRows>,
    /// What the server says of itself; none for a file.
    pub server: Option<Server>,
    /// What waits in the outbox, where one was looked for and is there.
    pub backlog: Option<Backlog>,
}

/// What is read of a live database beside its schema.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// Tables whose rows are metadata.
    pub tables: &'a [&'a str],
    /// The outbox whose backlog is counted.
    pub outbox: Option<&'a OutboxNames>,
    /// Told beforehand what will be read, where that is much.
    pub notice: Option<fn(&str)>,
}

/// The rows of one table, every value as text.
#[derive(Debug)]
pub struct TableRows {
    /// The table, as it was asked for.
    pub table: Arc<str>,
    /// Columns in order.
    pub columns: Vec<Arc<str>>,
    /// Rows in the order of the first column; `None` is NULL.
    pub rows: Vec<Vec<Option<String>>>,
    /// Why they are not all, or none.
    pub problem: Option<Reason>,
}

/// The query for the rows of a table, in the order of its columns. `quote` quotes a name, `text`
/// casts a column to text.
pub(super) fn query(
    schema: Option<&str>,
    table: &str,
    columns: &[Arc<str>],
    quote: &dyn Fn(&str) -> String,
    text: &dyn Fn(&str) -> String,
) -> String {
    let columns: Vec<String> = columns.iter().map(|column| text(&quote(column))).collect();
    let name = match schema {
        Some(schema) => format!("{}.{}", quote(schema), quote(table)),
        None => quote(table),
    };
    format!(
        "SELECT {} FROM {name} ORDER BY 1 LIMIT {}",
        columns.join(", "),
        MOST + 1
    )
}

impl TableRows {
    /// From what the query gave.
    pub(super) fn new(
        wanted: &str,
        columns: Vec<Arc<str>>,
        rows: Result<Vec<Vec<Option<String>>>, Reason>,
    ) -> Self {
        let (mut rows, mut problem) = match rows {
            Ok(rows) => (rows, None),
            Err(reason) => (
                Vec::new(),
                Some(Reason {
                    needs: Some(InputKind::Flows),
                    ..reason
                }),
            ),
        };
        if rows.len() > MOST {
            rows.truncate(MOST);
            problem = Some(Reason {
                why: Why::NotReadable,
                needs: Some(InputKind::Flows),
                sentence: format!("{wanted} has more than {MOST} rows; the rest was not read"),
                place: None,
                next_step: "export the metadata that is in use, and give it with --flows"
                    .to_owned(),
            });
        }
        Self {
            table: wanted.into(),
            columns,
            rows,
            problem,
        }
    }
}
