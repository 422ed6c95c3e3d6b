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

    /// Fields that the metadata assigns anywhere.
    fn assigned(&self) -> BTreeSet<String> {
        let mut fields = BTreeSet::new();
        collect(&self.metadata, &mut fields);
        fields
    }

    /// Fields that the metadata assigns or reads.
    fn liked(&self) -> BTreeSet<String> {
        let text = self.metadata.to_string();
        let mut fields = self.assigned();
        let columns = self.business().flat_map(|table| &table.columns);
        fields.extend(
            columns
                .filter(|column| text.contains(&format!(".{}", column.name)))
                .map(|column| column.name.clone()),
        );
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
pub(crate) struct Dice {
    state: u64,
    /// The one of every list that is picked.
    loaded: Option<usize>,
}

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03,
            loaded: None,
        }
    }

    /// A number below `sides`.
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 33) as usize % sides.max(1)
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        let at = self.roll(list.len());
        list[self.loaded.map_or(at, |loaded| loaded % list.len())]
    }
}

/// The id of the record of another event.
const ANOTHER: &str = "own2";

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
    // The first states are the corners: nothing NULL, everything NULL that may be, with the text
    // that conditions ask for; and the text that is no lower case.
    let nulls = match seed {
        0 => Nulls::None,
        1 => Nulls::All,
        2 => Nulls::None,
        _ => Nulls::Some,
    };
    dice.loaded = [Some(0), Some(0), Some(2)]
        .get(seed as usize)
        .copied()
        .flatten();
    let id = if own.name == "Task" {
        TARGETS[0]
    } else {
        "own1"
    };
    let record = row(own, id, nulls, &mut dice);
    dice.loaded = None;
    let prior = (kind == Change::Updated).then(|| row(own, id, Nulls::Some, &mut dice));
    let liked = case.liked();
    let mut live = record.clone();
    if dice.roll(2) == 0 {
        change(own, &mut live, &liked, &mut dice);
    }
    // The record of another event: see `another`.
    let mut other = live.clone();
    other.insert("__sys_gen_id".to_owned(), json!(ANOTHER));
    let mut rows = vec![(own.name.clone(), live)];
    if own.unique.is_empty() {
        rows.push((own.name.clone(), other));
    }
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
    let edits = (0..4)
        .filter_map(|_| edit(case, &event, &rows, &mut dice, may_delete))
        .collect();
    Some(State { event, rows, edits })
}

/// The event of another record of the same object.
pub(crate) fn another(event: &Event) -> Event {
    let mut other = event.clone();
    other
        .record
        .insert("__sys_gen_id".to_owned(), json!(ANOTHER));
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
        (Kind::Int, _) if dice.loaded.is_some() => json!(2),
        (Kind::Int, _) => json!(dice.roll(4)),
        (Kind::Decimal, _) => json!([1.5, 2.0, 2.25][dice.roll(3)]),
        (Kind::Time, _) => json!(format!("2026-01-0{}T00:00:00+00:00", 1 + dice.roll(3))),
    }
}

/// Gives one field another value; mostly one of those that flows assign or read.
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

/// A person who rewrites the key of a row gives its guard away: a stated residual.
fn leave_keys(table: &TableSpec, values: &mut Row) {
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
    let mut values = Row::from([(field.clone(), other)]);
    leave_keys(spec, &mut values);
    Some(Edit::Save {
        table: table.clone(),
        id: id.clone(),
        values,
    })
}

fn edit(
    case: &Case,
    event: &Event,
    rows: &[(String, Row)],
    dice: &mut Dice,
    may_delete: bool,
) -> Option<Edit> {
    let liked = case.liked();
    let kind = dice.roll(3);
    if kind == 0 {
        return undo(case, event, rows, dice);
    }
    if kind == 1 {
        // The event's own row, and the one that it points to, see most.
        let target = match dice.roll(3) {
            0 => Some(0),
            1 => rows
                .iter()
                .position(|(_, row)| Some(&row["__sys_gen_id"]) == event.record.get("ref")),
            _ => None,
        };
        let (table, row) = &rows[target.unwrap_or_else(|| dice.roll(rows.len()))];
        let spec = case.table(table)?;
        let mut values = Row::new();
        change(spec, &mut values, &liked, dice);
        change(spec, &mut values, &liked, dice);
        leave_keys(spec, &mut values);
        return Some(Edit::Save {
            table: table.clone(),
            id: row["__sys_gen_id"].clone(),
            values,
        });
    }
    let table = case.business().find(|table| table.name == "Task")?;
    let mut values = Row::new();
    if may_delete && dice.roll(2) == 0 {
        values.insert("__sys_gen_is_deleted".to_owned(), json!(1));
    } else {
        change(table, &mut values, &liked, dice);
        leave_keys(table, &mut values);
    }
    Some(Edit::Created {
        table: table.name.clone(),
        values,
    })
}
