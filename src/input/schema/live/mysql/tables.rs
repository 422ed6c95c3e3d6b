//! Tables of MySQL's family, by name, with what their engines promise.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::evidence::{Reason, Why};
use crate::model::schema::{Schema, Table, TableKind, UnknownTable};
use crate::sql::storage;

use super::super::known::{gap, place, printed};
use super::super::row::Row;
use super::server::Server;

/// All tables.
pub(super) struct Tables<'s> {
    pub(super) label: Arc<str>,
    pub(super) server: &'s Server,
    pub(super) tables: Vec<Table>,
    by_name: BTreeMap<String, usize>,
    /// Tables whose primary key TiDB draws at random.
    pub(super) random: Vec<Arc<str>>,
    unknown: Vec<(usize, Reason)>,
}

impl<'s> Tables<'s> {
    pub(super) fn new(
        label: &Arc<str>,
        server: &'s Server,
        relations: &[Row],
        columns: &[Row],
    ) -> Self {
        let mut tables = Self {
            label: Arc::clone(label),
            server,
            tables: Vec::new(),
            by_name: BTreeMap::new(),
            random: Vec::new(),
            unknown: Vec::new(),
        };
        for row in relations.iter().filter(|row| row.text(1) != "SEQUENCE") {
            tables.table(row);
        }
        for row in columns {
            tables.column(row);
        }
        tables
    }

    fn table(&mut self, row: &Row) {
        let name: Arc<str> = row.text(0).into();
        let engine = row.text(2).to_ascii_lowercase();
        let is_view = row.text(1).contains("VIEW");
        let kind = match row.text(3).to_ascii_lowercase().contains("partitioned") {
            _ if is_view => TableKind::View,
            _ if storage::is_elsewhere(&engine) => TableKind::Foreign,
            true => TableKind::Partitioned,
            false => TableKind::Table,
        };
        let at = self.tables.len();
        self.by_name.insert(name.to_string(), at);
        if !is_view
            && kind != TableKind::Foreign
            && let Some(reason) = self.engine(&name, &engine)
        {
            self.unknown.push((at, reason));
        }
        if row.text(4).starts_with("PK_AUTO_RANDOM_BITS") {
            self.random.push(Arc::clone(&name));
        }
        self.tables.push(Table {
            schema: Some(Arc::clone(&self.server.database)),
            kind,
            unlogged: storage::is_volatile(&engine),
            columns: Vec::new(),
            enforcers: Vec::new(),
            indexes: Vec::new(),
            triggers: Vec::new(),
            foreign_keys: Vec::new(),
            place: place(&self.label, &name),
            name,
        });
    }

    /// Why a table of that engine cannot be relied on.
    fn engine(&self, name: &str, engine: &str) -> Option<Reason> {
        let place = Some(place(&self.label, name));
        if engine.is_empty() {
            return Some(gap(
                Why::NotReadable,
                place,
                format!("{name} cannot be opened by its server"),
                "repair or drop the table",
            ));
        }
        (!storage::obeys_transactions(engine)).then(|| {
            gap(
                Why::NotDecidable,
                place,
                storage::without_transactions(name, engine),
                storage::CONVERT,
            )
        })
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut Table> {
        let at = *self.by_name.get(name)?;
        self.tables.get_mut(at)
    }

    /// Hands the tables over, with the gaps about each.
    pub(super) fn finish(self, schema: &mut Schema) {
        for (at, reason) in self.unknown {
            let table = self.tables.get(at).map(printed);
            schema.unknown.push(UnknownTable { table, reason });
        }
        schema.tables.extend(self.tables);
    }
}
