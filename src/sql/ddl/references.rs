//! What foreign keys keep PostgreSQL from dropping without CASCADE.

use std::sync::Arc;

use crate::model::evidence::Reason;
use crate::model::place::Place;
use crate::model::schema::{Dialect, ForeignKey};
use crate::sql::cursor::{QualifiedName, Stop};

use super::alter::Alter;
use super::catalog::{Catalog, Key, Relation, RelationKey, disagree, same_name};

/// The table whose foreign key points to a relation, or to the partitioned table that it is a
/// partition of; those that are dropped with it do not count.
pub(super) fn pointing(
    catalog: &Catalog,
    key: &RelationKey,
    dropped: &[RelationKey],
) -> Option<Arc<str>> {
    let mut targets: Vec<RelationKey> = Vec::new();
    let mut at = Some(key.clone());
    // As far up as there are parents.
    while let Some(key) = at.take()
        && let Some(relation) = catalog.relations.get(&key)
        && targets.len() < 8
    {
        at = relation.partition_of.clone();
        targets.push(key);
    }
    let found = catalog.relations.iter().find(|(other, relation)| {
        let itself = *other == key || dropped.contains(other);
        let mut targets = targets.iter();
        !itself && targets.any(|target| points_to(catalog, other, relation, target))
    });
    found.map(|(_, relation)| Arc::clone(&relation.table.name))
}

/// True if a foreign key of the relation names the target. Of several tables of that name the one
/// in its own schema is meant.
fn points_to(
    catalog: &Catalog,
    from: &RelationKey,
    relation: &Relation,
    target: &RelationKey,
) -> bool {
    let keys = &relation.table.foreign_keys;
    let named = keys.iter().any(|key| *key.references == *target.1);
    let beside = || {
        let own = (from.0.clone(), target.1.clone());
        from.0 == target.0 || !catalog.relations.contains_key(&own)
    };
    named && beside()
}

/// Why a key of that name is not dropped by its name alone.
pub(super) fn forbid(alter: &Alter<'_>, name: &str, at: Stop) -> Option<Reason> {
    let dialect = alter.dialect;
    let relation = alter.catalog.get(&alter.table);
    let relation = relation.filter(|_| dialect == Dialect::Postgres)?;
    let mut keys = relation.keys.iter();
    let key = keys.find(|key| key.enforces.is_some() && same_name(dialect, &key.name, name))?;
    let table = &relation.table.name;
    let target = alter.catalog.key(&alter.table);
    let (_, pointing) = alter.catalog.relations.iter().find(|(from, other)| {
        let mut foreign = other.table.foreign_keys.iter();
        points_to(alter.catalog, from, other, &target)
            && foreign.any(|it| it.references == *table && needs(it, key, relation))
    })?;
    let sentence = format!(
        "{name} of {table} is dropped, which a foreign key of {} forbids",
        pointing.table.name
    );
    Some(disagree(sentence, (alter.places)(at.start, at.end)))
}

/// True if the foreign key rests on that key: on the only one with the columns that it points to.
fn needs(foreign: &ForeignKey, key: &Key, relation: &Relation) -> bool {
    if foreign.to.is_empty() {
        return key.is_primary();
    }
    let fits = |key: &&Key| {
        key.enforces.is_some()
            && key.parts.len() == foreign.to.len()
            && key.parts.iter().all(|part| {
                let column = part.column.as_ref();
                column.is_some_and(|column| foreign.to.contains(column))
            })
    };
    // Of two that fit, which one it rests on is not known.
    fits(&key) && relation.keys.iter().filter(fits).count() == 1
}

/// A partition of a table that rows point to is not detached while they do: true if it may still be
/// one.
pub(super) fn forbid_detaching(
    catalog: &mut Catalog,
    parent: &QualifiedName,
    child: &QualifiedName,
    place: Place,
) -> bool {
    let Some(pointing) = pointing(catalog, &catalog.key(parent), &[]) else {
        return false;
    };
    if catalog.get(child).is_some() {
        let sentence = format!(
            "{} is detached, which rows of {pointing} that point to it forbid",
            child.name
        );
        catalog.mark(child, disagree(sentence, place));
    }
    true
}
