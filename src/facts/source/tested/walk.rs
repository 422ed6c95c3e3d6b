//! Goes through a test and what it calls in the tests' own files: each delivery, each wait, each
//! assertion, in order.

use std::collections::BTreeSet;

use crate::facts::source::program::FnId;
use crate::facts::source::resolve::Callee;
use crate::facts::source::texts::called_name;
use crate::facts::source::walk::{self, Part};
use crate::model::source::{Block, Call, Expr, ExprKind, Pattern, Stmt, StmtKind};
use crate::rules::TestWord;

use super::super::walk::names_in;
use super::Shared;
use super::events::{Event, Round};
use super::show::{asks_for_success, bound, counter, is_about_errors, rounds, show};

/// Helpers that call each other are followed so far.
const MAX_DEPTH: usize = 16;
/// So many calls of one test are looked at.
const MAX_CALLS: usize = 20_000;

/// One test on its way.
pub(super) struct Walk<'a, 's> {
    pub(super) shared: &'s Shared<'a, 's>,
    /// The part of the test that ran; none for the whole.
    pub(super) part: Option<String>,
    /// What happened, in order.
    pub(super) events: Vec<Event>,
    /// The loops around.
    pub(super) loops: Vec<Round>,
    /// Names that differ from round to round, with the number of the loop.
    pub(super) varying: Vec<(usize, String)>,
    /// What the helpers around are given.
    pub(super) given: Vec<String>,
    /// True inside a branch that something but an error decides.
    pub(super) compared: bool,
    /// True where it is not sure that the code runs.
    pub(super) maybe: bool,
    /// True inside what the test demands to fail.
    pub(super) fails: bool,
    /// The number of what was launched, inside it.
    pub(super) launch: Option<usize>,
    /// Names that hold something launched.
    pub(super) launched: Vec<(String, usize)>,
    /// Loops and launches so far.
    pub(super) numbers: usize,
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
            loops: Vec::new(),
            varying: Vec::new(),
            given: Vec::new(),
            compared: false,
            maybe: false,
            fails: false,
            launch: None,
            launched: Vec::new(),
            numbers: 0,
            parts: 0,
            calls: 0,
        }
    }

    /// Goes through a function.
    pub(super) fn function(&mut self, id: FnId) {
        self.block(&self.shared.analysis.program.function(id).body, id);
    }

    pub(super) fn block(&mut self, block: &'a Block, id: FnId) {
        for stmt in &block.stmts {
            let before = self.events.len();
            self.waits_by_name(stmt);
            self.stmt(stmt, id);
            self.keep_launches(stmt, before);
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
            } => self.choice(condition, then, otherwise, id),
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
                let before = (self.loops.len(), self.varying.len());
                self.numbers += 1;
                let number = self.numbers;
                self.loops
                    .push((number, rounds(over.as_ref(), *each, body)));
                let names = patterns.iter().flat_map(Pattern::names);
                let names = names.map(|name| name.to_string());
                let counter = over.as_ref().and_then(counter).map(str::to_owned);
                self.varying
                    .extend(names.chain(counter).map(|name| (number, name)));
                self.block(body, id);
                self.loops.truncate(before.0);
                self.varying.truncate(before.1);
            }
            StmtKind::Spawn(expr) => self.beside(|walk| walk.expr(expr, id)),
            StmtKind::With { of, body, .. } => {
                let means = self.word_of(of, id);
                match means {
                    Some(TestWord::DemandsError) => {
                        self.failing(|walk| walk.block(body, id));
                    }
                    _ => {
                        self.expr(of, id);
                        self.block(body, id);
                    }
                }
                if means == Some(TestWord::Scope) {
                    self.joined(None);
                }
            }
            _ => {
                let mut parts = Vec::new();
                walk::stmt_parts(stmt, &mut |part| parts.push(part));
                for part in parts {
                    self.part(part, id);
                }
                self.note_varying(stmt);
            }
        }
    }

    fn choice(&mut self, condition: &'a Expr, then: &'a Block, otherwise: &'a Block, id: FnId) {
        self.expr(condition, id);
        let before = (self.compared, self.maybe);
        let seen = self.events.len();
        self.maybe = true;
        // That a call gave no error says nothing about the rows.
        self.compared |= !is_about_errors(condition);
        self.block(then, id);
        if asks_for_success(condition) && !before.0 {
            // `if err == nil { t.Fatal() }`: that it fails is demanded, and says nothing either.
            let demanded = self.events.iter().skip(seen);
            if demanded
                .into_iter()
                .any(|event| matches!(event, Event::Asserted(_)))
            {
                self.events.truncate(seen);
                self.demand(seen);
            }
        }
        self.block(otherwise, id);
        (self.compared, self.maybe) = before;
    }

    /// Names that are made of what differs from round to round differ too.
    fn note_varying(&mut self, stmt: &Stmt) {
        let StmtKind::Let {
            patterns, values, ..
        } = &stmt.kind
        else {
            return;
        };
        let of: BTreeSet<usize> = values
            .iter()
            .flat_map(names_in)
            .flat_map(|name| self.varying.iter().filter(move |(_, known)| known == name))
            .map(|(number, _)| *number)
            .collect();
        for name in patterns.iter().flat_map(Pattern::names) {
            self.varying
                .extend(of.iter().map(|number| (*number, name.to_string())));
        }
    }

    fn part(&mut self, part: Part<'a>, id: FnId) {
        match part {
            Part::Block(block) => self.block(block, id),
            Part::Closure(closure) => self.block(&closure.body, id),
            Part::Expr(expr) => self.expr(expr, id),
        }
    }

    pub(super) fn expr(&mut self, expr: &'a Expr, id: FnId) {
        if let ExprKind::Call(call) = &expr.kind {
            return self.call(call, id);
        }
        let mut parts = Vec::new();
        walk::parts(expr, &mut |part| parts.push(part));
        for part in parts {
            self.part(part, id);
        }
    }

    pub(super) fn word_of(&self, expr: &'a Expr, id: FnId) -> Option<TestWord> {
        let ExprKind::Call(call) = &expr.kind else {
            return None;
        };
        let analysis = self.shared.analysis;
        let frame = analysis.frame(id);
        analysis.refuel();
        let callee = analysis.resolve(call, &frame);
        let word = analysis.test_word(call, &callee, &frame);
        word.or_else(|| self.shared.asks_for_error(call, &callee))
    }

    pub(super) fn call(&mut self, call: &'a Call, id: FnId) {
        self.calls += 1;
        if self.calls > MAX_CALLS || self.given.len() > MAX_DEPTH {
            return;
        }
        let analysis = self.shared.analysis;
        let frame = analysis.frame(id);
        analysis.refuel();
        let callee = analysis.resolve(call, &frame);
        let place = frame.file.place(call.at);
        let means = analysis.test_word(call, &callee, &frame);
        if let Some(means) = means.or_else(|| self.shared.asks_for_error(call, &callee)) {
            return self.of_test(means, call, place, id);
        }
        self.inputs(call, id);
        if is_receive(call) {
            return self.joined(None);
        }
        // A fixture whose type is not written: what it does its name and its argument tell together.
        if matches!(callee, Callee::Unknown { .. })
            && self.shared.replaces(&called_name(call))
            && self.shared.names_handler(&call.args)
        {
            return self.events.push(Event::Replaced(place));
        }
        match callee {
            Callee::Functions(ids, _) => {
                let given = self.shown(self.without_contexts(&ids, &call.args));
                self.functions(&ids, given, place);
            }
            Callee::Closure(closure) => {
                self.given.push(self.shown(&call.args));
                self.block(&closure.body, id);
                self.given.pop();
            }
            _ => {}
        }
    }

    /// What is evaluated before the call itself.
    pub(super) fn inputs(&mut self, call: &'a Call, id: FnId) {
        let mut rounds = 1;
        if let ExprKind::Field { of, .. } = &call.callee.kind {
            self.expr(of, id);
            // `(0..2).map(|_| …)`.
            rounds = bound(of, true).unwrap_or(1);
        }
        for arg in &call.args {
            match &arg.kind {
                ExprKind::Closure(closure) if rounds > 1 => {
                    self.numbers += 1;
                    self.loops.push((self.numbers, rounds));
                    let names = closure.bound().flat_map(Pattern::names);
                    let number = self.numbers;
                    let before = self.varying.len();
                    self.varying
                        .extend(names.map(|name| (number, name.to_string())));
                    self.expr(arg, id);
                    self.varying.truncate(before);
                    self.loops.pop();
                }
                _ => self.expr(arg, id),
            }
        }
    }

    /// The arguments but for contexts, which say nothing of the event.
    fn without_contexts(&self, ids: &[FnId], args: &'a [Expr]) -> impl Iterator<Item = &'a Expr> {
        let program = self.shared.analysis.program;
        let params = ids.first().map(|id| &program.function(*id).params);
        let is_context = move |at: usize| {
            let of = params.and_then(|params| params.get(at));
            of.is_some_and(|param| param.of.name.ends_with("context.Context"))
        };
        let args = args.iter().enumerate();
        args.filter(move |(at, _)| !is_context(*at))
            .map(|(_, arg)| arg)
    }

    /// Arguments as they are written.
    pub(super) fn shown<'e>(&self, args: impl IntoIterator<Item = &'e Expr>) -> String {
        let mut out = String::new();
        for arg in args {
            show(arg, &mut out);
            out.push(',');
        }
        out
    }
}

/// True of a value that is taken from a channel: whoever sends it has come that far.
fn is_receive(call: &Call) -> bool {
    call.args.is_empty()
        && matches!(&call.callee.kind, ExprKind::Field { name, .. } if &**name == "<-")
}

fn is_closure(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Closure(_))
}
