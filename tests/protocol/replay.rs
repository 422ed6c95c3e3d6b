//! A run step by step on a server, one connection for each worker's attempt: after each step the
//! tables hold what the model says, the same rows are candidates, and at the end the harm stands in
//! the rows.

use outbox_audit::model::queue::{Promise, Property};
use outbox_audit::protocol::state::{At, Fault, State, Status, Worker};
use outbox_audit::protocol::step::successors;
use outbox_audit::protocol::{Act, Left, Protocol, Run, left_by};

use crate::faults::lock_timeout;
use crate::sql::{Claim, Sql, tables};
use crate::table::{FAILED, PROCESSED, Table};
use crate::wire::Wire;

/// A worker's connections: its attempt's, and one for heartbeats and what is written apart.
pub(crate) struct Seat {
    pub(crate) attempt: Wire,
    pub(crate) side: Wire,
    pub(crate) claim: Claim,
}

/// A run on a server.
pub(crate) struct Replay<'a> {
    pub(crate) sql: Sql,
    pub(crate) url: String,
    pub(crate) seats: Vec<Seat>,
    /// Time, the rescuer, and whoever looks.
    pub(crate) admin: Wire,
    pub(crate) seen: Vec<Table>,
    /// Retries that were written, by event.
    recorded: [u8; 3],
    run: &'a str,
}

