//! Calls of a test that mean something: an assertion, a delivery, a part of its own.

use std::collections::BTreeSet;

use crate::facts::source::program::FnId;
use crate::model::place::Place;
use crate::model::source::{Call, ExprKind};
use crate::model::tests::plain;
use crate::rules::TestWord;

use super::events::{Delivered, Event};
use super::show::{is_about_errors, is_constant, speaks_of};
use super::walk::Walk;

impl<'a> Walk<'a, '_> {
    pub(super) fn of_test(&mut self, means: TestWord, call: &'a Call, place: Place, id: FnId) {
        match means {
            TestWord::Asserts => self.assertion(call, place, id),
            TestWord::Fails if self.compared => self.events.push(Event::Asserted(place)),
            TestWord::Fails => {}
            TestWord::Skips if self.compared => {}
            TestWord::Skips => self.events.push(Event::Skipped(place)),
            TestWord::Part => self.named_part(call, id),
            TestWord::DemandsError => {
                let seen = self.events.len();
                self.inputs(call, id);
                self.demand(seen);
            }
            TestWord::IsError | TestWord::IsSuccess => self.inputs(call, id),
            TestWord::Launches => self.launched_call(call, id),
            TestWord::Begins => {}
            TestWord::Joins => {
                self.inputs(call, id);
                self.joined(None);
            }
            TestWord::Scope => {
                self.inputs(call, id);
                self.joined(None);
            }
            TestWord::Overlaps => {
                for arg in &call.args {
                    self.beside(|walk| walk.expr(arg, id));
                }
                self.joined(None);
            }
            TestWord::Replaces => {
                if self.shared.names_handler(&call.args) {
                    self.events.push(Event::Replaced(place));
                }
            }
        }
    }

    /// An assertion; that a call went well, or failed, says nothing about the rows.
    pub(super) fn assertion(&mut self, call: &'a Call, place: Place, id: FnId) {
        let seen = self.events.len();
        self.inputs(call, id);
        let words: Vec<TestWord> = call
            .args
            .iter()
            .filter_map(|arg| self.word_of(arg, id))
            .collect();
        if words.contains(&TestWord::IsError) {
            return self.demand(seen);
        }
        let says_nothing = words.contains(&TestWord::IsSuccess)
            || call.args.iter().all(is_constant)
            || matches!(call.args.as_slice(), [only] if is_about_errors(only));
        if !says_nothing {
            self.events.push(Event::Asserted(place));
        }
    }

    /// The deliveries since then, or the last one before, are to fail.
    pub(super) fn demand(&mut self, since: usize) {
        let is_delivery = |event: &Event| matches!(event, Event::Delivered(_));
        let first = match self.events.iter().skip(since).any(is_delivery) {
            true => since,
            false => match self.events.iter().rposition(is_delivery) {
                Some(last) => last,
                None => return,
            },
        };
        for event in self.events.iter_mut().skip(first) {
            if let Event::Delivered(one) = event {
                one.fails = true;
            }
        }
    }

    pub(super) fn failing(&mut self, inner: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.fails, true);
        inner(self);
        self.fails = before;
    }

    /// The part that ran is gone through as a test of its own.
    pub(super) fn named_part(&mut self, call: &'a Call, id: FnId) {
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
        let before = (
            std::mem::take(&mut self.loops),
            std::mem::take(&mut self.varying),
        );
        let part = self.part.take();
        self.block(&body.body, id);
        (self.loops, self.varying) = before;
        self.part = part;
    }

    pub(super) fn functions(&mut self, ids: &[FnId], given: String, place: Place) {
        let shared = self.shared;
        let handlers: BTreeSet<FnId> = ids
            .iter()
            .copied()
            .filter(|id| shared.handlers.contains_key(id))
            .collect();
        if !handlers.is_empty() || ids.iter().any(|id| shared.buses.contains(id)) {
            return self.delivered(handlers, &given, place);
        }
        if ids.iter().any(|id| shared.registers.contains(id)) {
            return self.events.push(Event::Subscribed);
        }
        let &[id] = ids else { return };
        if !shared.is_test(id) {
            return;
        }
        if shared.analysis.program.function(id).owner.is_some() {
            self.events.push(Event::StandIn(place));
        }
        self.given.push(given);
        self.function(id);
        self.given.pop();
    }

    pub(super) fn delivered(&mut self, handlers: BTreeSet<FnId>, given: &str, place: Place) {
        if self.maybe {
            return;
        }
        let event = format!("{} {given}", self.given.join(" "));
        let varies = |number: usize| {
            let mut names = self.varying.iter().filter(|(of, _)| *of == number);
            names.any(|(_, name)| speaks_of(&event, name))
        };
        let loops = self.loops.iter().copied();
        let loops = loops.filter(|(number, _)| !varies(*number)).collect();
        self.events.push(Event::Delivered(Delivered {
            loops,
            place,
            to: (!handlers.is_empty()).then_some(handlers),
            launch: self.launch,
            fails: self.fails,
            event,
        }));
    }

    /// What stands on the test can put something in place of the consumer too: `@patch("…")`.
    pub(super) fn decorators(&mut self, id: FnId) {
        let program = self.shared.analysis.program;
        let function = program.function(id);
        for attribute in &function.attributes {
            let (word, given) = attribute.split_once('(').unwrap_or((attribute, ""));
            let texts = given.split(['"', '\'']).skip(1).step_by(2);
            let mut replaced = texts.filter(|text| self.shared.is_handler(text));
            if self.shared.replaces(word) && replaced.next().is_some() {
                let place = program.file(id).place(function.at);
                self.events.push(Event::Replaced(place));
            }
        }
    }
}
