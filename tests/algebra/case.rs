//! A case: tables and metadata; and the states in which its flows are tried.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Value as Json, json};

use super::database::{Change, Event};
use super::schedule::{Edit, State};
use super::system::own_tables;
use super::tables::{ColumnSpec, Kind, Row, TableSpec, table};

/// Tables and metadata.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// The tables as they are described.
    pub(crate) described: Vec<String>,
    pub(crate) tables: Vec<TableSpec>,
    pub(crate) metadata: Json,
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.name)?;
        for table in &self.described {
            writeln!(f, "  {table}")?;
        }
        write!(f, "{:#}", self.metadata)
    }
}

impl Case {
    pub(crate) fn new(name: &str, tables: &[&str], metadata: Json) -> Self {
        let mut specs: Vec<TableSpec> = tables.iter().map(|text| table(text)).collect();
        specs.extend(own_tables());
        Self {
            name: name.to_owned(),
            described: tables.iter().map(|&text| text.to_owned()).collect(),
            tables: specs,
            metadata,
        }
    }

    fn table(&self, name: &str) -> Option<&TableSpec> {
        self.tables
            .iter()
            .find(|table| table.name.eq_ignore_ascii_case(name))
    }

    /// Fields that the metadata assigns anywhere: the ones worth changing.
    fn assigned(&self) -> BTreeSet<String> {
        let mut fields = BTreeSet::new();
        collect(&self.metadata, &mut fields);
        fields
    }

    /// Tables of the case itself.
    fn business(&self) -> impl Iterator<Item = &TableSpec> {
        let count = self.described.len();
        self.tables.iter().take(count)
    }
}

fn collect(node: &Json, fields: &mut BTreeSet<String>) {
    match node {
        Json::Array(items) => items.iter().for_each(|item| collect(item, fields)),
        Json::Object(members) => {
            for (key, value) in members {
                match value.as_object() {
                    Some(mappings) if key == "field_mappings" => {
                        fields.extend(mappings.keys().cloned());
                    }
                    _ => collect(value, fields),
                }
            }
        }
        _ => {}
    }
}

/// A small source of numbers: the same seed, the same numbers.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    /// A number below `sides`.
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % sides.max(1)
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.roll(list.len())]
    }
}

/// Rows that lookups named `ref` point to.
const TARGETS: [&str; 2] = ["t1", "t2"];

/// A state for a flow with this trigger; none if its object has no table or its event is none
/// that the outbox carries. `may_delete` lets users delete what flows created.
pub(crate) fn state(
    case: &Case,
    object: &str,
    trigger: &str,
    seed: u64,
    may_delete: bool,
) -> Option<State> {
    let kind = match trigger {
        "afterCreate" => Change::Created,
        "afterUpdate" => Change::Updated,
        _ => return None,
    };
    let own = case.table(object)?;
    let mut dice = Dice::new(seed + 1);
    // The first states are the corners: nothing NULL, everything NULL that may be.
    let nulls = match seed {
        0 => Nulls::None,
        1 => Nulls::All,
        _ => Nulls::Some,
    };
    let id = if own.name == "Task" {
        TARGETS[0]
    } else {
        "own1"
    };
    let record = row(own, id, nulls, &mut dice);
    let prior = (kind == Change::Updated).then(|| row(own, id, Nulls::Some, &mut dice));
    let liked = case.assigned();
    let mut live = record.clone();
    if dice.roll(2) == 0 {
        change(own, &mut live, &liked, &mut dice);
    }
    let mut rows = vec![(own.name.clone(), live)];
    for target in case.business().filter(|table| table.name == "Task") {
        for id in TARGETS {
            let known = rows.iter().any(|(_, row)| row["__sys_gen_id"] == json!(id));
            let new = row(target, id, Nulls::Some, &mut dice);
            let refused = rows
                .iter()
                .filter(|(table, _)| *table == target.name)
                .any(|(_, row)| target.unique.iter().any(|unique| unique.refuses(row, &new)));
            if !known && !refused {
                rows.push((target.name.clone(), new));
            }
        }
    }
    let event = Event {
        kind,
        object: own.name.clone(),
        record,
        prior,
    };
    let edits = (0..3)
        .filter_map(|_| edit(case, &event, &rows, &mut dice, may_delete))
        .collect();
    Some(State { event, rows, edits })
}

/// The event of another record of the same object.
pub(crate) fn another(event: &Event) -> Event {
    let mut other = event.clone();
    other
        .record
        .insert("__sys_gen_id".to_owned(), json!("own2"));
    other
}

#[derive(Clone, Copy, PartialEq)]
enum Nulls {
    None,
    Some,
    All,
}

