//! Relations and columns of PostgreSQL, by the number the catalog knows them by.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::evidence::{Reason, Why};
use crate::model::schema::{Column, DefaultValue, Dialect, Schema, Table, TableKind, UnknownTable};
use crate::sql::volatility;

use super::super::known::{gap, place, printed};
use super::super::row::{Row, numbers};

/// A relation with what only its catalog knows.
pub(super) struct Relation {
    pub(super) oid: i64,
    pub(super) table: Table,
    /// Relations it is a partition or a child of.
    pub(super) parents: Vec<i64>,
    pub(super) is_partition: bool,
    /// Rows, as the planner estimates them.
    pub(super) rows: i64,
    /// Position in `table.columns` by attribute number.
    pub(super) positions: BTreeMap<i64, usize>,
    /// Type and collation that the type has by itself, by attribute number.
    pub(super) types: BTreeMap<i64, (i64, i64)>,
    /// Gaps about it.
    pub(super) unknown: Vec<Reason>,
}

impl Relation {
    pub(super) fn column(&self, number: i64) -> Option<&Column> {
        self.positions
            .get(&number)
            .and_then(|at| self.table.columns.get(*at))
    }
}

/// A type that means more than its name: a domain, or one whose equality folds.
struct Type {
    name: String,
    base: i64,
    is_domain: bool,
    not_null: bool,
    /// The base type with its lengths.
    printed: String,
    /// What a column of it holds that has no default of its own.
    default: Option<Arc<str>>,
}

/// All relations.
pub(super) struct Tables {
    pub(super) label: Arc<str>,
    pub(super) relations: Vec<Relation>,
    by_oid: BTreeMap<i64, usize>,
    types: BTreeMap<i64, Type>,
}

impl Tables {
    pub(super) fn new(label: &Arc<str>, relations: &[Row], columns: &[Row], types: &[Row]) -> Self {
        let relations: Vec<Relation> = relations.iter().map(|row| relation(label, row)).collect();
        let by_oid = relations
            .iter()
            .enumerate()
            .map(|(at, relation)| (relation.oid, at))
            .collect();
        let types = types.iter().map(|row| (row.number(0), kind(row))).collect();
        let mut tables = Self {
            label: Arc::clone(label),
            relations,
            by_oid,
            types,
        };
        for row in columns {
            tables.column(row);
        }
        tables
    }

    pub(super) fn get(&self, oid: i64) -> Option<&Relation> {
        self.by_oid.get(&oid).and_then(|at| self.relations.get(*at))
    }

    pub(super) fn get_mut(&mut self, oid: i64) -> Option<&mut Relation> {
        let at = self.by_oid.get(&oid)?;
        self.relations.get_mut(*at)
    }

    fn column(&mut self, row: &Row) {
        let (number, of) = (row.number(1), row.number(5));
        let strict = self.refuses_null(of);
        let of_domain = self.types.get(&of).and_then(|kind| kind.default.clone());
        let label = Arc::clone(&self.label);
        let Some(relation) = self.get_mut(row.number(0)) else {
            return;
        };
        let expression: Option<Arc<str>> = row.maybe(8).map(Arc::from);
        let generated = expression
            .clone()
            .filter(|_| matches!(row.text(7), "s" | "v"));
        let identity = !row.text(6).is_empty();
        let default = expression
            .or_else(|| of_domain.filter(|_| !identity))
            .filter(|_| generated.is_none());
        let auto_number = identity
            || default
                .as_ref()
                .is_some_and(|text| text.to_ascii_lowercase().starts_with("nextval("));
        let name = row.text(2);
        let object = format!("{}.{name}", printed(&relation.table));
        relation
            .positions
            .insert(number, relation.table.columns.len());
        relation.types.insert(number, (of, row.number(10)));
        relation.table.columns.push(Column {
            name: name.into(),
            data_type: row.text(3).into(),
            nullable: !row.is(4) && !strict,
            default: default.map(|text| DefaultValue {
                volatility: volatility::of_default(&text, Some(Dialect::Postgres)),
                text,
            }),
            generated,
            on_update: None,
            auto_number,
            // Named once the collations are known.
            collation: None,
            place: place(&label, &object),
        });
    }

