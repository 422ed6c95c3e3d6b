//! The schema document: what enforces uniqueness, for a person and for programs.

use std::io::{self, Write};
use std::sync::Arc;

use serde::Serialize;

use crate::model::evidence::{Fact, Reason};
use crate::model::schema::{Deferral, Enforcer, KeyPart, Schema, Table};

#[derive(Serialize)]
struct Document<'a> {
    document: &'static str,
    version: u32,
    enforcers: Vec<EnforcerRow<'a>>,
    /// SQLite: columns that are the rowid: they refuse a second row, and no index stands behind
    /// them.
    rowids: Vec<RowidRow>,
    unknown: Vec<UnknownRow<'a>>,
}

#[derive(Serialize)]
struct RowidRow {
    table: String,
    column: String,
    place: String,
}

#[derive(Serialize)]
struct EnforcerRow<'a> {
    table: String,
    name: &'a str,
    kind: &'static str,
    parts: Vec<PartRow<'a>>,
    include: &'a [Arc<str>],
    predicate: Option<&'a str>,
    nulls_not_distinct: bool,
    deferrable: bool,
    valid: Option<bool>,
    place: String,
}

#[derive(Serialize)]
struct PartRow<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expression: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prefix_length: Option<u32>,
    nullable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    collation: Option<&'a str>,
}

#[derive(Serialize)]
struct UnknownRow<'a> {
    table: Option<&'a str>,
    reason: &'a str,
    place: Option<String>,
}

/// Writes document `schema`, version 1.
///
/// # Errors
/// If the writer fails.
pub fn write_schema_json(
    schema: &Schema,
    gaps: &[Arc<Reason>],
    out: &mut dyn Write,
) -> io::Result<()> {
    let tables = schema.unknown.iter().map(|unknown| UnknownRow {
        table: unknown.table.as_deref(),
        reason: &unknown.reason.sentence,
        place: unknown.reason.place.as_ref().map(ToString::to_string),
    });
    // What names no table is a gap of the input too, and said once.
    let said = |gap: &Reason| {
        schema.unknown.iter().any(|unknown| {
            unknown.reason.sentence == gap.sentence && unknown.reason.place == gap.place
        })
    };
    let inputs = gaps.iter().filter(|gap| !said(gap)).map(|gap| UnknownRow {
        table: None,
        reason: &gap.sentence,
        place: gap.place.as_ref().map(ToString::to_string),
    });
    let (rowids, enforcers): (Vec<_>, Vec<_>) = schema
        .tables
        .iter()
        .flat_map(|table| table.enforcers.iter().map(move |each| (table, each)))
        .partition(|(_, enforcer)| enforcer.is_rowid(schema.dialect));
    let document = Document {
        document: "schema",
        version: 1,
        enforcers: enforcers
            .into_iter()
            .map(|(table, enforcer)| enforcer_row(table, enforcer))
            .collect(),
        rowids: rowids
            .into_iter()
            .map(|(table, enforcer)| RowidRow {
                table: qualified(table),
                column: enforcer.parts.iter().map(KeyPart::to_text).collect(),
                place: enforcer.evidence.place.to_string(),
            })
            .collect(),
        unknown: tables.chain(inputs).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

fn enforcer_row<'a>(table: &'a Table, enforcer: &'a Enforcer) -> EnforcerRow<'a> {
    EnforcerRow {
        table: qualified(table),
        name: &enforcer.name,
        kind: enforcer.kind.word(),
        parts: enforcer
            .parts
            .iter()
            .map(|part| PartRow {
                column: part.column.as_deref(),
                expression: part.expression.as_deref(),
                prefix_length: part.prefix_length,
                nullable: part.nullable,
                collation: part.collation.as_deref(),
            })
            .collect(),
        include: &enforcer.include,
        predicate: enforcer
            .predicate
            .as_ref()
            .map(|predicate| &*predicate.text),
        nulls_not_distinct: enforcer.nulls_not_distinct,
        deferrable: enforcer.deferral != Deferral::Immediate,
        valid: match (&enforcer.enforced, &enforcer.trusted) {
            (Fact::Shown(false, _) | Fact::Absent(_), _)
            | (_, Fact::Shown(false, _) | Fact::Absent(_)) => Some(false),
            (Fact::Shown(true, _), Fact::Shown(true, _)) => Some(true),
            _ => None,
        },
        place: enforcer.evidence.place.to_string(),
    }
}

fn qualified(table: &Table) -> String {
    match &table.schema {
        Some(schema) => format!("{schema}.{}", table.name),
        None => table.name.to_string(),
    }
}

/// What the catalog says of it, where that is more than its key.
fn why(enforcer: &Enforcer, says: &str) -> String {
    if says == &*enforcer.evidence.says {
        return String::new();
    }
    format!(": {says}")
}

/// Writes the same for a person.
///
/// # Errors
/// If the writer fails.
pub fn write_schema_text(schema: &Schema, out: &mut dyn Write) -> io::Result<()> {
    for table in &schema.tables {
        writeln!(out, "{}", super::visible::visible(&qualified(table)))?;
        if table.enforcers.is_empty() {
            writeln!(out, "  nothing enforces uniqueness")?;
        }
        for enforcer in &table.enforcers {
            let mut notes: Vec<String> = enforcer
                .parts
                .iter()
                .filter(|part| part.nullable)
                .map(|part| format!("{} may be NULL", part.to_text()))
                .collect();
            if let Some(predicate) = &enforcer.predicate {
                notes.push(format!("only where {}", predicate.text));
            }
            if enforcer.nulls_not_distinct {
                notes.push("NULLs count as equal".to_owned());
            }
            if enforcer.deferral != Deferral::Immediate {
                notes.push("deferrable".to_owned());
            }
            notes.extend(enforcer.parts.iter().filter_map(|part| {
                let why = part.folds.as_ref()?;
                Some(format!("{} {why}", part.to_text()))
            }));
            match (&enforcer.enforced, &enforcer.trusted) {
                (Fact::Shown(false, evidence), _) => {
                    notes.push(format!("not enforced{}", why(enforcer, &evidence.says)))
                }
                (_, Fact::Shown(false, evidence)) => {
                    notes.push(format!("not valid{}", why(enforcer, &evidence.says)))
                }
                (Fact::Shown(true, _), Fact::Unknown(reason)) => {
                    notes.push(reason.sentence.clone());
                }
                _ => {}
            }
            let notes = if notes.is_empty() {
                String::new()
            } else {
                format!(" · {}", notes.join(" · "))
            };
            let line = format!(
                "  {:<18} {} {}{notes}",
                enforcer.kind.word(),
                enforcer.name,
                enforcer.key_text()
            );
            writeln!(out, "{}", super::visible::visible(&line))?;
            writeln!(
                out,
                "    {}",
                super::visible::visible(&enforcer.evidence.place.to_string())
            )?;
        }
    }
    for unknown in &schema.unknown {
        writeln!(
            out,
            "unknown: {}",
            super::visible::visible(&unknown.reason.sentence)
        )?;
    }
    Ok(())
}
