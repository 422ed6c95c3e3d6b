//! Whether a doubtful key holds duplicates: one query each that reads no value out, and all of them
//! together within the limit of one answer.
//!
//! An index that lies in an order of yesterday is not asked about itself: its scans are off.

use std::sync::Arc;
use std::time::Instant;

use crate::model::evidence::{Evidence, Fact, InputKind, ObservedBy, Reason, Why as Gap};
use crate::model::place::Place;
use crate::model::schema::{Enforcer, TableKind};

use super::super::failure::Failure;
use super::super::known::{gap, not_so};
use super::super::session::Session;
use super::keys::Part;
use super::tables::{Relation, Tables};

/// Why a key is doubted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// Its building was cut off.
    Invalid,
    /// A collation has another version now than when it was built.
    Changed,
    /// With which version of a collation it was built was not recorded.
    NotRecorded,
}

/// A key that has to be asked about.
pub(super) struct Doubt {
    oid: i64,
    name: Arc<str>,
    why: Why,
    rows: i64,
    /// The question; none for what is not compared for equality.
    sql: Option<String>,
}

impl Doubt {
    pub(super) fn new(relation: &Relation, enforcer: &Enforcer, parts: &[Part], why: Why) -> Self {
        Self {
            oid: relation.oid,
            name: Arc::clone(&enforcer.name),
            why,
            rows: relation.rows,
            sql: question(relation, enforcer, parts),
        }
    }
}

fn question(relation: &Relation, enforcer: &Enforcer, parts: &[Part]) -> Option<String> {
    let mut keys = Vec::new();
    for part in parts {
        let expression = part.key.expression.as_deref();
        if expression.is_some_and(|text| text.ends_with("OVERLAPS") || text.contains(" WITH ")) {
            return None;
        }
        keys.push(match (&part.key.column, expression) {
            (Some(column), _) => quoted(column),
            (None, Some(text)) => format!("({text})"),
            (None, None) => return None,
        });
    }
    let mut filters: Vec<String> = Vec::new();
    if let Some(predicate) = &enforcer.predicate {
        filters.push(format!("({})", predicate.text));
    }
    if !enforcer.nulls_not_distinct {
        filters.extend(keys.iter().map(|key| format!("{key} IS NOT NULL")));
    }
    // The children of an inheritance tree are not in the index of their parent.
    let only = match relation.table.kind {
        TableKind::Partitioned => "",
        _ => "ONLY ",
    };
    let table = format!(
        "{}.{}",
        quoted(relation.table.schema.as_deref().unwrap_or("public")),
        quoted(&relation.table.name)
    );
    let condition = match filters.is_empty() {
        true => String::new(),
        false => format!(" WHERE {}", filters.join(" AND ")),
    };
    Some(format!(
        "SELECT 1::text FROM {only}{table}{condition} GROUP BY {} HAVING count(*) > 1 LIMIT 1",
        keys.join(", ")
    ))
}

/// A name in double quotes.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Asks about each, small tables first, and notes the answer at its enforcer.
pub(super) async fn probe(
    session: &mut Session,
    label: &Arc<str>,
    tables: &mut Tables,
    mut doubts: Vec<Doubt>,
) {
    doubts.sort_by_key(|doubt| doubt.rows);
    let began = Instant::now();
    for doubt in doubts {
        let left = session.limit.saturating_sub(began.elapsed());
        let answer = match &doubt.sql {
            None => None,
            Some(_) if left.is_zero() => Some(Err(Failure::Slow)),
            Some(sql) => Some(ask(session, sql, left.as_millis()).await),
        };
        note(label, tables, &doubt, answer);
    }
}

async fn ask(session: &mut Session, sql: &str, left: u128) -> Result<bool, Failure> {
    for statement in [
        "SAVEPOINT question".to_owned(),
        format!("SET LOCAL statement_timeout = {}", left.max(1)),
        "SET LOCAL enable_indexscan = off".to_owned(),
        "SET LOCAL enable_indexonlyscan = off".to_owned(),
        "SET LOCAL enable_bitmapscan = off".to_owned(),
    ] {
        session.run(&statement).await?;
    }
    let answer = session.rows(sql).await;
    if !session.is_lost() {
        session.run("ROLLBACK TO SAVEPOINT question").await?;
    }
    answer.map(|rows| !rows.is_empty())
}

fn note(
    label: &Arc<str>,
    tables: &mut Tables,
    doubt: &Doubt,
    answer: Option<Result<bool, Failure>>,
) {
    let Some(relation) = tables.get_mut(doubt.oid) else {
        return;
    };
    let table = Arc::clone(&relation.table.name);
    let enforcers = &mut relation.table.enforcers;
    let Some(enforcer) = enforcers.iter_mut().find(|known| known.name == doubt.name) else {
        return;
    };
    let cause = match doubt.why {
        Why::Invalid => return invalid(enforcer, answer),
        Why::Changed => "its text is ordered by a collation that has another version now",
        Why::NotRecorded => "with which version of its collation it was built is not recorded",
    };
    let place = enforcer.evidence.place.clone();
    match answer {
        Some(Ok(true)) => {
            let says =
                format!("{cause}, and {table} holds rows with equal keys: it has let them in");
            let shown = counted(place, &says);
            enforcer.enforced = Fact::Shown(false, Arc::clone(&shown));
            enforcer.trusted = Fact::Shown(false, shown);
        }
        Some(Ok(false)) => {
            let says = format!("{cause}, and no key of {table} occurs twice");
            enforcer.trusted = Fact::Shown(true, counted(place, &says));
        }
        Some(Err(failure)) => {
            let what = format!("{cause}, and whether {table} holds duplicates is not known");
            enforcer.trusted = Fact::Unknown(Arc::new(Reason {
                place: Some(place),
                ..failure.reason(label, &format!("of index {}: {what}", doubt.name))
            }));
        }
        None => {
            enforcer.trusted = Fact::Unknown(Arc::new(gap(
                Gap::NotDecidable,
                Some(place),
                format!(
                    "of index {}: {cause}, and it is not compared for equality",
                    doubt.name
                ),
                "rebuild the index (REINDEX INDEX CONCURRENTLY)",
            )));
        }
    }
}

/// An index that is not valid stays so whatever its rows are; the answer says what its rebuilding
/// will meet.
fn invalid(enforcer: &mut Enforcer, answer: Option<Result<bool, Failure>>) {
    let found = match answer {
        Some(Ok(true)) => "; there are rows with equal keys",
        Some(Ok(false)) => "; no key occurs twice today",
        Some(Err(_)) | None => "; whether a key occurs twice is not known",
    };
    let Fact::Shown(_, evidence) = &enforcer.trusted else {
        return;
    };
    let says = format!("{}{found}", evidence.says);
    if let Fact::Shown(false, _) = enforcer.enforced {
        enforcer.enforced = not_so(enforcer, &says);
    }
    enforcer.trusted = not_so(enforcer, &says);
}

fn counted(place: Place, says: &str) -> Arc<Evidence> {
    Arc::new(Evidence {
        input: InputKind::Database,
        by: ObservedBy::Query {
            id: "duplicate-keys".into(),
        },
        place,
        says: says.into(),
    })
}
