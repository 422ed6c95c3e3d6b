//! The pragmas against the stored text: agreement in every fact that both show, or the first
//! difference in words.

use std::sync::Arc;

use crate::model::evidence::Fact;
use crate::model::place::Place;
use crate::model::schema::{
    Column, DefaultValue, Deferral, Dialect, Enforcer, EnforcerKind, Index, KeyPart, Predicate,
    PredicateTree, Table, TableKind,
};
use crate::sql::volatility;

use super::catalog::{CatalogIndex, CatalogTable};
use super::evidence;

/// What the two say differently, if anything.
pub(super) fn difference(
    table: &CatalogTable,
    text: &Table,
    is_checked: &dyn Fn(&str) -> bool,
) -> Option<String> {
    columns(table, text, is_checked)
        .or_else(|| primary_key(table, text))
        .or_else(|| indexes(table, text))
        .or_else(|| {
            (table.foreign_keys != text.foreign_keys.len())
                .then(|| "the number of foreign keys".to_owned())
        })
}

fn columns(
    table: &CatalogTable,
    text: &Table,
    is_checked: &dyn Fn(&str) -> bool,
) -> Option<String> {
    // CREATE TABLE AS stores the columns it made, so an empty list is a difference too.
    if table.columns.len() != text.columns.len() {
        return Some("the number of columns".to_owned());
    }
    for (column, written) in table.columns.iter().zip(&text.columns) {
        let name = &column.name;
        if !name.eq_ignore_ascii_case(&written.name) {
            return Some(format!("the name of the column {name}"));
        }
        if bare(&column.data_type) != bare(&written.data_type) {
            return Some(format!("the type of the column {name}"));
        }
        let explained = !written.nullable && (written.auto_number || is_checked(name));
        if column.not_null == written.nullable && !explained {
            return Some(format!("whether the column {name} can be NULL"));
        }
    }
    None
}

/// Types without blanks and quotes, which SQLite keeps as they are written.
fn bare(data_type: &str) -> String {
    data_type
        .chars()
        .filter(|character| !character.is_whitespace() && !"\"'`[]".contains(*character))
        .collect::<String>()
        .to_ascii_lowercase()
}

fn primary_columns(table: &CatalogTable) -> Vec<&str> {
    let mut columns: Vec<(i64, &str)> = table
        .columns
        .iter()
        .filter(|column| column.primary > 0)
        .map(|column| (column.primary, column.name.as_str()))
        .collect();
    columns.sort_unstable();
    columns.into_iter().map(|(_, name)| name).collect()
}

fn is_rowid_key(table: &CatalogTable) -> bool {
    !primary_columns(table).is_empty() && !table.indexes.iter().any(|index| index.origin == "pk")
}

fn primary_key(table: &CatalogTable, text: &Table) -> Option<String> {
    let written = text
        .enforcers
        .iter()
        .find(|enforcer| enforcer.kind == EnforcerKind::PrimaryKey);
    let columns: Vec<&str> = written
        .iter()
        .flat_map(|key| key.parts.iter().filter_map(|part| part.column.as_deref()))
        .collect();
    let known = primary_columns(table);
    let same = known.len() == columns.len()
        && known
            .iter()
            .zip(&columns)
            .all(|(one, other)| one.eq_ignore_ascii_case(other));
    let rowid = written.is_some_and(|key| &*key.name == Enforcer::ROWID);
    (!same || rowid != is_rowid_key(table)).then(|| "the primary key".to_owned())
}

/// An enforcer or plain index of the text, in the terms of the catalog.
struct Written<'t> {
    kind: Option<EnforcerKind>,
    parts: &'t [KeyPart],
    partial: bool,
}

fn find<'t>(text: &'t Table, name: &str) -> Option<Written<'t>> {
    let enforcer = text
        .enforcers
        .iter()
        .find(|enforcer| enforcer.name.eq_ignore_ascii_case(name))
        .map(|enforcer| Written {
            kind: Some(enforcer.kind),
            parts: &enforcer.parts,
            partial: enforcer.predicate.is_some(),
        });
    enforcer.or_else(|| {
        text.indexes
            .iter()
            .find(|index| index.name.eq_ignore_ascii_case(name))
            .map(|index| Written {
                kind: None,
                parts: &index.parts,
                partial: index.predicate.is_some(),
            })
    })
}

fn kind(index: &CatalogIndex) -> Option<EnforcerKind> {
    match index.origin.as_str() {
        _ if !index.unique => None,
        "pk" => Some(EnforcerKind::PrimaryKey),
        "u" => Some(EnforcerKind::UniqueConstraint),
        _ => Some(EnforcerKind::UniqueIndex),
    }
}

