//! A run in plain words: one line for each step, and one for what stands at the end.

use std::borrow::Cow;

use super::act::Act;
use super::attempt::{Left, left_by};
use super::search::Run;
use super::shape::{Engine, Protocol};
use super::state::{At, Fault, State, Status, Worker, record_of};
use crate::model::check::Step;
use crate::model::queue::{Promise, Property};

/// The steps of a run, and its end.
pub(super) fn steps(protocol: &Protocol, run: &Run) -> Vec<Step> {
    let mut before = run.first;
    let mut steps = Vec::with_capacity(run.steps.len() + 1);
    for (act, after) in &run.steps {
        let told = Told {
            protocol,
            before,
            after: *after,
        };
        steps.push(Step {
            actor: actor(protocol, *act),
            does: told.act(*act),
        });
        before = *after;
    }
    if run.property == Property::Stuck {
        steps.push(Step {
            actor: "queue",
            does: Cow::Owned(stuck(protocol, &before)),
        });
    }
    steps
}

fn actor(protocol: &Protocol, act: Act) -> &'static str {
    let is_old = |worker: u8| {
        !protocol.keeps(Promise::FlagGuardsWorkers) && worker + 1 == protocol.limits.workers
    };
    match act {
        Act::Save | Act::Enqueue | Act::ProducerCrashes => "producer",
        Act::GoStale(_) | Act::PassRetryCutoff(_) => "time",
        Act::RescuerReads(_) | Act::RescuerWrites(_) => "rescuer",
        _ => match act.worker() {
            Some(worker) if is_old(worker) => "old dispatcher",
            Some(0) => "worker 1",
            Some(1) => "worker 2",
            _ => "worker 3",
        },
    }
}

fn name(event: u8) -> String {
    match record_of(event.into()) {
        0 => format!("event {} (record A)", event + 1),
        _ => format!("event {} (record B, no key)", event + 1),
    }
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Absent => "not written",
        Status::Pending => "pending",
        Status::Processing => "processing",
        Status::Processed => "processed",
        Status::Failed => "failed",
    }
}

fn stuck(protocol: &Protocol, state: &State) -> String {
    let events = state.events[..usize::from(protocol.limits.events)].iter();
    let open: Vec<String> = (0..)
        .zip(events)
        .filter(|(_, event)| !event.status.is_terminal())
        .map(|(at, event)| format!("event {} is {}", at + 1, word(event.status)))
        .collect();
    format!(
        "{}: from here on nothing that the workers do ends them all",
        open.join(", ")
    )
}

/// One step with the states around it.
struct Told<'a> {
    protocol: &'a Protocol,
    before: State,
    after: State,
}

