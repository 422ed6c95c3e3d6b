//! Each promise broken alone, pairs, and the bound.

use std::sync::Arc;

use outbox_audit::model::evidence::{Evidence, Fact, InputKind, ObservedBy, Reason, Why};
use outbox_audit::model::place::Place;
use outbox_audit::model::queue::{Beside, Promise, Property, Queue};
use outbox_audit::protocol::{Engine, Limits, Protocol, harm, harms, search, takeover};
use rayon::prelude::*;

const ENGINES: [Engine; 2] = [Engine::MySql, Engine::Postgres];

/// What each promise guards, and why it matters. `None`: its breach alone does no harm.
const GUARDS: [(Promise, Option<Property>, &str); 31] = [
    (
        Promise::FlagGuardsWorkers,
        Some(Property::YoungerBeforeOlder),
        "the in-memory slots of the old dispatcher order nothing for the new workers beside it",
    ),
    (
        Promise::NoBatchBarrier,
        Some(Property::Stuck),
        "the incident: one stalled handler holds the batch",
    ),
    (
        Promise::SelectsReady,
        Some(Property::Stuck),
        "a pending row must be eligible",
    ),
    (
        Promise::SelectsStale,
        Some(Property::Stuck),
        "candidates include stale processing rows: nobody else takes over from a crash",
    ),
    (
        Promise::WaitsForRetryCutoff,
        Some(Property::RetriesInOneFault),
        "a lock that is held for seconds would use the retries up in milliseconds",
    ),
    (
        Promise::SkipsBehindOlder,
        Some(Property::YoungerBeforeOlder),
        "younger rows of a key wait while older ones are not terminal",
    ),
    (
        Promise::TakesKeyless,
        Some(Property::Stuck),
        "a row without a key is still eligible",
    ),
    (
        Promise::OldestFirst,
        None,
        "order within a record is kept by the skip; the rest is fairness",
    ),
    (
        Promise::AtomicClaim,
        Some(Property::OlderAfterYounger),
        "a claim by id alone takes a processed event back",
    ),
    (
        Promise::ClaimCommittedFirst,
        Some(Property::Stuck),
        "claims are committed before handler work so that other workers can skip the row",
    ),
    (
        Promise::LostClaimIsBenign,
        Some(Property::WorkerStops),
        "losing a race is benign: the worker loops",
    ),
    (
        Promise::Heartbeat,
        Some(Property::TwoHolders),
        "stale must mean that the heartbeat stopped, not that the handler is slow",
    ),
    (
        Promise::RetryReturnsToReady,
        Some(Property::GivenUpEarly),
        "a failed attempt returns the row to pending",
    ),
    (
        Promise::RetryCounts,
        Some(Property::RetriesUnbounded),
        "with a higher retry count",
    ),
    (
        Promise::RetriesAreBounded,
        Some(Property::RetriesUnbounded),
        "up to the limit of retries",
    ),
    (
        Promise::TerminalStates,
        Some(Property::Stuck),
        "processed and failed are what lets the younger rows go",
    ),
    (
        Promise::HandlerJoinsAttempt,
        Some(Property::OlderAfterYounger),
        "a stale holder that wakes writes after the younger event",
    ),
    (
        Promise::FencedStatus,
        Some(Property::OlderAfterYounger),
        "a stale holder that wakes commits its attempt after the younger event",
    ),
    (
        Promise::SavepointOnError,
        Some(Property::GivenUpHalfDone),
        "roll back handler work to the savepoint, and write the retry before the release",
    ),
    (
        Promise::SavepointOnLockTimeout,
        Some(Property::ReleasedBeforeRetry),
        "the same after a lock timeout: the claim must not be free before the retry is written",
    ),
    (
        Promise::DeadlockToldApart,
        Some(Property::ReleasedBeforeRetry),
        "1213 has ended the transaction: ROLLBACK TO fails and the bookkeeping with it",
    ),
    (
        Promise::DetachedBookkeeping,
        Some(Property::ReleasedBeforeRetry),
        "where the attempt itself fails the claim stays protected until the retry is written",
    ),
    (
        Promise::EngineLocks,
        Some(Property::OlderAfterYounger),
        "a lock that the engine does not take is no claim",
    ),
    (
        Promise::EpochFence,
        Some(Property::TwoHolders),
        "it alone tells a woken worker from the new holder",
    ),
    (
        Promise::RetryCountIsFresh,
        Some(Property::RetriesUnbounded),
        "a count read before the claim writes an old number back",
    ),
    (
        Promise::NoCallInsideClaim,
        Some(Property::Stuck),
        "a call that hangs keeps the row locked, and the others wait for it",
    ),
    (
        Promise::EnqueueJoinsWrite,
        Some(Property::Stuck),
        "a crash between save and enqueue loses the event",
    ),
    (
        Promise::RescuerComparesFirst,
        Some(Property::OlderAfterYounger),
        "a row that was processed meanwhile is sent round again",
    ),
    (
        Promise::CutoffOutlastsHeartbeats,
        Some(Property::TwoHolders),
        "one late heartbeat makes a claim stale",
    ),
    (
        Promise::DatabaseTime,
        Some(Property::TwoHolders),
        "two clocks that disagree make a claim stale",
    ),
    (
        Promise::ErrorsReachDispatcher,
        Some(Property::ProcessedWithoutEffects),
        "a swallowed error marks the event processed",
    ),
];