fn indexes(table: &CatalogTable, text: &Table) -> Option<String> {
    for index in &table.indexes {
        let same = find(text, &index.name).is_some_and(|written| {
            written.kind == kind(index)
                && written.partial == index.partial
                && written.parts.len() == index.parts.len()
                && written.parts.iter().zip(&index.parts).all(|(part, known)| {
                    let column = match (&part.column, &known.column) {
                        (Some(one), Some(other)) => one.eq_ignore_ascii_case(other),
                        (None, None) => true,
                        // The rowid has no name among the columns.
                        (Some(name), None) => is_rowid_name(name),
                        (None, Some(_)) => false,
                    };
                    let collation = part.collation.as_deref().unwrap_or("BINARY");
                    column
                        && (part.column.is_none()
                            || collation.eq_ignore_ascii_case(&known.collation))
                })
        });
        if !same {
            return Some(format!("the index {}", index.name));
        }
    }
    let written = text.indexes.len()
        + text
            .enforcers
            .iter()
            .filter(|enforcer| &*enforcer.name != Enforcer::ROWID)
            .count();
    (written != table.indexes.len()).then(|| "the number of indexes".to_owned())
}

fn is_rowid_name(name: &str) -> bool {
    ["rowid", "oid", "_rowid_"]
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known))
}

/// The table as the pragmas alone show it; a predicate is then known to be there and not what it says.
pub(super) fn of_pragmas(table: &CatalogTable, connection: &Arc<str>) -> Table {
    let place = |object: &str| Place::Object {
        connection: connection.clone(),
        object: object.into(),
    };
    let rowid = is_rowid_key(table);
    let mut made = Table {
        schema: None,
        name: table.name.as_str().into(),
        kind: TableKind::Table,
        unlogged: false,
        columns: Vec::new(),
        enforcers: Vec::new(),
        indexes: Vec::new(),
        triggers: Vec::new(),
        foreign_keys: Vec::new(),
        place: place(&table.name),
    };
    for column in &table.columns {
        let alias = rowid && column.primary > 0;
        made.columns.push(Column {
            name: column.name.as_str().into(),
            data_type: column.data_type.as_str().into(),
            nullable: !column.not_null && !alias,
            default: column.default.as_deref().map(|text| DefaultValue {
                text: text.into(),
                volatility: volatility::of_default(text, Some(Dialect::Sqlite)),
            }),
            generated: None,
            on_update: None,
            auto_number: alias,
            collation: None,
            place: place(&table.name),
        });
    }
    if rowid {
        let parts = primary_columns(table)
            .into_iter()
            .map(|name| KeyPart::column(name, false))
            .collect();
        let kind = EnforcerKind::PrimaryKey;
        made.enforcers.push(enforcer(
            Enforcer::ROWID,
            kind,
            parts,
            None,
            &table.name,
            place(&table.name),
        ));
    }
    for index in &table.indexes {
        let parts = index
            .parts
            .iter()
            .map(|part| part_of(part, &made))
            .collect();
        let predicate = index.partial.then(|| Predicate {
            text: "?".into(),
            tree: PredicateTree::Opaque("?".into()),
        });
        match kind(index) {
            Some(kind) => made.enforcers.push(enforcer(
                &index.name,
                kind,
                parts,
                predicate,
                &table.name,
                place(&index.name),
            )),
            None => made.indexes.push(Index {
                name: index.name.as_str().into(),
                parts,
                predicate,
                place: place(&index.name),
            }),
        }
    }
    made.enforcers
        .sort_by(|one, other| (one.kind, &one.name).cmp(&(other.kind, &other.name)));
    made
}

fn part_of(part: &super::catalog::CatalogPart, table: &Table) -> KeyPart {
    let collation = (!part.collation.eq_ignore_ascii_case("BINARY"))
        .then(|| part.collation.to_ascii_uppercase().into());
    let nullable = part
        .column
        .as_deref()
        .and_then(|name| table.column(name))
        .is_none_or(|column| column.nullable);
    KeyPart {
        column: part.column.as_deref().map(Arc::from),
        expression: part.column.is_none().then(|| "?".into()),
        prefix_length: None,
        nullable,
        collation,
        folds: None,
    }
}

fn enforcer(
    name: &str,
    kind: EnforcerKind,
    parts: Vec<KeyPart>,
    predicate: Option<Predicate>,
    table: &str,
    place: Place,
) -> Enforcer {
    let word = match kind {
        EnforcerKind::PrimaryKey => "PRIMARY KEY",
        _ => "UNIQUE",
    };
    let columns: Vec<String> = parts.iter().map(KeyPart::to_text).collect();
    let evidence = evidence(place, format!("{word} ({}) on {table}", columns.join(", ")));
    Enforcer {
        name: name.into(),
        kind,
        parts,
        include: Vec::new(),
        predicate,
        nulls_not_distinct: false,
        deferral: Deferral::Immediate,
        on_conflict: None,
        enforced: Fact::Shown(true, evidence.clone()),
        trusted: Fact::Shown(true, evidence.clone()),
        evidence,
    }
}
