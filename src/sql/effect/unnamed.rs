//! Inserts that name no columns: their values go to the columns of the table in order, which only
//! the schema tells.

use std::sync::Arc;

use crate::model::schema::{Dialect, Schema, TableKind};
use crate::sql::cursor::QualifiedName;
use crate::sql::statement::{Expression, Insert, Name, Rows, Statement};

/// The engine of a schema, and the columns that take values there.
type Listed = (Dialect, Vec<Arc<str>>);

/// Names the columns where the statement does not.
///
/// # Errors
/// Why that cannot be done, in half a sentence.
pub fn fill(statement: &mut Statement, schemas: &[&Schema]) -> Result<(), String> {
    match statement {
        Statement::Insert(insert) if insert.columns.is_empty() && insert.rows != Rows::Defaults => {
            insert.columns = columns(insert, schemas)?;
            Ok(())
        }
        Statement::Merge(merge) => match &merge.absent {
            Some(absent) if absent.columns.is_empty() => {
                Err("its INSERT is that of a MERGE".to_owned())
            }
            _ => Ok(()),
        },
        Statement::With(_, main) => fill(main, schemas),
        Statement::Insert(_) | Statement::Update(_) | Statement::Delete(_) => Ok(()),
    }
}

fn columns(insert: &Insert, schemas: &[&Schema]) -> Result<Vec<Name>, String> {
    let mut found: Option<Listed> = None;
    for schema in schemas {
        let Some(listed) = listed(schema, &insert.table)? else {
            continue;
        };
        if found.as_ref().is_some_and(|(_, known)| *known != listed.1) {
            return Err(format!(
                "the text and the database have its columns in another order, or others, for {}",
                insert.table.name
            ));
        }
        found = Some(listed);
    }
    let name = &insert.table.name;
    let Some((dialect, listed)) = found else {
        return Err(format!("no schema that was read has {name}"));
    };
    let (values, rest): (&[Expression], &[Vec<Expression>]) = match &insert.rows {
        Rows::Values(rows) => match rows.split_first() {
            Some((first, rest)) => (first, rest),
            None => (&[], &[]),
        },
        Rows::IfAbsent(row, _) => (row, &[]),
        // How many values the query has is not known: all columns come from it.
        Rows::Query(query) => {
            return Ok(listed.into_iter().map(|name| named(name, query)).collect());
        }
        Rows::Defaults => (&[], &[]),
    };
    let count = values.len();
    let fits = match dialect {
        // What is left over gets its default.
        Dialect::Postgres => count <= listed.len(),
        _ => count == listed.len(),
    };
    if !fits || rest.iter().any(|row| row.len() != count) {
        return Err(format!(
            "{name} has {} columns, and the statement gives another number of values",
            listed.len()
        ));
    }
    Ok(listed
        .into_iter()
        .zip(values)
        .map(|(name, value)| named(name, value))
        .collect())
}

/// The columns that take values, in order.
fn listed(schema: &Schema, table: &QualifiedName) -> Result<Option<Listed>, String> {
    let written = match &table.schema {
        Some(schema) => format!("{schema}.{}", table.name),
        None => table.name.to_string(),
    };
    let (Some(dialect), Some(found)) = (schema.dialect, schema.table(&written)) else {
        return Ok(None);
    };
    let doubtful = schema.unknown.iter().any(|unknown| {
        unknown.table.as_deref().is_some_and(|name| {
            let bare = name.rsplit_once('.').map_or(name, |(_, bare)| bare);
            bare.eq_ignore_ascii_case(&found.name)
        })
    });
    if doubtful || matches!(found.kind, TableKind::View | TableKind::Foreign) {
        return Err(format!("not all of {} is known", found.name));
    }
    let columns = found
        .columns
        .iter()
        // SQLite passes over what it computes itself; the others have it in the list.
        .filter(|column| dialect != Dialect::Sqlite || column.generated.is_none());
    Ok(Some((
        dialect,
        columns.map(|column| Arc::clone(&column.name)).collect(),
    )))
}

/// A column that stands where its value stands.
fn named(name: Arc<str>, value: &Expression) -> Name {
    Name {
        name,
        start: value.start,
        end: value.end,
    }
}
