//! Migrations in Python: revisions of Alembic and migrations of Django, read into one schema.

#[path = "../live_support/mod.rs"]
mod live_support;
#[path = "../servers/mod.rs"]
mod servers;

mod alembic;
mod django;
mod graph;
mod greatbook;
mod hostile;

use std::sync::Arc;

use outbox_audit::input::schema::read_text;
use outbox_audit::model::evidence::Reason;
use outbox_audit::model::schema::{Dialect, Schema};
use outbox_audit::model::text::TextFile;

/// Reads files by their paths and texts.
pub(crate) fn read_all(
    files: &[(&str, &str)],
    dialect: Option<Dialect>,
) -> (Option<Schema>, Vec<Reason>) {
    let files: Vec<_> = files
        .iter()
        .map(|(path, text)| Arc::new(TextFile::new(*path, (*text).to_owned())))
        .collect();
    read_text(&files, dialect)
}

/// The schema of files that can be read.
pub(crate) fn schema(files: &[(&str, &str)], dialect: Dialect) -> Schema {
    let (schema, reasons) = read_all(files, Some(dialect));
    assert!(reasons.is_empty(), "{reasons:?}");
    schema.expect("a schema")
}

/// What was not understood: the table (or `*`), the sentence, the place.
pub(crate) fn unknown(schema: &Schema) -> Vec<String> {
    let unknown = schema.unknown.iter();
    unknown
        .map(|unknown| {
            let place = unknown.reason.place.as_ref().map(ToString::to_string);
            format!(
                "{}: {} ({})",
                unknown.table.as_deref().unwrap_or("*"),
                unknown.reason.sentence,
                place.unwrap_or_default()
            )
        })
        .collect()
}
