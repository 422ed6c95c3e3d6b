//! Goes through a test and what it calls in the tests' own files: each delivery, each assertion, in
//! order.

use std::fmt::Write as _;

use crate::model::place::Place;
use crate::model::source::{Block, Call, Expr, ExprKind, Operator, Pattern, Stmt, StmtKind};
use crate::model::tests::plain;
use crate::rules::TestWord;

use super::dropped::error_of;
use super::program::FnId;
use super::resolve::Callee;
use super::tested::Shared;
use super::walk::{self, Part};

/// Helpers that call each other are followed so far.
const MAX_DEPTH: usize = 16;
/// So many calls of one test are looked at.
const MAX_CALLS: usize = 20_000;

/// What happens in a test.
#[derive(Debug)]
pub(super) enum Event {
    /// The consumers are subscribed.
    Subscribed,
    /// An event is handed to the consumer.
    Delivered {
        /// What is handed over, as written, with what the helpers around it are given.
        event: String,
        /// How often, one after the other or beside.
        times: usize,
        /// The call.
        place: Place,
        /// True if it goes by a bus.
        by_bus: bool,
    },
    /// A type of the tests takes the event.
    StandIn(Place),
    /// Something is compared.
    Asserted(Place),
    /// The rest is left out.
    Skipped(Place),
}

/// One test on its way.
pub(super) struct Walk<'a, 's> {
    shared: &'s Shared<'a, 's>,
    /// The part of the test that ran; none for the whole.
    part: Option<String>,
    /// What happened, in order.
    pub(super) events: Vec<Event>,
    times: usize,
    /// Names that differ from round to round of the loops around.
    varying: Vec<String>,
    /// What the helpers around are given.
    given: Vec<String>,
    /// True inside a branch that something but an error decides.
    compared: bool,
    /// True where it is not sure that the code runs.
    maybe: bool,
    /// Parts that were gone through.
    pub(super) parts: usize,
    calls: usize,
}

impl<'a, 's> Walk<'a, 's> {
    /// Of one test, or of a part of it.
    pub(super) fn new(shared: &'s Shared<'a, 's>, part: Option<String>) -> Self {
        Self {
            shared,
            part,
            events: Vec::new(),
            times: 1,
            varying: Vec::new(),
            given: Vec::new(),
            compared: false,
            maybe: false,
            parts: 0,
            calls: 0,
        }
    }

    /// Goes through a function.
    pub(super) fn function(&mut self, id: FnId) {
        self.block(&self.shared.analysis.program.function(id).body, id);
    }

    fn block(&mut self, block: &'a Block, id: FnId) {
        for stmt in &block.stmts {
            self.stmt(stmt, id);
            if matches!(stmt.kind, StmtKind::Return(_)) {
                return;
            }
        }
    }

