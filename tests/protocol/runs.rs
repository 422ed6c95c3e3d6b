//! Every run that is told is replayed on real servers, and walks that nobody chose.

use std::sync::atomic::{AtomicUsize, Ordering};

use outbox_audit::model::queue::Promise;
use outbox_audit::protocol::state::State;
use outbox_audit::protocol::step::successors;
use outbox_audit::protocol::{Act, Engine, Protocol, search};
use rayon::prelude::*;

use crate::replay::{Replay, walk};
use crate::servers::{Database, block_on, mariadb, postgres};

/// Does something with each, several at a time: most of the time is spent waiting for locks.
fn at_once<T: Send + Sync>(all: &[T], one: impl Fn(&T) + Send + Sync) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(6).build();
    pool.expect("threads start")
        .install(|| all.par_iter().for_each(one));
}

fn database(engine: Engine) -> Database {
    match engine {
        Engine::MySql => mariadb().database(),
        Engine::Postgres => postgres().database(),
    }
}

fn every_run(engine: Engine) {
    // The one promise whose breach does nothing has a search as long as that of none.
    let mut promises = Promise::ALL.to_vec();
    promises.retain(|promise| *promise != Promise::OldestFirst);
    let replayed = AtomicUsize::new(0);
    at_once(&promises, |promise| {
        let database = database(engine);
        let protocol = Protocol::kept(engine).without(*promise);
        for run in search(&protocol).runs {
            let name = format!("{engine:?} without {promise:?}");
            block_on(async {
                let mut replay = Replay::new(protocol, database.url(), &name).await;
                walk(&mut replay, &run.first, &run.steps).await;
                if !run.steps.is_empty() {
                    replay.see(&run);
                }
            });
            replayed.fetch_add(1, Ordering::Relaxed);
        }
    });
    let replayed = replayed.into_inner();
    assert!(replayed > 40, "{replayed} runs were replayed");
}

#[test]
fn mariadb_does_every_run_that_is_told() {
    every_run(Engine::MySql);
}

#[test]
fn postgres_does_every_run_that_is_told() {
    every_run(Engine::Postgres);
}

/// A number that looks drawn; the same every time.
fn draw(seed: &mut u64) -> u64 {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

/// Walks that nobody chose, with every promise kept and with each one broken.
fn any_runs(engine: Engine) {
    let kept = Protocol::kept(engine);
    let mut protocols = Promise::ALL.map(|promise| kept.without(promise)).to_vec();
    protocols.extend([kept; 10]);
    let numbered: Vec<(u64, Protocol)> = (20..).zip(protocols).collect();
    at_once(&numbered, |(number, protocol)| {
        let database = database(engine);
        let (first, steps) = any_run(protocol, *number);
        let acts: Vec<Act> = steps.iter().map(|(act, _)| *act).collect();
        let name = format!("{engine:?} walk {number}: {acts:?}");
        block_on(async {
            let mut replay = Replay::new(*protocol, database.url(), &name).await;
            walk(&mut replay, &first, &steps).await;
        });
    });
}

fn any_run(protocol: &Protocol, mut seed: u64) -> (State, Vec<(Act, State)>) {
    let first = State::first(protocol);
    let mut steps = Vec::new();
    let mut state = first;
    let mut next = Vec::new();
    for _ in 0..25 {
        successors(protocol, &state, &mut next);
        // A claim that is open locks the row in which the tests let time pass.
        next.retain(|step| match step.act {
            Act::GoStale(event) | Act::PassRetryCutoff(event) => {
                let mut workers = state.workers.iter();
                !workers.any(|worker| worker.open && worker.event == event)
            }
            _ => true,
        });
        if next.is_empty() {
            break;
        }
        let step = next[draw(&mut seed) as usize % next.len()];
        state = step.state;
        steps.push((step.act, state));
    }
    (first, steps)
}

#[test]
fn mariadb_does_what_the_model_says_on_any_way() {
    any_runs(Engine::MySql);
}

#[test]
fn postgres_does_what_the_model_says_on_any_way() {
    any_runs(Engine::Postgres);
}
