//! What is asked about the backlog. Each question gives one row with one JSON text.

use sha2::{Digest, Sha256};

use crate::model::backlog::Statuses;
use crate::model::outbox::{OutboxColumn, OutboxShape};

use super::JsonCheck;
use super::claims::{claims, stale, unclaimable, writers};
use super::clock::Reading;
use super::key::{key, open};
use super::notation::Notation;
use super::paths::paths;

/// Rows by status.
pub const STATUSES: &str = "backlog-statuses";
/// Record keys against the template.
pub const KEYS: &str = "backlog-keys";
/// Rows behind an older one of the same record.
pub const WAITING: &str = "backlog-waiting";
/// Claims, retries and statuses that nobody takes.
pub const CLAIMS: &str = "backlog-claims";
/// Rows since the rollout without a record key.
pub const WRITERS: &str = "backlog-writers";
/// Names in a payload that gives no record key.
pub const PATHS: &str = "backlog-paths";

/// One question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// What is asked.
    pub id: &'static str,
    /// First 16 hex digits of the SHA-256 of the statement without them: they come back in the
    /// answer, so that an answer to another question is not taken for this one's.
    pub digest: String,
    /// The statement.
    pub sql: String,
}

/// A question that cannot be asked of this table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unasked {
    /// What would be asked.
    pub id: &'static str,
    /// Why not, in words without a full stop.
    pub why: String,
}

/// What can be asked: a question, or why it cannot.
pub type Asked = Result<Question, Unasked>;

/// Every question about an outbox.
pub fn questions(shape: &OutboxShape, json: JsonCheck) -> [Asked; 6] {
    let notation = Notation { shape, json };
    [
        (STATUSES, statuses(notation)),
        (KEYS, keys(notation)),
        (WAITING, waiting(notation)),
        (CLAIMS, claims(notation)),
        (WRITERS, writers(notation)),
        (PATHS, paths(notation)),
    ]
    .map(|(id, sql)| match sql {
        Ok((members, rest)) => Ok(asked(notation, id, members, &rest)),
        Err(why) => Err(Unasked { id, why }),
    })
}

