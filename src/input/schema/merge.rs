//! Several declared schemas as one: a table that two of them declare differently is unknown.

use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::schema::{DefaultValue, Dialect, Schema, Table, UnknownTable};
use crate::sql::expression::normal;
use crate::sql::type_name::canonical;

/// Merges in order; the first declaration of a table stands.
pub(super) fn merge(schemas: Vec<Schema>) -> Option<Schema> {
    let mut schemas = schemas.into_iter();
    let mut merged = schemas.next()?;
    for schema in schemas {
        merged.dialect = merged.dialect.or(schema.dialect);
        merged.unknown.extend(schema.unknown);
        for table in schema.tables {
            let known = merged.tables.iter().find(|known| {
                known.name.eq_ignore_ascii_case(&table.name)
                    && (known.schema == table.schema
                        || known.schema.is_none()
                        || table.schema.is_none())
            });
            match known {
                None => merged.tables.push(table),
                Some(known)
                    if content(known, merged.dialect) == content(&table, merged.dialect) => {}
                Some(known) => merged.unknown.push(UnknownTable {
                    table: Some(known.name.clone()),
                    reason: Reason {
                        why: Why::Disagree,
                        needs: Some(InputKind::Database),
                        sentence: format!(
                            "{} is declared at {} and differently at {}",
                            known.name, known.place, table.place
                        ),
                        place: Some(table.place.clone()),
                        next_step:
                            "Give one declaration only, or the live database with --database."
                                .to_owned(),
                    },
                }),
            }
        }
    }
    merged
        .tables
        .sort_by(|one, other| (&one.schema, &one.name).cmp(&(&other.schema, &other.name)));
    Some(merged)
}

/// What a table says, without places, names of keys and the order of columns. Types and defaults
/// count as their engine reads them.
fn content(table: &Table, dialect: Option<Dialect>) -> (Vec<String>, Vec<String>) {
    let default = |default: &DefaultValue| match dialect {
        Some(dialect) => normal(&default.text, dialect),
        None => default.text.to_ascii_lowercase(),
    };
    let mut columns: Vec<String> = table
        .columns
        .iter()
        .map(|column| {
            format!(
                "{} {} {} {:?}",
                column.name.to_ascii_lowercase(),
                canonical(&column.data_type, dialect),
                column.nullable,
                column.default.as_ref().map(default)
            )
        })
        .collect();
    columns.sort();
    let mut keys: Vec<String> = table
        .enforcers
        .iter()
        .map(|key| {
            let predicate = key.predicate.as_ref().map(|predicate| &predicate.tree);
            format!(
                "{} {:?} {predicate:?} {}",
                key.kind == crate::model::schema::EnforcerKind::PrimaryKey,
                key.parts,
                key.nulls_not_distinct
            )
            .to_ascii_lowercase()
        })
        .collect();
    keys.sort();
    (columns, keys)
}
