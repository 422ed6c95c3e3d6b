//! Subscriptions to buses of the tree itself.

use std::sync::Arc;

use crate::model::map::Sureness;
use crate::model::source::{Call, Expr, ExprKind};

use super::buses::{BUS, Given, Keeps, tables};
use super::calls::{Calls, Site};
use super::frame::{Analysis, Frame};
use super::program::FnId;
use super::subscriptions::{Subscription, short};
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
            |event| event_of(analysis, event, frame),
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
        let handler = match self.keeps.handler {
            Given::Param(at) => self.call.args.get(at),
            Given::Decorated => self.call.decorates.as_deref(),
        };
        let Some(handler) = handler else {
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

/// What an expression says of an event: its text, or the name of the type that it is.
fn event_of<'a>(analysis: &Analysis<'a>, event: &'a Expr, frame: &Frame<'a, '_>) -> Texts {
    let written = match &event.kind {
        ExprKind::Name(name) => Some(name.to_string()),
        ExprKind::Field { of, name, .. } => {
            let package = analysis.package_of(of, frame);
            package.map(|package| format!("{package}.{name}"))
        }
        _ => None,
    };
    let is_type = |name: &String| {
        let full = analysis.program.named(frame.file, name);
        [name, &full]
            .into_iter()
            .any(|name| analysis.program.type_named(name).is_some())
    };
    match written.filter(is_type) {
        Some(name) => Texts::known(short(&name)),
        None => analysis.texts(event, frame),
    }
}

/// The handlers that a table holds which is written out: each runs for the event that is its key.
pub(super) fn of_table<'a>(
    analysis: &Analysis<'a>,
    site: &Site<'a>,
    table: &str,
    found: &mut Vec<Subscription<'a>>,
) {
    let Some((file, decl)) = analysis.program.value_named(table) else {
        return;
    };
    let frame = &Frame::outside(file, 0);
    for (entry, items) in decl.value.iter().flat_map(tables::lists) {
        let events = match (&entry.key, &entry.name) {
            (Some(key), _) => event_of(analysis, key, frame),
            (None, Some(name)) => Texts::known(name),
            (None, None) => Texts::hole("event"),
        };
        for item in items {
            let handlers = analysis.handlers(&item.value, &[], frame);
            // A handler that is not found is a consumer all the same.
            let none = handlers.is_empty().then_some(None);
            for handler in handlers.into_iter().map(Some).chain(none) {
                found.push(Subscription {
                    rule: BUS.into(),
                    by: None,
                    within: site.within,
                    call: site.call,
                    sureness: Sureness::High,
                    handler,
                    hooks: Vec::new(),
                    events: events.clone(),
                });
            }
        }
    }
}
