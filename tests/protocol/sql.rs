//! The statements of an outbox, as its promises make them.

use outbox_audit::model::queue::Promise;
use outbox_audit::protocol::shape::MAX_RETRIES;
use outbox_audit::protocol::state::{Status, record_of};
use outbox_audit::protocol::{Engine, Protocol};

/// The tables, with as many events as there are, but for those that are still to be written.
pub(crate) fn tables(protocol: &Protocol) -> String {
    let (stamp, now) = match protocol.engine {
        Engine::MySql => ("DATETIME(6)", "NOW(6)"),
        Engine::Postgres => ("timestamptz", "now()"),
    };
    let mut script = format!(
        "CREATE TABLE outbox (id INT PRIMARY KEY, record_key VARCHAR(20), status VARCHAR(20) NOT NULL, \
         retry_count INT NOT NULL, claim INT NOT NULL, created {stamp} NOT NULL, modified {stamp} NOT NULL);\n\
         CREATE TABLE made (event INT NOT NULL, UNIQUE (event));\n\
         CREATE TABLE target (record INT PRIMARY KEY, val INT NOT NULL);\n\
         INSERT INTO target VALUES (0, 0), (1, 0);\n\
         CREATE TABLE side (id INT PRIMARY KEY, n INT NOT NULL);\n\
         INSERT INTO side VALUES (1, 0), (2, 0);\n\
         CREATE TABLE busy (id INT PRIMARY KEY, n INT NOT NULL);\n\
         INSERT INTO busy VALUES {};\n",
        (0..50)
            .map(|id| format!("({id}, 0)"))
            .collect::<Vec<_>>()
            .join(", ")
    );
    for event in 0..protocol.limits.events {
        let later = event == 1 && !protocol.keeps(Promise::EnqueueJoinsWrite);
        if !later {
            script += &format!("{};\n", enqueue(event, now));
        }
    }
    script
}

fn enqueue(event: u8, now: &str) -> String {
    let key = match record_of(event.into()) {
        0 => "'A'",
        _ => "NULL",
    };
    format!("INSERT INTO outbox VALUES ({event}, {key}, 'pending', 0, 0, {now}, {now})")
}

/// The statements of one protocol.
pub(crate) struct Sql {
    pub(crate) protocol: Protocol,
}

/// A claim as its worker knows it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Claim {
    pub(crate) event: u8,
    /// The retry count as it was selected.
    pub(crate) count: i64,
    /// The claim's own stamp.
    pub(crate) stamp: i64,
}

impl Sql {
    fn keeps(&self, promise: Promise) -> bool {
        self.protocol.keeps(promise)
    }

