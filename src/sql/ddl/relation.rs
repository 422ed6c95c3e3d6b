//! A relation and its keys as the text has them, with what the model does not keep.

use std::sync::Arc;

use crate::model::evidence::Reason;
use crate::model::place::Place;
use crate::model::schema::{
    Column, ConflictClause, DbTrigger, Deferral, Dialect, EnforcerKind, KeyPart, Table, TableKind,
};
use crate::sql::cursor::QualifiedName;

use super::catalog::RelationKey;
use super::names;

/// An index or constraint as it stands in the text; nullability follows at the end.
#[derive(Debug, Clone)]
pub(super) struct Key {
    /// Its name, generated where the text gives none; empty until then.
    pub(super) name: Arc<str>,
    /// What it enforces; nothing for a plain index.
    pub(super) enforces: Option<EnforcerKind>,
    pub(super) parts: Vec<KeyPart>,
    pub(super) include: Vec<Arc<str>>,
    pub(super) predicate: Option<Arc<str>>,
    pub(super) nulls_not_distinct: bool,
    pub(super) deferral: Deferral,
    pub(super) on_conflict: Option<ConflictClause>,
    /// SQLite: the key is the rowid itself; there is no index.
    pub(super) rowid: bool,
    /// SQLite: the column constraint said DESC, which makes no rowid alias.
    pub(super) descending: bool,
    /// TiDB: it holds across all partitions.
    pub(super) global: bool,
    /// PostgreSQL: `ON ONLY`: not enforced by itself.
    pub(super) only: bool,
    pub(super) place: Place,
}

impl Key {
    pub(super) fn new(enforces: Option<EnforcerKind>, place: Place) -> Self {
        Self {
            name: Arc::from(""),
            enforces,
            parts: Vec::new(),
            include: Vec::new(),
            predicate: None,
            nulls_not_distinct: false,
            deferral: Deferral::Immediate,
            on_conflict: None,
            rowid: false,
            descending: false,
            global: false,
            only: false,
            place,
        }
    }

    pub(super) fn is_primary(&self) -> bool {
        self.enforces == Some(EnforcerKind::PrimaryKey)
    }

    /// True if it compares, includes or filters by that column.
    pub(super) fn mentions(&self, column: &str) -> bool {
        let named = |name: &Arc<str>| name.eq_ignore_ascii_case(column);
        self.parts.iter().any(|part| {
            part.column.as_ref().is_some_and(named)
                || part
                    .expression
                    .as_ref()
                    .is_some_and(|text| has_word(text, column))
        }) || self.include.iter().any(named)
            || self
                .predicate
                .as_ref()
                .is_some_and(|text| has_word(text, column))
    }
}

/// True if the text holds the word, whatever stands around it.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    text.split(|character: char| !(character.is_alphanumeric() || "_$".contains(character)))
        .any(|found| found.eq_ignore_ascii_case(word))
}

/// One relation with what the model does not keep.
#[derive(Debug, Clone)]
pub(super) struct Relation {
    pub(super) table: Table,
    pub(super) keys: Vec<Key>,
    /// Columns that a CHECK constraint keeps from being NULL, with the constraint's name.
    pub(super) null_checks: Vec<(Option<Arc<str>>, Arc<str>)>,
    /// PostgreSQL: names that NOT NULL constraints were given, with the column.
    pub(super) not_nulls: Vec<(Arc<str>, Arc<str>)>,
    /// What could not be read about it.
    pub(super) unknown: Vec<Reason>,
    /// False if only statements about it were seen, never the one that makes it.
    pub(super) defined: bool,
    /// The partitioned table it is a partition of.
    pub(super) partition_of: Option<RelationKey>,
    /// The columns it is partitioned by; for PostgreSQL none of expressions.
    pub(super) partition_key: Vec<Arc<str>>,
    /// PostgreSQL: the composite type whose attributes are its columns.
    pub(super) of_type: Option<RelationKey>,
    /// PostgreSQL: the tables it inherits from.
    pub(super) inherits: Vec<RelationKey>,
    /// MySQL: the storage engine, where it is named.
    pub(super) engine: Option<Arc<str>>,
    /// A temporary table that the end of its transaction drops.
    pub(super) until_commit: bool,
    /// PostgreSQL: triggers that are switched off.
    pub(super) silent: Vec<DbTrigger>,
}

impl Relation {
    pub(super) fn new(name: QualifiedName, kind: TableKind, place: Place) -> Self {
        Self {
            table: Table {
                schema: name.schema,
                name: name.name,
                kind,
                unlogged: false,
                columns: Vec::new(),
                enforcers: Vec::new(),
                indexes: Vec::new(),
                triggers: Vec::new(),
                foreign_keys: Vec::new(),
                place,
            },
            keys: Vec::new(),
            null_checks: Vec::new(),
            not_nulls: Vec::new(),
            unknown: Vec::new(),
            defined: true,
            partition_of: None,
            partition_key: Vec::new(),
            of_type: None,
            inherits: Vec::new(),
            engine: None,
            until_commit: false,
            silent: Vec::new(),
        }
    }

    /// Gives a partition every key of its parent, under a name of its own.
    pub(super) fn take_keys_of(&mut self, parent: &Relation) {
        for key in parent.keys.iter().filter(|key| !key.only) {
            let own = self.keys.iter().any(|own| {
                !own.only
                    && own.parts == key.parts
                    && own.predicate == key.predicate
                    && own.enforces.is_some() == key.enforces.is_some()
            });
            if own {
                continue;
            }
            let mut key = key.clone();
            let existing = &self.keys;
            let taken = |name: &str| existing.iter().any(|own| &*own.name == name);
            let table = &self.table.name;
            key.name = names::generate(Dialect::Postgres, table, existing, &key, &taken);
            self.keys.push(key);
        }
    }

    /// Adds NOT NULL to a column.
    pub(super) fn not_null(&mut self, name: Option<Arc<str>>, column: &str) {
        if let Some(found) = self.column_mut(column) {
            found.nullable = false;
            let column = found.name.clone();
            self.not_nulls.extend(name.map(|name| (name, column)));
        }
    }

    /// True if a type, default or expression of it mentions that name.
    pub(super) fn uses(&self, name: &str) -> bool {
        self.table.columns.iter().any(|column| {
            has_word(&column.data_type, name)
                || column
                    .default
                    .as_ref()
                    .is_some_and(|default| has_word(&default.text, name))
                || column
                    .generated
                    .as_ref()
                    .is_some_and(|text| has_word(text, name))
                || column.collation.as_deref() == Some(name)
        }) || self.keys.iter().any(|key| {
            key.predicate
                .as_ref()
                .is_some_and(|text| has_word(text, name))
                || key.parts.iter().any(|part| {
                    part.expression
                        .as_ref()
                        .is_some_and(|text| has_word(text, name))
                        || part.collation.as_deref() == Some(name)
                })
        })
    }

    pub(super) fn column_mut(&mut self, name: &str) -> Option<&mut Column> {
        self.table
            .columns
            .iter_mut()
            .find(|column| column.name.eq_ignore_ascii_case(name))
    }
}
