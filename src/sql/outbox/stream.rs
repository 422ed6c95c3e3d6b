//! Payloads row by row, in the order of the ids, for a database that cannot make a key of them
//! itself. The only statements that select a payload.

use crate::model::outbox::{OutboxColumn, OutboxShape};

use super::JsonCheck;
use super::claims::newer;
use super::key::open;
use super::notation::{Family, Notation};

/// The rows one batch has.
pub const BATCH: u64 = 2000;
/// The longest payload that is read, in bytes.
pub const LONGEST: u64 = 1 << 24;

/// The statements that read the rows in question.
///
/// A batch gives, as text: where it got to, the id, the stored key, how the payload is written
/// (`text`, `hex`, `long`, `none`), the payload, whether the row is not done, and whether it is one
/// since the rollout that has no key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream {
    /// How many rows there are, and whether the server is a copy.
    pub count: String,
    select: String,
    id: String,
    kind: Kind,
}

/// How a place in the order of the ids is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// As SQLite's `quote` gave it.
    Written,
    /// Text that PostgreSQL takes for a value of the column's type.
    Escaped,
    Number,
    Hex,
    Text,
}

/// The statements for an outbox.
///
/// # Errors
/// Why there are none, in words without a full stop.
pub fn stream(shape: &OutboxShape) -> Result<Stream, String> {
    let notation = Notation {
        shape,
        json: JsonCheck::Asks,
    };
    let id = notation.column(OutboxColumn::Id)?;
    let stored = notation.column(OutboxColumn::RecordKey);
    let open = open(notation)?;
    let new = match (&stored, newer(notation)) {
        (Ok(stored), Ok(newer)) => format!("({stored} IS NULL AND {newer})"),
        _ => "1 = 0".to_owned(),
    };
    let source = format!("FROM {} AS line WHERE ({open} OR {new})", notation.table());
    let kind = kind(notation);
    let (place, shown) = match kind {
        Kind::Written => (format!("quote({id})"), notation.text(&id)),
        Kind::Hex => (format!("HEX({id})"), format!("HEX({id})")),
        Kind::Escaped | Kind::Number | Kind::Text => (notation.text(&id), notation.text(&id)),
    };
    let stored = stored.map_or_else(|_| "NULL".to_owned(), |column| notation.text(&column));
    let (form, payload) = payload(notation)?;
    let flag = |condition: &str| format!("CASE WHEN {condition} THEN '1' ELSE '0' END");
    Ok(Stream {
        count: format!(
            "SELECT {}, {} {source}",
            notation.text("count(*)"),
            notation.text(notation.replica())
        ),
        select: format!(
            "SELECT {place}, {shown}, {stored}, {form}, {payload}, {}, {} {source}",
            flag(&open),
            flag(&new)
        ),
        id,
        kind,
    })
}

impl Stream {
    /// The rows behind a place that the batch before gave; none for the first.
    pub fn batch(&self, after: Option<&str>) -> String {
        let behind = after.map_or_else(String::new, |after| {
            format!(" AND {} > {}", self.id, self.place(after))
        });
        // By its alias: a bare name would be that of the text which is selected.
        format!(
            "{}{behind} ORDER BY line.{} LIMIT {BATCH}",
            self.select, self.id
        )
    }

    fn place(&self, after: &str) -> String {
        let hex = || -> String { after.bytes().map(|byte| format!("{byte:02x}")).collect() };
        match self.kind {
            Kind::Written => after.to_owned(),
            Kind::Escaped => format!("E'{}'", after.replace('\\', "\\\\").replace('\'', "''")),
            Kind::Number
                if after
                    .bytes()
                    .all(|byte| byte == b'-' || byte.is_ascii_digit()) =>
            {
                after.to_owned()
            }
            Kind::Hex => format!("x'{after}'"),
            // A text with an introducer takes the collation of the column, whatever is in it.
            Kind::Number | Kind::Text => format!("_utf8mb4 x'{}'", hex()),
        }
    }
}

fn kind(notation: Notation<'_>) -> Kind {
    let column = notation.shape.columns.get(&OutboxColumn::Id);
    let of = column.map_or_else(String::new, |column| column.data_type.to_ascii_lowercase());
    match notation.family() {
        Family::Sqlite => Kind::Written,
        Family::Postgres => Kind::Escaped,
        Family::Mysql if of.contains("blob") || of.contains("binary") => Kind::Hex,
        Family::Mysql if of.contains("int") => Kind::Number,
        Family::Mysql => Kind::Text,
    }
}

/// How the payload is written, and the payload; none of one that is too long.
fn payload(notation: Notation<'_>) -> Result<(String, String), String> {
    let name = notation.column(OutboxColumn::Payload)?;
    let is_bytes = notation.is_bytes(OutboxColumn::Payload);
    let (length, form, text) = match notation.family() {
        Family::Postgres if is_bytes => (
            format!("octet_length({name})"),
            "'hex'".to_owned(),
            format!("encode({name}, 'hex')"),
        ),
        Family::Postgres => (
            format!("octet_length({name}::text)"),
            "'text'".to_owned(),
            format!("{name}::text"),
        ),
        Family::Mysql if is_bytes => (
            format!("LENGTH({name})"),
            "'hex'".to_owned(),
            format!("HEX({name})"),
        ),
        Family::Mysql => (format!("LENGTH({name})"), "'text'".to_owned(), name.clone()),
        // Any row can hold bytes there, whatever its column is declared as.
        Family::Sqlite => (
            format!("length(CAST({name} AS BLOB))"),
            format!("CASE typeof({name}) WHEN 'blob' THEN 'hex' ELSE 'text' END"),
            format!(
                "CASE typeof({name}) WHEN 'blob' THEN hex({name}) ELSE CAST({name} AS TEXT) END"
            ),
        ),
    };
    let fits = format!("{length} <= {LONGEST}");
    Ok((
        format!("CASE WHEN {name} IS NULL THEN 'none' WHEN {fits} THEN {form} ELSE 'long' END"),
        format!("CASE WHEN {fits} THEN {text} END"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_cannot_leave_its_quotes() {
        let stream = |kind| Stream {
            count: String::new(),
            select: "SELECT".to_owned(),
            id: "id".to_owned(),
            kind,
        };
        for (kind, after, place) in [
            (Kind::Escaped, "a'b\\", "E'a''b\\\\'"),
            (Kind::Number, "17", "17"),
            (Kind::Number, "1 OR 1", "_utf8mb4 x'31204f522031'"),
            (Kind::Text, "é'", "_utf8mb4 x'c3a927'"),
            (Kind::Hex, "00FF", "x'00FF'"),
        ] {
            let sql = stream(kind).batch(Some(after));
            assert_eq!(
                sql,
                format!("SELECT AND id > {place} ORDER BY line.id LIMIT {BATCH}")
            );
        }
        assert!(!stream(Kind::Text).batch(None).contains('>'));
    }
}
