//! Subscriptions that give messages: whoever is handed the message is the handler.
//!
//! `for m := range messages`, `while let Some(m) = rx.recv().await`, `match queue.receive().await`:
//! what comes out of the call is followed through names, fields, methods and loops to the function
//! that gets it. A function that only gives the message on is a receiving call by itself.

use crate::model::source::{Block, Call, Expr, ExprKind, Stmt, StmtKind};

use super::calls::Calls;
use super::frame::{Analysis, Frame};
use super::handler::Handler;
use super::program::FnId;
use super::resolve::Callee;
use super::scope::Bound;
use super::walk::{self, Part};

/// A message is followed through this many names.
const MAX_STEPS: usize = 12;
/// And out of this many functions that only give it on.
const MAX_CALLERS: usize = 3;

/// A handler of a stream, with the call that receives as the outermost function writes it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Receiver<'a> {
    /// The receiving call.
    pub(super) call: &'a Call,
    /// The function in which it stands.
    pub(super) within: FnId,
    /// The handler.
    pub(super) handler: Handler<'a>,
}

/// The handlers of what a call gives.
pub(super) fn receivers<'a>(
    analysis: &Analysis<'a>,
    calls: &Calls<'a>,
    call: &'a Call,
    within: FnId,
) -> Vec<Receiver<'a>> {
    let mut found: Vec<Receiver<'a>> = Vec::new();
    let mut open = vec![(call, within, 0)];
    while let Some((call, within, steps)) = open.pop() {
        let body = &analysis.program.function(within).body;
        let mut direct = handed_to(analysis, call, within);
        let around = loop_of(analysis, body, call, within);
        // What is given a message only to look at it is no handler beside one that acts on it.
        let acts = |handler: &Handler<'a>| match handler {
            Handler::Function(id) => calls.can_reach(*id),
            _ => true,
        };
        if direct.iter().any(acts) {
            direct.retain(acts);
        }
        let does_more =
            around.is_some_and(|around| acts_itself(analysis, calls, around, within, &direct));
        if does_more || (direct.is_empty() && around.is_some()) {
            direct = vec![Handler::Function(within)];
        }
        if !direct.is_empty() {
            found.extend(direct.into_iter().map(|handler| Receiver {
                call,
                within,
                handler,
            }));
            continue;
        }
        if steps < MAX_CALLERS && gives_on(analysis, call, within) {
            let outer = calls.callers(within);
            open.extend(outer.map(|site| (site.call, site.within, steps + 1)));
        }
    }
    found
}

/// The functions of the tree that get the message as an argument.
fn handed_to<'a>(analysis: &Analysis<'a>, call: &'a Call, within: FnId) -> Vec<Handler<'a>> {
    let frame = analysis.frame(within);
    let mut found: Vec<Handler<'a>> = Vec::new();
    let mut known: Vec<FnId> = Vec::new();
    walk::each_expr(&analysis.program.function(within).body, &mut |expr| {
        let ExprKind::Call(user) = &expr.kind else {
            return;
        };
        if std::ptr::eq(&**user, call) {
            return;
        }
        if !user
            .args
            .iter()
            .any(|arg| comes_from(analysis, arg, call, &frame))
        {
            return;
        }
        match analysis.resolve(user, &frame) {
            Callee::Functions(ids, _) => {
                for id in ids {
                    if !known.contains(&id) {
                        known.push(id);
                        found.push(Handler::Function(id));
                    }
                }
            }
            Callee::Closure(closure) => found.push(Handler::Closure(closure, within, None)),
            _ => {}
        }
    });
    found
}

