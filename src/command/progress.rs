//! What is going on, for a person who waits: a line on a terminal while it takes long, and how long
//! each part took where that is asked for. Both on stderr; no report knows of them.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::model::phase::Phase;

/// Nothing is shown of what is done sooner.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often the line is written anew.
const TICK: Duration = Duration::from_millis(500);

/// The phases so far with their beginnings. A command is one run of the program.
static BEGUN: Mutex<Vec<(Phase, Instant)>> = Mutex::new(Vec::new());

/// True while a line is shown that the next message has to take away.
static SHOWN: AtomicBool = AtomicBool::new(false);

fn begun() -> MutexGuard<'static, Vec<(Phase, Instant)>> {
    BEGUN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says that a phase begins; the one before it has ended.
pub(super) fn begin(phase: Phase) {
    begun().push((phase, Instant::now()));
}

/// Takes the line away, so that a message stands on one of its own.
pub(super) fn clear() {
    if SHOWN.swap(false, Ordering::Relaxed) {
        let _ = io::stderr().write_all(b"\r\x1b[K");
    }
}

/// Shows what is going on until it is dropped.
#[derive(Debug)]
pub(super) struct Progress {
    stop: Option<(Sender<()>, JoinHandle<()>)>,
}

/// Begins with the first phase. Nothing is shown where stderr is no terminal.
pub(super) fn start(quiet: bool) -> Progress {
    begun().clear();
    begin(Phase::Read);
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    if quiet || is_dumb || !io::stderr().is_terminal() {
        return Progress { stop: None };
    }
    let (stop, stopped) = mpsc::channel();
    let thread = std::thread::Builder::new().spawn(move || {
        let began = Instant::now();
        let mut wait = PATIENCE;
        while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
            wait = TICK;
            let phase = begun().last().map(|(phase, _)| *phase);
            let line = line(phase, began.elapsed());
            SHOWN.store(true, Ordering::Relaxed);
            let _ = io::stderr().write_all(format!("\r\x1b[K{line}").as_bytes());
        }
        clear();
    });
    Progress {
        // Without a thread there is only no line.
        stop: thread.ok().map(|thread| (stop, thread)),
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.stop.take() {
            let _ = stop.send(());
            let _ = thread.join();
        }
    }
}

fn line(phase: Option<Phase>, elapsed: Duration) -> String {
    let words = phase.map_or("working", Phase::words);
    format!("{words} … {} s", elapsed.as_secs())
}

/// One line: how long each phase took, and all of them together; a phase that came twice is told
/// once.
pub(super) fn times() -> String {
    let now = Instant::now();
    let begun = begun();
    let ends = begun.iter().skip(1).map(|(_, at)| *at).chain([now]);
    let mut parts: Vec<(Phase, Duration)> = Vec::new();
    for ((phase, at), end) in begun.iter().zip(ends) {
        let took = end.saturating_duration_since(*at);
        match parts.iter_mut().find(|(one, _)| one == phase) {
            Some((_, sum)) => *sum += took,
            None => parts.push((*phase, took)),
        }
    }
    let all: Duration = parts.iter().map(|(_, took)| *took).sum();
    let parts: Vec<String> = parts
        .iter()
        .map(|(phase, took)| format!("{} {}", phase.word(), seconds(*took)))
        .collect();
    format!("time: {} · together {}\n", parts.join(" · "), seconds(all))
}

fn seconds(took: Duration) -> String {
    format!("{:.2} s", took.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_is_done_and_how_long_it_has_taken() {
        let shown = line(Some(Phase::Read), Duration::from_millis(12_900));
        assert_eq!(shown, "reading the inputs … 12 s");
    }
}
