//! The catalog that a script builds up statement by statement, as the engine would.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::place::Place;
use crate::model::schema::{
    Column, ConflictClause, Deferral, Dialect, EnforcerKind, KeyPart, Table, TableKind,
    UnknownTable,
};
use crate::sql::cursor::QualifiedName;

/// Identity of a relation: schema and name, folded as the engine compares them.
pub(super) type RelationKey = (String, String);

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
    /// What could not be read about it.
    pub(super) unknown: Vec<Reason>,
    /// False if only statements about it were seen, never the one that makes it.
    pub(super) defined: bool,
    /// The partitioned table it is a partition of.
    pub(super) partition_of: Option<RelationKey>,
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
            unknown: Vec::new(),
            defined: true,
            partition_of: None,
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

/// Which relation holds which index, by schema and folded name.
#[derive(Debug, Default)]
struct IndexNames {
    owners: BTreeMap<RelationKey, RelationKey>,
    names: BTreeMap<RelationKey, Vec<RelationKey>>,
    /// Relations that may have changed since they were looked at.
    stale: BTreeSet<RelationKey>,
}

impl IndexNames {
    fn add(&mut self, name: RelationKey, owner: RelationKey) {
        self.names
            .entry(owner.clone())
            .or_default()
            .push(name.clone());
        self.owners.insert(name, owner);
    }

    fn forget(&mut self, owner: &RelationKey) {
        for name in self.names.remove(owner).unwrap_or_default() {
            if self.owners.get(&name) == Some(owner) {
                self.owners.remove(&name);
            }
        }
    }
}

/// All relations at one moment of the script.
#[derive(Debug)]
pub(super) struct Catalog {
    pub(super) dialect: Dialect,
    pub(super) relations: BTreeMap<RelationKey, Relation>,
    /// What was not understood and names no table.
    pub(super) unknown: Vec<UnknownTable>,
    /// PostgreSQL: first of the search path; MySQL: the database in use.
    pub(super) current_schema: Option<Arc<str>>,
    /// PostgreSQL: domains that refuse NULL.
    pub(super) strict_domains: BTreeSet<String>,
    /// Relations touched since the transaction began, when one is open.
    pub(super) transaction: Option<BTreeSet<RelationKey>>,
    index_names: IndexNames,
    /// PostgreSQL: indexes of partitions attached to an index, by its schema and name.
    pub(super) attached: BTreeMap<RelationKey, usize>,
    /// A routine that was read holds statements on tables or indexes.
    pub(super) routines_define: bool,
}

