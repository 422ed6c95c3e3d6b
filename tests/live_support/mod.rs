//! A live schema and a text of the same definitions, in words that can be compared.
#![allow(dead_code, reason = "each test crate asks for the words that it needs")]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use outbox_audit::input::config::database::DatabaseRef;
use outbox_audit::input::schema::{read_server, read_text};
use outbox_audit::model::evidence::Reason;
use outbox_audit::model::schema::{Deferral, Dialect, Enforcer, Schema, Table};
use outbox_audit::model::text::TextFile;
use outbox_audit::sql::expression::normal;

/// Reads the database of a URL as the command line does.
pub(crate) fn live_within(url: &str, limit: Duration) -> Result<Schema, Reason> {
    let reference = DatabaseRef::parse(url).expect("a URL");
    read_server(&reference, &Arc::from("env:LIVE"), limit)
}

/// Reads the database of a URL, or fails the test.
pub(crate) fn live(url: &str) -> Schema {
    live_within(url, Duration::from_secs(10)).unwrap_or_else(|reason| panic!("{reason:?}"))
}

/// Reads a text.
pub(crate) fn text(script: &str, dialect: Dialect) -> Schema {
    let file = Arc::new(TextFile::new("schema.sql", script.to_owned()));
    let (schema, reasons) = read_text(&[file], Some(dialect));
    assert!(reasons.is_empty(), "{reasons:?}");
    schema.expect("a schema")
}

/// Every key on a line: table, name, kind, parts (`?` behind a nullable one) and all that decides
/// what it refuses, as engines print it and people write it.
pub(crate) fn keys(schema: &Schema) -> Vec<String> {
    let dialect = schema.dialect.expect("an engine");
    let of_table = |table: &Table| -> Vec<String> {
        let line = |key: &Enforcer| format!("{}.{}", table.name, line(key, dialect));
        table.enforcers.iter().map(line).collect()
    };
    schema.tables.iter().flat_map(of_table).collect()
}

fn line(key: &Enforcer, dialect: Dialect) -> String {
    let parts: Vec<String> = key
        .parts
        .iter()
        .map(|part| {
            let name = match &part.expression {
                Some(text) => normal(text, dialect),
                None => part.to_text(),
            };
            // Whether an expression can be NULL is told from its text, which engines change.
            let null = part.nullable && part.expression.is_none();
            format!("{name}{}", if null { "?" } else { "" })
        })
        .collect();
    let mut line = format!("{} {} ({})", key.name, key.kind.word(), parts.join(", "));
    if !key.include.is_empty() {
        line += &format!(" include {}", key.include.join(", "));
    }
    if key.nulls_not_distinct {
        line += " nulls-not-distinct";
    }
    match key.deferral {
        Deferral::Immediate => {}
        Deferral::Deferrable => line += " deferrable",
        Deferral::Deferred => line += " deferred",
    }
    // What predicates mean is compared as trees, by the tests of drift.
    if key.predicate.is_some() {
        line += " partial";
    }
    if key.enforced.shown() == Some(&false) {
        line += " not-enforced";
    }
    line
}

/// Table and column by column: name and nullability.
pub(crate) fn columns(schema: &Schema) -> Vec<String> {
    let of_table = |table: &Table| -> Vec<String> {
        let columns = table.columns.iter();
        columns
            .map(|column| {
                let null = if column.nullable { "?" } else { "" };
                format!("{}.{}{null}", table.name, column.name)
            })
            .collect()
    };
    schema.tables.iter().flat_map(of_table).collect()
}

/// The table of that name.
pub(crate) fn table<'s>(schema: &'s Schema, name: &str) -> &'s Table {
    let found = schema.table(name);
    found.unwrap_or_else(|| panic!("there is no table {name}"))
}

/// The key of that name.
pub(crate) fn key<'s>(schema: &'s Schema, of: &str, name: &str) -> &'s Enforcer {
    let keys = &table(schema, of).enforcers;
    let found = keys.iter().find(|key| &*key.name == name);
    found.unwrap_or_else(|| panic!("{of} has no key {name}"))
}

/// What a run of the program said.
pub(crate) struct Said {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs the program in a folder, with the database in the variable `LIVE`.
pub(crate) fn run(folder: &Path, arguments: &[&str], url: &str) -> Said {
    let output = Command::new(env!("CARGO_BIN_EXE_outbox-audit"))
        .args(arguments)
        .current_dir(folder)
        .env("LIVE", url)
        .output()
        .expect("the program starts");
    Said {
        status: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

/// Flows that create a row in every table that a schema has.
pub(crate) fn flows_into(schema: &Schema) -> String {
    let mut flows = String::from("version: 1\nconsumers:\n");
    for table in &schema.tables {
        let name = &table.name;
        flows += &format!(
            "  - id: into_{name}\n    event: order.placed\n    object: orders\n    effects:\n      \
             - id: make\n        kind: insert\n        table: {name}\n        set:\n          \
             k: {{snapshot: record.id, nulls: never}}\n        on_conflict: do-nothing\n"
        );
    }
    flows
}

/// Outcomes of the checks that a schema decides, by subject: what the audit says of a project.
pub(crate) fn outcomes(folder: &Path, arguments: &[&str], url: &str) -> Vec<String> {
    const CHECKS: [&str; 8] = [
        "unguarded-create",
        "unhandled-conflict",
        "burned-number",
        "unstable-created-id",
        "guard-lapses",
        "constant-key",
        "not-business-unique",
        "unread-side-effect",
    ];
    let said = run(folder, arguments, url);
    let report: serde_json::Value = serde_json::from_str(&said.stdout).expect("a report");
    let obligations = report["obligations"].as_array().expect("obligations");
    obligations
        .iter()
        .filter(|each| CHECKS.iter().any(|check| each["check"] == *check))
        .map(|each| format!("{} {} {}", each["check"], each["subject"], each["outcome"]))
        .collect()
}
