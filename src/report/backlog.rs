//! The backlog of the outbox, for an operator and for programs.

mod claims;
mod plan;
pub mod v1;

use std::io::{self, Write};

use crate::model::backlog::{KeyCounts, Statuses, Waiting};
use crate::model::evidence::{Fact, Reason};
use crate::model::outbox::Outbox;

use super::visible;

/// Writes it as text.
///
/// # Errors
/// Whatever `out` returns.
pub fn write_backlog_text(outbox: &Outbox, out: &mut dyn Write) -> io::Result<()> {
    let Ok(backlog) = &outbox.backlog else {
        return Ok(());
    };
    let table = outbox.table.shown().cloned().unwrap_or_default();
    writeln!(out, "{}: rows that are not done", visible::name(&table))?;
    if let (Some(server), Some(dialect)) = (&backlog.server, outbox.dialect) {
        writeln!(
            out,
            "{} {}, {}; isolation level {}; time zone {}",
            dialect.word(),
            visible::name(&server.version),
            server.role(),
            visible::name(&server.isolation),
            visible::name(&server.time_zone)
        )?;
    }
    match &backlog.statuses {
        Fact::Shown(statuses, _) => of_statuses(statuses, outbox, out)?,
        Fact::Unknown(reason) => unknown("Statuses", reason, out)?,
        Fact::Absent(_) => {}
    }
    match &backlog.keys {
        Fact::Shown(keys, _) => {
            of_keys(keys, outbox, out)?;
            if let Some(paths) = backlog.paths.shown().filter(|paths| !paths.is_empty()) {
                let names: Vec<String> = paths.iter().map(|path| visible::name(path)).collect();
                writeln!(
                    out,
                    "{:>10}  a payload that gives none has {}",
                    "",
                    names.join(", ")
                )?;
            }
        }
        Fact::Unknown(reason) => unknown("Record keys", reason, out)?,
        Fact::Absent(_) => {}
    }
    match &backlog.waiting {
        Fact::Shown(waiting, _) => of_waiting(waiting, out)?,
        Fact::Unknown(reason) => unknown("Order", reason, out)?,
        Fact::Absent(_) => {}
    }
    match &backlog.claims {
        Fact::Shown(shown, _) => claims::write_text(shown, outbox, out)?,
        Fact::Unknown(reason) => unknown("Claims", reason, out)?,
        Fact::Absent(_) => {}
    }
    match &backlog.writers {
        Fact::Shown(rows, _) => claims::write_writers(rows, outbox, out)?,
        Fact::Unknown(reason) => unknown("Since the rollout", reason, out)?,
        Fact::Absent(_) => {}
    }
    match &backlog.plan {
        Some(Fact::Shown(plan, _)) => plan::write_text(plan, outbox, out),
        Some(Fact::Unknown(reason)) => unknown("Plan", reason, out),
        Some(Fact::Absent(_)) | None => Ok(()),
    }
}

fn unknown(what: &str, reason: &Reason, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "\n{what}\n  unknown: {}\n  next: {}",
        visible::sentence(&reason.sentence),
        reason.next_step
    )
}

/// False for a status that no worker claims or holds, where these are named: a row of it that is not
/// final is taken by nobody, and holds back the younger ones of its record.
fn is_known(outbox: &Outbox, status: Option<&str>) -> bool {
    let Some(shape) = &outbox.shape else {
        return true;
    };
    let mut words = shape
        .states
        .ready
        .iter()
        .chain(&shape.states.claimed)
        .peekable();
    words.peek().is_none()
        || words.any(|word| status.is_some_and(|status| status.eq_ignore_ascii_case(word)))
}

fn of_statuses(statuses: &Statuses, outbox: &Outbox, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "\n{:>10}  {:<12}  {:<26}  {:<26}  Retries",
        "Rows", "Status", "Oldest", "Oldest heartbeat"
    )?;
    if statuses.list.is_empty() {
        writeln!(out, "{:>10}  (nothing waits)", 0)?;
    }
    for row in &statuses.list {
        let shown = |text: &Option<std::sync::Arc<str>>| {
            text.as_deref()
                .map_or_else(|| "-".to_owned(), visible::name)
        };
        let retries = row
            .retries
            .map_or_else(|| "-".to_owned(), |most| format!("up to {most}"));
        writeln!(
            out,
            "{:>10}  {:<12}  {:<26}  {:<26}  {retries}{}",
            row.rows,
            row.status
                .as_deref()
                .map_or_else(|| "NULL".to_owned(), visible::name),
            shown(&row.oldest),
            shown(&row.heartbeat),
            match is_known(outbox, row.status.as_deref()) {
                true => "",
                false => "    no known status: nobody claims it",
            },
        )?;
    }
    writeln!(
        out,
        "{:>10}  now by the clock of the database: {}",
        "",
        visible::name(&statuses.now)
    )
}

fn of_keys(keys: &KeyCounts, outbox: &Outbox, out: &mut dyn Write) -> io::Result<()> {
    let template = outbox.template.as_deref().unwrap_or_default();
    writeln!(out, "\nRecord keys, as {}", visible::name(template))?;
    writeln!(out, "{:>10}  rows wait", keys.open)?;
    let lines = [
        (
            &keys.missing,
            "have none, though their payload gives one",
            "    outbox-audit backfill",
        ),
        (&keys.wrong, "have another one than their payload gives", ""),
        (&keys.keyless, "have a payload that gives none", ""),
        (&keys.unparsed, "have a payload that is no JSON", ""),
    ];
    for (rows, what, hint) in lines {
        let example = rows
            .example
            .as_deref()
            .map_or_else(String::new, |id| format!(" (one is {})", visible::name(id)));
        let hint = if rows.rows > 0 { hint } else { "" };
        writeln!(out, "{:>10}  {what}{example}{hint}", rows.rows)?;
    }
    if let Some(longest) = keys.longest {
        writeln!(out, "{longest:>10}  characters has the longest key")?;
    }
    Ok(())
}

fn of_waiting(waiting: &Waiting, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "\nOrder\n{:>10}  rows wait behind an older row of the same record key\n{:>10}  keys have \
         such rows\n{:>10}  rows has the longest queue of one key",
        waiting.rows, waiting.keys, waiting.most
    )?;
    for (rows, what) in [
        (waiting.held, "rows wait behind one that no worker takes"),
        (waiting.behind_stale, "rows wait behind a stale claim"),
    ] {
        if let Some(rows) = rows {
            writeln!(out, "{rows:>10}  {what}")?;
        }
    }
    Ok(())
}

/// Writes it as a document.
///
/// # Errors
/// Whatever `out` returns.
pub fn write_backlog_json(outbox: &Outbox, out: &mut dyn Write) -> io::Result<()> {
    let Some(document) = v1::Backlog::of(outbox) else {
        return Ok(());
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}
