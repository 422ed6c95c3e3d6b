//! The whole systems, before the repair and after it.

use outbox_audit::model::queue::Promise;
use outbox_audit::model::schema::Dialect;

use super::{read, root, told, word};

/// Promises of a system that are not kept, with the word for each.
fn open(name: &str, dialect: Dialect) -> Vec<(Promise, &'static str)> {
    let folder = root().join("fixtures/whole").join(name).join("source");
    let queue = read(&folder, Some(dialect));
    assert!(
        queue.dispatcher.is_some(),
        "{name}: its dispatcher is found"
    );
    let all = Promise::ALL.into_iter();
    all.map(|promise| (promise, word(&queue.promises[&promise])))
        .filter(|(_, word)| *word != "kept")
        .collect()
}

#[test]
fn the_unrepaired_system_breaks_what_the_repair_brings() {
    use Promise::*;
    let broken = [
        FlagGuardsWorkers,
        NoBatchBarrier,
        SelectsStale,
        WaitsForRetryCutoff,
        SkipsBehindOlder,
        OldestFirst,
        AtomicClaim,
        ClaimCommittedFirst,
        Heartbeat,
        HandlerJoinsAttempt,
        FencedStatus,
        SavepointOnError,
        SavepointOnLockTimeout,
        DeadlockToldApart,
        DetachedBookkeeping,
        EngineLocks,
        EpochFence,
        RetryCountIsFresh,
        NoCallInsideClaim,
        EnqueueJoinsWrite,
        ErrorsReachDispatcher,
    ];
    let mut wanted: Vec<(Promise, &str)> = broken.map(|promise| (promise, "broken")).to_vec();
    wanted.push((CutoffOutlastsHeartbeats, "unknown"));
    wanted.sort();
    assert_eq!(open("nexuscrm", Dialect::Tidb), wanted);
    // MySQL gives the lock that TiDB does not.
    wanted.retain(|(promise, _)| *promise != EngineLocks);
    assert_eq!(open("nexuscrm", Dialect::Mysql), wanted);
}

#[test]
fn the_repaired_system_keeps_every_promise_of_the_gate() {
    use Promise::*;
    let wanted = [
        (EpochFence, "broken"),
        // The bulk import writes no events: told, and no part of the gate.
        (EnqueueJoinsWrite, "broken"),
    ];
    assert_eq!(open("nexuscrm-repaired", Dialect::Tidb), wanted);
}

#[test]
fn each_broken_promise_has_the_line_that_breaks_it() {
    let folder = root().join("fixtures/whole/nexuscrm/source");
    let queue = read(&folder, Some(Dialect::Tidb));
    for (promise, file, text) in [
        (
            Promise::NoBatchBarrier,
            "events/outbox_service.go",
            "fnv.New32a()",
        ),
        (
            Promise::SelectsStale,
            "persistence/outbox_repository.go",
            "QueryContext",
        ),
        (
            Promise::AtomicClaim,
            "persistence/outbox_repository.go",
            "QueryRowContext",
        ),
        (
            Promise::FencedStatus,
            "persistence/outbox_repository.go",
            "exec.ExecContext",
        ),
        (
            Promise::HandlerJoinsAttempt,
            "events/outbox_service.go",
            "s.bus.Publish",
        ),
    ] {
        let told = told(&queue, promise);
        let place = told.split_whitespace().nth(1).unwrap_or_default();
        let mut parts = place.split(':');
        assert_eq!(parts.next(), Some(file), "{told}");
        let line: usize = parts
            .next()
            .and_then(|line| line.parse().ok())
            .expect("a line");
        let source = std::fs::read_to_string(folder.join(file)).expect("the file is there");
        let found = source.lines().nth(line - 1).unwrap_or_default();
        assert!(found.contains(text), "{told}: {found}");
    }
}