    pub(crate) fn now(&self) -> &'static str {
        match self.protocol.engine {
            Engine::MySql => "NOW(6)",
            // Not that of the transaction's start.
            Engine::Postgres => "clock_timestamp()",
        }
    }

    fn ago(&self, interval: &str) -> String {
        match self.protocol.engine {
            Engine::MySql => format!("{} - INTERVAL {interval}", self.now()),
            Engine::Postgres => format!("{} - INTERVAL '{interval}'", self.now()),
        }
    }

    /// Cutoffs are hours: a slow test must not pass them by itself.
    fn is_stale(&self) -> String {
        format!("modified < {}", self.ago("5 HOUR"))
    }

    pub(crate) fn enqueue(&self, event: u8) -> String {
        enqueue(event, self.now())
    }

    /// Candidates, oldest first: id and retry count.
    pub(crate) fn select(&self, skips: bool) -> String {
        let mut states = vec!["1 = 0".to_owned()];
        if self.keeps(Promise::SelectsReady) {
            states.push("status = 'pending'".into());
        }
        if self.keeps(Promise::SelectsStale) {
            states.push(format!("(status = 'processing' AND {})", self.is_stale()));
        }
        let mut wheres = vec![format!("({})", states.join(" OR "))];
        if self.keeps(Promise::WaitsForRetryCutoff) {
            wheres.push(format!(
                "(status <> 'pending' OR retry_count = 0 OR modified < {})",
                self.ago("30 MINUTE")
            ));
        }
        if !self.keeps(Promise::TakesKeyless) {
            wheres.push("record_key IS NOT NULL".into());
        }
        if skips {
            wheres.push(
                "(record_key IS NULL OR NOT EXISTS (SELECT 1 FROM outbox older \
                 WHERE older.record_key = e.record_key AND (older.created < e.created \
                 OR (older.created = e.created AND older.id < e.id)) \
                 AND older.status NOT IN ('processed', 'failed')))"
                    .into(),
            );
        }
        // The ids are the order; stamps of one statement are equal.
        format!(
            "SELECT CAST(id AS {0}), CAST(retry_count AS {0}) FROM outbox e WHERE {1} ORDER BY id",
            self.integer(),
            wheres.join(" AND ")
        )
    }

    fn integer(&self) -> &'static str {
        match self.protocol.engine {
            Engine::MySql => "SIGNED",
            Engine::Postgres => "bigint",
        }
    }

    pub(crate) fn claim(&self, event: u8) -> String {
        let atomic = self.keeps(Promise::AtomicClaim) && self.keeps(Promise::EngineLocks);
        let free = match atomic {
            true => format!(
                " AND (status = 'pending' OR (status = 'processing' AND {}))",
                self.is_stale()
            ),
            false => String::new(),
        };
        format!(
            "UPDATE outbox SET status = 'processing', modified = {}, claim = claim + 1 WHERE id = {event}{free}",
            self.now()
        )
    }

    pub(crate) fn stamp(&self, event: u8) -> String {
        format!(
            "SELECT CAST(claim AS {}) FROM outbox WHERE id = {event}",
            self.integer()
        )
    }

    pub(crate) fn heartbeat(&self, claim: Claim) -> String {
        let epoch = self.epoch(claim);
        format!(
            "UPDATE outbox SET modified = {} WHERE id = {} AND status = 'processing'{epoch}",
            self.now(),
            claim.event
        )
    }

    fn epoch(&self, claim: Claim) -> String {
        match self.keeps(Promise::EpochFence) {
            true => format!(" AND claim = {}", claim.stamp),
            false => String::new(),
        }
    }

    fn fence(&self, claim: Claim) -> String {
        match self.keeps(Promise::FencedStatus) {
            true => format!(" AND status = 'processing'{}", self.epoch(claim)),
            false => String::new(),
        }
    }

    /// The handler's write: its row, then its record's value.
    pub(crate) fn write(&self, event: u8, write: u8) -> String {
        match (write, self.protocol.engine) {
            (0, Engine::MySql) => format!("INSERT IGNORE INTO made VALUES ({event})"),
            (0, Engine::Postgres) => {
                format!("INSERT INTO made VALUES ({event}) ON CONFLICT DO NOTHING")
            }
            _ => format!(
                "UPDATE target SET val = {} WHERE record = {}",
                event + 1,
                record_of(event.into())
            ),
        }
    }

    pub(crate) fn finish(&self, claim: Claim) -> String {
        format!(
            "UPDATE outbox SET status = 'processed', modified = {} WHERE id = {}{}",
            self.now(),
            claim.event,
            self.fence(claim)
        )
    }

    /// The retry. Where nothing says which status it leaves, it is the one of the run.
    pub(crate) fn retry(&self, claim: Claim, left: Status) -> String {
        let count = match (
            self.keeps(Promise::RetryCounts),
            self.keeps(Promise::RetryCountIsFresh),
        ) {
            (false, _) => "retry_count".to_owned(),
            (true, true) => "retry_count + 1".to_owned(),
            (true, false) => (claim.count + 1).to_string(),
        };
        let decided = self.keeps(Promise::RetryReturnsToReady)
            && self.keeps(Promise::TerminalStates)
            && self.keeps(Promise::RetriesAreBounded);
        let status = match decided {
            true => format!("CASE WHEN {count} >= {MAX_RETRIES} THEN 'failed' ELSE 'pending' END"),
            false => format!("'{}'", word(left)),
        };
        // MariaDB assigns in order: the status is decided before the count is raised.
        format!(
            "UPDATE outbox SET status = {status}, retry_count = {count}, modified = {} WHERE id = {}{}",
            self.now(),
            claim.event,
            self.fence(claim)
        )
    }

    /// Some time passes for one row.
    pub(crate) fn age(&self, event: u8, interval: &str) -> String {
        let ago = self.ago(interval);
        format!("UPDATE outbox SET modified = {ago} WHERE id = {event}")
    }

    pub(crate) fn rescue(&self, event: u8) -> String {
        let as_read = match self.keeps(Promise::RescuerComparesFirst) {
            true => format!(" AND status = 'processing' AND {}", self.is_stale()),
            false => String::new(),
        };
        let now = self.now();
        format!(
            "UPDATE outbox SET status = 'pending', modified = {now} WHERE id = {event}{as_read}"
        )
    }

    /// A table as integers: statuses and counts by event, rows by event, values by record.
    pub(crate) fn look(&self) -> [String; 3] {
        let integer = self.integer();
        let status = "CASE status WHEN 'pending' THEN 1 WHEN 'processing' THEN 2 \
             WHEN 'processed' THEN 3 ELSE 4 END";
        [
            format!(
                "SELECT CAST(id AS {integer}), CAST({status} AS {integer}), CAST(retry_count AS {integer}) \
                 FROM outbox ORDER BY id"
            ),
            format!("SELECT CAST(event AS {integer}) FROM made ORDER BY event"),
            format!("SELECT CAST(val AS {integer}) FROM target ORDER BY record"),
        ]
    }
}

/// A status as it stands in the column.
pub(crate) fn word(status: Status) -> &'static str {
    match status {
        Status::Absent => panic!("such a row is not there"),
        Status::Pending => "pending",
        Status::Processing => "processing",
        Status::Processed => "processed",
        Status::Failed => "failed",
    }
}
