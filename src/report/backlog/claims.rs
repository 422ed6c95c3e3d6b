//! Claims, retries and rows that nobody takes, for an operator and for programs.

use std::io::{self, Write};

use crate::model::backlog::{Claims, Rows};
use crate::model::outbox::Outbox;

use super::super::visible;

/// Writes it as text.
pub(super) fn write_text(claims: &Claims, outbox: &Outbox, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\nClaims")?;
    let cutoffs = outbox.shape.as_ref().map(|shape| &shape.cutoffs);
    let seconds = |of: Option<u64>| of.map_or_else(|| "?".to_owned(), |of| format!("{of} s"));
    let stale = seconds(cutoffs.and_then(|cutoffs| cutoffs.stale_seconds));
    let retry = seconds(cutoffs.and_then(|cutoffs| cutoffs.retry_seconds));
    let most = cutoffs
        .and_then(|cutoffs| cutoffs.max_retries)
        .map_or_else(|| "?".to_owned(), |most| most.to_string());
    let lines = [
        (claims.claimed.as_ref(), "are claimed".to_owned()),
        (
            claims.stale.as_ref(),
            format!("of these have had no heartbeat for {stale}"),
        ),
        (
            claims
                .stale_most
                .as_ref()
                .filter(|most| claims.stale.as_ref() != Some(most)),
            "are these, if the heartbeat is written in the other time zone".to_owned(),
        ),
        (
            claims.silent.as_ref(),
            "of these have none at all".to_owned(),
        ),
        (
            claims.retrying.as_ref(),
            format!("failed less than {retry} ago and are not due"),
        ),
        (
            claims.spent.as_ref(),
            format!("failed {most} times or more"),
        ),
        (
            claims.ahead.as_ref(),
            "have a stamp ahead of the database's clock".to_owned(),
        ),
        (
            Some(&claims.unclaimable),
            "are in a status that nobody claims".to_owned(),
        ),
    ];
    for (rows, what) in lines {
        match rows {
            Some(rows) => line(rows, &what, out)?,
            None if what.contains('?') => writeln!(out, "{:>10}  {what}: not declared", "?")?,
            None => {}
        }
    }
    Ok(())
}

/// Writes the rows since the rollout.
pub(super) fn write_writers(rows: &Rows, outbox: &Outbox, out: &mut dyn Write) -> io::Result<()> {
    let cutoffs = outbox.shape.as_ref().map(|shape| &shape.cutoffs);
    let since = cutoffs.and_then(|cutoffs| cutoffs.since.as_deref());
    writeln!(
        out,
        "\nSince {}",
        visible::name(since.unwrap_or("the rollout"))
    )?;
    line(
        rows,
        "were enqueued without the key that their payload gives",
        out,
    )
}

fn line(rows: &Rows, what: &str, out: &mut dyn Write) -> io::Result<()> {
    let example = rows
        .example
        .as_deref()
        .map_or_else(String::new, |id| format!(" (one is {})", visible::name(id)));
    writeln!(out, "{:>10}  {what}{example}", rows.rows)
}
