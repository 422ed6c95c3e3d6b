//! The schema with its tables found by name without a walk through all of them.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use crate::model::evidence::{Fact, InputKind, Reason, Why};
use crate::model::place::Place;
use crate::model::routine::Routine;
use crate::model::schema::{Enforcer, Schema, SchemaOrigin, Table};

/// A schema with an index over its table names, in lower case.
pub(super) struct Tables<'a> {
    schema: &'a Schema,
    by_name: BTreeMap<String, Vec<usize>>,
    /// Notes on the enforcers of each table, in its order.
    notes: Vec<Vec<EnforcerNotes>>,
    /// Functions whose bodies a text holds, by lower-case name.
    routines: BTreeMap<String, &'a Routine>,
}

/// What is the same of an enforcer for every create that it is held against.
pub(super) struct EnforcerNotes {
    /// Its key as a person writes it.
    pub(super) key: Arc<str>,
    /// Columns of the key; an empty name for an expression.
    pub(super) columns: Arc<[Arc<str>]>,
    /// Whether a catalog shows it.
    pub(super) live: Result<(), Arc<Reason>>,
    /// A statement of its text that is not understood and names no table.
    pub(super) beside: Option<Arc<Reason>>,
}

impl<'a> Tables<'a> {
    /// Indexes the tables once.
    ///
    /// Bodies of functions stand in the declared schema, whichever of the two is used.
    pub(super) fn new(schema: &'a Schema, declared: Option<&'a Schema>) -> Self {
        let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, table) in schema.tables.iter().enumerate() {
            by_name
                .entry(table.name.to_ascii_lowercase())
                .or_default()
                .push(at);
        }
        let notes = schema
            .tables
            .iter()
            .map(|table| {
                table
                    .enforcers
                    .iter()
                    .map(|enforcer| EnforcerNotes {
                        key: enforcer.key_text().into(),
                        columns: enforcer
                            .parts
                            .iter()
                            .map(|part| part.column.clone().unwrap_or_default())
                            .collect(),
                        live: live(schema, table, enforcer),
                        beside: beside(schema, enforcer),
                    })
                    .collect()
            })
            .collect();
        Self {
            schema,
            by_name,
            notes,
            routines: declared
                .unwrap_or(schema)
                .routines
                .iter()
                .map(|routine| (routine.name.to_lowercase(), routine))
                .collect(),
        }
    }

    /// The notes on a table's enforcers.
    pub(super) fn notes(&self, table: &Table) -> &[EnforcerNotes] {
        let same = |at: &&usize| {
            self.schema
                .tables
                .get(**at)
                .is_some_and(|other| std::ptr::eq(other, table))
        };
        self.by_name
            .get(&table.name.to_ascii_lowercase())
            .and_then(|list| list.iter().find(same))
            .and_then(|at| self.notes.get(*at))
            .map_or(&[], Vec::as_slice)
    }

    /// The function of that name whose body was read.
    pub(super) fn routine(&self, name: &str) -> Option<&'a Routine> {
        self.routines.get(&name.to_lowercase()).copied()
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

/// The first statement that may have dropped or altered a key that a text declares. What stands in
/// front of it in the same file cannot.
fn beside(schema: &Schema, enforcer: &Enforcer) -> Option<Arc<Reason>> {
    if schema.origin == SchemaOrigin::Live {
        return None;
    }
    let key = enforcer.evidence.place.span();
    let nameless = schema.unknown.iter().filter(|it| it.table.is_none());
    let mut later = nameless.filter(|unknown| {
        let place = unknown.reason.place.as_ref().and_then(Place::span);
        key.zip(place)
            .is_none_or(|(key, it)| key.file != it.file || key.start < it.start)
    });
    later.next().map(|unknown| Arc::new(unknown.reason.clone()))
}

fn live(schema: &Schema, table: &Table, enforcer: &Enforcer) -> Result<(), Arc<Reason>> {
    let live = schema.origin == SchemaOrigin::Live;
    match (&enforcer.enforced, &enforcer.trusted) {
        (Fact::Shown(true, _), Fact::Shown(true, _)) if live => Ok(()),
        (Fact::Unknown(reason), _) | (Fact::Shown(true, _), Fact::Unknown(reason)) if live => {
            Err(Arc::clone(reason))
        }
        (Fact::Shown(true, _), Fact::Shown(false, evidence)) if live => Err(Arc::new(Reason {
            why: Why::NotDecidable,
            needs: Some(InputKind::Database),
            sentence: format!(
                "index {} is not to be relied on: {}",
                enforcer.name, evidence.says
            ),
            place: Some(evidence.place.clone()),
            next_step: format!(
                "remove duplicates, if there are any, and rebuild it (REINDEX INDEX CONCURRENTLY {})",
                enforcer.name
            ),
        })),
        _ => Err(Arc::new(Reason {
            why: Why::NotGiven,
            needs: Some(InputKind::Database),
            // The rowid needs no index.
            sentence: match enforcer.is_rowid(schema.dialect) {
                true => format!(
                    "the primary key of {} is declared in a text; whether the database has it is not shown",
                    table.name
                ),
                false => format!(
                    "index {} is declared in a text; whether the database has it, valid, is not shown",
                    enforcer.name
                ),
            },
            place: Some(enforcer.evidence.place.clone()),
            next_step: "give the database (--database)".into(),
        })),
    }
}
