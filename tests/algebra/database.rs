//! A database small enough to be read at once: rows seen as READ COMMITTED shows them, row locks
//! held to the end of the transaction, UNIQUE indexes with their predicates, and the outbox.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Value as Json;

use super::tables::{Row, TableSpec};

/// Who holds a transaction.
pub(crate) type Holder = u8;

/// An event as the outbox carries it: the frozen snapshot.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    pub(crate) kind: Change,
    pub(crate) object: String,
    pub(crate) record: Row,
    pub(crate) prior: Option<Row>,
}

/// What happened to the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Created,
    Updated,
}

/// Why a row cannot be written now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Another transaction holds it, or a row with its key.
    Wait,
    /// A UNIQUE index of these columns.
    Violates(Vec<String>),
}

#[derive(Debug, Clone)]
struct Slot {
    committed: Option<Row>,
    pending: Option<(Holder, Row)>,
    /// The site that created it; empty for rows that were there before.
    origin: String,
}

#[derive(Debug, Clone)]
struct Table {
    spec: Rc<TableSpec>,
    slots: Vec<Slot>,
}

/// All tables and the outbox.
#[derive(Debug, Clone)]
pub(crate) struct Database {
    tables: BTreeMap<String, Table>,
    outbox: Vec<(Option<Holder>, Event)>,
    next_id: u32,
}

/// How generated ids begin; nothing else in a database begins so.
pub(crate) const GENERATED: &str = "gen-";

impl Slot {
    fn seen_by(&self, holder: Holder) -> Option<&Row> {
        match &self.pending {
            Some((by, row)) if *by == holder => Some(row),
            _ => self.committed.as_ref(),
        }
    }

    fn held_by_other(&self, holder: Holder) -> bool {
        self.pending.as_ref().is_some_and(|(by, _)| *by != holder)
    }

    fn id(&self) -> Option<&Json> {
        let row = self.pending.as_ref().map(|(_, row)| row);
        row.or(self.committed.as_ref())?.get("__sys_gen_id")
    }
}

impl Database {
    pub(crate) fn new(specs: &[Rc<TableSpec>]) -> Self {
        let table = |spec: &Rc<TableSpec>| Table {
            spec: Rc::clone(spec),
            slots: Vec::new(),
        };
        Self {
            tables: specs
                .iter()
                .map(|spec| (spec.name.clone(), table(spec)))
                .collect(),
            outbox: Vec::new(),
            next_id: 0,
        }
    }

    /// A row that was there before.
    pub(crate) fn preset(&mut self, table: &str, row: Row) {
        if let Some(table) = self.tables.get_mut(table) {
            table.slots.push(Slot {
                committed: Some(row),
                pending: None,
                origin: String::new(),
            });
        }
    }

    pub(crate) fn spec(&self, table: &str) -> Option<Rc<TableSpec>> {
        self.tables.get(table).map(|table| Rc::clone(&table.spec))
    }

    /// An id that no row ever had.
    pub(crate) fn fresh_id(&mut self) -> String {
        self.next_id += 1;
        format!("{GENERATED}{:05}", self.next_id)
    }

    /// The rows that a holder sees, with the site that created each.
    pub(crate) fn rows(&self, table: &str, holder: Holder) -> impl Iterator<Item = (&Row, &str)> {
        let slots = self.tables.get(table).map_or(&[][..], |table| &table.slots);
        slots
            .iter()
            .filter_map(move |slot| Some((slot.seen_by(holder)?, slot.origin.as_str())))
    }

    /// The row of that id, as the holder sees it.
    pub(crate) fn row(&self, table: &str, id: &Json, holder: Holder) -> Option<&Row> {
        self.rows(table, holder)
            .map(|(row, _)| row)
            .find(|row| row.get("__sys_gen_id") == Some(id))
    }

    /// True if another transaction has written the row and not ended yet.
    pub(crate) fn is_locked(&self, table: &str, id: &Json, holder: Holder) -> bool {
        self.tables.get(table).is_some_and(|table| {
            table
                .slots
                .iter()
                .any(|slot| slot.id() == Some(id) && slot.held_by_other(holder))
        })
    }

