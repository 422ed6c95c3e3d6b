//! Indexes and the constraints on them: what enforces uniqueness, and how far it is to be trusted.

use std::sync::Arc;

use crate::model::schema::{Deferral, Dialect, Enforcer, EnforcerKind, Index, KeyPart, TableKind};

use super::super::equality;
use super::super::known::{Draft, condition, expression_part, not_so, place};
use super::super::row::{Row, numbers};
use super::collations::{Collations, DEFAULT, Order};
use super::probe::{Doubt, Why};
use super::tables::{Relation, Tables};

impl Tables {
    /// Adds every index to its table; gives those whose worth the catalog alone does not show.
    pub(super) fn keys(&mut self, rows: &[Row], collations: &Collations) -> Vec<Doubt> {
        let mut doubts = Vec::new();
        for row in rows {
            let oid = row.number(0);
            let Some(parts) = self.parts(row, collations) else {
                continue;
            };
            let label = Arc::clone(&self.label);
            let Some(relation) = self.get_mut(oid) else {
                continue;
            };
            let columns = &relation.table.columns;
            let predicate = row
                .maybe(13)
                .map(|text| condition(text, Dialect::Postgres, columns));
            let place = place(&label, row.text(2));
            let Some(kind) = kind(row) else {
                // Nothing reads an index whose building was cut off.
                if !(row.is(7) && row.is(8)) {
                    continue;
                }
                relation.table.indexes.push(Index {
                    name: row.text(2).into(),
                    parts: parts.into_iter().map(|part| part.key).collect(),
                    predicate,
                    place,
                });
                continue;
            };
            let draft = Draft {
                name: row.text(2).into(),
                kind,
                include: numbers(row.text(10))
                    .into_iter()
                    .skip(key_length(row))
                    .filter_map(|number| Some(Arc::clone(&relation.column(number)?.name)))
                    .collect(),
                predicate,
                nulls_not_distinct: row.is(12),
                deferral: match (row.is(15) || !row.is(6), row.is(16)) {
                    (_, true) => Deferral::Deferred,
                    (true, false) => Deferral::Deferrable,
                    _ => Deferral::Immediate,
                },
                parts: parts.iter().map(|part| part.key.clone()).collect(),
                place,
            };
            let mut enforcer = draft.enforcer(&relation.table.name);
            judge(&mut enforcer, row, relation.table.kind);
            if let Some(why) = doubt(row, &parts) {
                doubts.push(Doubt::new(relation, &enforcer, &parts, why));
            }
            relation.table.enforcers.push(enforcer);
        }
        doubts
    }

    fn parts(&self, row: &Row, collations: &Collations) -> Option<Vec<Part>> {
        let relation = self.get(row.number(0))?;
        let words =
            |at: usize| -> Vec<String> { serde_json::from_str(row.text(at)).unwrap_or_default() };
        let (operators, expressions) = (words(18), words(19));
        let collated = numbers(row.text(11));
        let attributes = numbers(row.text(10));
        let length = key_length(row);
        let mut parts = Vec::new();
        for (at, number) in attributes.iter().take(length).enumerate() {
            let collation = collated.get(at).copied().unwrap_or(0);
            let mut part = match relation.column(*number) {
                Some(_) => self.column_part(relation, *number, collation, collations),
                None => {
                    let text = expressions.get(at).map_or("?", String::as_str);
                    let key = expression_part(text, Dialect::Postgres, &relation.table.columns);
                    Part::new(key, collation, DEFAULT, collations)
                }
            };
            let last = at + 1 == length;
            match operators.get(at).map(String::as_str) {
                _ if row.is(17) && last => part.not_equality("WITHOUT OVERLAPS"),
                None | Some("=") => {}
                Some(operator) => part.not_equality(&format!("WITH {operator}")),
            }
            parts.push(part);
        }
        Some(parts)
    }

    fn column_part(
        &self,
        relation: &Relation,
        number: i64,
        collation: i64,
        collations: &Collations,
    ) -> Part {
        let column = relation.column(number);
        let (of, own) = relation.types.get(&number).copied().unwrap_or((0, 0));
        let printed = column.map_or("", |column| &*column.data_type);
        let (name, nullable) = column.map_or(("?", true), |column| (&column.name, column.nullable));
        let mut part = Part::new(KeyPart::column(name, nullable), collation, own, collations);
        if part.key.folds.is_none() {
            part.key.folds = self
                .base_type(of, printed)
                .and_then(|(name, printed)| equality::postgres(name, printed));
        }
        part
    }
}

/// A key part with what a probe of its values needs.
pub(super) struct Part {
    pub(super) key: KeyPart,
    pub(super) order: Order,
}

impl Part {
    /// `own` is the collation that the type has by itself, which nobody wrote down.
    fn new(mut key: KeyPart, collation: i64, own: i64, collations: &Collations) -> Self {
        if collation != own {
            key.collation = collations.name(collation);
        }
        if collations.folds(collation) {
            let name = collations.name(collation);
            let name = name.as_deref().unwrap_or("of the database");
            key.folds = Some(
                format!(
                    "is compared with collation {name}, which takes different values for equal"
                )
                .into(),
            );
        }
        Self {
            key,
            order: collations.order(collation),
        }
    }

    /// What is not compared for equality is no column to anybody who looks for one.
    fn not_equality(&mut self, how: &str) {
        let what = self.key.column.take().or(self.key.expression.take());
        self.key.expression = Some(format!("{} {how}", what.as_deref().unwrap_or("?")).into());
        self.key.nullable = true;
    }
}

fn key_length(row: &Row) -> usize {
    usize::try_from(row.number(9)).unwrap_or(0)
}

/// What it enforces; nothing for a plain index.
fn kind(row: &Row) -> Option<EnforcerKind> {
    match row.text(14) {
        "p" => Some(EnforcerKind::PrimaryKey),
        "u" => Some(EnforcerKind::UniqueConstraint),
        "x" => Some(EnforcerKind::Exclusion),
        _ if row.is(4) => Some(EnforcerKind::PrimaryKey),
        _ if row.is(5) => Some(EnforcerKind::Exclusion),
        _ if row.is(3) => Some(EnforcerKind::UniqueIndex),
        _ => None,
    }
}

/// Ready is whether new rows are checked; valid is whether all rows are in it. They differ while an
/// index is built, and for ever when its building was cut off.
fn judge(enforcer: &mut Enforcer, row: &Row, kind: TableKind) {
    let (valid, ready) = (row.is(7), row.is(8));
    if valid && ready {
        return;
    }
    let whole = kind == TableKind::Partitioned;
    let says = match (whole, ready) {
        (true, _) => "it is made on the parent only: not every partition has an index of its own",
        (false, false) => "its building was cut off before new rows were checked",
        (false, true) => {
            "its building was cut off: new rows are checked, older ones may be missing from it"
        }
    };
    if whole || !ready {
        enforcer.enforced = not_so(enforcer, says);
    }
    enforcer.trusted = not_so(enforcer, says);
}

fn doubt(row: &Row, parts: &[Part]) -> Option<Why> {
    if !row.is(7) || !row.is(8) {
        return Some(Why::Invalid);
    }
    // Only an order that changed makes an index miss a row.
    let orders = || parts.iter().map(|part| part.order);
    if orders().any(|order| order == Order::Changed) {
        return Some(Why::Changed);
    }
    orders()
        .any(|order| order == Order::NotRecorded)
        .then_some(Why::NotRecorded)
}
