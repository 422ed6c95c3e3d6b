//! The audit's answer about uniqueness, asked of the engine itself.
//!
//! A case is a folder `fixtures/engines/<engine>/<name>`: a `schema.sql`, a consumer in
//! `flows.yaml`, and `delivery.sql`, what that consumer really executes for one event. The audit
//! says what a second delivery does; the engine runs it twice and shows it. Both must be what
//! `expect.yaml` says, and so must what else the folder holds:
//!
//! - `other.sql`: the delivery of another event, which a coarse key swallows;
//! - `meanwhile.sql`: what others do to the row between the two deliveries.

#[path = "../servers/mod.rs"]
mod servers;

mod audit;
mod base;
mod case;
mod observe;

use audit::Audited;
use base::{Base, Server};
use case::Case;
use rayon::prelude::*;

/// What is wrong with a case.
fn faults(case: &Case, base: &mut Base) -> Vec<String> {
    let mut faults = observe::faults(case, base);
    match Audited::of(case) {
        Ok(audited) => faults.extend(audited.faults(case)),
        Err(fault) => faults.push(fault),
    }
    faults
        .into_iter()
        .map(|fault| format!("{}: {fault}", case.path()))
        .collect()
}

/// Every case of an engine on one of its servers. A case that asks for a later version runs on the
/// newer server.
fn agree(engine: &str, at_least: usize, server: Server) {
    let version = server.version();
    let mut cases = case::all(engine);
    cases.retain(|case| case.expect.since <= version);
    assert!(cases.len() >= at_least, "{} cases are there", cases.len());
    let mut wrong: Vec<String> = cases
        .par_iter()
        .map_init(|| server.base(), |base, case| faults(case, base))
        .flatten()
        .collect();
    wrong.sort();
    assert!(
        wrong.is_empty(),
        "{} faults:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn postgres_does_what_the_audit_says() {
    agree("postgres", 150, Server::Postgres);
}

#[test]
fn a_newer_postgres_does_too() {
    let every = case::all("postgres").len();
    agree("postgres", every, Server::PostgresNewer);
}

#[test]
fn mariadb_does_what_the_audit_says() {
    agree("mariadb", 50, Server::Mariadb);
}

#[test]
fn sqlite_does_what_the_audit_says() {
    agree("sqlite", 50, Server::Sqlite);
}
