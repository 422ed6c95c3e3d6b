//! From the catalog to the model: nullability of key parts, partitions, evidence.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::evidence::{Evidence, Fact, InputKind, ObservedBy, Reason, Why};
use crate::model::schema::{
    DbTrigger, Dialect, Enforcer, EnforcerKind, Index, KeyPart, Predicate, Schema, SchemaOrigin,
    Table, TableKind, UnknownTable,
};
use crate::sql::{nullness, predicate};

use super::catalog::{Catalog, Key, Relation, RelationKey, TEMPORARY};
use super::{domain, engine, equality};

pub(super) fn schema(mut catalog: Catalog, input: InputKind, by: &ObservedBy) -> Schema {
    domain::defaults(&mut catalog);
    partitions(&mut catalog);
    partition_triggers(&mut catalog);
    equality::settle(&mut catalog);
    let declared = Arc::new(Reason {
        why: Why::NotGiven,
        needs: Some(InputKind::Database),
        sentence: "the schema is declared in text, which cannot show what a database enforces"
            .to_owned(),
        place: None,
        next_step: "Give the live database with --database, or its answers with --answers."
            .to_owned(),
    });
    let dialect = catalog.dialect;
    let mut unknown = Vec::new();
    let mut tables = Vec::new();
    let partitions = count_partitions(&catalog);
    for (key, mut relation) in catalog.relations {
        if key.0 == TEMPORARY {
            continue;
        }
        engine::settle(&mut relation);
        let name = printed(dialect, &relation.table);
        unknown.extend(relation.unknown.drain(..).map(|reason| UnknownTable {
            table: Some(name.clone()),
            reason,
        }));
        if !relation.defined {
            continue;
        }
        let count = partitions.get(&key).copied().unwrap_or(0);
        let attached = &catalog.attached;
        let schema = key.0.clone();
        let whole = move |index: &Key| {
            !index.only
                || attached
                    .get(&(schema.clone(), index.name.to_string()))
                    .copied()
                    .unwrap_or(0)
                    >= count
        };
        tables.push(table(relation, dialect, input, by, &declared, &whole));
    }
    tables
        .sort_by(|one: &Table, other| (&one.schema, &one.name).cmp(&(&other.schema, &other.name)));
    unknown.append(&mut catalog.unknown);
    Schema {
        origin: SchemaOrigin::Declared,
        dialect: Some(dialect),
        tables,
        unknown,
        search_path: Vec::new(),
        routines: catalog.routines.into_values().collect(),
    }
}

/// The name under which a table is reported unknown: qualified unless it stands in PostgreSQL's
/// default schema.
fn printed(dialect: Dialect, table: &Table) -> Arc<str> {
    match &table.schema {
        Some(schema) if !(dialect == Dialect::Postgres && &**schema == "public") => {
            format!("{schema}.{}", table.name).into()
        }
        _ => table.name.clone(),
    }
}

fn count_partitions(catalog: &Catalog) -> BTreeMap<RelationKey, usize> {
    let mut counts = BTreeMap::new();
    for relation in catalog.relations.values() {
        if let Some(parent) = &relation.partition_of {
            *counts.entry(parent.clone()).or_insert(0) += 1;
        }
    }
    counts
}

/// A partition has every key of its parent, under a name of its own.
fn partitions(catalog: &mut Catalog) {
    let mut children: Vec<(RelationKey, RelationKey)> = catalog
        .relations
        .iter()
        .filter_map(|(key, relation)| Some((key.clone(), relation.partition_of.clone()?)))
        .collect();
    // A parent comes before its partitions, which may be partitioned in their turn.
    let parents: BTreeMap<RelationKey, RelationKey> = children.iter().cloned().collect();
    children.sort_by_cached_key(|(child, _)| {
        let mut above = 0;
        let mut at = child;
        while let Some(parent) = parents.get(at)
            && above < parents.len()
        {
            above += 1;
            at = parent;
        }
        above
    });
    for (child, parent) in children {
        let Some(parent) = catalog.relations.get(&parent) else {
            continue;
        };
        let parent = parent.clone();
        let Some(relation) = catalog.relations.get_mut(&child) else {
            continue;
        };
        for column in parent
            .table
            .columns
            .iter()
            .filter(|column| !column.nullable)
        {
            if let Some(own) = relation.column_mut(&column.name) {
                own.nullable = false;
            }
        }
        relation.take_keys_of(&parent);
    }
}

/// A row written through the parent runs the triggers of the partition it falls into.
fn partition_triggers(catalog: &mut Catalog) {
    let own: Vec<(RelationKey, Vec<DbTrigger>)> = catalog
        .relations
        .values()
        .filter_map(|relation| {
            let parent = relation.partition_of.clone()?;
            Some((parent, relation.table.triggers.clone()))
        })
        .collect();
    for (parent, triggers) in own {
        // Partitions of partitions: as far up as there are parents.
        let mut above = Some(parent);
        for _ in 0..8 {
            let Some(relation) = above.and_then(|key| catalog.relations.get_mut(&key)) else {
                break;
            };
            relation.table.triggers.extend(triggers.iter().cloned());
            above = relation.partition_of.clone();
        }
    }
}

