//! What the readers of every engine make of a row: places, evidence, enforcers, gaps.

use std::sync::Arc;

use crate::model::evidence::{Evidence, Fact, InputKind, ObservedBy, Reason, Why};
use crate::model::place::Place;
use crate::model::schema::{
    Column, Deferral, Dialect, Enforcer, EnforcerKind, KeyPart, Predicate, Schema, Table,
    UnknownTable,
};
use crate::sql::{ddl, expression, nullness, predicate};

/// An object of the connection.
pub(super) fn place(label: &Arc<str>, object: &str) -> Place {
    Place::Object {
        connection: Arc::clone(label),
        object: object.into(),
    }
}

/// What a catalog says at a place.
pub(super) fn evidence(place: Place, says: impl Into<Arc<str>>) -> Arc<Evidence> {
    Arc::new(Evidence {
        input: InputKind::Database,
        by: ObservedBy::Catalog,
        place,
        says: says.into(),
    })
}

/// An enforcer as its rows give it; enforced and trusted until the engine says otherwise.
pub(super) struct Draft {
    pub(super) name: Arc<str>,
    pub(super) kind: EnforcerKind,
    pub(super) parts: Vec<KeyPart>,
    pub(super) include: Vec<Arc<str>>,
    pub(super) predicate: Option<Predicate>,
    pub(super) nulls_not_distinct: bool,
    pub(super) deferral: Deferral,
    pub(super) place: Place,
}

impl Draft {
    /// The enforcer of a table.
    pub(super) fn enforcer(self, table: &str) -> Enforcer {
        let says = ddl::says(
            self.kind,
            &self.parts,
            self.predicate.as_ref(),
            self.nulls_not_distinct,
            table,
        );
        let evidence = evidence(self.place, says);
        Enforcer {
            name: self.name,
            kind: self.kind,
            parts: self.parts,
            include: self.include,
            predicate: self.predicate,
            nulls_not_distinct: self.nulls_not_distinct,
            deferral: self.deferral,
            on_conflict: None,
            enforced: Fact::Shown(true, Arc::clone(&evidence)),
            trusted: Fact::Shown(true, Arc::clone(&evidence)),
            evidence,
        }
    }
}

/// Says of an enforcer that the catalog shows it not enforced, or not to be trusted.
pub(super) fn not_so(enforcer: &Enforcer, says: &str) -> Fact<bool> {
    Fact::Shown(false, evidence(enforcer.evidence.place.clone(), says))
}

/// A predicate with its tree.
pub(super) fn condition(text: &str, dialect: Dialect, columns: &[Column]) -> Predicate {
    let is_column = |name: &str| {
        columns
            .iter()
            .any(|column| column.name.eq_ignore_ascii_case(name))
    };
    let text = expression::bare(text, dialect);
    Predicate {
        tree: predicate::parse(&text, dialect, &is_column),
        text: text.into(),
    }
}

/// A key part that is an expression over columns.
pub(super) fn expression_part(text: &str, dialect: Dialect, columns: &[Column]) -> KeyPart {
    let nullable = nullness::can_be_null(text, dialect, &|name| {
        columns
            .iter()
            .find(|column| column.name.eq_ignore_ascii_case(name))
            .is_none_or(|column| column.nullable)
    });
    KeyPart {
        column: None,
        expression: Some(expression::bare(text, dialect).into()),
        prefix_length: None,
        nullable,
        collation: None,
        folds: None,
    }
}

/// A gap in what a connection shows.
pub(super) fn gap(why: Why, place: Option<Place>, sentence: String, next_step: &str) -> Reason {
    Reason {
        why,
        needs: Some(InputKind::Database),
        sentence,
        place,
        next_step: next_step.to_owned(),
    }
}

/// Notes a gap that may touch every table: once for the input, and for each table by its name.
pub(super) fn unknown_everywhere(schema: &mut Schema, reason: &Reason) {
    let names: Vec<Arc<str>> = schema.tables.iter().map(printed).collect();
    schema.unknown.push(UnknownTable {
        table: None,
        reason: reason.clone(),
    });
    schema
        .unknown
        .extend(names.into_iter().map(|name| UnknownTable {
            table: Some(name),
            reason: reason.clone(),
        }));
}

/// The name under which a table is reported.
pub(super) fn printed(table: &Table) -> Arc<str> {
    match &table.schema {
        Some(schema) => format!("{schema}.{}", table.name).into(),
        None => Arc::clone(&table.name),
    }
}

/// Sorts tables and what hangs on them as the reader of text does.
pub(super) fn sorted(tables: &mut [Table]) {
    for table in tables.iter_mut() {
        table
            .enforcers
            .sort_by(|one, other| (one.kind, &one.name).cmp(&(other.kind, &other.name)));
        table
            .indexes
            .sort_by(|one, other| one.name.cmp(&other.name));
        table
            .triggers
            .sort_by(|one, other| one.name.cmp(&other.name));
    }
    tables.sort_by(|one, other| (&one.schema, &one.name).cmp(&(&other.schema, &other.name)));
}