impl Catalog {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            relations: BTreeMap::new(),
            unknown: Vec::new(),
            current_schema: (dialect == Dialect::Postgres).then(|| Arc::from("public")),
            strict_domains: BTreeSet::new(),
            transaction: None,
            index_names: IndexNames::default(),
            attached: BTreeMap::new(),
            routines_define: false,
        }
    }

    /// The name with its schema filled in, as the engine resolves it for a new object.
    pub(super) fn resolve(&self, name: QualifiedName) -> QualifiedName {
        let schema = match (name.schema, self.dialect) {
            (Some(schema), Dialect::Sqlite) if schema.eq_ignore_ascii_case("main") => None,
            (Some(schema), _) => Some(schema),
            (None, _) => self.current_schema.clone(),
        };
        QualifiedName {
            schema,
            name: name.name,
        }
    }

    pub(super) fn key(&self, name: &QualifiedName) -> RelationKey {
        let name = self.resolve(name.clone());
        fold(self.dialect, name.schema.as_deref(), &name.name)
    }

    pub(super) fn get(&self, name: &QualifiedName) -> Option<&Relation> {
        self.relations.get(&self.key(name))
    }

    /// The relation, to be changed; it counts as touched by the open transaction.
    pub(super) fn get_mut(&mut self, name: &QualifiedName) -> Option<&mut Relation> {
        let key = self.key(name);
        self.touch(&key);
        self.index_names.stale.insert(key.clone());
        self.relations.get_mut(&key)
    }

    /// Takes a relation out, to be put back changed; its index names stay known meanwhile.
    pub(super) fn take(&mut self, name: &QualifiedName) -> Option<Relation> {
        let key = self.key(name);
        self.relations.remove(&key)
    }

    /// Puts back a relation that was taken out and got keys from that position on.
    pub(super) fn put_back(&mut self, relation: Relation, added_from: usize) {
        let schema = relation.table.schema.as_deref();
        let owner = fold(self.dialect, schema, &relation.table.name);
        for key in relation.keys.get(added_from..).unwrap_or_default() {
            let name = fold(self.dialect, schema, &key.name);
            self.index_names.add(name, owner.clone());
        }
        self.touch(&owner);
        self.relations.insert(owner, relation);
    }

    /// True if the index names of that relation are listed.
    pub(super) fn lists_indexes_of(&self, name: &QualifiedName) -> bool {
        self.index_names.names.contains_key(&self.key(name))
    }

    pub(super) fn touch(&mut self, key: &RelationKey) {
        if let Some(touched) = &mut self.transaction {
            touched.insert(key.clone());
        }
    }

    pub(super) fn insert(&mut self, relation: Relation) {
        let key = self.key(&QualifiedName {
            schema: relation.table.schema.clone(),
            name: relation.table.name.clone(),
        });
        self.touch(&key);
        self.index_names.stale.insert(key.clone());
        self.relations.insert(key, relation);
    }

    /// Adds an index to a table that is there.
    pub(super) fn add_index(&mut self, table: &QualifiedName, index: Key) {
        let owner = self.key(table);
        self.touch(&owner);
        let Some(relation) = self.relations.get_mut(&owner) else {
            return;
        };
        let name = fold(self.dialect, relation.table.schema.as_deref(), &index.name);
        relation.keys.push(index);
        self.index_names.add(name, owner);
    }

    /// Brings the list of index names up to date; only tables that changed are looked at.
    pub(super) fn refresh(&mut self) {
        if !matches!(self.dialect, Dialect::Postgres | Dialect::Sqlite) {
            // Index names belong to their table there.
            self.index_names = IndexNames::default();
            return;
        }
        for owner in std::mem::take(&mut self.index_names.stale) {
            self.index_names.forget(&owner);
            let Some(relation) = self.relations.get(&owner) else {
                continue;
            };
            for key in relation.keys.iter().filter(|key| !key.rowid) {
                let schema = relation.table.schema.as_deref();
                let name = fold(self.dialect, schema, &key.name);
                self.index_names.add(name, owner.clone());
            }
        }
    }

    /// Removes a relation.
    pub(super) fn remove(&mut self, key: &RelationKey) -> Option<Relation> {
        self.touch(key);
        self.index_names.stale.insert(key.clone());
        self.relations.remove(key)
    }

    /// Marks a table as unknown; one that was never defined is noted under its name.
    pub(super) fn mark(&mut self, name: &QualifiedName, reason: Reason) {
        if let Some(relation) = self.get_mut(name) {
            relation.unknown.push(reason);
            return;
        }
        let place = reason.place.clone().unwrap_or(Place::CommandLine);
        let mut relation = Relation::new(self.resolve(name.clone()), TableKind::Table, place);
        relation.defined = false;
        relation.unknown.push(reason);
        self.insert(relation);
    }

    /// Notes something that may touch any table.
    pub(super) fn mark_all(&mut self, reason: Reason) {
        self.unknown.push(UnknownTable {
            table: None,
            reason,
        });
    }

    /// The relation that holds an index of that name; [`Catalog::refresh`] comes first.
    pub(super) fn owner_of_index(&self, name: &QualifiedName) -> Option<QualifiedName> {
        let owner = self.index_names.owners.get(&self.key(name))?;
        let owner = self.relations.get(owner)?;
        Some(QualifiedName {
            schema: owner.table.schema.clone(),
            name: owner.table.name.clone(),
        })
    }

    /// True if an index of that name is known, whoever holds it.
    pub(super) fn has_index(&self, name: &QualifiedName) -> bool {
        self.index_names.owners.contains_key(&self.key(name))
    }
}

/// Names as the engine compares them: PostgreSQL has folded the unquoted ones already.
fn fold(dialect: Dialect, schema: Option<&str>, name: &str) -> RelationKey {
    let fold = |text: &str| match dialect {
        Dialect::Postgres => text.to_owned(),
        _ => text.to_lowercase(),
    };
    (fold(schema.unwrap_or("")), fold(name))
}

/// True if the engine takes the two for one name.
pub(super) fn same_name(dialect: Dialect, one: &str, other: &str) -> bool {
    match dialect {
        Dialect::Postgres => one == other,
        _ => one.eq_ignore_ascii_case(other),
    }
}

/// A reason why a table is not known, with the statement's place.
pub(super) fn not_parsed(sentence: String, place: Place) -> Reason {
    Reason {
        why: Why::NotParsed,
        needs: Some(InputKind::Database),
        sentence,
        place: Some(place),
        next_step: "Give the live database with --database, or write the statement in a form this reader knows.".to_owned(),
    }
}

/// A reason why a table is not known although every statement was understood.
pub(super) fn disagree(sentence: String, place: Place) -> Reason {
    Reason {
        why: Why::Disagree,
        needs: Some(InputKind::Database),
        sentence,
        place: Some(place),
        next_step: "Give one definition only, or the live database with --database.".to_owned(),
    }
}