    /// True of a domain that refuses NULL, itself or one below it.
    fn refuses_null(&self, of: i64) -> bool {
        self.chain(of).any(|kind| kind.is_domain && kind.not_null)
    }

    /// A domain, the domain below it, and so on to the type they stand on, if it is listed.
    fn chain(&self, of: i64) -> impl Iterator<Item = &Type> {
        let mut next = Some(of);
        // A domain cannot be made of itself; the bound only guards against a broken catalog.
        (0..64).map_while(move |_| {
            let kind = self.types.get(&next?)?;
            next = kind.is_domain.then_some(kind.base);
            Some(kind)
        })
    }

    /// Name and printed form of the type below every domain.
    pub(super) fn base_type<'a>(&'a self, of: i64, printed: &'a str) -> Option<(&'a str, &'a str)> {
        let chain: Vec<&Type> = self.chain(of).collect();
        let base = chain.last().filter(|base| !base.is_domain)?;
        let domain = chain.iter().rev().find(|kind| kind.is_domain);
        Some((
            &base.name,
            domain.map_or(printed, |domain| domain.printed.as_str()),
        ))
    }

    /// Takes NULL out of every column of that domain, and of those on top of it.
    pub(super) fn strict_domain(&mut self, domain: i64) {
        if let Some(kind) = self.types.get_mut(&domain) {
            kind.not_null = true;
        }
        for at in 0..self.relations.len() {
            let strict: Vec<usize> = self
                .relations
                .get(at)
                .into_iter()
                .flat_map(|relation| &relation.types)
                .filter(|(_, (of, _))| self.refuses_null(*of))
                .filter_map(|(number, _)| self.relations.get(at)?.positions.get(number).copied())
                .collect();
            let columns = self
                .relations
                .get_mut(at)
                .map(|relation| &mut relation.table.columns);
            for column in columns.into_iter().flatten().enumerate() {
                if strict.contains(&column.0) {
                    column.1.nullable = false;
                }
            }
        }
    }

    /// Hands the tables over, with the gaps about each.
    pub(super) fn finish(self, schema: &mut Schema) {
        for relation in self.relations {
            let name = printed(&relation.table);
            schema
                .unknown
                .extend(relation.unknown.into_iter().map(|reason| UnknownTable {
                    table: Some(Arc::clone(&name)),
                    reason,
                }));
            schema.tables.push(relation.table);
        }
    }
}

fn kind(row: &Row) -> Type {
    Type {
        name: row.text(1).to_owned(),
        is_domain: row.text(2) == "d",
        base: row.number(3),
        not_null: row.is(4),
        printed: row.text(5).to_owned(),
        default: row.maybe(6).map(Arc::from),
    }
}

fn relation(label: &Arc<str>, row: &Row) -> Relation {
    let (schema, name) = (row.text(1), row.text(2));
    let place = place(label, &format!("{schema}.{name}"));
    let mut unknown = Vec::new();
    if row.is(7) {
        unknown.push(gap(
            Why::NotDecidable,
            Some(place.clone()),
            format!("{name} has rewrite rules, which can turn a write into another one"),
            "drop the rules, or let the effect write a table without any",
        ));
    }
    Relation {
        oid: row.number(0),
        table: Table {
            schema: Some(schema.into()),
            name: name.into(),
            kind: match row.text(3) {
                "r" => TableKind::Table,
                "p" => TableKind::Partitioned,
                "f" => TableKind::Foreign,
                _ => TableKind::View,
            },
            unlogged: row.is(4),
            columns: Vec::new(),
            enforcers: Vec::new(),
            indexes: Vec::new(),
            triggers: Vec::new(),
            foreign_keys: Vec::new(),
            place,
        },
        is_partition: row.is(5),
        rows: row.number(6),
        parents: numbers(row.text(8)),
        positions: BTreeMap::new(),
        types: BTreeMap::new(),
        unknown,
    }
}
