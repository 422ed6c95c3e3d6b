//! How large the model of the queue's protocol is, and how long its search takes: with every promise
//! kept, with each one broken alone, and with all of them broken at once.
//!
//! `cargo bench --bench protocol` prints states, longest run, wall time and what was found for both
//! kinds of engines. It asserts nothing: a timed test would fail on a busy machine.

#![allow(clippy::print_stdout, reason = "a bench prints its figures")]

use std::time::Instant;

use outbox_audit::model::queue::Promise;
use outbox_audit::protocol::{Engine, Limits, Protocol, search};

fn main() {
    // Test runners start every target; only `cargo bench` asks for figures.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    println!(
        "{:<40} {:>9} {:>6} {:>9}",
        "search", "states", "steps", "time"
    );
    for engine in [Engine::MySql, Engine::Postgres] {
        let kept = Protocol::kept(engine);
        report(&format!("{engine:?}: all kept"), &kept);
        let wide = Limits {
            workers: 3,
            stalls: 2,
            faults: 1,
            states: 20_000_000,
            ..Limits::DEFAULT
        };
        report(
            &format!("{engine:?}: all kept, 3 workers"),
            &kept.within(wide),
        );
        for promise in Promise::ALL {
            let label = format!("{engine:?}: without {promise:?}");
            report(&label, &kept.without(promise));
        }
        let all = Promise::ALL.into_iter().fold(kept, Protocol::without);
        report(&format!("{engine:?}: none kept"), &all);
    }
}

fn report(label: &str, protocol: &Protocol) {
    let began = Instant::now();
    let searched = search(protocol);
    let bound = searched.bound;
    let found: Vec<String> = searched
        .runs
        .iter()
        .map(|run| format!("{:?} in {}", run.property, run.steps.len()))
        .collect();
    println!(
        "{label:<40} {:>9} {:>6} {:>6} ms  {}",
        bound.states,
        bound.steps,
        began.elapsed().as_millis(),
        found.join(", ")
    );
}
