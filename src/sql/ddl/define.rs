//! What an engine makes of the text of a table: generated names, implied NOT NULL, merged keys.

use std::sync::Arc;

use crate::model::evidence::Reason;
use crate::model::place::Place;
use crate::model::schema::{Dialect, EnforcerKind, KeyPart, TableKind};
use crate::sql::cursor::QualifiedName;

use super::catalog::{Catalog, Key, Relation, disagree, not_parsed, same_name};
use super::create_table::TableDraft;
use super::{names, storage, type_names};

/// More unnamed keys than any engine takes in one table.
const MOST: usize = 2_000;

/// Puts a new table into the catalog.
pub(super) fn define(
    catalog: &mut Catalog,
    name: QualifiedName,
    mut draft: TableDraft,
    place: Place,
) {
    catalog.refresh();
    let name = catalog.resolve(name);
    let kind = draft.kind.unwrap_or(TableKind::Table);
    let mut relation = Relation::new(name, kind, place.clone());
    relation.table.unlogged = draft.unlogged;
    relation.until_commit = draft.until_commit;
    if let Some(engine) = &draft.engine {
        relation
            .unknown
            .extend(storage::doubt(&relation.table.name, engine, &place));
    }
    copy_columns(catalog, &mut relation, &mut draft, &place);
    relation.table.foreign_keys = std::mem::take(&mut draft.foreign_keys);
    relation.null_checks = std::mem::take(&mut draft.null_checks);
    for (name, column) in std::mem::take(&mut draft.not_nulls) {
        relation.not_null(name, &column);
    }
    settle_types(catalog, &mut relation);
    if catalog.dialect == Dialect::Sqlite {
        sqlite_keys(&mut relation, draft);
    } else {
        let mut keys = std::mem::take(&mut draft.keys);
        if catalog.dialect == Dialect::Postgres {
            keys.sort_by_key(|key| !key.is_primary());
            keys = merged(keys);
        }
        for key in keys {
            add_key(catalog, &mut relation, key, draft.as_query);
        }
    }
    catalog.insert(relation);
}

fn copy_columns(catalog: &Catalog, relation: &mut Relation, draft: &mut TableDraft, place: &Place) {
    let missing = |name: &QualifiedName| {
        not_parsed(
            format!(
                "its columns come from {}, which no statement read before it makes",
                name.name
            ),
            place.clone(),
        )
    };
    if let Some(name) = &draft.of_type {
        match catalog.types.get(&catalog.key(name)) {
            Some(columns) => relation.table.columns.extend(columns.clone()),
            None => relation.unknown.push(missing(name)),
        }
    }
    let mut keys = Vec::new();
    let parents = draft.inherits.iter().chain(&draft.partition_of);
    for parent in parents {
        match catalog.get(parent) {
            Some(found) => {
                relation.table.columns.extend(found.table.columns.clone());
                relation.not_nulls.extend(found.not_nulls.clone());
            }
            None => relation.unknown.push(missing(parent)),
        }
    }
    for like in &draft.likes {
        let Some(found) = catalog.get(&like.source) else {
            relation.unknown.push(missing(&like.source));
            continue;
        };
        relation
            .table
            .columns
            .extend(found.table.columns.iter().cloned().map(|mut column| {
                if !like.defaults {
                    column.default = None;
                    column.generated = None;
                    column.auto_number = false;
                }
                column
            }));
        relation.not_nulls.extend(found.not_nulls.clone());
        if like.keys {
            keys.extend(found.keys.iter().cloned());
        }
        if catalog.dialect != Dialect::Postgres {
            relation.table.kind = found.table.kind;
            draft.partition_key.clone_from(&found.partition_key);
        }
    }
    if catalog.dialect == Dialect::Postgres {
        // The copy names its keys after itself.
        for key in &mut keys {
            key.name = Arc::from("");
            if key.enforces == Some(EnforcerKind::UniqueIndex) {
                key.place = place.clone();
            }
        }
    }
    keys.append(&mut draft.keys);
    draft.keys = keys;
    relation.partition_of = draft
        .partition_of
        .as_ref()
        .map(|parent| catalog.key(parent));
    relation.partition_key = std::mem::take(&mut draft.partition_key);
    relation.of_type = draft.of_type.as_ref().map(|name| catalog.key(name));
    relation.inherits = draft
        .inherits
        .iter()
        .map(|parent| catalog.key(parent))
        .collect();
    for column in std::mem::take(&mut draft.columns) {
        match relation.column_mut(&column.name) {
            // A child repeats a column of its parent: what either says holds.
            Some(known) => {
                known.nullable &= column.nullable;
                known.default = column.default.or(known.default.take());
            }
            None => relation.table.columns.push(column),
        }
    }
}

