//! Whether the record-key column holds the longest key that the template can give.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::evidence::{Fact, Reason, Why};
use crate::model::outbox::{KeyRoom, OutboxColumn, OutboxNames};
use crate::model::schema::{Column, Dialect, Schema, Table};
use crate::model::template::{Part, parse};

use super::seen;

/// Compares the type of the column with the template, both in characters.
pub(super) fn key_room(
    names: &OutboxNames,
    schema: &Schema,
    table: &Table,
    columns: &BTreeMap<OutboxColumn, Column>,
    template: Option<&str>,
) -> Fact<KeyRoom> {
    let Some(column) = columns.get(&OutboxColumn::RecordKey) else {
        return Fact::Absent(seen(
            schema,
            table,
            format!("{} has no record-key column", table.name),
        ));
    };
    let unknown = |sentence: String, next_step: &str| {
        Fact::Unknown(Arc::new(Reason {
            why: Why::NotDecidable,
            needs: None,
            sentence,
            place: Some(column.place.clone()),
            next_step: next_step.into(),
        }))
    };
    let shown = |holds, longest, because: String| {
        let says = format!("{}.{} {}", table.name, column.name, column.data_type);
        let because = because.into();
        let room = KeyRoom {
            holds,
            longest,
            because,
        };
        Fact::Shown(room, seen(schema, table, says))
    };
    let holds = match capacity(&column.data_type, schema.dialect) {
        Capacity::Unbounded => {
            let because = format!("{} has no bound that a key could meet", column.data_type);
            return shown(None, None, because);
        }
        Capacity::Characters(holds) => holds,
        Capacity::Unknown => {
            return unknown(
                format!(
                    "how long a text {} of type {} holds is not known",
                    column.name, column.data_type
                ),
                "make it a text, such as VARCHAR(255)",
            );
        }
    };
    let Some(template) = template else {
        return unknown(
            format!(
                "how long a record key can be is not known: no template says how it is made, and {} holds {holds} characters",
                column.name
            ),
            "declare it under `outbox.record_key.template`",
        );
    };
    let mut longest = 0u32;
    let mut sum = Vec::new();
    for part in parse(template).unwrap_or_default() {
        let (length, what) = match &part {
            Part::Literal(text) => (text.chars().count() as u32, format!("`{text}`")),
            Part::Path(path) => match of_path(names, schema, table, path) {
                Ok(found) => found,
                Err(what) => {
                    return unknown(
                        format!(
                            "how long a record key can be is not known: {what}, and {} holds {holds} characters",
                            column.name
                        ),
                        "make the column wide enough for certain, such as TEXT, or a VARCHAR whose length the writers check",
                    );
                }
            },
        };
        longest = longest.saturating_add(length);
        sum.push(format!("{what} {length}"));
    }
    shown(Some(holds), Some(longest), sum.join(" + "))
}

/// The longest value of a payload path, and what it is.
fn of_path(
    names: &OutboxNames,
    schema: &Schema,
    outbox: &Table,
    path: &[&str],
) -> Result<(u32, String), String> {
    let whole = path.join(".");
    if names.object_path.as_deref() == Some(&*whole) {
        // An object is a table. PostgreSQL: 63 bytes (NAMEDATALEN); MySQL's family: 64 characters.
        let longest = match schema.dialect {
            Some(Dialect::Postgres) => 63,
            _ => 64,
        };
        return Ok((longest, format!("{{{whole}}}")));
    }
    let [record, field] = path else {
        return Err(format!("nothing bounds the payload's {whole}"));
    };
    if !names.record_paths.iter().any(|known| &**known == *record) {
        return Err(format!("nothing bounds the payload's {whole}"));
    }
    let mut longest = None;
    for table in schema
        .tables
        .iter()
        .filter(|table| table.name != outbox.name)
    {
        let Some(column) = table.column(field) else {
            continue;
        };
        match capacity(&column.data_type, schema.dialect) {
            Capacity::Characters(length) => longest = longest.max(Some(length)),
            Capacity::Unbounded | Capacity::Unknown => {
                return Err(format!(
                    "{}.{} is {}, which has no known length",
                    table.name, column.name, column.data_type
                ));
            }
        }
    }
    match longest {
        Some(length) => Ok((length, format!("{{{whole}}}"))),
        None => Err(format!("no table that was read has the column {field}")),
    }
}

enum Capacity {
    Characters(u32),
    Unbounded,
    Unknown,
}

/// How many characters the printed values of a type can have.
fn capacity(data_type: &str, dialect: Option<Dialect>) -> Capacity {
    // SQLite keeps the length of a type and enforces none. Source: "Datatypes In SQLite", 3.1.
    if dialect == Some(Dialect::Sqlite) {
        return Capacity::Unbounded;
    }
    let lower = data_type.trim().to_ascii_lowercase();
    let word = lower.split(['(', ' ']).next().unwrap_or("");
    let length: Option<u32> = lower
        .split_once('(')
        .and_then(|(_, rest)| rest.split_once(')'))
        .and_then(|(inside, _)| inside.trim().parse().ok());
    match word {
        "text" | "mediumtext" | "longtext" | "clob" | "citext" => Capacity::Unbounded,
        "varchar" | "char" | "nvarchar" | "nchar" | "character" | "bpchar" => match length {
            Some(length) => Capacity::Characters(length),
            // PostgreSQL's varchar without a length has none; char without one holds a character.
            None if dialect == Some(Dialect::Postgres) && lower.contains("var") => {
                Capacity::Unbounded
            }
            None if matches!(&*lower, "char" | "character" | "nchar") => Capacity::Characters(1),
            None => Capacity::Unknown,
        },
        "tinytext" => Capacity::Unknown,
        "uuid" => Capacity::Characters(36),
        "smallint" | "tinyint" | "mediumint" => Capacity::Characters(8),
        "int" | "integer" | "int4" => Capacity::Characters(11),
        "bigint" | "int8" => Capacity::Characters(20),
        _ => Capacity::Unknown,
    }
}