impl Replay<'_> {
    pub(crate) async fn new<'a>(protocol: Protocol, url: &str, run: &'a str) -> Replay<'a> {
        let engine = protocol.engine;
        let mut admin = Wire::open(engine, url, true).await;
        admin
            .must(
                "DROP TABLE IF EXISTS outbox; DROP TABLE IF EXISTS made; DROP TABLE IF EXISTS target; \
                 DROP TABLE IF EXISTS side; DROP TABLE IF EXISTS busy",
            )
            .await;
        admin.must(&tables(&protocol)).await;
        let mut seats = Vec::new();
        for _ in 0..protocol.limits.workers {
            seats.push(Seat {
                attempt: Wire::open(engine, url, false).await,
                side: Wire::open(engine, url, false).await,
                claim: Claim::default(),
            });
        }
        Replay {
            sql: Sql { protocol },
            url: url.to_owned(),
            seats,
            admin,
            seen: Vec::new(),
            recorded: [0; 3],
            run,
        }
    }

    fn keeps(&self, promise: Promise) -> bool {
        self.sql.protocol.keeps(promise)
    }

    /// Looks at the tables: they are as the state says, and so are the candidates.
    async fn look(&mut self, state: &State, after: &str) {
        let table = Table::read(&self.sql, &mut self.admin).await;
        assert_eq!(table, Table::of(state), "{}: after {after}", self.run);
        self.seen.push(table);
        let mut any = *state;
        any.workers[0] = Worker::default();
        let protocol = self.sql.protocol.without(Promise::OldestFirst);
        let mut next = Vec::new();
        successors(&protocol.with(Promise::FlagGuardsWorkers), &any, &mut next);
        let expected: Vec<i64> = next
            .iter()
            .filter_map(|step| match step.act {
                Act::Select(0, event) => Some(event.into()),
                _ => None,
            })
            .collect();
        let found = self.candidates(self.keeps(Promise::SkipsBehindOlder)).await;
        let found: Vec<i64> = found.iter().map(|(event, _)| *event).collect();
        assert_eq!(found, expected, "{}: candidates after {after}", self.run);
    }

    async fn candidates(&mut self, skips: bool) -> Vec<(i64, i64)> {
        let rows = self.admin.numbers(&self.sql.select(skips)).await;
        let pair = |row: &Vec<Option<i64>>| (row[0].expect("an id"), row[1].expect("a count"));
        rows.iter().map(pair).collect()
    }

    async fn step(&mut self, act: Act, before: &State, after: &State) {
        let engine = self.sql.protocol.engine;
        let at = act.worker().map_or(0, usize::from);
        let worker = before.workers[at];
        let event = worker.event;
        let claim = self.seats[at].claim;
        match act {
            // The save itself is in no table of ours.
            Act::Save | Act::ProducerCrashes | Act::Stall(_) | Act::Swallow(_) => {}
            Act::Enqueue => {
                let enqueue = self.sql.enqueue(1);
                self.admin.must(&enqueue).await;
            }
            Act::Select(_, event) => {
                let is_old = !self.keeps(Promise::FlagGuardsWorkers)
                    && at + 1 == usize::from(self.sql.protocol.limits.workers);
                let skips = self.keeps(Promise::SkipsBehindOlder) && !is_old;
                let found = self.candidates(skips).await;
                let mut found = found.iter();
                let row = match self.keeps(Promise::OldestFirst) {
                    true => found.next().filter(|row| row.0 == i64::from(event)),
                    false => found.find(|row| row.0 == i64::from(event)),
                };
                self.seats[at].claim = Claim {
                    event,
                    count: row.expect("it is a candidate").1,
                    stamp: 0,
                };
            }
            Act::Claim(_) => self.claim(at, &after.workers[at]).await,
            Act::ClaimTimesOut(_) => {
                let claiming = self.sql.claim(event);
                let wire = &mut self.seats[at].attempt;
                wire.must("BEGIN").await;
                assert_eq!(wire.run(&claiming).await, Err(lock_timeout(engine).into()));
                wire.must("ROLLBACK").await;
            }
            Act::CommitClaim(_) => {
                let wire = &mut self.seats[at].attempt;
                wire.must("COMMIT; BEGIN; SAVEPOINT attempt").await;
            }
            Act::Write(_) => {
                let write = self.sql.write(event, worker.wrote);
                self.handler(at).must(&write).await;
            }
            Act::WriteTimesOut(_) => {
                let write = self.sql.write(event, worker.wrote);
                let ran = self.handler(at).run(&write).await;
                assert_eq!(ran, Err(lock_timeout(engine).into()), "{}", self.run);
            }
            Act::Fault(_, fault) => self.fault(at, fault).await,
            Act::Finish(_) => {
                if self.keeps(Promise::TerminalStates) {
                    let finish = self.sql.finish(claim);
                    self.close(at, &finish).await;
                } else {
                    self.seats[at].attempt.must("COMMIT").await;
                }
            }
            Act::RollBackAndRecord(_) | Act::RecordWithWrites(_) => {
                if matches!(act, Act::RollBackAndRecord(_)) {
                    let wire = &mut self.seats[at].attempt;
                    wire.must("ROLLBACK TO SAVEPOINT attempt").await;
                }
                let left = after.events[usize::from(event)].status;
                let retry = self.sql.retry(claim, left);
                let rows = self.close(at, &retry).await;
                self.recorded[usize::from(event)] += rows as u8;
            }
            Act::RecordDetached(_) => {
                let left = after.events[usize::from(event)].status;
                let retry = self.sql.retry(claim, left);
                let seat = &mut self.seats[at];
                // The transaction is over already; this is what a session does to be sure.
                seat.attempt.must("ROLLBACK").await;
                let rows = seat.side.must(&retry).await;
                self.recorded[usize::from(event)] += rows as u8;
            }
            Act::LetGo(_) => self.let_go(at, &worker).await,
            Act::Wake(_) => {
                let mut others = before.workers.iter();
                let is_locked = others.any(|other| other.open && other.event == event);
                if matches!(worker.at, At::Running | At::Returned | At::Failed) && !is_locked {
                    let heartbeat = self.sql.heartbeat(claim);
                    self.seats[at].side.must(&heartbeat).await;
                }
            }
            Act::Crash(_) => {
                let new = Wire::open(engine, &self.url, false).await;
                let old = std::mem::replace(&mut self.seats[at].attempt, new);
                old.break_off(&mut self.admin).await;
            }
            Act::GoStale(event) => {
                let age = self.sql.age(event, "10 HOUR");
                self.admin.must(&age).await;
            }
            Act::PassRetryCutoff(event) => {
                let age = self.sql.age(event, "1 HOUR");
                self.admin.must(&age).await;
            }
            // Its own statement compares, where it does.
            Act::RescuerReads(_) => {}
            Act::RescuerWrites(event) => {
                let rescue = self.sql.rescue(event);
                self.admin.must(&rescue).await;
            }
        }
    }

    /// Sends the claim; whether it got the row is as the model says.
    async fn claim(&mut self, at: usize, after: &Worker) {
        let event = self.seats[at].claim.event;
        let (claim, stamp) = (self.sql.claim(event), self.sql.stamp(event));
        let wire = &mut self.seats[at].attempt;
        if after.open {
            wire.must("BEGIN").await;
        }
        let rows = wire.must(&claim).await;
        assert_eq!(rows == 1, after.is_busy(), "{}: the claim", self.run);
        if rows == 1 {
            self.seats[at].claim.stamp = wire.numbers(&stamp).await[0][0].expect("a stamp");
            let wire = &mut self.seats[at].attempt;
            match (after.open, after.at) {
                (true, At::Calling) => {}
                (true, _) => drop(wire.must("SAVEPOINT attempt").await),
                (false, _) => drop(wire.must("BEGIN; SAVEPOINT attempt").await),
            }
        }
    }

    /// Writes a status in the attempt and ends it: 0 rows roll it back, where they are looked at.
    async fn close(&mut self, at: usize, statement: &str) -> u64 {
        let fenced = self.keeps(Promise::FencedStatus);
        let wire = &mut self.seats[at].attempt;
        let rows = wire.must(statement).await;
        let end = match rows == 0 && fenced {
            true => "ROLLBACK",
            false => "COMMIT",
        };
        wire.must(end).await;
        rows
    }

    async fn let_go(&mut self, at: usize, worker: &Worker) {
        let claim = self.seats[at].claim;
        let retry = self.sql.retry(claim, Status::Pending);
        let told_apart = self.keeps(Promise::DeadlockToldApart);
        let wire = &mut self.seats[at].attempt;
        match left_by(&self.sql.protocol, worker.fault) {
            Left::Alive => {}
            Left::Aborted => assert_eq!(wire.run(&retry).await, Err("25P02".into())),
            Left::Ended if worker.fault == Fault::Deadlock && !told_apart => {
                let back = wire.run("ROLLBACK TO SAVEPOINT attempt").await;
                assert_eq!(back, Err("1305".into()));
            }
            Left::Ended => {}
        }
        wire.must("ROLLBACK").await;
    }

    /// The harm stands in the rows, or in what the statements said.
    pub(crate) fn see(&self, run: &Run) {
        let [.., before, last] = &self.seen[..] else {
            panic!("{}: nothing was done", self.run);
        };
        let records = || 0..last.values.len();
        let acts: Vec<Act> = run.steps.iter().map(|(act, _)| *act).collect();
        let seen = match run.property {
            Property::OlderAfterYounger => records().any(|at| last.values[at] < before.values[at]),
            Property::YoungerBeforeOlder => {
                let shows = last.made.contains(&1) || last.values[0] == 2;
                shows && !last.has_ended(0)
            }
            Property::WriteAfterEnd => {
                let changed = before.made != last.made || before.values != last.values;
                changed && (0..3).any(|event| before.has_ended(event))
            }
            Property::ProcessedWithoutEffects => (0..3).any(|event| {
                last.status(event) == PROCESSED
                    && !(last.made.contains(&event) && last.values.contains(&(event + 1)))
            }),
            Property::GivenUpHalfDone => (0..3).any(|event| {
                last.status(event) == FAILED
                    && last.made.contains(&event) != last.values.contains(&(event + 1))
            }),
            Property::GivenUpEarly => {
                let mut recorded = (0..3).zip(self.recorded);
                recorded.any(|(event, count)| last.status(event) == FAILED && count < 2)
            }
            Property::RetriesInOneFault => {
                let waited = acts
                    .iter()
                    .any(|act| matches!(act, Act::PassRetryCutoff(_)));
                !waited && (0..3).any(|event| last.status(event) == FAILED)
            }
            Property::RetriesUnbounded => self.recorded.iter().any(|count| *count > 2),
            Property::ReleasedBeforeRetry => {
                let failed = |act: &&Act| matches!(act, Act::Fault(..) | Act::WriteTimesOut(_));
                let failures = acts.iter().filter(failed).count();
                let written = self.recorded.iter().sum::<u8>();
                matches!(acts.last(), Some(Act::Claim(_))) && failures > usize::from(written)
            }
            // That each claim got its row was asserted at the claim.
            Property::TwoHolders => matches!(acts.last(), Some(Act::Claim(_))),
            Property::WorkerStops => matches!(acts.last(), Some(Act::Claim(_))) && before == last,
            // That no candidate is left was compared at every step.
            Property::Stuck => (0..3).any(|event| !last.has_ended(event)),
        };
        assert!(
            seen,
            "{}: {:?}: {before:?} {last:?}",
            self.run, run.property
        );
        let mut made = last.made.clone();
        made.dedup();
        assert_eq!(made, last.made, "a UNIQUE key lets no second row in");
    }
}

/// Does the steps, and looks after each.
pub(crate) async fn walk(replay: &mut Replay<'_>, first: &State, steps: &[(Act, State)]) {
    replay.look(first, "the start").await;
    let mut before = *first;
    for (act, after) in steps {
        replay.step(*act, &before, after).await;
        replay.look(after, &format!("{act:?}")).await;
        before = *after;
    }
}
