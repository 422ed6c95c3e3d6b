//! Plans of the eligible query, as each engine prints them, read into one shape.
//!
//! What is not recognised is no plan: the caller then says that it could not be read.

mod mysql;
mod postgres;
mod sqlite;
mod tidb;

use std::sync::Arc;

use crate::model::evidence::{Evidence, Fact, InputKind, ObservedBy, Reason, Why};
use crate::model::outbox::{OutboxColumn, OutboxShape};
use crate::model::place::Place;
use crate::model::plan::{Access, Plan, Reads};
use crate::model::schema::{KeyPart, Predicate, Schema};
use crate::sql::outbox::{CANDIDATE, OLDER};

pub use mysql::mysql;
pub use postgres::postgres;
pub(in crate::input) use sqlite::forced;
pub use sqlite::sqlite;
pub use tidb::tidb;

/// The id under which the plan is cited.
const ID: &str = "eligible-query";

/// One plan, as read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The two reads.
    pub reads: Reads,
    /// True if it sorts.
    pub sorts: bool,
    /// Its cost.
    pub cost: Option<Arc<str>>,
}

/// Which of the two reads an access is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Selection,
    Lookup,
}

/// The read that an alias stands for; partitions have a number behind it.
fn role(alias: &str) -> Option<Role> {
    let is = |name: &str| {
        alias.strip_prefix(name).is_some_and(|rest| {
            rest.is_empty()
                || rest
                    .strip_prefix('_')
                    .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
        })
    };
    match (is(CANDIDATE), is(OLDER)) {
        (true, _) => Some(Role::Selection),
        (_, true) => Some(Role::Lookup),
        _ => None,
    }
}

/// Both reads; none if the plan shows only one of them.
fn reads(accesses: Vec<(Role, Access)>) -> Option<Reads> {
    let of = |wanted: Role| -> Vec<Access> {
        let of = accesses.iter().filter(|(role, _)| *role == wanted);
        of.map(|(_, access)| access.clone()).collect()
    };
    let (selection, lookup) = (of(Role::Selection), of(Role::Lookup));
    (!selection.is_empty() && !lookup.is_empty()).then_some(Reads { selection, lookup })
}

/// The plan as a fact; `plan` holds why it could not be asked.
pub(in crate::input) fn fact(
    label: &Arc<str>,
    shape: &OutboxShape,
    plan: Result<Option<Plan>, Reason>,
) -> Fact<Plan> {
    let place = Place::Object {
        connection: Arc::clone(label),
        object: Arc::clone(&shape.name),
    };
    match plan {
        Ok(Some(plan)) => Fact::Shown(
            plan,
            Arc::new(Evidence {
                input: InputKind::Database,
                by: ObservedBy::Query { id: ID.into() },
                place,
                says: format!("EXPLAIN of the eligible query on {}", shape.name).into(),
            }),
        ),
        Ok(None) => unknown(
            Why::NotParsed,
            format!(
                "{}: the plan of the eligible query does not show how the table is read",
                shape.name
            ),
            "run the EXPLAIN that `outbox-audit queries` prints and read it by hand; a view or a foreign table hides the indexes below it",
        ),
        Err(reason) => Fact::Unknown(Arc::new(reason)),
    }
}

/// Why there is no plan to ask for.
pub(in crate::input) fn unasked(shape: &OutboxShape, why: &str) -> Fact<Plan> {
    unknown(
        Why::NotResolved,
        format!(
            "{}: the eligible query cannot be written: {why}",
            shape.name
        ),
        "name the columns under `outbox.columns` and the statuses under `outbox.states`",
    )
}

/// Indexes that begin with the status or the record key, and partial ones.
pub(in crate::input) fn worth_forcing(schema: &Schema, shape: &OutboxShape) -> Vec<Arc<str>> {
    let Some(table) = schema.table(&shape.name) else {
        return Vec::new();
    };
    let wanted = [OutboxColumn::Status, OutboxColumn::RecordKey]
        .map(|part| shape.columns.get(&part).map(|column| &*column.name));
    let fits = |parts: &[KeyPart], predicate: Option<&Predicate>| {
        let first = parts.first().and_then(|part| part.column.as_deref());
        let begins = wanted
            .iter()
            .flatten()
            .any(|name| first.is_some_and(|first| first.eq_ignore_ascii_case(name)));
        begins || predicate.is_some()
    };
    let plain = table
        .indexes
        .iter()
        .filter(|index| fits(&index.parts, index.predicate.as_ref()))
        .map(|index| Arc::clone(&index.name));
    let unique = table
        .enforcers
        .iter()
        .filter(|key| fits(&key.parts, key.predicate.as_ref()))
        .map(|key| Arc::clone(&key.name));
    plain.chain(unique).collect()
}

fn unknown(why: Why, sentence: String, next_step: &str) -> Fact<Plan> {
    Fact::Unknown(Arc::new(Reason {
        why,
        needs: Some(InputKind::Database),
        sentence,
        place: None,
        next_step: next_step.to_owned(),
    }))
}