impl Told<'_> {
    fn act(&self, act: Act) -> Cow<'static, str> {
        let worker = act.worker().map(|at| self.before.workers[usize::from(at)]);
        let worker = worker.unwrap_or_default();
        let event = worker.event;
        let text = match act {
            Act::Save => "saves record A again and commits; event 2 is not written yet".into(),
            Act::Enqueue => "writes event 2 of that save".into(),
            Act::ProducerCrashes => "crashes: the save stands, and event 2 is never written".into(),
            Act::Select(_, event) => self.select(event),
            Act::Claim(at) => self.claim(at, &worker),
            Act::ClaimTimesOut(_) => {
                format!(
                    "waits for the locked row of {} until the engine gives up",
                    name(event)
                )
            }
            Act::CommitClaim(_) => format!("commits its claim of event {}", event + 1),
            Act::Write(_) => self.write(&worker),
            Act::WriteTimesOut(_) => format!(
                "waits for the lock of another worker's transaction until the engine gives up: its \
                 attempt of event {} fails",
                event + 1
            ),
            Act::Fault(_, fault) => self.fault(&worker, fault),
            Act::Swallow(_) => format!(
                "gets an error in the handler of event {}, logs it and goes on",
                event + 1
            ),
            Act::Finish(_) => self.finish(&worker),
            Act::RollBackAndRecord(_) => {
                format!("rolls back to the savepoint; {}", self.retry(&worker))
            }
            Act::RecordWithWrites(_) => {
                format!(
                    "does not roll back what the handler wrote; {}",
                    self.retry(&worker)
                )
            }
            Act::RecordDetached(_) => {
                format!("in another transaction: {}", self.retry(&worker))
            }
            Act::LetGo(_) => self.let_go(&worker),
            Act::Stall(_) => format!(
                "stalls in its attempt of event {}, and so does its heartbeat",
                event + 1
            ),
            Act::Wake(_) => format!("wakes, and goes on with event {}", event + 1),
            Act::Crash(_) => format!(
                "crashes in its attempt of event {}; another starts in its place",
                event + 1
            ),
            Act::GoStale(event) => self.go_stale(event),
            Act::PassRetryCutoff(event) => {
                format!("the retry cutoff of event {} passes", event + 1)
            }
            Act::RescuerReads(event) => format!("reads that the claim of {} is stale", name(event)),
            Act::RescuerWrites(event) => self.rescue(event),
        };
        Cow::Owned(text)
    }

    fn select(&self, event: u8) -> String {
        let row = &self.before.events[usize::from(event)];
        match (row.status, row.count) {
            (Status::Processing, _) => format!("selects {}, whose claim is stale", name(event)),
            (_, 0) => format!("selects {}", name(event)),
            (_, count) => format!("selects {}, retry count {count}", name(event)),
        }
    }

    fn claim(&self, at: u8, worker: &Worker) -> String {
        let number = worker.event + 1;
        let after = &self.after.workers[usize::from(at)];
        let was = self.before.events[usize::from(worker.event)].status;
        match after.at {
            At::Idle => format!("loses the claim of event {number}, and goes on"),
            At::Stopped => format!("loses the claim of event {number}, and stops"),
            At::Calling => format!("claims event {number}, and calls out before the commit"),
            _ if after.open => format!("claims event {number} in its attempt's transaction"),
            _ if was == Status::Pending => format!("claims event {number} and commits"),
            _ => format!("claims event {number}, which is {}, and commits", word(was)),
        }
    }

    fn write(&self, worker: &Worker) -> String {
        let number = worker.event + 1;
        let record = match record_of(worker.event.into()) {
            0 => 'A',
            _ => 'B',
        };
        let what = match worker.wrote {
            0 if self.before.events[usize::from(worker.event)].created => {
                format!("finds the row that event {number} created")
            }
            0 => format!("creates the row of event {number}"),
            _ => format!("sets record {record} to the value of event {number}"),
        };
        match self.protocol.keeps(Promise::HandlerJoinsAttempt) {
            true => format!("{what}, in its transaction"),
            false => format!("{what}, committed at once"),
        }
    }

    fn fault(&self, worker: &Worker, fault: Fault) -> String {
        let what = match fault {
            Fault::Error => "its handler returns an error",
            Fault::LockTimeout => "its handler waits for a user's lock until the engine gives up",
            Fault::Deadlock => "its handler is the victim of a deadlock with a user",
            Fault::Connection => "the connection of its attempt breaks",
        };
        let left = match (left_by(self.protocol, fault), self.protocol.engine) {
            (Left::Alive, _) => "",
            (Left::Aborted, _) => ": every statement is refused until ROLLBACK TO (25P02)",
            (Left::Ended, Engine::MySql) if fault == Fault::Deadlock => {
                " (1213): the transaction is over, and its savepoint gone"
            }
            (Left::Ended, _) if worker.open => ": the transaction is over, and with it the claim",
            (Left::Ended, _) => ": the transaction is over",
        };
        format!("{what} in event {}{left}", worker.event + 1)
    }

    fn finish(&self, worker: &Worker) -> String {
        let number = worker.event + 1;
        let after = &self.after.events[usize::from(worker.event)];
        let is_refused = after == &self.before.events[usize::from(worker.event)];
        if self.protocol.keeps(Promise::FencedStatus) && is_refused && !worker.open {
            if after.status == Status::Processing && worker.holds {
                return format!("commits, and event {number} stays processing");
            }
            return format!(
                "finds that event {number} is no longer its own (0 rows), and rolls back"
            );
        }
        let fence = match self.protocol.keeps(Promise::FencedStatus) {
            true => "",
            false => " by its id alone",
        };
        format!(
            "marks event {number} {}{fence} and commits",
            word(after.status)
        )
    }

    fn retry(&self, worker: &Worker) -> String {
        let number = worker.event + 1;
        let before = &self.before.events[usize::from(worker.event)];
        let after = &self.after.events[usize::from(worker.event)];
        if after.recorded == before.recorded && after.status == before.status {
            return format!("event {number} is no longer its own (0 rows), nothing is written");
        }
        match after.status {
            Status::Failed => format!(
                "gives event {number} up: failed, retry count {}",
                after.count
            ),
            status => format!(
                "writes the retry: event {number} is {}, retry count {}",
                word(status),
                after.count
            ),
        }
    }

    fn let_go(&self, worker: &Worker) -> String {
        let number = worker.event + 1;
        let how = match left_by(self.protocol, worker.fault) {
            Left::Alive => "rolls the whole transaction back",
            Left::Aborted => "writes the retry without ROLLBACK TO, and it is refused (25P02)",
            Left::Ended
                if worker.fault == Fault::Deadlock
                    && !self.protocol.keeps(Promise::DeadlockToldApart) =>
            {
                "sends ROLLBACK TO, which fails (1305)"
            }
            Left::Ended => "writes nothing in another transaction",
        };
        format!("{how}, and lets event {number} go: its retry is not written")
    }

    fn go_stale(&self, event: u8) -> String {
        let runs = self.before.workers.iter().any(|worker| {
            worker.is_busy() && worker.event == event && !worker.stalled && worker.holds
        });
        let number = event + 1;
        let why = match runs {
            false => "",
            true if !self.protocol.keeps(Promise::Heartbeat) => {
                " while its handler runs: no heartbeat"
            }
            true if !self.protocol.keeps(Promise::DatabaseTime) => {
                " while its handler runs: two clocks disagree"
            }
            true => " while its handler runs: the cutoff is shorter than a late heartbeat",
        };
        format!("the stale cutoff of event {number} passes{why}")
    }

    fn rescue(&self, event: u8) -> String {
        let before = self.before.events[usize::from(event)];
        let after = self.after.events[usize::from(event)];
        match before.status == after.status {
            true => format!("finds event {} changed, and writes nothing", event + 1),
            false => format!(
                "returns event {}, which is {} now, to pending",
                event + 1,
                word(before.status)
            ),
        }
    }
}
