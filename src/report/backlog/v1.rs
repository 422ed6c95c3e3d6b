//! Document `backlog`, version 1. Own types: the shape holds still while the model moves. Within
//! the version fields are only added.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::backlog as counted;
use crate::model::evidence::{Fact, Reason};
use crate::model::outbox::Outbox;
use crate::model::plan as planned;
use crate::model::schema::Dialect;

/// What waits in an outbox: numbers and ids, never a payload.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Backlog<'b> {
    /// Always `backlog`.
    #[schemars(extend("const" = "backlog"))]
    pub document: &'static str,
    /// Version of this shape, always 1.
    #[schemars(extend("const" = 1))]
    pub version: u32,
    /// The table.
    pub table: Option<&'b str>,
    /// Template of the record key.
    pub template: Option<&'b str>,
    /// What the server says of itself; null for a file or answers.
    pub server: Option<Server<'b>>,
    /// Rows that are not done, by status.
    pub statuses: Counted<Statuses<'b>>,
    /// Record keys against the template.
    pub keys: Counted<Keys<'b>>,
    /// Rows behind an older one of their record.
    pub waiting: Counted<Waiting>,
    /// Claims, retries, and rows that nobody takes.
    pub claims: Counted<Claims<'b>>,
    /// Rows since the rollout without a key that their payload gives, done or not.
    pub writers: Counted<Rows<'b>>,
    /// Names of a payload that gives no record key; never values.
    pub paths: Counted<Vec<&'b str>>,
    /// The plan of the eligible query; null where no engine was asked.
    pub plan: Option<Counted<Plan<'b>>>,
}

/// A database server.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Server<'b> {
    /// The engine.
    pub engine: Option<&'static str>,
    /// Its version.
    pub version: &'b str,
    /// `primary`, or `replica` where it takes no writes.
    pub role: &'static str,
    /// The isolation level of transactions that ask for none.
    pub isolation: &'b str,
    /// The time zone of sessions that ask for none.
    pub time_zone: &'b str,
}

/// What was counted, or why it is not known; null where it does not arise.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Counted<T> {
    /// It is known.
    Known(T),
    /// It is not.
    Unknown(Unknown),
    /// It does not arise.
    Absent,
}

/// Why something is not known.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Unknown {
    /// One sentence.
    pub unknown: String,
    /// The kind of gap.
    pub why: &'static str,
    /// What to do next.
    pub next_step: String,
}

/// Rows by status.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Statuses<'b> {
    /// The database's clock when it counted.
    pub now: &'b str,
    /// One entry a status, the most frequent first.
    pub statuses: Vec<Status<'b>>,
}

/// The rows of one status.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Status<'b> {
    /// The word; null for NULL.
    pub status: Option<&'b str>,
    /// False if no worker claims or holds rows of it.
    pub known: bool,
    /// How many.
    pub rows: u64,
    /// When the oldest was enqueued.
    pub oldest: Option<&'b str>,
    /// The oldest heartbeat.
    pub oldest_heartbeat: Option<&'b str>,
    /// The most retries of a row.
    pub most_retries: Option<u64>,
}

/// Record keys against the template.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Keys<'b> {
    /// Rows that are not done.
    pub open: u64,
    /// Without a key, though their payload gives one.
    pub missing: Rows<'b>,
    /// With another key than their payload gives.
    pub wrong: Rows<'b>,
    /// Whose payload gives none.
    pub keyless: Rows<'b>,
    /// Whose payload is no JSON.
    pub unparsed: Rows<'b>,
    /// Length of the longest key, in characters.
    pub longest: Option<u64>,
}

/// A number of rows, and the id of one of them.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Rows<'b> {
    /// How many.
    pub rows: u64,
    /// The id of one.
    pub example: Option<&'b str>,
}

/// Rows behind an older one of the same record key.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Waiting {
    /// How many rows.
    pub rows: u64,
    /// Of how many keys.
    pub keys: u64,
    /// The longest queue of one key, its first row included.
    pub most: u64,
    /// Behind a row that no worker takes.
    pub behind_unclaimable: Option<u64>,
    /// Behind a stale claim.
    pub behind_stale: Option<u64>,
}

/// Claims, retries, and rows that nobody takes; null where what a count needs is not declared.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Claims<'b> {
    /// In no status that a worker claims or that is final.
    pub unclaimable: Rows<'b>,
    /// Claimed.
    pub claimed: Option<Rows<'b>>,
    /// Claimed, and the heartbeat stopped.
    pub stale: Option<Rows<'b>>,
    /// The same, if the heartbeat is written in the other time zone.
    pub stale_at_most: Option<Rows<'b>>,
    /// Claimed, without any heartbeat.
    pub without_heartbeat: Option<Rows<'b>>,
    /// Failed, and the retry is not due.
    pub retry_not_due: Option<Rows<'b>>,
    /// Failed as often as they may.
    pub spent: Option<Rows<'b>>,
    /// With a stamp later than the database's clock.
    pub ahead_of_clock: Option<Rows<'b>>,
}

