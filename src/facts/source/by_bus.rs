//! Subscriptions to buses of the tree itself.

use std::sync::Arc;

use crate::model::map::Sureness;
use crate::model::source::Call;

use super::buses::{BUS, Keeps};
use super::calls::Calls;
use super::frame::{Analysis, Frame};
use super::program::FnId;
use super::subscriptions::Subscription;
use super::text::Texts;

/// A call that gives a handler to a bus of the tree.
pub(super) struct ByBus<'a, 's> {
    /// What is known of the bus.
    pub(super) keeps: &'s Keeps,
    /// How sure the callee is.
    pub(super) sureness: Sureness,
    /// The call.
    pub(super) call: &'a Call,
}

impl<'a> ByBus<'a, '_> {
    /// Adds its handlers; where the event is known to callers of the function around it only, theirs.
    pub(super) fn add(
        &self,
        analysis: &Analysis<'a>,
        calls: &Calls<'a>,
        within: FnId,
        found: &mut Vec<Subscription<'a>>,
    ) {
        let frame = analysis.frame(within);
        let events = self.events(analysis, &frame);
        let is_known = events.constants().len() == events.options.len();
        let mut callers = calls.callers(within).peekable();
        if is_known || callers.peek().is_none() {
            return self.add_here(analysis, (self.call, within), events, &frame, found);
        }
        for caller in callers {
            analysis.refuel();
            let outer = analysis.frame(caller.within);
            let inner = Frame {
                depth: 0,
                ..outer.enter(analysis, within, caller.call)
            };
            let events = self.events(analysis, &inner);
            self.add_here(
                analysis,
                (caller.call, caller.within),
                events,
                &inner,
                found,
            );
        }
    }

    fn events(&self, analysis: &Analysis<'a>, frame: &Frame<'a, '_>) -> Texts {
        let event = self.keeps.event.and_then(|at| self.call.args.get(at));
        event.map_or_else(
            || Texts::hole("event"),
            |event| analysis.texts(event, frame),
        )
    }

    fn add_here(
        &self,
        analysis: &Analysis<'a>,
        (call, within): (&'a Call, FnId),
        events: Texts,
        frame: &Frame<'a, '_>,
        found: &mut Vec<Subscription<'a>>,
    ) {
        let Some(handler) = self.call.args.get(self.keeps.handler) else {
            return;
        };
        let rule = self
            .keeps
            .rule
            .and_then(|at| analysis.rules.subscriptions.get(at));
        let handlers = analysis.handlers(handler, &self.keeps.methods, frame);
        // A handler that is not found is a consumer all the same.
        let none = handlers.is_empty().then_some(None);
        for handler in handlers.into_iter().map(Some).chain(none) {
            found.push(Subscription {
                rule: rule.map_or_else(|| BUS.into(), |rule| Arc::clone(&rule.id)),
                by: rule,
                within,
                call,
                sureness: self.sureness,
                handler,
                hooks: Vec::new(),
                events: events.clone(),
            });
        }
    }
}
