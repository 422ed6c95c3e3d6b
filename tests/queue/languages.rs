//! Workers of the same shape in other languages: repaired and broken as a whole, and the repaired one
//! changed at one small place after another.

use std::collections::BTreeMap;

use outbox_audit::model::queue::{Promise, Queue};
use outbox_audit::model::schema::Dialect;

use super::cases::written;
use super::{read, root, told, word};

/// The worker of a language, changed.
fn changed(language: &str, name: &str, changes: &[(&str, &str)]) -> Queue {
    let folder = root()
        .join("fixtures/queue")
        .join(language)
        .join("repaired");
    let folder = written(&folder, &format!("{language}-{name}"), changes);
    read(&folder, Some(Dialect::Postgres))
}

/// The promises that are not kept, by the word for each, with the line of the code that it names.
fn open(worker: &str) -> BTreeMap<Promise, (&'static str, String)> {
    let folder = root().join("fixtures/queue").join(worker);
    let queue = read(&folder, Some(Dialect::Postgres));
    let all = Promise::ALL.into_iter();
    all.filter(|promise| word(&queue.promises[promise]) != "kept")
        .map(|promise| {
            let told = told(&queue, promise);
            let place = told.split_whitespace().nth(1).unwrap_or_default();
            let mut parts = place.split(':');
            let file = parts.next().unwrap_or_default();
            let line: usize = parts
                .next()
                .and_then(|line| line.parse().ok())
                .expect("a line");
            let text = std::fs::read_to_string(folder.join(file)).expect("the file is there");
            let text = text.lines().nth(line - 1).unwrap_or_default();
            (
                promise,
                (word(&queue.promises[&promise]), text.trim().to_owned()),
            )
        })
        .collect()
}

#[test]
fn a_repaired_worker_keeps_every_promise_that_its_language_shows() {
    use Promise::*;
    for worker in ["rust/repaired", "python/repaired"] {
        let open: Vec<(Promise, &str)> = open(worker)
            .into_iter()
            .map(|(promise, (word, _))| (promise, word))
            .collect();
        let wanted = [
            (EnqueueJoinsWrite, "unknown"),
            (ErrorsReachDispatcher, "unknown"),
        ];
        assert_eq!(open, wanted, "{worker}");
    }
}

#[test]
fn a_broken_worker_breaks_each_promise_at_its_line() {
    use Promise::*;
    let python = [
        (FlagGuardsWorkers, "self.handlers[kind](id, payload)"),
        (SelectsStale, "found = conn.execute("),
        (WaitsForRetryCutoff, "found = conn.execute("),
        (SkipsBehindOlder, "found = conn.execute("),
        (OldestFirst, "found = conn.execute("),
        (AtomicClaim, "conn.execute("),
        (Heartbeat, "self.handlers[kind](id, payload)"),
        (RetriesAreBounded, "self.handlers[kind](id, payload)"),
        (TerminalStates, "conn.execute("),
        (HandlerJoinsAttempt, "self.handlers[kind](id, payload)"),
        (FencedStatus, "conn.execute("),
        (SavepointOnError, "self.handlers[kind](id, payload)"),
        (SavepointOnLockTimeout, "self.handlers[kind](id, payload)"),
        (DetachedBookkeeping, "self.handlers[kind](id, payload)"),
        (EngineLocks, "self.handlers[kind](id, payload)"),
        (EpochFence, "conn.execute("),
        (RetryCountIsFresh, "conn.execute("),
    ];
    const HAND: &str = "match handler.handle(&self.pool, &event).await {";
    const FOUND: &str = "let found: Vec<Event> = sqlx::query_as(";
    const CLAIM: &str =
        "sqlx::query(\"UPDATE _System_OutboxEvent SET Status = 'processing' WHERE Id = $1\")";
    const DONE: &str =
        "sqlx::query(\"UPDATE _System_OutboxEvent SET Status = 'processed' WHERE Id = $1\")";
    let rust = [
        (FlagGuardsWorkers, HAND),
        (SelectsStale, FOUND),
        (WaitsForRetryCutoff, FOUND),
        (SkipsBehindOlder, FOUND),
        (OldestFirst, FOUND),
        (AtomicClaim, CLAIM),
        (Heartbeat, HAND),
        (RetriesAreBounded, HAND),
        (TerminalStates, DONE),
        (HandlerJoinsAttempt, HAND),
        (FencedStatus, DONE),
        (SavepointOnError, HAND),
        (SavepointOnLockTimeout, HAND),
        (DetachedBookkeeping, HAND),
        (EngineLocks, HAND),
        (EpochFence, DONE),
        (RetryCountIsFresh, "sqlx::query("),
    ];
    for (worker, wanted) in [("rust/broken", &rust), ("python/broken", &python)] {
        let found = open(worker);
        let broken: Vec<(Promise, &str)> = found
            .iter()
            .filter(|(_, (word, _))| *word == "broken")
            .map(|(promise, (_, line))| (*promise, &**line))
            .collect();
        assert_eq!(broken, wanted, "{worker}");
        let unknown: Vec<Promise> = found
            .iter()
            .filter(|(_, (word, _))| *word == "unknown")
            .map(|(promise, _)| *promise)
            .collect();
        assert_eq!(
            unknown,
            [
                EnqueueJoinsWrite,
                CutoffOutlastsHeartbeats,
                ErrorsReachDispatcher
            ],
            "{worker}"
        );
    }
}

/// One change: its name, what it replaces, the promise it is about, and what is said of that then.
pub(super) type Change<'c> = (&'c str, &'c [(&'c str, &'c str)], Promise, &'c str);

pub(super) fn all(language: &str, changes: &[Change<'_>]) {
    let wrong: Vec<String> = changes
        .iter()
        .filter_map(|(name, edits, promise, wanted)| {
            let queue = changed(language, name, edits);
            let is = word(&queue.promises[promise]);
            (is != *wanted).then(|| format!("{name}: not {wanted}: {}", told(&queue, *promise)))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
