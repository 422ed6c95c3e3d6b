//! Which calls subscribe a handler, to which events, and where the handler's body is.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::map::Sureness;
use crate::model::source::{Call, Expr, ExprKind, SourceFile};
use crate::rules::{HandlerSource, SubscriptionRule};

use super::buses::Buses;
use super::by_bus::ByBus;
use super::calls::{Calls, Site};
use super::frame::{Analysis, Frame};
use super::handler::Handler;
use super::handler_args::{handlers_of, hooks_of, subscribes};
use super::matching::argument;
use super::program::FnId;
use super::resolve::Callee;
use super::streams::receivers;
use super::text::Texts;
use super::walk;

/// A handler and what makes it run.
#[derive(Debug)]
pub(super) struct Subscription<'a> {
    /// The rule that says so; `bus of the tree` for one found by what it does.
    pub(super) rule: Arc<str>,
    /// The rule itself, where one is written.
    pub(super) by: Option<&'a SubscriptionRule>,
    /// The function in which the call stands.
    pub(super) within: FnId,
    /// The call.
    pub(super) call: &'a Call,
    /// How sure it is.
    pub(super) sureness: Sureness,
    /// The handler; none for a call that works without one of the tree.
    pub(super) handler: Option<Handler<'a>>,
    /// What runs beside the handler.
    pub(super) hooks: Vec<FnId>,
    /// Names of the events; a hole for one that is not known.
    pub(super) events: Texts,
}

/// Finds every subscription of the product's own code.
pub(super) fn find<'a>(
    analysis: &Analysis<'a>,
    buses: &Buses,
    calls: &Calls<'a>,
) -> Vec<Subscription<'a>> {
    let mut found = Vec::new();
    let mut streams = Vec::new();
    for site in &calls.sites {
        analysis.refuel();
        of_call(analysis, (buses, calls), site, &mut found, &mut streams);
    }
    for (rule, sureness, call, within) in streams {
        analysis.refuel();
        let frame = analysis.frame(within);
        let receivers = receivers(analysis, calls, call, within);
        if receivers.is_empty() {
            let by_rule = ByRule {
                rule,
                sureness,
                call,
            };
            found.push(by_rule.subscription(analysis, (call, within), None, &frame));
        }
        for receiver in receivers {
            found.push(Subscription {
                rule: Arc::clone(&rule.id),
                by: Some(rule),
                within: receiver.within,
                call: receiver.call,
                sureness,
                handler: Some(receiver.handler),
                hooks: Vec::new(),
                events: events_of(analysis, rule, call, None, &frame),
            });
        }
    }
    found
}

/// A rule for streams, how sure it fits, the call and the function around it.
type Stream<'a> = (&'a SubscriptionRule, Sureness, &'a Call, FnId);

fn of_call<'a>(
    analysis: &Analysis<'a>,
    (buses, calls): (&Buses, &Calls<'a>),
    site: &Site<'a>,
    found: &mut Vec<Subscription<'a>>,
    streams: &mut Vec<Stream<'a>>,
) {
    let Site {
        call,
        callee,
        within,
    } = site;
    let (call, within) = (*call, *within);
    let frame = &analysis.frame(within);
    if let Callee::Functions(ids, sureness) = callee
        && let Some(keeps) = ids.iter().find_map(|id| buses.keeping.get(id))
        && !ids.contains(&within)
    {
        let by_bus = ByBus {
            keeps,
            sureness: *sureness,
            call,
        };
        by_bus.add(analysis, calls, within, found);
        return;
    }
    if buses.relays.contains(&(within, call.at)) {
        return;
    }
    for rule in &analysis.rules.subscriptions {
        if rule.language != frame.file.language {
            continue;
        }
        let Some(sureness) = analysis.fits(&rule.call, call, callee, frame) else {
            continue;
        };
        if rule.handler.stream {
            streams.push((rule, sureness, call, within));
            return;
        }
        let by_rule = ByRule {
            rule,
            sureness,
            call,
        };
        by_rule.add(analysis, calls, within, found);
        return;
    }
}

