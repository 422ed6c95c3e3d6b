//! Keys of MySQL's family. An invisible or ignored index enforces all the same, so neither flag is
//! asked for.

use std::sync::Arc;

use crate::model::schema::{Column, Dialect, EnforcerKind, Index, KeyPart};

use super::super::equality;
use super::super::known::{Draft, expression_part, place};
use super::super::row::Row;
use super::columns::unescaped;
use super::tables::Tables;

impl Tables<'_> {
    /// Adds every index to its table; the rows of one stand together, in the order of its parts.
    pub(super) fn keys(&mut self, rows: &[Row]) {
        let same =
            |one: &Row, other: &Row| one.text(0) == other.text(0) && one.text(1) == other.text(1);
        for rows in rows.chunk_by(same) {
            self.key(rows);
        }
    }

    fn key(&mut self, rows: &[Row]) {
        let Some(first) = rows.first() else {
            return;
        };
        let (dialect, strict) = (self.server.dialect, self.server.strict);
        let deferral = self.server.deferral;
        let by_bytes = self.server.by_bytes;
        let random = self.random.iter().any(|table| **table == *first.text(0));
        // Names of indexes belong to their table.
        let place = place(&self.label, &format!("{}.{}", first.text(0), first.text(1)));
        let Some(table) = self.get_mut(first.text(0)) else {
            return;
        };
        let name: Arc<str> = first.text(1).into();
        let is_primary = &*name == "PRIMARY";
        let parts: Vec<KeyPart> = rows
            .iter()
            .map(|row| part(row, &table.columns, dialect, strict, by_bytes))
            .collect();
        if first.is(2) {
            table.indexes.push(Index {
                name,
                parts,
                predicate: None,
                place,
            });
            return;
        }
        if is_primary && random {
            let drawn = parts.first().and_then(|part| part.column.clone());
            for column in &mut table.columns {
                column.auto_number |= Some(&column.name) == drawn.as_ref();
            }
        }
        let draft = Draft {
            name,
            kind: match is_primary {
                true => EnforcerKind::PrimaryKey,
                false => EnforcerKind::UniqueIndex,
            },
            parts,
            include: Vec::new(),
            predicate: None,
            nulls_not_distinct: false,
            deferral,
            place,
        };
        let enforcer = draft.enforcer(&table.name);
        table.enforcers.push(enforcer);
    }
}

fn part(row: &Row, columns: &[Column], dialect: Dialect, strict: bool, by_bytes: bool) -> KeyPart {
    let Some(name) = row.maybe(3) else {
        let text = unescaped(row.maybe(6).unwrap_or("?"));
        let mut part = expression_part(&text, dialect, columns);
        part.nullable &= row.is(5);
        return part;
    };
    let column = columns.iter().find(|column| &*column.name == name);
    // A CHECK can forbid what the index alone would allow.
    let nullable = row.is(5) && column.is_none_or(|column| column.nullable);
    let mut part = KeyPart::column(name, nullable);
    part.prefix_length = row.maybe(4).and_then(|length| length.parse().ok());
    let Some(column) = column else {
        return part;
    };
    part.collation = column.collation.clone();
    part.folds = equality::mysql(&column.data_type, strict);
    let padded = column.collation.as_deref().is_some_and(pads);
    if part.folds.is_none() && padded && !by_bytes {
        part.folds = Some("is compared without the blanks at its end".into());
    }
    part
}

/// True of a collation that keeps case and accents apart and yet ignores blanks at the end. The
/// others are called coarse by their names.
///
/// Source: MySQL, "The binary Collation Compared to _bin Collations": those of UCA 9.0.0 pad
/// nothing; MariaDB: those with `nopad` in their name.
fn pads(collation: &str) -> bool {
    let lower = collation.to_ascii_lowercase();
    let folds = lower.ends_with("_ci") || lower.ends_with("_ai");
    !folds && lower != "binary" && !lower.contains("nopad") && !lower.contains("_0900_")
}