    /// Inserts a row in the holder's transaction.
    pub(crate) fn insert(
        &mut self,
        holder: Holder,
        table: &str,
        row: Row,
        origin: &str,
    ) -> Result<(), Refusal> {
        self.may_stand(holder, table, &row)?;
        if let Some(table) = self.tables.get_mut(table) {
            table.slots.push(Slot {
                committed: None,
                pending: Some((holder, row)),
                origin: origin.to_owned(),
            });
        }
        Ok(())
    }

    /// Writes over the row of the same id in the holder's transaction.
    pub(crate) fn update(&mut self, holder: Holder, table: &str, row: Row) -> Result<(), Refusal> {
        self.may_stand(holder, table, &row)?;
        let id = row.get("__sys_gen_id").cloned();
        let slots = self.tables.get_mut(table).map(|table| &mut table.slots);
        let slot = slots.and_then(|slots| slots.iter_mut().find(|slot| slot.id() == id.as_ref()));
        match slot {
            Some(slot) if slot.held_by_other(holder) => Err(Refusal::Wait),
            Some(slot) => {
                slot.pending = Some((holder, row));
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn may_stand(&self, holder: Holder, table: &str, row: &Row) -> Result<(), Refusal> {
        let Some(table) = self.tables.get(table) else {
            return Ok(());
        };
        let id = row.get("__sys_gen_id");
        let mut violated = None;
        for slot in table.slots.iter().filter(|slot| slot.id() != id) {
            let clash = |other: &Row| table.spec.unique.iter().find(|u| u.refuses(row, other));
            // A key that another transaction writes or rewrites is locked until that ends.
            let theirs = slot.held_by_other(holder);
            let versions = [
                slot.committed.as_ref(),
                slot.pending.as_ref().map(|(_, row)| row),
            ];
            if theirs
                && versions
                    .into_iter()
                    .flatten()
                    .any(|row| clash(row).is_some())
            {
                return Err(Refusal::Wait);
            }
            let seen = if theirs { None } else { slot.seen_by(holder) };
            if let Some(unique) = seen.and_then(clash) {
                violated = violated.or(Some(unique.columns.clone()));
            }
        }
        violated.map_or(Ok(()), |columns| Err(Refusal::Violates(columns)))
    }

    /// Puts an event into the outbox, in the holder's transaction.
    pub(crate) fn enqueue(&mut self, holder: Holder, event: Event) {
        self.outbox.push((Some(holder), event));
    }

    /// The oldest committed event, taken out.
    pub(crate) fn next_event(&mut self) -> Option<Event> {
        let at = self.outbox.iter().position(|(by, _)| by.is_none())?;
        Some(self.outbox.remove(at).1)
    }

    /// Makes the holder's writes visible to all.
    pub(crate) fn commit(&mut self, holder: Holder) {
        for slot in self.tables.values_mut().flat_map(|table| &mut table.slots) {
            if let Some((_, row)) = slot.pending.take_if(|(by, _)| *by == holder) {
                slot.committed = Some(row);
            }
        }
        for (by, _) in &mut self.outbox {
            if *by == Some(holder) {
                *by = None;
            }
        }
    }

    /// Undoes the holder's writes.
    pub(crate) fn rollback(&mut self, holder: Holder) {
        for table in self.tables.values_mut() {
            for slot in &mut table.slots {
                slot.pending.take_if(|(by, _)| *by == holder);
            }
            table
                .slots
                .retain(|slot| slot.committed.is_some() || slot.pending.is_some());
        }
        self.outbox.retain(|(by, _)| *by != Some(holder));
    }

    /// Committed rows that were not there before, in the order made: id and site.
    pub(crate) fn generated(&self) -> impl Iterator<Item = (&str, &str)> {
        self.tables
            .values()
            .flat_map(|table| &table.slots)
            .filter(|slot| !slot.origin.is_empty() && slot.committed.is_some())
            .filter_map(|slot| Some((slot.id()?.as_str()?, slot.origin.as_str())))
    }
}
