//! The catalog that a script builds up statement by statement, as the engine would.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::place::Place;
use crate::model::routine::Routine;
use crate::model::schema::{Column, DefaultValue, Dialect, TableKind, UnknownTable};
use crate::sql::cursor::QualifiedName;

pub(super) use super::relation::{Key, Relation};
use super::search::SearchPath;

/// Identity of a relation: schema and name, folded as the engine compares them.
pub(super) type RelationKey = (String, String);

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
    /// Where names without a schema are looked for.
    pub(super) path: SearchPath,
    /// PostgreSQL: composite types with their attributes.
    pub(super) types: BTreeMap<RelationKey, Vec<Column>>,
    /// PostgreSQL: types and domains that the script makes.
    pub(super) named_types: BTreeSet<String>,
    /// PostgreSQL: domains that refuse NULL.
    pub(super) strict_domains: BTreeSet<String>,
    /// PostgreSQL: what domains stand on, with the collation that they name.
    pub(super) domain_bases: BTreeMap<String, (Arc<str>, Option<Arc<str>>)>,
    /// PostgreSQL: collations that take different values for equal.
    pub(super) loose_collations: BTreeSet<String>,
    /// PostgreSQL: what columns of a domain hold that have no default of their own.
    pub(super) domain_defaults: BTreeMap<String, DefaultValue>,
    /// Relations touched since the transaction began, as they were then, when one is open.
    transaction: Option<BTreeMap<RelationKey, Option<Relation>>>,
    index_names: IndexNames,
    /// PostgreSQL: indexes of partitions attached to an index, by its schema and name.
    pub(super) attached: BTreeMap<RelationKey, usize>,
    /// A routine that was read holds statements on tables or indexes.
    pub(super) routines_define: bool,
    /// Functions whose bodies were read, by folded name.
    pub(super) routines: BTreeMap<String, Routine>,
    has_temporary: bool,
}

/// The schema of temporary tables: it is looked in first, and no report knows it.
pub(super) const TEMPORARY: &str = "pg_temp";

impl Catalog {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            relations: BTreeMap::new(),
            unknown: Vec::new(),
            path: SearchPath::new(dialect),
            types: BTreeMap::new(),
            named_types: BTreeSet::new(),
            strict_domains: BTreeSet::new(),
            domain_bases: BTreeMap::new(),
            loose_collations: BTreeSet::new(),
            domain_defaults: BTreeMap::new(),
            transaction: None,
            index_names: IndexNames::default(),
            attached: BTreeMap::new(),
            routines_define: false,
            routines: BTreeMap::new(),
            has_temporary: false,
        }
    }

    /// The name with its schema filled in, as the engine resolves it for a new object.
    pub(super) fn resolve(&self, name: QualifiedName) -> QualifiedName {
        let schema = match (name.schema, self.dialect) {
            (Some(schema), Dialect::Sqlite) if schema.eq_ignore_ascii_case("main") => None,
            (Some(schema), Dialect::Sqlite) if schema.eq_ignore_ascii_case("temp") => {
                Some(Arc::from(TEMPORARY))
            }
            (Some(schema), _) => Some(schema),
            (None, _) => self.path.first(),
        };
        QualifiedName {
            schema,
            name: name.name,
        }
    }

    /// The relation that a name means; one that is nowhere would be made where the path begins.
    pub(super) fn key(&self, name: &QualifiedName) -> RelationKey {
        self.keys(name, &|key| self.relations.contains_key(key))
    }

    fn keys(&self, name: &QualifiedName, is_there: &dyn Fn(&RelationKey) -> bool) -> RelationKey {
        let first = self.resolve(name.clone());
        let first = fold(self.dialect, first.schema.as_deref(), &first.name);
        if name.schema.is_some() {
            return first;
        }
        let of = |schema: &str| fold(self.dialect, Some(schema), &name.name);
        let temporary = self.has_temporary.then(|| of(TEMPORARY));
        if let Some(temporary) = temporary.filter(is_there) {
            return temporary;
        }
        if self.path.further().is_empty() || is_there(&first) {
            return first;
        }
        let mut further = self.path.further().iter().map(|schema| of(schema));
        further.find(is_there).unwrap_or(first)
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
        self.touch(&key);
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

    /// Notes what a relation was before the open transaction changes it.
    fn touch(&mut self, key: &RelationKey) {
        if let Some(touched) = &mut self.transaction
            && !touched.contains_key(key)
        {
            touched.insert(key.clone(), self.relations.get(key).cloned());
        }
    }

    /// A transaction begins; definitions end it at once in MySQL, so there it is none.
    pub(super) fn begin(&mut self) {
        if matches!(self.dialect, Dialect::Postgres | Dialect::Sqlite) {
            self.transaction.get_or_insert_with(BTreeMap::new);
        }
    }

    /// The transaction is committed.
    pub(super) fn commit(&mut self) {
        self.transaction = None;
        self.path.end_of_transaction();
        if self.has_temporary {
            self.relations.retain(|_, relation| !relation.until_commit);
        }
    }

    /// The transaction is rolled back: what it changed is again as it was.
    pub(super) fn roll_back(&mut self) {
        for (key, before) in self.transaction.take().unwrap_or_default() {
            self.index_names.stale.insert(key.clone());
            match before {
                Some(before) => self.relations.insert(key, before),
                None => self.relations.remove(&key),
            };
        }
        self.path.end_of_transaction();
    }

    /// What the open transaction changed so far.
    pub(super) fn touched(&self) -> Vec<RelationKey> {
        let touched = self.transaction.as_ref();
        touched.map_or_else(Vec::new, |touched| touched.keys().cloned().collect())
    }

    pub(super) fn insert(&mut self, relation: Relation) {
        let key = self.key(&QualifiedName {
            schema: relation.table.schema.clone(),
            name: relation.table.name.clone(),
        });
        self.has_temporary |= key.0 == TEMPORARY;
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
        let owners = &self.index_names.owners;
        let owner = owners.get(&self.keys(name, &|key| owners.contains_key(key)))?;
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
