//! The record key that a payload gives, and which rows are not done, as expressions.

use crate::model::outbox::OutboxColumn;
use crate::model::template::{Part, parse};

use super::notation::{Family, Notation};

/// The key of a row's payload.
pub(super) struct Key {
    /// A condition: the payload is JSON.
    pub(super) parses: String,
    /// The key; NULL where the payload gives none.
    pub(super) derived: String,
}

/// The key as the template makes it.
pub(super) fn key(notation: Notation<'_>) -> Result<Key, String> {
    let Some(template) = notation.shape.template.as_deref() else {
        return Err("no template says how a record key is made of a payload".into());
    };
    let document = notation.document()?;
    let mut parts = Vec::new();
    for part in parse(template).map_err(|_| "the record key's template cannot be read")? {
        parts.push(match part {
            Part::Literal(text) => notation.literal(text)?,
            Part::Path(path) => notation.at_path(&document, &path)?,
        });
    }
    let derived = format!(
        "CASE WHEN {} THEN {} END",
        document.parses,
        notation.concat(&parts)
    );
    Ok(Key {
        parses: document.parses,
        derived,
    })
}

/// The condition that a row is not done.
///
/// Written so that an index on the status is of use: one range between each two words that are
/// final. The order of the words is the column's own affair; NOT IN makes it right in any order.
pub(super) fn open(notation: Notation<'_>) -> Result<String, String> {
    let status = notation.column(OutboxColumn::Status)?;
    let mut words = notation.shape.states.terminal();
    words.sort_unstable();
    let words: Vec<String> = words
        .into_iter()
        .map(|word| notation.literal(word))
        .collect::<Result<_, _>>()?;
    let (Some(first), Some(last)) = (words.first(), words.last()) else {
        return Err("which statuses are final is not known".into());
    };
    let not_in = format!("{status} NOT IN ({})", words.join(", "));
    if notation.family() == Family::Mysql {
        // It reads NOT IN as such ranges by itself.
        return Ok(format!("({status} IS NULL OR {not_in})"));
    }
    let mut ranges = vec![format!("{status} < {first}")];
    for pair in words.windows(2) {
        if let [from, to] = pair {
            ranges.push(format!("({status} > {from} AND {status} < {to})"));
        }
    }
    ranges.push(format!("{status} > {last}"));
    Ok(format!(
        "({status} IS NULL OR ({not_in} AND ({})))",
        ranges.join(" OR ")
    ))
}