fn settle_types(catalog: &Catalog, relation: &mut Relation) {
    for column in &mut relation.table.columns {
        relation.unknown.extend(type_names::settle(catalog, column));
    }
}

/// Adds a key as PostgreSQL or MySQL would.
pub(super) fn add_key(catalog: &Catalog, relation: &mut Relation, mut key: Key, open: bool) {
    check_columns(relation, &key, open);
    if key.is_primary() {
        for part in &key.parts {
            let column = part.column.clone();
            if let Some(column) = column.and_then(|name| relation.column_mut(&name)) {
                column.nullable = false;
            }
        }
    }
    if key.name.is_empty() && relation.keys.len() >= MOST {
        relation.unknown.push(disagree(
            format!(
                "{} has more keys than any engine takes",
                relation.table.name
            ),
            key.place.clone(),
        ));
        return;
    }
    if key.name.is_empty() || (key.is_primary() && catalog.dialect != Dialect::Postgres) {
        key.name = generated(catalog, relation, &key);
    } else if relation
        .keys
        .iter()
        .any(|known| same_name(catalog.dialect, &known.name, &key.name))
    {
        relation.unknown.push(disagree(
            format!(
                "two keys of {} are called {}",
                relation.table.name, key.name
            ),
            key.place.clone(),
        ));
    }
    relation.keys.push(key);
}

/// PostgreSQL makes one index of equal constraints of one CREATE TABLE, under the first name given.
fn merged(keys: Vec<Key>) -> Vec<Key> {
    let mut all: Vec<Key> = Vec::with_capacity(keys.len());
    for key in keys {
        let same = (key.enforces == Some(EnforcerKind::UniqueConstraint))
            .then(|| all.iter_mut().find(|known| merges(known, &key)))
            .flatten();
        match same {
            Some(same) if same.name.is_empty() => same.name = key.name,
            Some(_) => {}
            None => all.push(key),
        }
    }
    all
}

/// Source: `transformIndexConstraints` in `parse_utilcmd.c`.
fn merges(known: &Key, key: &Key) -> bool {
    matches!(
        known.enforces,
        Some(EnforcerKind::PrimaryKey | EnforcerKind::UniqueConstraint)
    ) && known.parts == key.parts
        && known.include == key.include
        && known.deferral == key.deferral
        && known.nulls_not_distinct == key.nulls_not_distinct
}

pub(super) fn generated(catalog: &Catalog, relation: &Relation, key: &Key) -> Arc<str> {
    let schema = relation.table.schema.clone();
    // A table in the making is not in the catalog yet.
    let this = QualifiedName {
        schema: schema.clone(),
        name: relation.table.name.clone(),
    };
    let in_making = !catalog.lists_indexes_of(&this);
    let own = |name: &str| {
        &*relation.table.name == name
            || (in_making && relation.keys.iter().any(|known| &*known.name == name))
    };
    let taken = |name: &str| {
        let qualified = QualifiedName {
            schema: schema.clone(),
            name: name.into(),
        };
        own(name) || catalog.get(&qualified).is_some() || catalog.has_index(&qualified)
    };
    names::generate(
        catalog.dialect,
        &relation.table.name,
        &relation.keys,
        key,
        &taken,
    )
}

/// Why the engine refuses the key, if it does.
pub(super) fn refusal(relation: &Relation, key: &Key) -> Option<Reason> {
    let table = &relation.table;
    if table.columns.is_empty() {
        return None;
    }
    let named = || key.parts.iter().filter_map(|part| part.column.as_ref());
    if let Some(column) = named().find(|name| table.column(name).is_none()) {
        return Some(disagree(
            format!(
                "a key of {} names the column {column}, which the table does not have",
                table.name
            ),
            key.place.clone(),
        ));
    }
    // Source: PostgreSQL, "Table Partitioning", limitations.
    let unique = key
        .enforces
        .is_some_and(|kind| kind != EnforcerKind::Exclusion);
    let missing = relation.partition_key.iter().find(|column| {
        let held = || named().any(|name| name.eq_ignore_ascii_case(column));
        unique && !key.only && !key.global && !held()
    })?;
    Some(disagree(
        format!(
            "a unique key of the partitioned table {} lacks its partition column {missing}, which the engine refuses",
            table.name
        ),
        key.place.clone(),
    ))
}