/// The plan of the eligible query.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Plan<'b> {
    /// How rows to claim are found.
    pub candidates: Read<'b>,
    /// How an older row of the same record is found.
    pub older: Read<'b>,
    /// True if what was found is sorted.
    pub sorts: bool,
    /// The cost, in the planner's own unit.
    pub cost: Option<&'b str>,
    /// Rows of the table, as the engine estimates them.
    pub table_rows: Option<u64>,
    /// How it was found out whether an index serves.
    pub decided: &'b str,
}

/// One of the two reads of the eligible query.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Read<'b> {
    /// Indexes that serve it; null if none does.
    pub served_by: Option<&'b str>,
    /// What the planner would do today.
    pub today: Vec<Access<'b>>,
}

/// One access to the table.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Access<'b> {
    /// The index; null for the whole table.
    pub index: Option<&'b str>,
    /// Rows that the planner expects.
    pub rows: Option<u64>,
}

impl<'b> Backlog<'b> {
    /// The document about an outbox; none where nothing was counted.
    pub fn of(outbox: &'b Outbox) -> Option<Self> {
        let backlog = outbox.backlog.as_ref().ok()?;
        Some(Self {
            document: "backlog",
            version: 1,
            table: outbox.table.shown().map(|table| &**table),
            template: outbox.template.as_deref(),
            server: backlog.server.as_ref().map(|server| Server {
                engine: outbox.dialect.map(Dialect::word),
                version: &server.version,
                role: server.role(),
                isolation: &server.isolation,
                time_zone: &server.time_zone,
            }),
            statuses: of(&backlog.statuses, |shown| Statuses {
                now: &shown.now,
                statuses: shown.list.iter().map(|row| status(row, outbox)).collect(),
            }),
            keys: of(&backlog.keys, |keys| Keys {
                open: keys.open,
                missing: rows(&keys.missing),
                wrong: rows(&keys.wrong),
                keyless: rows(&keys.keyless),
                unparsed: rows(&keys.unparsed),
                longest: keys.longest,
            }),
            waiting: of(&backlog.waiting, |waiting| Waiting {
                rows: waiting.rows,
                keys: waiting.keys,
                most: waiting.most,
                behind_unclaimable: waiting.held,
                behind_stale: waiting.behind_stale,
            }),
            claims: of(&backlog.claims, claims),
            writers: of(&backlog.writers, rows),
            paths: of(&backlog.paths, |paths| {
                paths.iter().map(|path| &**path).collect()
            }),
            plan: backlog
                .plan
                .as_ref()
                .map(|fact| of(fact, |plan| of_plan(plan, outbox))),
        })
    }
}

fn of<'b, T, U>(fact: &'b Fact<T>, value: impl Fn(&'b T) -> U) -> Counted<U> {
    match fact {
        Fact::Shown(shown, _) => Counted::Known(value(shown)),
        Fact::Absent(_) => Counted::Absent,
        Fact::Unknown(reason) => Counted::Unknown(unknown(reason)),
    }
}

fn unknown(reason: &Reason) -> Unknown {
    Unknown {
        unknown: reason.sentence.clone(),
        why: reason.why.word(),
        next_step: reason.next_step.clone(),
    }
}

fn status<'b>(row: &'b counted::StatusRows, outbox: &Outbox) -> Status<'b> {
    Status {
        status: row.status.as_deref(),
        known: super::is_known(outbox, row.status.as_deref()),
        rows: row.rows,
        oldest: row.oldest.as_deref(),
        oldest_heartbeat: row.heartbeat.as_deref(),
        most_retries: row.retries,
    }
}

fn rows(rows: &counted::Rows) -> Rows<'_> {
    Rows {
        rows: rows.rows,
        example: rows.example.as_deref(),
    }
}

fn claims(claims: &counted::Claims) -> Claims<'_> {
    Claims {
        unclaimable: rows(&claims.unclaimable),
        claimed: claims.claimed.as_ref().map(rows),
        stale: claims.stale.as_ref().map(rows),
        stale_at_most: claims.stale_most.as_ref().map(rows),
        without_heartbeat: claims.silent.as_ref().map(rows),
        retry_not_due: claims.retrying.as_ref().map(rows),
        spent: claims.spent.as_ref().map(rows),
        ahead_of_clock: claims.ahead.as_ref().map(rows),
    }
}

fn of_plan<'b>(plan: &'b planned::Plan, outbox: &'b Outbox) -> Plan<'b> {
    let read = |fact: &'b Fact<std::sync::Arc<str>>, today: &'b [planned::Access]| Read {
        served_by: fact.shown().map(|index| &**index),
        today: today
            .iter()
            .map(|access| Access {
                index: access.reads.as_deref(),
                rows: access.rows,
            })
            .collect(),
    };
    Plan {
        candidates: read(&outbox.selection, &plan.today.selection),
        older: read(&outbox.lookup, &plan.today.lookup),
        sorts: plan.sorts,
        cost: plan.cost.as_deref(),
        table_rows: plan.table_rows,
        decided: plan.how,
    }
}
