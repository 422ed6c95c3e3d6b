//! The backlog of the outbox, for an operator and for programs.

mod claims;
mod plan;
pub mod v1;

use std::io::{self, Write};

use crate::model::backlog::{KeyCounts, Statuses, Waiting};
use crate::model::evidence::{Fact, Reason};
use crate::model::outbox::Outbox;

use super::wrap::columns;
use super::{RenderOptions, fitted, visible};

/// Writes it as text.
///
/// # Errors
/// Whatever `out` returns.
pub fn write_backlog_text(
    outbox: &Outbox,
    options: &RenderOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    fitted(options.width, out, |out| write_lines(outbox, options, out))
}

fn write_lines(outbox: &Outbox, options: &RenderOptions, out: &mut dyn Write) -> io::Result<()> {
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
        Fact::Shown(statuses, _) => of_statuses(statuses, outbox, options.width, out)?,
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

/// The table of the statuses. A time that does not fit beside the others stands below them.
fn of_statuses(
    statuses: &Statuses,
    outbox: &Outbox,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let shown = |text: &Option<std::sync::Arc<str>>| {
        text.as_deref()
            .map_or_else(|| "-".to_owned(), visible::name)
    };
    let head = ["Rows", "Status", "Retries", "Oldest", "Oldest heartbeat"].map(str::to_owned);
    let mut rows = vec![head];
    rows.extend(statuses.list.iter().map(|row| {
        let status = row.status.as_deref();
        [
            row.rows.to_string(),
            status.map_or_else(|| "NULL".to_owned(), visible::name),
            row.retries
                .map_or_else(|| "-".to_owned(), |most| format!("up to {most}")),
            shown(&row.oldest),
            shown(&row.heartbeat),
        ]
    }));
    let mut wide = [10, 0, 0, 0, 0];
    for row in &rows {
        for (cell, wide) in row.iter().zip(&mut wide) {
            *wide = columns(cell).max(*wide);
        }
    }
    let before: usize = wide.iter().take(3).map(|wide| wide + 2).sum();
    let [.., oldest, heartbeat] = wide;
    let beside = before + oldest + 2 + heartbeat <= width;
    writeln!(out)?;
    for (at, [count, status, retries, first, beat]) in rows.iter().enumerate() {
        let pad = |cell: &str, at: usize| {
            let wide = wide.get(at).copied().unwrap_or(0);
            format!("{cell}{}  ", " ".repeat(wide.saturating_sub(columns(cell))))
        };
        let (status, retries) = (pad(status, 1), pad(retries, 2));
        write!(out, "{count:>10}  {status}{retries}")?;
        match beside {
            true => writeln!(out, "{}{beat}", pad(first, 3))?,
            false => writeln!(out, "{first}\n{:>before$}{beat}", "")?,
        }
        let row = at.checked_sub(1).and_then(|at| statuses.list.get(at));
        if row.is_some_and(|row| !is_known(outbox, row.status.as_deref())) {
            writeln!(out, "{:>10}  no known status: nobody claims it", "")?;
        }
    }
    if statuses.list.is_empty() {
        writeln!(out, "{:>10}  (nothing waits)", 0)?;
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