fn check_columns(relation: &mut Relation, key: &Key, open: bool) {
    if !open && let Some(reason) = refusal(relation, key) {
        relation.unknown.push(reason);
    }
}

/// Keys as SQLite makes them. Source: `sqlite3AddPrimaryKey`, `sqlite3CreateIndex` and
/// `convertToWithoutRowidTable` in SQLite's `build.c`.
fn sqlite_keys(relation: &mut Relation, draft: TableDraft) {
    let place = relation.table.place.clone();
    let refuse = |relation: &mut Relation, why: &str| {
        let sentence = format!(
            "SQLite refuses the definition of {}: {why}",
            relation.table.name
        );
        relation.unknown.push(disagree(sentence, place.clone()));
    };
    let primaries = draft.keys.iter().filter(|key| key.is_primary()).count();
    if primaries > 1 {
        refuse(relation, "it has two primary keys");
    }
    if draft.without_rowid && primaries == 0 {
        refuse(relation, "WITHOUT ROWID needs a primary key");
    }
    let mut last = None;
    for mut key in draft.keys {
        check_columns(relation, &key, draft.as_query);
        if key.parts.iter().any(|part| part.expression.is_some()) {
            refuse(
                relation,
                "a PRIMARY KEY or UNIQUE constraint holds an expression",
            );
        }
        if key.is_primary() {
            let alias = !key.descending && is_integer_column(relation, &key);
            if draft.without_rowid || draft.strict || alias {
                forbid_null(relation, &key);
            }
            if draft.without_rowid {
                let mut seen: Vec<_> = Vec::new();
                key.parts.retain(|part| {
                    let is_new = !seen.contains(part);
                    seen.push(part.clone());
                    is_new
                });
                if alias {
                    last = Some(key);
                    continue;
                }
            } else if alias {
                key.rowid = true;
                let first = key.parts.first().and_then(|part| part.column.clone());
                if let Some(column) = first.and_then(|name| relation.column_mut(&name)) {
                    column.auto_number = true;
                }
            }
        }
        push_sqlite_key(relation, key);
    }
    if let Some(key) = last {
        push_sqlite_key(relation, key);
    }
}

fn is_integer_column(relation: &Relation, key: &Key) -> bool {
    match key.parts.as_slice() {
        [part] => part
            .column
            .as_ref()
            .and_then(|name| relation.table.column(name))
            .is_some_and(|column| column.data_type.eq_ignore_ascii_case("INTEGER")),
        _ => false,
    }
}

fn forbid_null(relation: &mut Relation, key: &Key) {
    for part in &key.parts {
        let column = part.column.clone();
        if let Some(column) = column.and_then(|name| relation.column_mut(&name)) {
            column.nullable = false;
        }
    }
}

/// A constraint with the columns and collations of one before it makes no second index.
fn push_sqlite_key(relation: &mut Relation, mut key: Key) {
    if !key.rowid {
        let columns = &relation.table.columns;
        let collation = |part: &KeyPart| {
            let of_column = part
                .column
                .as_ref()
                .and_then(|name| {
                    columns
                        .iter()
                        .find(|column| column.name.eq_ignore_ascii_case(name))
                })
                .and_then(|column| column.collation.clone());
            let name = part.collation.clone().or(of_column);
            name.map_or_else(|| "BINARY".to_owned(), |name| name.to_ascii_uppercase())
        };
        let equal = |known: &&mut Key| {
            !known.rowid
                && known.parts.len() == key.parts.len()
                && known.parts.iter().zip(&key.parts).all(|(one, other)| {
                    let names = (one.column.as_deref(), other.column.as_deref());
                    matches!(names, (Some(one), Some(other)) if one.eq_ignore_ascii_case(other))
                        && collation(one) == collation(other)
                })
        };
        if let Some(known) = relation.keys.iter_mut().find(equal) {
            known.on_conflict = known.on_conflict.or(key.on_conflict);
            if key.is_primary() {
                known.enforces = key.enforces;
            }
            return;
        }
    }
    key.name = names::generate(
        Dialect::Sqlite,
        &relation.table.name,
        &relation.keys,
        &key,
        &|_| false,
    );
    relation.keys.push(key);
}