/// A call that a rule calls a subscription.
struct ByRule<'a> {
    rule: &'a SubscriptionRule,
    sureness: Sureness,
    call: &'a Call,
}

impl<'a> ByRule<'a> {
    /// Adds its handlers: those that the call names, else those that callers of the function around
    /// it hand in. A handler that is not found is a consumer all the same, and is told as such.
    fn add(
        &self,
        analysis: &Analysis<'a>,
        calls: &Calls<'a>,
        within: FnId,
        found: &mut Vec<Subscription<'a>>,
    ) {
        let frame = analysis.frame(within);
        let before = found.len();
        self.add_here(analysis, (self.call, within), &frame, found);
        // What is put on a class without such a method says nothing of it.
        let is_class = || self.rule.handler.decorated && !self.rule.handler.method.is_empty();
        let by_decorator = self.rule.handler.decorated && self.call.decorates.is_some();
        if found.len() > before || is_class() {
            return;
        }
        if by_decorator {
            found.push(self.subscription(analysis, (self.call, within), None, &frame));
            return;
        }
        for caller in calls.callers(within) {
            analysis.refuel();
            let outer = analysis.frame(caller.within);
            let inner = Frame {
                depth: 0,
                ..outer.enter(analysis, within, caller.call)
            };
            self.add_here(analysis, (caller.call, caller.within), &inner, found);
        }
        let is_relay = self.rule.relays.is_some();
        let told_elsewhere = || {
            let args = self.handler_args();
            !args.is_empty() && args.iter().all(|arg| subscribes(analysis, arg, &frame))
        };
        if found.len() == before && (is_relay || !told_elsewhere()) {
            found.push(self.subscription(analysis, (self.call, within), None, &frame));
        }
    }

    fn add_here(
        &self,
        analysis: &Analysis<'a>,
        at: (&'a Call, FnId),
        frame: &Frame<'a, '_>,
        found: &mut Vec<Subscription<'a>>,
    ) {
        for handler in handlers_of(analysis, self.rule, self.call, frame) {
            found.push(self.subscription(analysis, at, Some(handler), frame));
        }
    }

    fn subscription(
        &self,
        analysis: &Analysis<'a>,
        (call, within): (&'a Call, FnId),
        handler: Option<Handler<'a>>,
        frame: &Frame<'a, '_>,
    ) -> Subscription<'a> {
        Subscription {
            rule: Arc::clone(&self.rule.id),
            by: Some(self.rule),
            within,
            call,
            sureness: self.sureness,
            handler,
            hooks: hooks_of(analysis, self.rule, self.call, frame),
            events: events_of(analysis, self.rule, self.call, handler, frame),
        }
    }

    fn handler_args(&self) -> Vec<&'a Expr> {
        let HandlerSource {
            arg, each, named, ..
        } = &self.rule.handler;
        if !*each {
            return argument(self.call, *arg, named).into_iter().collect();
        }
        let Some(first) = arg.and_then(|arg| arg.checked_sub(1)) else {
            return Vec::new();
        };
        self.call.args.iter().skip(first).collect()
    }
}