fn table(
    relation: Relation,
    dialect: Dialect,
    input: InputKind,
    by: &ObservedBy,
    declared: &Arc<Reason>,
    whole: &dyn Fn(&Key) -> bool,
) -> Table {
    let Relation {
        mut table,
        keys,
        null_checks,
        ..
    } = relation;
    for (_, checked) in &null_checks {
        if let Some(column) = table
            .columns
            .iter_mut()
            .find(|column| column.name.eq_ignore_ascii_case(checked))
        {
            column.nullable = false;
        }
    }
    for key in keys {
        let is_whole = whole(&key);
        let mut parts: Vec<KeyPart> = key
            .parts
            .iter()
            .map(|part| finished(part, &table, dialect))
            .collect();
        if key.rowid {
            // It is compared as the integer it is.
            parts.iter_mut().for_each(|part| part.collation = None);
        }
        let predicate = key.predicate.as_ref().map(|text| Predicate {
            text: text.clone(),
            tree: predicate::parse(text, dialect, &|name| table.column(name).is_some()),
        });
        let Some(kind) = key.enforces else {
            table.indexes.push(Index {
                name: key.name,
                parts,
                predicate,
                place: key.place,
            });
            continue;
        };
        let mysql = !matches!(dialect, Dialect::Postgres | Dialect::Sqlite);
        let kind = match kind {
            EnforcerKind::UniqueConstraint if mysql => EnforcerKind::UniqueIndex,
            kind => kind,
        };
        let evidence = Arc::new(Evidence {
            input,
            by: by.clone(),
            place: key.place,
            says: says(
                kind,
                &parts,
                predicate.as_ref(),
                key.nulls_not_distinct,
                &table.name,
            )
            .into(),
        });
        // An index ON ONLY the parent enforces nothing until every partition has its own.
        let enforced = match is_whole || table.kind != TableKind::Partitioned {
            true => Fact::Unknown(declared.clone()),
            false => Fact::Shown(false, evidence.clone()),
        };
        table.enforcers.push(Enforcer {
            name: key.name,
            kind,
            parts,
            include: key.include,
            predicate,
            nulls_not_distinct: key.nulls_not_distinct,
            deferral: key.deferral,
            on_conflict: key.on_conflict,
            trusted: Fact::Unknown(declared.clone()),
            enforced,
            evidence,
        });
    }
    table
        .enforcers
        .sort_by(|one, other| (one.kind, &one.name).cmp(&(other.kind, &other.name)));
    table
        .indexes
        .sort_by(|one, other| one.name.cmp(&other.name));
    table
        .triggers
        .sort_by(|one, other| one.name.cmp(&other.name));
    table
}

/// The sentence that a proof cites: `UNIQUE (lead_id) on opportunity`.
pub fn says(
    kind: EnforcerKind,
    parts: &[KeyPart],
    predicate: Option<&Predicate>,
    nulls_not_distinct: bool,
    table: &str,
) -> String {
    let word = match kind {
        EnforcerKind::PrimaryKey => "PRIMARY KEY",
        EnforcerKind::UniqueConstraint | EnforcerKind::UniqueIndex => "UNIQUE",
        EnforcerKind::Exclusion => "EXCLUDE",
    };
    let parts: Vec<String> = parts.iter().map(KeyPart::to_text).collect();
    let nulls = if nulls_not_distinct {
        " NULLS NOT DISTINCT"
    } else {
        ""
    };
    let condition = predicate.map_or_else(String::new, |predicate| {
        format!(" WHERE {}", predicate.text)
    });
    format!("{word}{nulls} ({}){condition} on {table}", parts.join(", "))
}

/// A part with its nullability and the collation it compares with. SQLite's default collation,
/// BINARY, is named only where the column says another.
fn finished(part: &KeyPart, table: &Table, dialect: Dialect) -> KeyPart {
    let mut part = part.clone();
    let column = part.column.as_ref().and_then(|name| table.column(name));
    part.nullable = match (&part.expression, column) {
        (_, Some(column)) => column.nullable,
        (Some(text), None) => nullness::can_be_null(text, dialect, &|name| {
            table.column(name).is_none_or(|column| column.nullable)
        }),
        (None, None) => true,
    };
    let of_column = column.and_then(|column| column.collation.clone());
    part.column = column.map(|column| column.name.clone()).or(part.column);
    if dialect == Dialect::Sqlite {
        let upper = |name: Arc<str>| Arc::<str>::from(name.to_ascii_uppercase());
        let of_column = of_column.map(upper).filter(|name| &**name != "BINARY");
        part.collation = match part.collation.map(upper) {
            Some(own) if &*own == "BINARY" && of_column.is_none() => None,
            Some(own) => Some(own),
            None => of_column,
        };
    } else {
        part.collation = part.collation.or(of_column);
    }
    part
}

/// What a table says, without places: two definitions with the same content are the same.
pub(super) fn content(relation: &Relation) -> String {
    let columns: Vec<String> = relation
        .table
        .columns
        .iter()
        .map(|column| {
            format!(
                "{} {} {} {:?} {:?} {:?}",
                column.name,
                column.data_type,
                column.nullable,
                column.default,
                column.generated,
                column.collation
            )
        })
        .collect();
    let mut keys: Vec<String> = relation
        .keys
        .iter()
        .map(|key| {
            format!(
                "{:?} {:?} {:?} {:?} {:?}",
                key.enforces, key.parts, key.predicate, key.nulls_not_distinct, key.on_conflict
            )
        })
        .collect();
    keys.sort();
    format!("{columns:?} {keys:?}").to_ascii_lowercase()
}
