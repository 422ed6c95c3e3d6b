//! The schema with its tables found by name without a walk through all of them.

use std::collections::BTreeMap;
use std::ops::Deref;

use crate::model::schema::{Schema, Table};

/// A schema with an index over its table names, in lower case.
pub(super) struct Tables<'a> {
    schema: &'a Schema,
    by_name: BTreeMap<String, Vec<usize>>,
}

impl<'a> Tables<'a> {
    /// Indexes the tables once.
    pub(super) fn new(schema: &'a Schema) -> Self {
        let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, table) in schema.tables.iter().enumerate() {
            by_name
                .entry(table.name.to_ascii_lowercase())
                .or_default()
                .push(at);
        }
        Self { schema, by_name }
    }

    /// The same answer as [`Schema::table`]: none if several tables match equally well.
    pub(super) fn table(&self, name: &str) -> Option<&'a Table> {
        let bare = name.rsplit_once('.').map_or(name, |(_, bare)| bare);
        match self.by_name.get(&bare.to_ascii_lowercase())?.as_slice() {
            [only] if bare == name => self.schema.tables.get(*only),
            _ => self.schema.table(name),
        }
    }
}

impl Deref for Tables<'_> {
    type Target = Schema;

    fn deref(&self) -> &Schema {
        self.schema
    }
}