fn events_of<'a>(
    analysis: &Analysis<'a>,
    rule: &SubscriptionRule,
    call: &'a Call,
    handler: Option<Handler<'a>>,
    frame: &Frame<'a, '_>,
) -> Texts {
    let event = &rule.event;
    if let Some(at) = event.path {
        let named = match (at, &call.callee.kind) {
            (0, ExprKind::Field { of, .. }) => Some(&**of),
            _ => argument(call, Some(at), &event.named),
        };
        if let Some(path) = named {
            let of = argument(call, None, &event.of);
            return analysis.path_texts(path, of, frame);
        }
    }
    if let Some(arg) = argument(call, event.arg, &event.named) {
        let items = analysis.item_texts(arg, frame);
        return items.unwrap_or_else(|| analysis.texts(arg, frame));
    }
    if let Some(of) = event
        .generic
        .and_then(|at| call.generics.get(at.checked_sub(1)?))
    {
        return Texts::known(short(&of.name));
    }
    let Some(handler) = handler else {
        return Texts::hole("event");
    };
    if let Some(at) = event.param {
        let params = handler.params(analysis);
        let at = match usize::try_from(at) {
            Ok(at) => at.checked_sub(1),
            Err(_) => params.len().checked_sub(at.unsigned_abs() as usize),
        };
        let of = at.and_then(|at| params.get(at)).map(|param| &param.of);
        if let Some(of) = of.filter(|of| &*of.name != "?") {
            return Texts::known(short(&of.name));
        }
    }
    if event.handler {
        let class = call.decorates.as_ref();
        if let Some(class) = class.and_then(|class| analysis.path_to_class(class, frame)) {
            return Texts::known(&class);
        }
        return match handler {
            Handler::Function(id) => Texts::known(&analysis.full_name(id)),
            Handler::Closure(..) => Texts::known(&handler.title(analysis)),
        };
    }
    if let Handler::Function(id) = handler
        && let Some(name) = event_of_method(analysis, id, &event.method)
    {
        return Texts::known(short(&name));
    }
    Texts::hole("event")
}

impl<'a> Analysis<'a> {
    /// The last names of a path, or of the paths in a list, and that of what it is about.
    fn path_texts(&self, path: &'a Expr, of: Option<&'a Expr>, frame: &Frame<'a, '_>) -> Texts {
        let mut all = Texts::default();
        let paths: Vec<&'a Expr> = match &path.kind {
            ExprKind::Make { fields, .. } => fields.iter().map(|field| &field.value).collect(),
            _ => vec![path],
        };
        let of = of.map(|of| match &of.kind {
            ExprKind::Name(name) | ExprKind::Field { name, .. } => Texts::known(name),
            _ => self.texts(of, frame),
        });
        for path in paths {
            let text = match &path.kind {
                ExprKind::Name(name) | ExprKind::Field { name, .. } => Texts::known(name),
                _ => self.texts(path, frame),
            };
            all.or(match &of {
                Some(of) => text.then(&Texts::known(" ")).then(of),
                None => text,
            });
        }
        all
    }
}

/// The type of what a method of the handler's object returns: `NewCommand() any { return &C{} }`.
fn event_of_method(analysis: &Analysis<'_>, id: FnId, methods: &[Arc<str>]) -> Option<String> {
    let file: &SourceFile = analysis.program.file(id);
    let owner = analysis
        .program
        .named(file, analysis.program.function(id).owner.as_ref()?);
    let method = methods
        .iter()
        .find_map(|name| analysis.program.methods_of(&owner, name).first().copied())?;
    let mut found = None;
    walk::each_expr(&analysis.program.function(method).body, &mut |expr| {
        if let ExprKind::Make { of: Some(of), .. } = &expr.kind {
            found.get_or_insert_with(|| of.name.to_string());
        }
    });
    found
}

/// The last part of a qualified name.
pub(super) fn short(name: &str) -> &str {
    name.rsplit(['.', ':', '/']).next().unwrap_or(name)
}

/// Events of subscriptions that name none: as many consumers as there are names.
pub(super) fn event_names(events: &Texts) -> BTreeSet<Option<String>> {
    let names = events.options.iter().map(|text| match text.constant() {
        Some(name) => Some(name.to_owned()),
        None => {
            let shown = text.shown();
            (!matches!(&*shown, "$" | "$event" | "$value")).then_some(shown)
        }
    });
    let names: BTreeSet<Option<String>> = names.collect();
    if names.is_empty() {
        BTreeSet::from([None])
    } else {
        names
    }
}
