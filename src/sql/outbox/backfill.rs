//! The statement that fills record keys of rows that still wait, one batch a run.
//!
//! It can be killed and run again at any time: a batch is one transaction, and a row that has a key
//! is never touched. It sets the heartbeat column to itself, so that no dead claim looks alive.

use crate::model::outbox::{OutboxColumn, OutboxShape};
use crate::model::schema::TableKind;

use super::JsonCheck;
use super::key::{key, open};
use super::notation::{Family, Notation, SESSION_FUNCTION};

/// The statements of a backfill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backfill {
    /// What is run once in each session, before the batches.
    pub session: Option<String>,
    /// One batch; run until it changes no row.
    pub batch: String,
    /// How many rows still lack a key that their payload gives; done at nought.
    pub remaining: String,
}

/// The statements for an outbox, `batch` rows at a time.
///
/// # Errors
/// Why there are none, in words without a full stop.
pub fn backfill(shape: &OutboxShape, batch: u32) -> Result<Backfill, String> {
    if matches!(shape.kind, TableKind::View | TableKind::Foreign) {
        return Err(format!(
            "{} is a view or a foreign table: its rows are written elsewhere",
            shape.name
        ));
    }
    let notation = Notation {
        shape,
        json: JsonCheck::SessionFunction,
    };
    let record_key = notation.column(OutboxColumn::RecordKey)?;
    let id = notation.column(OutboxColumn::Id)?;
    let key = key(notation)?;
    let derived = &key.derived;
    let table = notation.table();
    let kept = notation
        .column(OutboxColumn::Modified)
        .map_or_else(|_| String::new(), |column| format!(", {column} = {column}"));
    let condition = format!(
        "{record_key} IS NULL\n    AND {}\n    AND ({derived}) IS NOT NULL",
        open(notation)?
    );
    let statement = match notation.family() {
        // A row that a worker holds is passed over, and comes with a later run.
        Family::Postgres => format!(
            "UPDATE {table} SET {record_key} = {derived}{kept}\n  WHERE {id} IN (\n    SELECT {id} \
             FROM {table}\n    WHERE {condition}\n    ORDER BY {id} LIMIT {batch} FOR UPDATE SKIP \
             LOCKED)\n  AND {record_key} IS NULL;"
        ),
        Family::Mysql => format!(
            "UPDATE {table} SET {record_key} = {derived}{kept}\n  WHERE {condition}\n  ORDER BY \
             {id} LIMIT {batch};"
        ),
        Family::Sqlite => format!(
            "UPDATE {table} SET {record_key} = {derived}{kept}\n  WHERE {id} IN (\n    SELECT {id} \
             FROM {table}\n    WHERE {condition}\n    ORDER BY {id} LIMIT {batch})\n  AND \
             {record_key} IS NULL;"
        ),
    };
    Ok(Backfill {
        session: session(notation, &statement),
        batch: statement,
        remaining: format!("SELECT count(*) AS remaining FROM {table}\n  WHERE {condition};"),
    })
}

fn session(notation: Notation<'_>, statement: &str) -> Option<String> {
    match notation.family() {
        Family::Postgres if statement.contains(SESSION_FUNCTION) => Some(format!(
            "CREATE OR REPLACE FUNCTION {SESSION_FUNCTION}(text) RETURNS jsonb LANGUAGE plpgsql\n  \
             IMMUTABLE STRICT AS $$ BEGIN RETURN $1::jsonb; EXCEPTION WHEN OTHERS THEN RETURN \
             NULL; END $$;"
        )),
        // Rows that do not fit are not kept locked until the end of the batch.
        Family::Mysql => Some("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED;".to_owned()),
        Family::Postgres | Family::Sqlite => None,
    }
}