    fn stmt(&mut self, stmt: &'a Stmt, id: FnId) {
        match &stmt.kind {
            StmtKind::Let { values, .. } if values.iter().all(is_closure) => {}
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.expr(condition, id);
                let before = (self.compared, self.maybe);
                self.maybe = true;
                // That a call gave no error says nothing about the rows.
                self.compared |= error_of(condition).is_none() && !is_constant(condition);
                self.block(then, id);
                self.block(otherwise, id);
                (self.compared, self.maybe) = before;
            }
            StmtKind::Match { of, arms } => {
                if let Some(of) = of {
                    self.expr(of, id);
                }
                let before = std::mem::replace(&mut self.maybe, true);
                for arm in arms {
                    self.block(&arm.body, id);
                }
                self.maybe = before;
            }
            StmtKind::Loop {
                patterns,
                over,
                each,
                body,
            } => {
                if let Some(over) = over {
                    self.expr(over, id);
                }
                let before = (self.times, self.varying.len());
                let rounds = rounds(over.as_ref(), *each, body);
                self.times = self.times.saturating_mul(rounds);
                let names = patterns.iter().flat_map(Pattern::names);
                self.varying.extend(names.map(|name| name.to_string()));
                if let Some(counter) = over.as_ref().and_then(counter) {
                    self.varying.push(counter.to_owned());
                }
                self.block(body, id);
                self.times = before.0;
                self.varying.truncate(before.1);
            }
            _ => {
                let mut parts = Vec::new();
                walk::stmt_parts(stmt, &mut |part| parts.push(part));
                for part in parts {
                    self.part(part, id);
                }
            }
        }
    }

    fn part(&mut self, part: Part<'a>, id: FnId) {
        match part {
            Part::Block(block) => self.block(block, id),
            Part::Closure(closure) => self.block(&closure.body, id),
            Part::Expr(expr) => self.expr(expr, id),
        }
    }

    fn expr(&mut self, expr: &'a Expr, id: FnId) {
        if let ExprKind::Call(call) = &expr.kind {
            return self.call(call, id);
        }
        let mut parts = Vec::new();
        walk::parts(expr, &mut |part| parts.push(part));
        for part in parts {
            self.part(part, id);
        }
    }

    fn call(&mut self, call: &'a Call, id: FnId) {
        self.calls += 1;
        if self.calls > MAX_CALLS || self.given.len() > MAX_DEPTH {
            return;
        }
        let analysis = self.shared.analysis;
        let frame = analysis.frame(id);
        analysis.refuel();
        let callee = analysis.resolve(call, &frame);
        let place = frame.file.place(call.at);
        if let Some(means) = analysis.test_word(call, &callee, &frame) {
            return self.of_test(means, call, place, id);
        }
        if let ExprKind::Field { of, .. } = &call.callee.kind {
            self.expr(of, id);
        }
        for arg in &call.args {
            self.expr(arg, id);
        }
        match callee {
            Callee::Functions(ids, _) => self.functions(&ids, call, place),
            Callee::Closure(closure) => {
                self.given.push(self.shown(&call.args));
                self.block(&closure.body, id);
                self.given.pop();
            }
            _ => {}
        }
    }

    fn of_test(&mut self, means: TestWord, call: &'a Call, place: Place, id: FnId) {
        match means {
            TestWord::Asserts => self.events.push(Event::Asserted(place)),
            TestWord::Fails if self.compared => self.events.push(Event::Asserted(place)),
            TestWord::Fails => {}
            TestWord::Skips if self.compared => {}
            TestWord::Skips => self.events.push(Event::Skipped(place)),
            TestWord::Part => self.named_part(call, id),
        }
    }

    /// The part that ran is gone through as a test of its own.
    fn named_part(&mut self, call: &'a Call, id: FnId) {
        let (Some(name), Some(body)) = (call.args.first(), call.args.get(1)) else {
            return;
        };
        let ExprKind::Closure(body) = &body.kind else {
            return;
        };
        let is_other = match (&name.kind, &self.part) {
            (ExprKind::Text(text), Some(part)) => plain(text) != *part,
            // A name of a table: which row it is does not matter to what is run.
            (_, Some(_)) => false,
            (_, None) => true,
        };
        if is_other {
            return;
        }
        self.parts += 1;
        let before = (self.times, std::mem::take(&mut self.varying));
        let part = self.part.take();
        self.times = 1;
        self.block(&body.body, id);
        (self.times, self.varying) = before;
        self.part = part;
    }

    fn functions(&mut self, ids: &[FnId], call: &'a Call, place: Place) {
        let shared = self.shared;
        let by_bus = ids.iter().any(|id| shared.buses.contains(id));
        let to_handler = ids.iter().any(|id| shared.handlers.contains(id));
        if by_bus || to_handler {
            if self.maybe {
                return;
            }
            let given = self.shown(&call.args);
            let event = format!("{} {given}", self.given.join(" "));
            let varies = self.varying.iter().any(|name| speaks_of(&event, name));
            let times = if varies { 1 } else { self.times };
            return self.events.push(Event::Delivered {
                event,
                times,
                place,
                by_bus: by_bus && !to_handler,
            });
        }
        if ids.iter().any(|id| shared.registers.contains(id)) {
            return self.events.push(Event::Subscribed);
        }
        let program = shared.analysis.program;
        let is_test = |id: &FnId| shared.of_tests.contains(&program.file(*id).path);
        let &[id] = ids else { return };
        if !is_test(&id) {
            return;
        }
        if program.function(id).owner.is_some() {
            self.events.push(Event::StandIn(place));
        }
        self.given.push(self.shown(&call.args));
        self.function(id);
        self.given.pop();
    }

    /// Arguments as they are written.
    fn shown(&self, args: &[Expr]) -> String {
        let mut out = String::new();
        for arg in args {
            show(arg, &mut out);
            out.push(',');
        }
        out
    }
}

fn is_closure(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Closure(_))
}

fn is_constant(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Bool(_))
}

/// How often a loop surely runs: a constant bound, or once.
fn rounds(over: Option<&Expr>, each: bool, body: &Block) -> usize {
    let leaves = body
        .stmts
        .iter()
        .any(|stmt| matches!(stmt.kind, StmtKind::Leave(_) | StmtKind::Return(_)));
    let number = |expr: &Expr| match &expr.kind {
        ExprKind::Number(text) => text.parse().ok(),
        _ => None,
    };
    let bound = match over.map(|over| &over.kind) {
        _ if leaves => None,
        Some(ExprKind::Number(text)) if each => text.parse().ok(),
        Some(ExprKind::Binary {
            op: Operator::Less,
            right,
            ..
        }) if !each => number(right),
        Some(ExprKind::Make { fields, .. }) if each => Some(fields.len()),
        _ => None,
    };
    bound.unwrap_or(1)
}

/// `n` of `n < 2`.
fn counter(over: &Expr) -> Option<&str> {
    match &over.kind {
        ExprKind::Binary { left, .. } => walk::whole(left),
        _ => None,
    }
}

/// True if a name stands in what is shown.
fn speaks_of(shown: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    shown.split(|c| !is_part(c)).any(|word| word == name)
}

/// An expression as text: the same text where it is the same value at two places, as far as names tell.
fn show(expr: &Expr, out: &mut String) {
    match &expr.kind {
        ExprKind::Name(name) => out.push_str(name),
        ExprKind::Text(text) => _ = write!(out, "{text:?}"),
        ExprKind::Number(text) => out.push_str(text),
        ExprKind::Bool(truth) => _ = write!(out, "{truth}"),
        ExprKind::Nil => out.push_str("nil"),
        ExprKind::Field { of, name, .. } => {
            show(of, out);
            _ = write!(out, ".{name}");
        }
        // Made anew at each place; in a loop it is the same text.
        _ => {
            _ = write!(out, "@{}:{}(", expr.at.line, expr.at.column);
            walk::parts(expr, &mut |part| {
                if let Part::Expr(inner) = part {
                    show(inner, out);
                    out.push(' ');
                }
            });
            out.push(')');
        }
    }
}