/// The members of the answer.
pub(super) type Members = Vec<(&'static str, String)>;

/// The question with its digest.
pub(super) fn asked(
    notation: Notation<'_>,
    id: &'static str,
    members: Members,
    rest: &str,
) -> Question {
    let statement = |digest: &str| {
        let mut all: Members = vec![
            ("query", format!("'{id}'")),
            ("question", format!("'{digest}'")),
            ("replica", notation.replica().to_owned()),
        ];
        all.extend(notation.sampled().map(|rows| ("sampled", rows)));
        all.extend(members.iter().cloned());
        let object = notation.object(&all);
        format!("SELECT {} AS answer\n{rest}", notation.text(&object))
    };
    let hash = Sha256::digest(statement("").as_bytes());
    let digest: String = hash
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    Question {
        id,
        sql: statement(&digest),
        digest,
    }
}

/// The column of a part as text, or NULL where the table has none.
pub(super) fn optional(
    notation: Notation<'_>,
    part: OutboxColumn,
    wrap: impl Fn(&str) -> String,
) -> String {
    notation
        .column(part)
        .map_or_else(|_| "NULL".to_owned(), |column| wrap(&column))
}

fn statuses(notation: Notation<'_>) -> Result<(Members, String), String> {
    let open = open(notation)?;
    let status = notation.column(OutboxColumn::Status)?;
    let least = |column: &str| notation.text(&format!("min({column})"));
    let created = optional(notation, OutboxColumn::Created, least);
    let modified = optional(notation, OutboxColumn::Modified, least);
    let retries = optional(notation, OutboxColumn::RetryCount, |column| {
        notation.number(&format!("max({column})"))
    });
    let object = notation.object(&[
        ("status", "s.status".to_owned()),
        ("rows", "s.n".to_owned()),
        ("oldest", "s.oldest".to_owned()),
        ("heartbeat", "s.heartbeat".to_owned()),
        ("retries", "s.retries".to_owned()),
    ]);
    let members = vec![
        ("now", notation.text("CURRENT_TIMESTAMP")),
        ("statuses", notation.array(&object)),
    ];
    let rest = format!(
        "FROM (SELECT {} AS status, count(*) AS n, {created} AS oldest, {modified} AS heartbeat, \
         {retries} AS retries\n      FROM {}\n      WHERE {open}\n      GROUP BY {status}\n      \
         ORDER BY 2 DESC, 1 LIMIT {}) s",
        notation.text(&status),
        notation.source()?,
        Statuses::MOST
    );
    Ok((members, rest))
}

fn keys(notation: Notation<'_>) -> Result<(Members, String), String> {
    let open = open(notation)?;
    let key = key(notation)?;
    let id = notation.column(OutboxColumn::Id)?;
    let stored = optional(notation, OutboxColumn::RecordKey, |column| {
        notation.text(column)
    });
    let stored = match stored.as_str() {
        "NULL" => notation.text("NULL"),
        _ => stored,
    };
    let mut members = vec![("open", "count(*)".to_owned())];
    let differ = notation.differ("k.stored", "k.derived");
    let kinds = [
        (
            ["missing", "missing_example"],
            "k.parses = 1 AND k.stored IS NULL AND k.derived IS NOT NULL".to_owned(),
        ),
        (
            ["wrong", "wrong_example"],
            format!("k.parses = 1 AND k.stored IS NOT NULL AND (k.derived IS NULL OR {differ})"),
        ),
        (
            ["keyless", "keyless_example"],
            "k.parses = 1 AND k.stored IS NULL AND k.derived IS NULL".to_owned(),
        ),
        (["unparsed", "unparsed_example"], "k.parses = 0".to_owned()),
    ];
    for ([count, example], condition) in kinds {
        members.push((count, format!("count(CASE WHEN {condition} THEN 1 END)")));
        members.push((example, format!("min(CASE WHEN {condition} THEN k.id END)")));
    }
    members.push(("longest", format!("max({})", notation.length("k.derived"))));
    let rest = format!(
        "FROM (SELECT {} AS id, {stored} AS stored,\n             \
         CASE WHEN {} THEN 1 ELSE 0 END AS parses,\n             \
         {} AS derived\n      FROM {}\n      WHERE {open}{}) k",
        notation.text(&id),
        key.parses,
        key.derived,
        notation.source()?,
        notation.fence()
    );
    Ok((members, rest))
}

fn waiting(notation: Notation<'_>) -> Result<(Members, String), String> {
    let open = open(notation)?;
    let key = notation.column(OutboxColumn::RecordKey)?;
    // The first row of a key by its stamp: what is in front of all others.
    let created = notation.column(OutboxColumn::Created);
    let mut columns = vec!["count(*) AS n".to_owned()];
    let mut behind = |name: &str, condition: Option<String>| {
        let Some((condition, created)) = condition.zip(created.as_ref().ok()) else {
            return "NULL".to_owned();
        };
        columns.push(format!(
            "CASE WHEN min({created}) = min(CASE WHEN {condition} THEN {created} END) THEN \
             count(*) - 1 ELSE 0 END AS {name}"
        ));
        notation.number(&format!("coalesce(sum(g.{name}), 0)"))
    };
    let members = vec![
        ("rows", notation.number("coalesce(sum(g.n - 1), 0)")),
        ("keys", "count(*)".to_owned()),
        ("most", "coalesce(max(g.n), 0)".to_owned()),
        ("held", behind("held", unclaimable(notation).ok())),
        (
            "behind_stale",
            behind("old", stale(notation, Reading::Least)?),
        ),
    ];
    let rest = format!(
        "FROM (SELECT {}\n      FROM {}\n      WHERE {open} AND {key} IS NOT NULL\n      \
         GROUP BY {key} HAVING count(*) > 1) g",
        columns.join(",\n             "),
        notation.source()?
    );
    Ok((members, rest))
}
