//! Where events are enqueued: whether the insert into the outbox is part of the transaction of the
//! write that it tells of.

use std::collections::HashSet;
use std::rc::Rc;

use crate::model::source::Pattern;
use crate::rules::QueueWord;
use crate::sql::verbs::{Verbs, verbs};

use super::super::buses::Buses;
use super::super::calls::Calls;
use super::super::effects::dialect;
use super::super::frame::Analysis;
use super::super::program::FnId;
use super::results::Gives;
use super::roots::Map;
use super::value::{Env, Kind, Val};
use super::walk::Walk;
use super::{Enqueue, Joins, Runs, Statement, Step, Wanted, What};

/// So many functions that enqueue are looked at.
const MAX_FUNCTIONS: usize = 200;
/// And so many statements of source in each, with what it calls.
const MAX_STATEMENTS: usize = 2_000;

/// Every insert into the outbox, by place.
pub(super) fn find<'a>(
    analysis: &Analysis<'a>,
    buses: &Buses,
    calls: &Calls<'a>,
    map: &Map,
    wanted: Wanted<'_>,
) -> Vec<Enqueue> {
    let inserts = above(calls, &map.inserts);
    let writes = above(calls, &map.writes);
    let both: HashSet<FnId> = inserts.intersection(&writes).copied().collect();
    let mut lowest: Vec<FnId> = both
        .iter()
        .copied()
        .filter(|id| {
            let mut below = calls
                .within(*id)
                .iter()
                .flat_map(|site| analysis.runs(&site.callee));
            below.all(|called| called == *id || !both.contains(&called))
        })
        .collect();
    lowest.sort();
    let mut found: Vec<Enqueue> = Vec::new();
    for id in lowest.iter().take(MAX_FUNCTIONS) {
        let mut walk = Walk::new(analysis, buses, map, wanted);
        walk.left = MAX_STATEMENTS;
        walk.at_work = true;
        walk.open.push(*id);
        let frame = analysis.frame(*id);
        let mut env = handed_in(&mut walk, *id);
        let body = &analysis.program.function(*id).body;
        walk.body(body, Gives::Nothing, &frame, &mut env, 0);
        found.extend(enqueues(&walk.trace.steps, wanted));
    }
    // What inserts without a write beside it that was found.
    for id in map.inserts.iter().filter(|id| !both.contains(id)) {
        let caller_seen = above(calls, &[*id]).iter().any(|id| both.contains(id));
        if !caller_seen {
            let function = analysis.program.function(*id);
            found.push(Enqueue {
                place: analysis.program.file(*id).place(function.at),
                joins: Joins::NoWrite,
            });
        }
    }
    found.sort_by(|a, b| a.place.cmp(&b.place));
    found
}

/// The functions from which some can be reached.
fn above(calls: &Calls<'_>, start: &[FnId]) -> HashSet<FnId> {
    let mut found = HashSet::new();
    let mut open = start.to_vec();
    while let Some(id) = open.pop() {
        if found.insert(id) {
            open.extend(calls.callers(id).map(|site| site.within));
        }
    }
    found
}

/// Transactions that a function is given: they began before it.
fn handed_in<'a>(walk: &mut Walk<'a, '_>, id: FnId) -> Env<'a> {
    let mut env: Env<'a> = Rc::default();
    let file = walk.analysis.program.file(id);
    let function = walk.analysis.program.function(id);
    for param in &function.params {
        let Pattern::Name(name, _) = &param.pattern else {
            continue;
        };
        let of = walk.analysis.program.type_name(file, &param.of);
        let mut rules = walk.analysis.rules.queue.iter();
        let commits = rules.any(|rule| {
            rule.means == QueueWord::Commit && rule.call.receiver.iter().any(|known| **known == *of)
        });
        if commits {
            let at = walk.step(file.place(function.at), What::Begin);
            Rc::make_mut(&mut env).insert(name.clone(), Val::of(Kind::Tx(at)));
        }
    }
    env
}

/// The inserts into the outbox among some steps, each with the writes beside it.
fn enqueues(steps: &[Step], wanted: Wanted<'_>) -> Vec<Enqueue> {
    let run = |step: &Step| match &step.what {
        What::Statement(run) => Some((run.clone(), step.place.clone())),
        _ => None,
    };
    let all: Vec<_> = steps.iter().filter_map(run).collect();
    let writes: Vec<_> = all
        .iter()
        .filter(|(run, _)| writes_to(run, &|table| !is_outbox(table, wanted)))
        .collect();
    let inserts = all.iter().filter(|(run, _)| inserts(run, wanted));
    inserts
        .map(|(insert, place)| {
            let same = writes.iter().any(|(write, _)| write.on == insert.on);
            let open = insert.on == Runs::Unknown
                || writes.iter().any(|(write, _)| write.on == Runs::Unknown);
            let joins = match (insert.on, writes.first()) {
                (_, None) => Joins::NoWrite,
                (Runs::Within(_), _) if same => Joins::With,
                _ if open => Joins::Unknown,
                (_, Some((_, write))) => Joins::Apart(write.clone()),
            };
            Enqueue {
                place: place.clone(),
                joins,
            }
        })
        .collect()
}

fn is_outbox(table: &str, wanted: Wanted<'_>) -> bool {
    let mut tables = wanted.tables.iter();
    tables.any(|known| known.eq_ignore_ascii_case(table))
}

/// True of a statement that inserts into the outbox.
fn inserts(run: &Statement, wanted: Wanted<'_>) -> bool {
    let text = run.sql.as_ref().unwrap_or(&run.shown);
    match verbs(text, dialect(text)) {
        Verbs::Writes(writes) => writes
            .iter()
            .any(|write| write.kind.is_create() && is_outbox(&write.table, wanted)),
        _ => false,
    }
}

/// True of a statement that writes to one of some tables; a table that only a variable names is one of
/// records.
fn writes_to(run: &Statement, wanted: &dyn Fn(&str) -> bool) -> bool {
    let text = run.sql.as_ref().unwrap_or(&run.shown);
    match verbs(text, dialect(text)) {
        Verbs::Writes(writes) => writes.iter().any(|write| wanted(&write.table)),
        _ => false,
    }
}
