//! The query by which a worker looks for an event that it may claim: rows that wait or whose claim
//! is stale, without those behind an older row of the same record that is not done.

use std::sync::Arc;

use crate::model::outbox::{OutboxColumn, OutboxShape};

use super::JsonCheck;
use super::declared::declared;
use super::notation::{Family, Notation};

/// How the outbox is called where rows to claim are looked for.
pub const CANDIDATE: &str = "candidate";
/// How it is called where an older row of the same record is looked for.
pub const OLDER: &str = "older";

/// The query for its plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Eligible {
    /// As workers ask it, for one event.
    pub ordered: String,
    /// Without order and limit, which can make a scan of any index look cheap.
    pub unordered: String,
}

impl Eligible {
    /// The query with an index forced on one of its two reads, as SQLite lets it be written.
    pub fn forced(&self, alias: &str, index: &str) -> String {
        let name = format!("\"{}\"", index.replace('"', "\"\""));
        let marked = format!(" AS {alias}");
        self.unordered
            .replacen(&marked, &format!("{marked} INDEXED BY {name}"), 1)
    }
}

impl Eligible {
    /// The query with indexes forced on both of its reads, as MySQL and its kin write it.
    pub fn with_indexes(&self, indexes: &[Arc<str>]) -> String {
        if indexes.is_empty() {
            return self.unordered.clone();
        }
        let names: Vec<String> = indexes
            .iter()
            .map(|index| format!("`{}`", index.replace('`', "``")))
            .collect();
        let hint = format!(" FORCE INDEX ({})", names.join(", "));
        let mark = |text: String, alias: &str| {
            let marked = format!(" AS {alias}");
            text.replacen(&marked, &format!("{marked}{hint}"), 1)
        };
        mark(mark(self.unordered.clone(), CANDIDATE), OLDER)
    }
}

/// The query for an outbox.
///
/// # Errors
/// Why there is none, in words without a full stop.
pub fn eligible(shape: &OutboxShape) -> Result<Eligible, String> {
    let notation = Notation {
        shape,
        json: JsonCheck::Asks,
    };
    if let Some(text) = &shape.cutoffs.eligible_query {
        return declared(text, &shape.name, &notation.table(), shape.dialect);
    }
    let of = |alias: &str, part| Ok::<_, String>(format!("{alias}.{}", notation.column(part)?));
    let status = of(CANDIDATE, OutboxColumn::Status)?;
    let key = of(CANDIDATE, OutboxColumn::RecordKey)?;
    let (created, id) = (
        of(CANDIDATE, OutboxColumn::Created)?,
        of(CANDIDATE, OutboxColumn::Id)?,
    );
    let (older_created, older_id) = (
        of(OLDER, OutboxColumn::Created)?,
        of(OLDER, OutboxColumn::Id)?,
    );
    let words = |list: &[std::sync::Arc<str>]| {
        let texts = list.iter().map(|word| notation.literal(word));
        texts.collect::<Result<Vec<_>, _>>()
    };
    let (ready, claimed) = (words(&shape.states.ready)?, words(&shape.states.claimed)?);
    let terminal = shape.states.terminal();
    let terminal: Vec<String> = terminal
        .into_iter()
        .map(|word| notation.literal(word))
        .collect::<Result<_, _>>()?;
    if ready.is_empty() || terminal.is_empty() {
        return Err("which statuses wait and which are final is not known".into());
    }
    let beat = shape
        .columns
        .get(&OutboxColumn::Modified)
        .map(|column| {
            let old = cutoff(notation.family(), &column.data_type);
            of(CANDIDATE, OutboxColumn::Modified).map(|beat| format!("{beat} < {old}"))
        })
        .transpose()?;
    let is = |list: &[String]| match list {
        [one] => format!("{status} = {one}"),
        _ => format!("{status} IN ({})", list.join(", ")),
    };
    let is_not = |list: &[String]| match list {
        [one] => format!("{status} <> {one}"),
        _ => format!("{status} NOT IN ({})", list.join(", ")),
    };
    let stale = match (claimed.is_empty(), &beat) {
        (true, _) => String::new(),
        (false, Some(beat)) => format!(" OR ({} AND {beat})", is(&claimed)),
        (false, None) => format!(" OR {}", is(&claimed)),
    };
    let mut conditions = vec![format!("({}{stale})", is(&ready))];
    if let (Ok(retries), Some(beat)) = (of(CANDIDATE, OutboxColumn::RetryCount), &beat) {
        conditions.push(format!("({} OR {retries} = 0 OR {beat})", is_not(&ready)));
    }
    let table = notation.table();
    conditions.push(format!(
        "({key} IS NULL OR NOT EXISTS (\n    SELECT 1 FROM {table} AS {OLDER}\n    WHERE {} = \
         {key}\n      AND ({older_created} < {created} OR ({older_created} = {created} AND \
         {older_id} < {id}))\n      AND {} NOT IN ({})))",
        of(OLDER, OutboxColumn::RecordKey)?,
        of(OLDER, OutboxColumn::Status)?,
        terminal.join(", ")
    ));
    let selected: Vec<String> = [
        OutboxColumn::Id,
        OutboxColumn::EventType,
        OutboxColumn::Payload,
        OutboxColumn::RetryCount,
    ]
    .into_iter()
    .filter_map(|part| of(CANDIDATE, part).ok())
    .collect();
    let unordered = format!(
        "SELECT {} FROM {table} AS {CANDIDATE}\n  WHERE {}",
        selected.join(", "),
        conditions.join("\n  AND ")
    );
    Ok(Eligible {
        ordered: format!("{unordered}\n  ORDER BY {created}, {id} LIMIT 1"),
        unordered,
    })
}

/// A value of the heartbeat's type that stands for a moment in the past.
fn cutoff(family: Family, data_type: &str) -> &'static str {
    let kind = data_type.to_ascii_lowercase();
    let is_number = ["int", "numeric", "decimal", "double", "real", "float"]
        .iter()
        .any(|word| kind.contains(word));
    let is_text = kind.contains("char") || kind.contains("text");
    match family {
        _ if is_number && !kind.contains("interval") => "0",
        Family::Postgres if is_text => "CURRENT_TIMESTAMP::text",
        _ => "CURRENT_TIMESTAMP",
    }
}