fn row(table: &TableSpec, id: &str, nulls: Nulls, dice: &mut Dice) -> Row {
    let mut row = Row::new();
    for column in &table.columns {
        let null = match nulls {
            Nulls::None => false,
            Nulls::Some => dice.roll(3) == 0,
            Nulls::All => true,
        };
        let value = match column.name.as_str() {
            "__sys_gen_id" => json!(id),
            "__sys_gen_is_deleted" => json!(0),
            _ if null && column.nullable => Json::Null,
            _ => value(column, dice),
        };
        row.insert(column.name.clone(), value);
    }
    row
}

fn value(column: &ColumnSpec, dice: &mut Dice) -> Json {
    match (column.kind, column.name.as_str()) {
        (_, "ref") => json!(dice.pick(&TARGETS)),
        (Kind::Text, _) => match (&column.default, dice.roll(2)) {
            (Some(default), 0) => default.clone(),
            _ => json!(dice.pick(&["x", "y", "Z"])),
        },
        (Kind::Int, _) => json!(dice.roll(4)),
        (Kind::Decimal, _) => json!([1.5, 2.0, 2.25][dice.roll(3)]),
        (Kind::Time, _) => json!(format!("2026-01-0{}T00:00:00+00:00", 1 + dice.roll(3))),
    }
}

/// Gives one field another value; mostly one of those that flows assign.
fn change(table: &TableSpec, row: &mut Row, liked: &BTreeSet<String>, dice: &mut Dice) {
    let any: Vec<&ColumnSpec> = table
        .columns
        .iter()
        .filter(|column| !column.name.starts_with("__"))
        .collect();
    let mut free: Vec<&ColumnSpec> = any
        .iter()
        .copied()
        .filter(|column| liked.contains(&column.name))
        .collect();
    if free.is_empty() || dice.roll(4) == 0 {
        free = any;
    }
    if let Some(column) = free.get(dice.roll(free.len())) {
        row.insert(column.name.clone(), value(column, dice));
    }
}

/// Gives a field that some flow assigns another value, in the row that the event is about or
/// points to: so that the next delivery has something to change.
fn undo(case: &Case, event: &Event, rows: &[(String, Row)], dice: &mut Dice) -> Option<Edit> {
    let name = ["__sys_gen_id", "ref"][dice.roll(2)];
    let id = event.record.get(name).filter(|id| !id.is_null())?;
    let (table, row) = rows
        .iter()
        .find(|(_, row)| row.get("__sys_gen_id") == Some(id))?;
    let spec = case.table(table)?;
    let fields: Vec<String> = case
        .assigned()
        .into_iter()
        .filter(|field| row.contains_key(field))
        .collect();
    let field = fields.get(dice.roll(fields.len()))?;
    let column = spec.column(field)?;
    let other = match column.kind {
        Kind::Text => json!("undone"),
        Kind::Int | Kind::Decimal => json!(9),
        Kind::Time => json!("2026-01-27T00:00:00+00:00"),
    };
    Some(Edit::Save {
        table: table.clone(),
        id: id.clone(),
        values: Row::from([(field.clone(), other)]),
    })
}

fn edit(
    case: &Case,
    event: &Event,
    rows: &[(String, Row)],
    dice: &mut Dice,
    may_delete: bool,
) -> Option<Edit> {
    let liked = case.assigned();
    if dice.roll(3) == 0 {
        return undo(case, event, rows, dice);
    }
    if dice.roll(3) > 0 {
        // The row that the event points to sees most.
        let target = if dice.roll(2) == 0 {
            rows.iter()
                .position(|(_, row)| Some(&row["__sys_gen_id"]) == event.record.get("ref"))
        } else {
            None
        };
        let (table, row) = &rows[target.unwrap_or_else(|| dice.roll(rows.len()))];
        let spec = case.table(table)?;
        let mut values = Row::new();
        change(spec, &mut values, &liked, dice);
        change(spec, &mut values, &liked, dice);
        return Some(Edit::Save {
            table: table.clone(),
            id: row["__sys_gen_id"].clone(),
            values,
        });
    }
    let tables: Vec<&TableSpec> = case.business().collect();
    let table = tables[dice.roll(tables.len())];
    let mut values = Row::new();
    if may_delete && dice.roll(2) == 0 {
        values.insert("__sys_gen_is_deleted".to_owned(), json!(1));
    } else {
        change(table, &mut values, &liked, dice);
        // A person who rewrites the key of a row gives its guard away: a stated residual.
        values.retain(|field, _| {
            !table.unique.iter().any(|unique| {
                unique.columns.contains(field)
                    || unique
                        .only
                        .as_ref()
                        .is_some_and(|(column, _)| column == field)
            })
        });
    }
    Some(Edit::Created {
        table: table.name.clone(),
        values,
    })
}
