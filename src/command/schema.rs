//! `schema`: what enforces uniqueness, as it was read.

use std::path::PathBuf;
use std::sync::Arc;

use crate::cli::{SchemaArgs, SchemaFormat};
use crate::input::config::database::DatabaseRef;
use crate::input::gather::{Database, Sources, gather};
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::inputs::Inputs;
use crate::model::schema::Schema;
use crate::report;

use super::output::{Failure, complain, to_stdout};
use super::progress;

/// Reads and prints; what could not be read is told on stderr and in the document.
pub(super) fn run(arguments: SchemaArgs) -> Result<u8, Failure> {
    let shown = progress::start(false);
    let inputs = read(&arguments);
    drop(shown);
    let gaps: Vec<Arc<Reason>> = inputs
        .states
        .iter()
        .filter(|state| matches!(state.kind, InputKind::Schema | InputKind::Database))
        .flat_map(|state| &state.unknown)
        .filter(|reason| reason.why != Why::NotGiven)
        .cloned()
        .collect();
    let schema = inputs.schema();
    for gap in &gaps {
        complain(&format!(
            "unknown: {}\n  next: {}\n",
            gap.sentence, gap.next_step
        ));
    }
    let Some(schema) = schema else {
        return Err(Failure::error("no schema could be read"));
    };
    let kept = narrowed(schema, &arguments.tables)?;
    to_stdout(|out| match arguments.format {
        SchemaFormat::Json => report::write_schema_json(&kept, &gaps, out),
        SchemaFormat::Terminal => report::write_schema_text(&kept, out),
    })?;
    Ok(0)
}

fn read(arguments: &SchemaArgs) -> Inputs {
    let database = arguments.database.as_ref().map(|database| match database {
        DatabaseRef::Sqlite(path) => Database::Sqlite {
            path: path.clone(),
            name: path.to_string_lossy().replace('\\', "/").into(),
        },
        DatabaseRef::Env(_) | DatabaseRef::Url(_) => Database::Server {
            reference: database.clone(),
            name: database.label().into(),
        },
    });
    gather(&Sources {
        root: PathBuf::new(),
        schema: arguments.files.clone(),
        dialect: arguments.dialect,
        database,
        ..Sources::default()
    })
}

fn narrowed(schema: &Schema, tables: &[String]) -> Result<Schema, Failure> {
    if tables.is_empty() {
        return Ok(schema.clone());
    }
    let mut kept = schema.clone();
    kept.tables.clear();
    for name in tables {
        match schema.table(name) {
            Some(table) => kept.tables.push(table.clone()),
            None => {
                let known: Vec<&str> = schema.tables.iter().map(|table| &*table.name).collect();
                let hint = crate::model::nearest::nearest(name, &known)
                    .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                return Err(Failure::error(format!("no table is called `{name}`{hint}")));
            }
        }
    }
    Ok(kept)
}
