//! What is asked about claims: which rows nobody takes, which claims are stale, which retries spent.

use crate::model::outbox::OutboxColumn;

use super::clock::Reading;
use super::key::{key, open};
use super::notation::Notation;
use super::questions::{Members, optional};

/// A stamp later than the clock by more seconds than these is ahead of it.
const AHEAD: u64 = 60;

/// The words of some statuses as a list in SQL.
fn words(notation: Notation<'_>, list: &[std::sync::Arc<str>]) -> Result<String, String> {
    let words: Vec<String> = list
        .iter()
        .map(|word| notation.literal(word))
        .collect::<Result<_, _>>()?;
    Ok(words.join(", "))
}

/// A condition: no worker ever takes the row, and it is not done.
pub(super) fn unclaimable(notation: Notation<'_>) -> Result<String, String> {
    let states = &notation.shape.states;
    if states.ready.is_empty() {
        return Err("which statuses wait is not known, and which are final".into());
    }
    let status = notation.column(OutboxColumn::Status)?;
    let taken = words(
        notation,
        &[states.ready.clone(), states.claimed.clone()].concat(),
    )?;
    Ok(format!("({status} IS NULL OR {status} NOT IN ({taken}))"))
}

/// A condition: the claim is stale, by one reading of its stamp.
pub(super) fn stale(notation: Notation<'_>, reading: Reading) -> Result<Option<String>, String> {
    let states = &notation.shape.states;
    let Some(seconds) = notation.shape.cutoffs.stale_seconds else {
        return Ok(None);
    };
    if states.claimed.is_empty() || notation.is_stamp(OutboxColumn::Modified).is_err() {
        return Ok(None);
    }
    let status = notation.column(OutboxColumn::Status)?;
    let old = notation.older(OutboxColumn::Modified, seconds, reading)?;
    let claimed = words(notation, &states.claimed)?;
    Ok(Some(format!("{status} IN ({claimed}) AND {old}")))
}

/// Claims, retries and statuses of the rows that are not done.
pub(super) fn claims(notation: Notation<'_>) -> Result<(Members, String), String> {
    let open = open(notation)?;
    let shape = notation.shape;
    let status = notation.column(OutboxColumn::Status)?;
    let id = notation.text(&notation.column(OutboxColumn::Id)?);
    let count = |condition: &str| format!("count(CASE WHEN {condition} THEN 1 END)");
    let example = |condition: &str| format!("min(CASE WHEN {condition} THEN {id} END)");
    let mut members: Members = vec![("now", notation.text("CURRENT_TIMESTAMP"))];
    let mut add = |names: [&'static str; 2], condition: Option<String>| {
        let null = || "NULL".to_owned();
        members.push((names[0], condition.as_deref().map_or_else(null, count)));
        members.push((names[1], condition.as_deref().map_or_else(null, example)));
    };
    add(
        ["unclaimable", "unclaimable_example"],
        Some(unclaimable(notation)?),
    );
    let claimed = match shape.states.claimed.is_empty() {
        true => None,
        false => Some(format!(
            "{status} IN ({})",
            words(notation, &shape.states.claimed)?
        )),
    };
    add(["claimed", "claimed_example"], claimed.clone());
    add(["stale", "stale_example"], stale(notation, Reading::Least)?);
    add(
        ["stale_most", "stale_most_example"],
        stale(notation, Reading::Most)?,
    );
    let modified = notation.column(OutboxColumn::Modified).ok();
    add(
        ["silent", "silent_example"],
        claimed
            .zip(modified.as_ref())
            .map(|(claimed, beat)| format!("{claimed} AND {beat} IS NULL")),
    );
    let ready = words(notation, &shape.states.ready)?;
    let tries = notation.column(OutboxColumn::RetryCount).ok();
    let held = match (
        &tries,
        shape.cutoffs.retry_seconds,
        notation.is_stamp(OutboxColumn::Modified),
    ) {
        (Some(tries), Some(seconds), Ok(())) => {
            let old = notation.older(OutboxColumn::Modified, seconds, Reading::Least)?;
            Some(format!(
                "{status} IN ({ready}) AND {tries} > 0 AND NOT ({old})"
            ))
        }
        _ => None,
    };
    add(["retrying", "retrying_example"], held);
    let spent = tries
        .zip(shape.cutoffs.max_retries)
        .map(|(tries, most)| format!("{tries} >= {most}"));
    add(["spent", "spent_example"], spent);
    let ahead: Vec<String> = [OutboxColumn::Created, OutboxColumn::Modified]
        .into_iter()
        .filter(|part| notation.is_stamp(*part).is_ok())
        .map(|part| notation.ahead(part, AHEAD))
        .collect::<Result<_, _>>()?;
    add(
        ["ahead", "ahead_example"],
        (!ahead.is_empty()).then(|| format!("({})", ahead.join(" OR "))),
    );
    let rest = format!("FROM {}\nWHERE {open}", notation.source()?);
    Ok((members, rest))
}

/// A condition: the row was enqueued since the rollout.
pub(super) fn newer(notation: Notation<'_>) -> Result<String, String> {
    let Some(since) = notation.shape.cutoffs.since.as_deref() else {
        return Err("no rollout is declared, since when every writer fills the record key".into());
    };
    let since = notation.literal(since)?;
    let created = notation.column(OutboxColumn::Created)?;
    Ok(match notation.is_text_stamp(OutboxColumn::Created) {
        true => format!("julianday({created}) >= julianday({since})"),
        false => format!("{created} >= {since}"),
    })
}

/// Rows since the rollout without a key that their payload gives, done or not.
pub(super) fn writers(notation: Notation<'_>) -> Result<(Members, String), String> {
    let newer = newer(notation)?;
    let stored = notation.column(OutboxColumn::RecordKey)?;
    let id = notation.text(&notation.column(OutboxColumn::Id)?);
    let key = key(notation)?;
    let newest = optional(notation, OutboxColumn::Created, |column| {
        notation.text(&format!("max({column})"))
    });
    let members: Members = vec![
        ("rows", "count(*)".to_owned()),
        ("example", format!("min({id})")),
        ("newest", newest),
    ];
    let rest = format!(
        "FROM {}\nWHERE {stored} IS NULL AND {newer}\n  AND ({}) IS NOT NULL",
        notation.source()?,
        key.derived
    );
    Ok((members, rest))
}
