//! The same metadata as rows of the platform's own tables, read from a live database.

use std::sync::Arc;

use super::kinds::section;
use super::rows::Rows;
use crate::input::schema::TableRows;
use crate::model::metadata::{Member, Node, NodeKind, NodeOrigin, RowOrigin};

/// The table of flows: without a row in it there is no metadata.
pub const FLOWS: &str = "_System_Flow";

/// The tables that hold metadata.
pub const TABLES: &[&str] = &[
    FLOWS,
    "_System_FlowStep",
    "_System_Action",
    "_System_Object",
    "_System_Field",
    "_System_AutoNumber",
];

impl Rows {
    /// Takes up the rows of one table. Whatever a column is in the database, it comes as a text or
    /// as NULL, both of which the reader of rows takes.
    pub fn read_table(&mut self, table: TableRows) {
        self.problems.extend(table.problem);
        let Some(kind) = section(&table.table) else {
            return;
        };
        let key = table
            .columns
            .iter()
            .position(|column| column.eq_ignore_ascii_case("__sys_gen_id"));
        for row in table.rows {
            self.read = true;
            let id: Arc<str> = key
                .and_then(|at| row.get(at)?.as_deref())
                .unwrap_or("?")
                .into();
            let node = node(&table.table, &table.columns, &id, row);
            self.row_of(node, kind);
        }
    }
}

/// A row as an object. Offsets mean nothing in it: the column is the place.
fn node(table: &Arc<str>, columns: &[Arc<str>], key: &Arc<str>, row: Vec<Option<String>>) -> Node {
    let of_field = |field: &str, kind: NodeKind| Node {
        kind,
        start: 0,
        end: 0,
        origin: NodeOrigin::Row(Arc::new(RowOrigin {
            table: Arc::clone(table),
            key: Arc::clone(key),
            field: field.into(),
        })),
    };
    let members = columns
        .iter()
        .zip(row)
        .map(|(column, value)| Member {
            key: column.to_lowercase().into(),
            key_start: 0,
            key_end: 0,
            value: of_field(
                column,
                value.map_or(NodeKind::Null, |text| NodeKind::String(text.into())),
            ),
        })
        .collect();
    of_field("", NodeKind::Object(members))
}