fn evidence() -> Arc<Evidence> {
    Arc::new(Evidence {
        input: InputKind::Source,
        by: ObservedBy::Text,
        place: Place::CommandLine,
        says: Arc::from("so it is"),
    })
}

fn kept() -> Fact<Arc<str>> {
    Fact::Shown(Arc::from("so it is"), evidence())
}

fn unknown() -> Fact<Arc<str>> {
    Fact::Unknown(Arc::new(Reason {
        why: Why::NotDecidable,
        needs: None,
        sentence: "it is not known".into(),
        place: None,
        next_step: "look".into(),
    }))
}

/// All promises kept, but for some.
fn queue(others: &[(Promise, Fact<Arc<str>>)]) -> Queue {
    let mut queue = Queue::default();
    queue.promises.extend(Promise::ALL.map(|it| (it, kept())));
    queue.promises.extend(others.iter().cloned());
    queue
}

fn broken(promise: Promise) -> (Promise, Fact<Arc<str>>) {
    (promise, Fact::Absent(evidence()))
}

#[test]
fn each_promise_guards_what_it_is_there_for() {
    let every: Vec<Promise> = GUARDS.iter().map(|(promise, ..)| *promise).collect();
    assert_eq!(every, Promise::ALL);
    let wrong: Vec<String> = GUARDS
        .par_iter()
        .flat_map_iter(|guard| ENGINES.map(|engine| (guard, engine)))
        .filter_map(|((promise, guarded, why), engine)| {
            // PostgreSQL keeps the savepoint through a deadlock.
            let spared = *promise == Promise::DeadlockToldApart && engine == Engine::Postgres;
            let guarded = guarded.filter(|_| !spared);
            let found = harm(&queue(&[broken(*promise)]), engine, *promise).expect("it is broken");
            let properties: Vec<Property> = found.harms.iter().map(|it| it.property).collect();
            let agrees = match guarded {
                Some(property) => properties.contains(&property),
                None => properties.is_empty() && found.bound.whole,
            };
            (!agrees).then(|| format!("{promise:?} on {engine:?}: {properties:?}, but {why}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn with_every_promise_kept_nothing_does_harm_within_the_bound() {
    ENGINES.par_iter().for_each(|engine| {
        let searched = search(&Protocol::kept(*engine));
        assert_eq!(searched.runs, [], "{engine:?}");
        assert!(searched.bound.whole && searched.bound.states > 100_000);
        let wide = Limits {
            workers: 3,
            events: 2,
            stalls: 2,
            faults: 1,
            ..Limits::DEFAULT
        };
        let searched = search(&Protocol::kept(*engine).within(wide));
        assert_eq!(searched.runs, [], "{engine:?}");
        assert!(searched.bound.whole);
    });
}

#[test]
fn what_is_left_is_a_takeover_from_a_worker_that_wakes() {
    let steps: Vec<String> = takeover(Engine::MySql)
        .iter()
        .map(|step| format!("{}: {}", step.actor, step.does))
        .collect();
    assert_eq!(
        steps,
        [
            "worker 1: selects event 1 (record A)",
            "worker 1: claims event 1 and commits",
            "worker 1: stalls in its attempt of event 1, and so does its heartbeat",
            "time: the stale cutoff of event 1 passes",
            "worker 2: selects event 1 (record A), whose claim is stale",
            "worker 2: claims event 1, which is processing, and commits",
            "worker 1: wakes, and goes on with event 1",
        ]
    );
}

/// The length of the shortest run in which that property fails.
fn steps_to(protocol: &Protocol, property: Property) -> Option<usize> {
    let runs = search(protocol).runs;
    let run = runs.iter().find(|run| run.property == property)?;
    Some(run.steps.len())
}

#[test]
fn order_needs_both_the_attempt_and_the_fence() {
    let limits = Limits {
        workers: 3,
        events: 2,
        ..Limits::DEFAULT
    };
    for engine in ENGINES {
        let both = Protocol::kept(engine).within(limits);
        let broken = both
            .without(Promise::HandlerJoinsAttempt)
            .without(Promise::FencedStatus);
        assert_eq!(steps_to(&both, Property::OlderAfterYounger), None);
        let shortest = steps_to(&broken, Property::OlderAfterYounger).expect("order fails");
        for half in [Promise::HandlerJoinsAttempt, Promise::FencedStatus] {
            let alone = steps_to(&both.without(half), Property::OlderAfterYounger);
            assert!(alone.expect("order fails") >= shortest, "{half:?}");
        }
    }
}

#[test]
fn an_epoch_fence_costs_no_row() {
    for engine in ENGINES {
        let found = search(&Protocol::kept(engine).without(Promise::EpochFence));
        assert!(found.runs.iter().all(|run| !run.property.harms_rows()));
    }
}

#[test]
fn what_is_not_known_is_told_as_supposed_and_what_is_kept_is_not_told() {
    let queue = queue(&[
        (Promise::FencedStatus, unknown()),
        broken(Promise::SelectsStale),
    ]);
    let told = harms(&queue, Engine::MySql);
    assert_eq!(
        told.keys().copied().collect::<Vec<_>>(),
        [Promise::SelectsStale, Promise::FencedStatus]
    );
    let fence = &told[&Promise::FencedStatus];
    assert!(
        fence.supposed
            && fence
                .to_text()
                .starts_with("not known; if it were broken: ")
    );
    assert!(!told[&Promise::SelectsStale].supposed);
    assert_eq!(
        harm(&Queue::default(), Engine::MySql, Promise::Heartbeat),
        None
    );
}

#[test]
fn what_does_no_harm_alone_is_asked_beside_what_was_found() {
    let alone = harm(
        &queue(&[broken(Promise::OldestFirst)]),
        Engine::MySql,
        Promise::OldestFirst,
    );
    let alone = alone.expect("it is broken");
    let text = alone.to_text();
    assert!(
        text.starts_with("no harm within this bound: all runs of 2 workers and 3 events"),
        "{text}"
    );
    let beside = queue(&[
        broken(Promise::OldestFirst),
        broken(Promise::SkipsBehindOlder),
    ]);
    for (promise, search) in harms(&beside, Engine::MySql) {
        let expected = match promise {
            Promise::OldestFirst => Beside::AsFound,
            _ => Beside::AllKept,
        };
        assert!(
            search.harms.iter().all(|harm| harm.beside == expected),
            "{promise:?}"
        );
    }
}

#[test]
fn a_search_says_the_same_every_time_and_stays_within_its_limit() {
    let protocol = Protocol::kept(Engine::MySql).without(Promise::RescuerComparesFirst);
    assert_eq!(search(&protocol), search(&protocol));
    let small = Limits {
        states: 1000,
        ..Limits::DEFAULT
    };
    let cut = search(&Protocol::kept(Engine::MySql).within(small));
    assert!(
        !cut.bound.whole && cut.bound.states < 2000,
        "{:?}",
        cut.bound
    );
    assert_eq!(cut.runs, []);
    // Whether something never ends cannot be told from a part.
    let cut = search(
        &Protocol::kept(Engine::MySql)
            .without(Promise::NoBatchBarrier)
            .within(small),
    );
    assert_eq!(cut.runs, []);
}
