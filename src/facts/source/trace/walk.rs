//! The walk: its state, and its way from every root.

use std::collections::HashMap;

use crate::model::place::Place;
use crate::model::source::Expr;

use super::super::buses::Buses;
use super::super::frame::{Analysis, Frame};
use super::super::program::FnId;
use super::results::Gives;
use super::roots::Map;
use super::value::{Env, Val};
use super::{Inside, Root, Step, Trace, Wanted, What};

/// How many statements of source are gone through for one root.
const MAX_STATEMENTS: usize = 40_000;
/// How deep calls are followed.
pub(super) const MAX_CALLS: usize = 32;

/// The walk.
pub(super) struct Walk<'a, 'w> {
    pub(super) analysis: &'w Analysis<'a>,
    pub(super) buses: &'w Buses,
    pub(super) map: &'w Map,
    pub(super) wanted: Wanted<'w>,
    pub(super) trace: Trace,
    pub(super) within: Vec<Inside>,
    pub(super) numbers: usize,
    pub(super) left: usize,
    /// Functions that are being gone through.
    pub(super) open: Vec<FnId>,
    /// True inside a function that does the work.
    pub(super) at_work: bool,
    /// What the functions that are being gone through return.
    pub(super) returned: Vec<Vec<Vec<Val<'a>>>>,
    /// How much of the surroundings lies outside the function that is gone through.
    pub(super) floor: usize,
    /// What the functions that are being gone through run at their end.
    pub(super) deferred: Vec<Vec<Deferred<'a>>>,
    /// How many constants that are made of constants are being looked up.
    pub(super) constants: usize,
    /// True where a `break` ends a choice, and not the loop around it.
    pub(super) in_choice: bool,
    /// True if every function is followed.
    pub(super) everywhere: bool,
    /// What the last expression of the block that is gone through is.
    pub(super) gives: Gives,
    /// Values of the blocks that are being gone through.
    pub(super) tails: Vec<Vec<Val<'a>>>,
    /// Transactions of connections on which another one begins after each.
    pub(super) connections: Vec<usize>,
    /// What began on such a connection after a transaction.
    pub(super) renewed: HashMap<usize, usize>,
}

/// What runs at the end of a function, with its surroundings and the names that it sees.
pub(super) struct Deferred<'a> {
    pub(super) expr: &'a Expr,
    /// The function itself, where a call gives it: `defer start()()` starts at once.
    pub(super) runs: Option<Val<'a>>,
    pub(super) within: Vec<Inside>,
    pub(super) env: Env<'a>,
}

/// Walks from every root.
pub(super) fn walk<'a>(
    analysis: &Analysis<'a>,
    buses: &Buses,
    map: &Map,
    wanted: Wanted<'_>,
) -> Trace {
    let mut walk = Walk::new(analysis, buses, map, wanted);
    walk.trace.flag_read.clone_from(&map.flag_read);
    walk.trace.elsewhere.clone_from(&map.statements);
    walk.trace.autocommit.clone_from(&map.autocommit);
    walk.trace.open_calls.clone_from(&map.open_calls);
    walk.trace.open_calls.sort();
    for root in &map.roots {
        walk.left = MAX_STATEMENTS;
        let frame = analysis.frame(*root);
        walk.trace.roots.push(Root {
            at: walk.trace.steps.len(),
            language: frame.file.language,
        });
        walk.at_work = map.core.contains(root);
        walk.open.push(*root);
        let body = &analysis.program.function(*root).body;
        walk.body(body, Gives::Nothing, &frame, &mut Env::default(), 0);
        walk.open.pop();
        walk.within.clear();
    }
    walk.trace
}

impl<'a, 'w> Walk<'a, 'w> {
    pub(super) fn new(
        analysis: &'w Analysis<'a>,
        buses: &'w Buses,
        map: &'w Map,
        wanted: Wanted<'w>,
    ) -> Self {
        Self {
            analysis,
            buses,
            map,
            wanted,
            trace: Trace {
                whole: true,
                ..Trace::default()
            },
            within: Vec::new(),
            numbers: 0,
            left: MAX_STATEMENTS,
            open: Vec::new(),
            at_work: false,
            returned: Vec::new(),
            floor: 0,
            deferred: Vec::new(),
            constants: 0,
            in_choice: false,
            everywhere: false,
            gives: Gives::Nothing,
            tails: Vec::new(),
            connections: Vec::new(),
            renewed: HashMap::new(),
        }
    }

    /// Runs what a function has deferred, the last first.
    pub(super) fn at_end(&mut self, frame: &Frame<'a, '_>) {
        for mut last in self.deferred.pop().unwrap_or_default().into_iter().rev() {
            let within = std::mem::replace(&mut self.within, last.within);
            match last.runs.take() {
                Some(runs) => {
                    let from = self.next();
                    self.run_held(runs.kind, &[], from, frame.file.place(last.expr.at));
                }
                None => {
                    self.eval(last.expr, frame, &mut last.env);
                }
            }
            self.within = within;
        }
    }

    pub(super) fn number(&mut self) -> usize {
        self.numbers += 1;
        self.numbers
    }

    /// Notes a step, and gives its number.
    pub(super) fn step(&mut self, place: Place, what: What) -> usize {
        self.trace.steps.push(Step {
            place,
            within: self.within.clone(),
            what,
        });
        self.trace.steps.len() - 1
    }

    /// The number that the next step will have.
    pub(super) fn next(&self) -> usize {
        self.trace.steps.len()
    }

    /// Goes through something that stands inside something else.
    pub(super) fn inside<T>(&mut self, inside: Inside, run: impl FnOnce(&mut Self) -> T) -> T {
        let depth = self.within.len();
        self.within.push(inside);
        let result = run(self);
        self.within.truncate(depth);
        result
    }
}
