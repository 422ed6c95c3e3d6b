//! Which functions a handler argument stands for.

use std::sync::Arc;

use crate::model::source::{Call, Expr, ExprKind};
use crate::rules::{HandlerSource, SubscriptionRule};

use super::frame::{Analysis, Frame};
use super::handler::Handler;
use super::matching::argument;
use super::program::FnId;
use super::resolve::Callee;

/// True of a handler that a subscribing call of its own makes: `cqrs.NewEventHandler(…)`.
pub(super) fn subscribes<'a>(
    analysis: &Analysis<'a>,
    arg: &'a Expr,
    frame: &Frame<'a, '_>,
) -> bool {
    let mut all = true;
    analysis.origins(arg, 0, frame, &mut |origin, inner| {
        let by_rule = match &origin.kind {
            ExprKind::Call(call) => {
                let callee = analysis.resolve(call, inner);
                analysis.rules.subscriptions.iter().any(|rule| {
                    rule.language == inner.file.language
                        && analysis.fits(&rule.call, call, &callee, inner).is_some()
                })
            }
            ExprKind::Nil => true,
            _ => false,
        };
        all &= by_rule;
    });
    all
}

/// Methods that run beside the handler of a call.
pub(super) fn hooks_of<'a>(
    analysis: &Analysis<'a>,
    rule: &SubscriptionRule,
    call: &'a Call,
    frame: &Frame<'a, '_>,
) -> Vec<FnId> {
    let Some(hooks) = &rule.handler.hooks else {
        return Vec::new();
    };
    let class = match hooks.named.is_empty() {
        true => call.decorates.as_deref(),
        false => argument(call, None, &hooks.named),
    };
    let Some(of) = class.and_then(|class| analysis.type_of(class, frame)) else {
        return Vec::new();
    };
    let names = analysis.names_of(&of);
    let methods = hooks.method.iter().flat_map(|method| {
        let mut found = names
            .iter()
            .map(|name| analysis.program.methods_of(name, method));
        found.find(|ids| !ids.is_empty()).unwrap_or_default()
    });
    methods.collect()
}

/// The handlers that the arguments of a subscribing call stand for.
pub(super) fn handlers_of<'a>(
    analysis: &Analysis<'a>,
    rule: &SubscriptionRule,
    call: &'a Call,
    frame: &Frame<'a, '_>,
) -> Vec<Handler<'a>> {
    let HandlerSource {
        arg,
        each,
        method,
        field,
        ..
    } = &rule.handler;
    if let (Some(attribute), Some(class)) = (&rule.handler.unless, &call.decorates)
        && let Some(class) = analysis.path_to_class(class, frame)
        && let Some((_, value)) = analysis
            .program
            .value_named(&format!("{class}.{attribute}"))
        && matches!(
            value.value.as_ref().map(|value| &value.kind),
            Some(ExprKind::Bool(true))
        )
    {
        return Vec::new();
    }
    if let Some(at) = rule.handler.generic {
        let of = at.checked_sub(1).and_then(|at| call.generics.get(at));
        return of.map_or_else(Vec::new, |of| {
            let name = analysis.program.type_name(frame.file, of);
            analysis.methods_run(&[name], method)
        });
    }
    let given: Vec<&'a Expr> = match (&call.decorates, rule.handler.decorated, arg) {
        (Some(decorated), true, _) => vec![decorated],
        (_, _, Some(first)) if *each => {
            let first = first.saturating_sub(1);
            call.args.iter().skip(first).collect()
        }
        _ => argument(call, *arg, &rule.handler.named)
            .into_iter()
            .collect(),
    };
    let mut found = Vec::new();
    for arg in given {
        let mut parts = vec![arg];
        if let Some(field) = field {
            parts.clear();
            analysis.origins(arg, 0, frame, &mut |made, _| {
                if let ExprKind::Make { fields, .. } = &made.kind {
                    let named = fields
                        .iter()
                        .filter(|part| part.name.as_ref() == Some(field));
                    parts.extend(named.map(|part| &part.value));
                }
            });
        }
        for part in parts {
            found.extend(analysis.handlers(part, method, frame));
        }
    }
    found
}

impl<'a> Analysis<'a> {
    /// The bodies that a handler argument can stand for; `methods` are run where it is an object.
    pub(super) fn handlers(
        &self,
        expr: &'a Expr,
        methods: &[Arc<str>],
        frame: &Frame<'a, '_>,
    ) -> Vec<Handler<'a>> {
        let mut found: Vec<Handler<'a>> = Vec::new();
        self.origins(expr, 0, frame, &mut |origin, inner| {
            self.handlers_at(origin, methods, inner, &mut found);
        });
        found
    }

    fn handlers_at(
        &self,
        origin: &'a Expr,
        methods: &[Arc<str>],
        frame: &Frame<'a, '_>,
        found: &mut Vec<Handler<'a>>,
    ) {
        match &origin.kind {
            ExprKind::Closure(closure) => {
                let made_by = frame
                    .entry
                    .and_then(|(call, caller)| Some((call, caller.id?)));
                found.extend(frame.id.map(|id| Handler::Closure(closure, id, made_by)));
                return;
            }
            ExprKind::Name(_) | ExprKind::Field { .. } => {
                if let Callee::Functions(ids, _) = self.resolve_callee(origin, usize::MAX, frame) {
                    found.extend(ids.into_iter().map(Handler::Function));
                    return;
                }
            }
            ExprKind::Call(call) => match self.resolve(call, frame) {
                Callee::Type(_) if !methods.is_empty() => {}
                // `http.HandlerFunc(f)`: a conversion.
                Callee::Type(_) | Callee::External(_) | Callee::Method { .. } => {
                    let converts = methods.is_empty() || call.args.len() == 1;
                    let args = call.args.iter().filter(|_| converts);
                    for arg in args.filter(|arg| can_be_function(arg)) {
                        found.extend(self.handlers(arg, methods, frame));
                    }
                    if methods.is_empty() || !found.is_empty() {
                        return;
                    }
                }
                _ => {}
            },
            _ => {}
        }
        if methods.is_empty() {
            return;
        }
        let Some(of) = self.type_of(origin, frame) else {
            return;
        };
        found.extend(self.methods_run(&self.names_of(&of), methods));
    }

    /// The first of these methods that a type of one of these names has.
    fn methods_run(&self, names: &[String], methods: &[Arc<str>]) -> Vec<Handler<'a>> {
        let found = methods.iter().map(|method| {
            let ids = names
                .iter()
                .flat_map(|name| self.program.methods_of(name, method));
            ids.map(Handler::Function).collect::<Vec<_>>()
        });
        found
            .into_iter()
            .find(|ids| !ids.is_empty())
            .unwrap_or_default()
    }
}

fn can_be_function(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Closure(_) | ExprKind::Name(_) | ExprKind::Field { .. } | ExprKind::Call(_)
    )
}