/// True of an expression that is the message, or a part of it.
fn comes_from<'a>(
    analysis: &Analysis<'a>,
    expr: &'a Expr,
    call: &'a Call,
    frame: &Frame<'a, '_>,
) -> bool {
    let mut at = expr;
    for _ in 0..MAX_STEPS {
        at = match &at.kind {
            ExprKind::Call(other) if std::ptr::eq(&**other, call) => return true,
            ExprKind::Call(other) => match (&other.callee.kind, &other.args[..]) {
                (ExprKind::Field { of, .. }, _) => of,
                // A conversion, `Arc::try_unwrap(x)`, `timeout(d, x)`.
                (ExprKind::Name(_), args) => match args.last() {
                    Some(last) => last,
                    None => return false,
                },
                _ => return false,
            },
            ExprKind::Field { of, .. } | ExprKind::Index { of, .. } => of,
            ExprKind::Cast { value, .. } => value,
            ExprKind::Block(block) => match block.stmts.last().map(|last| &last.kind) {
                Some(StmtKind::Expr(last)) => last,
                Some(StmtKind::Match { of: Some(of), .. }) => of,
                _ => return false,
            },
            ExprKind::Name(name) => {
                match frame
                    .binding(analysis, name, at.at)
                    .map(|binding| binding.is)
                {
                    Some(Bound::Value {
                        value: Some(value),
                        result: 0,
                        ..
                    }) => value,
                    Some(Bound::Each(list, key)) if key != 0 => list,
                    _ => return false,
                }
            }
            _ => return false,
        };
    }
    false
}

/// The innermost loop that goes over what the call gives, or that makes the call in each round.
fn loop_of<'a>(
    analysis: &Analysis<'a>,
    block: &'a Block,
    call: &'a Call,
    within: FnId,
) -> Option<&'a Stmt> {
    let frame = analysis.frame(within);
    let mut open = vec![(Part::Block(block), None)];
    while let Some((part, around)) = open.pop() {
        match part {
            Part::Expr(expr) => {
                if let ExprKind::Call(other) = &expr.kind
                    && std::ptr::eq(&**other, call)
                    && around.is_some()
                {
                    return around;
                }
                walk::parts(expr, &mut |part| open.push((part, around)));
            }
            Part::Closure(closure) => open.push((Part::Block(&closure.body), around)),
            Part::Block(block) => {
                for stmt in &block.stmts {
                    let mut around = around;
                    if let StmtKind::Loop { over, patterns, .. } = &stmt.kind {
                        around = Some(stmt);
                        if let Some(over) = over
                            && !patterns.is_empty()
                            && comes_from(analysis, over, call, &frame)
                        {
                            return around;
                        }
                    }
                    walk::stmt_parts(stmt, &mut |part| open.push((part, around)));
                }
            }
        }
    }
    None
}

/// True of a loop in which an effect is reached other than by these handlers.
fn acts_itself<'a>(
    analysis: &Analysis<'a>,
    calls: &Calls<'a>,
    around: &'a Stmt,
    within: FnId,
    handlers: &[Handler<'a>],
) -> bool {
    let StmtKind::Loop { body, .. } = &around.kind else {
        return false;
    };
    let frame = analysis.frame(within);
    let mut acts = false;
    walk::each_expr(body, &mut |expr| {
        let ExprKind::Call(call) = &expr.kind else {
            return;
        };
        if acts {
            return;
        }
        analysis.refuel();
        let callee = analysis.resolve(call, &frame);
        acts = match &callee {
            Callee::Functions(ids, _) => ids.iter().any(|id| {
                let handles = |handler: &Handler<'a>| matches!(handler, Handler::Function(known) if known == id);
                calls.can_reach(*id) && !handlers.iter().any(handles)
            }),
            _ => analysis
                .effects_of(call, &callee, &frame)
                .is_some_and(|effects| !effects.found.is_empty()),
        };
    });
    acts
}

/// True if a function gives what the call gives to its own caller.
fn gives_on<'a>(analysis: &Analysis<'a>, call: &'a Call, within: FnId) -> bool {
    let frame = analysis.frame(within);
    let function = analysis.program.function(within);
    super::origins::returned(function, 0)
        .into_iter()
        .any(|value| match value {
            super::origins::Returned::Value(value) | super::origins::Returned::All(value) => {
                comes_from(analysis, value, call, &frame)
            }
        })
}
