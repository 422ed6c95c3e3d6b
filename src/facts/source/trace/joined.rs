//! What handlers run, if they are given the attempt's transaction: on it, or beside it.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use crate::model::source::{Pattern, TypeRef};
use crate::rules::QueueWord;

use super::super::buses::Buses;
use super::super::frame::Analysis;
use super::super::handler::Handler;
use super::results::Gives;
use super::roots::Map;
use super::value::{Env, Kind, Val};
use super::walk::Walk;
use super::{ATTEMPT, Carried, HandlerSteps, Wanted};

/// How many statements of source are gone through for one handler.
const MAX_STATEMENTS: usize = 10_000;
/// How many for all of them.
const MAX_FOR_ALL: usize = 100_000;

/// Walks every handler; `carries` is what the context holds that it is given.
pub(super) fn walk<'a>(
    analysis: &Analysis<'a>,
    buses: &Buses,
    map: &Map,
    handlers: &[Handler<'a>],
    carries: &[Carried],
    wanted: Wanted<'_>,
) -> Vec<HandlerSteps> {
    let mut seen = BTreeSet::new();
    let mut left = MAX_FOR_ALL;
    let mut found = Vec::new();
    for handler in handlers {
        let place = handler.place(analysis);
        if !seen.insert(place.clone()) {
            continue;
        }
        let mut walk = Walk::new(analysis, buses, map, wanted);
        walk.everywhere = true;
        walk.left = MAX_STATEMENTS.min(left);
        let most = walk.left;
        let within = handler.within();
        let mut env: Env<'a> = Rc::default();
        for param in handler.params(analysis) {
            if let Pattern::Name(name, _) = &param.pattern {
                let val = given(analysis, &param.of, carries);
                Rc::make_mut(&mut env).insert(Arc::clone(name), val);
            }
        }
        walk.open.push(within);
        let frame = analysis.frame(within);
        walk.body(handler.body(analysis), Gives::Function, &frame, &mut env, 0);
        left -= most - walk.left;
        found.push(HandlerSteps {
            title: handler.title(analysis),
            place,
            steps: walk.trace.steps,
            whole: walk.trace.whole,
        });
    }
    found
}

/// What a parameter of a handler holds: the transaction, or a context that carries it.
fn given<'a>(analysis: &Analysis<'a>, of: &TypeRef, carries: &[Carried]) -> Val<'a> {
    let is = |word: QueueWord| {
        let mut rules = analysis.rules.queue.iter();
        rules.any(|rule| rule.means == word && rule.call.receiver.contains(&of.name))
    };
    if is(QueueWord::Commit) {
        return Val::of(Kind::Tx(ATTEMPT));
    }
    let mut val = Val::default();
    if is(QueueWord::Carried) {
        val.carries.extend_from_slice(carries);
    }
    val
}
