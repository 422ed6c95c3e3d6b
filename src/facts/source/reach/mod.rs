//! What a handler can reach: its calls, followed through the tree, and the effects among them.

mod value;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::model::effect::EffectKind;
use crate::model::map::{CallHop, MappedDraw, Sureness};
use crate::model::place::Place;
use crate::model::source::{Block, Call, Expr, ExprKind};

use super::buses::{BUS, Buses};
use super::calls::Calls;
use super::effects::{Effects, Found};
use super::frame::{Analysis, Frame};
use super::handler::Handler;
use super::program::{FnId, title};
use super::reached::{Lost, Reach, Reached};
use super::resolve::Callee;
use super::texts::called_name;
use super::walk::{self, Part};

/// Longest chain of calls that is followed.
const MAX_CALLS: usize = 48;
/// A function is gone through for at most this many different sets of arguments.
const MAX_WAYS: usize = 24;
/// From this many bodies on, a function is gone through once more, whatever it is given.
const MANY_BODIES: usize = 1_000;
/// Bodies that are gone through for one handler.
const MAX_BODIES: usize = 20_000;

/// The way of whoever gives something that is not looked at; no signature reads like it.
const ANYTHING: &str = "*";

struct Walk<'a, 'w> {
    analysis: &'w Analysis<'a>,
    buses: &'w Buses,
    calls: &'w Calls<'a>,
    path: Vec<CallHop>,
    ways: HashMap<FnId, HashSet<String>>,
    known: HashSet<(Place, EffectKind, String)>,
    bodies: usize,
    gone: HashSet<Lost>,
    /// True while a decorator is gone through, which calls what it stands on.
    decorating: bool,
    reach: Reach,
}

/// Follows a handler, and what runs beside it.
pub(super) fn follow<'a>(
    analysis: &Analysis<'a>,
    buses: &Buses,
    calls: &Calls<'a>,
    handlers: &[Handler<'a>],
    sureness: Sureness,
) -> Reach {
    let mut walk = Walk::new(analysis, buses, calls);
    for handler in handlers {
        let outer = handler.made_by();
        let outer = outer.map(|(call, id)| (call, analysis.frame(id)));
        let frame = Frame {
            entry: outer.as_ref().map(|(call, outer)| (*call, outer)),
            ..analysis.frame(handler.within())
        };
        walk.block(handler.body(analysis), &frame, sureness);
        if let Handler::Function(id) = handler {
            walk.around(*id, sureness);
        }
    }
    walk.done()
}

/// Follows a part of a function, whoever calls it.
pub(super) fn follow_block<'a>(
    analysis: &Analysis<'a>,
    buses: &Buses,
    calls: &Calls<'a>,
    block: &'a Block,
    within: FnId,
) -> Reach {
    let mut walk = Walk::new(analysis, buses, calls);
    walk.block(block, &analysis.frame(within), Sureness::High);
    walk.done()
}

impl<'a, 'w> Walk<'a, 'w> {
    fn new(analysis: &'w Analysis<'a>, buses: &'w Buses, calls: &'w Calls<'a>) -> Self {
        Self {
            analysis,
            buses,
            calls,
            path: Vec::new(),
            ways: HashMap::new(),
            known: HashSet::new(),
            bodies: 0,
            gone: HashSet::new(),
            decorating: false,
            reach: Reach::default(),
        }
    }

    fn done(mut self) -> Reach {
        self.reach.lost.sort();
        self.reach.lost.dedup();
        self.reach.entered = self.ways.into_keys().collect();
        self.reach
    }
}

impl<'a> Walk<'a, '_> {
    fn block(&mut self, block: &'a Block, frame: &Frame<'a, '_>, sureness: Sureness) {
        for stmt in &block.stmts {
            let mut open = Vec::new();
            walk::stmt_parts(stmt, &mut |part| open.push(part));
            for part in open {
                self.part(part, frame, sureness);
            }
        }
    }

    fn part(&mut self, part: Part<'a>, frame: &Frame<'a, '_>, sureness: Sureness) {
        match part {
            Part::Block(block) => self.block(block, frame, sureness),
            // Whoever is given a closure may run it.
            Part::Closure(closure) => self.block(&closure.body, frame, sureness),
            Part::Expr(expr) => {
                let mut open = Vec::new();
                walk::parts(expr, &mut |part| open.push(part));
                for part in open {
                    self.part(part, frame, sureness);
                }
                if let ExprKind::Call(call) = &expr.kind {
                    self.call(call, frame, sureness);
                }
            }
        }
    }

    fn call(&mut self, call: &'a Call, frame: &Frame<'a, '_>, sureness: Sureness) {
        self.analysis.refuel();
        let callee = self.analysis.resolve(call, frame);
        let place = frame.file.place(call.at);
        if self.effects(call, &callee, frame, sureness) {
            return;
        }
        for arg in &call.args {
            self.given(arg, call, frame, sureness);
        }
        match callee {
            Callee::Functions(ids, sure) => {
                self.enter(ids, call, frame, sureness.min(sure));
            }
            Callee::Type(_) => {
                let ids = self.analysis.runs(&callee);
                self.enter(ids, call, frame, sureness);
            }
            Callee::Value(name) => self.value(call, &name, place, frame, sureness),
            Callee::Unknown { name } => {
                let known = self.analysis.candidates(&name, call.args.len(), frame);
                let count = known.iter().filter(|id| self.calls.can_reach(**id)).count();
                if count > 0 {
                    self.lose(Lost {
                        place,
                        why: format!(
                            "the type of the value is not known, and {count} methods of this name can reach an effect"
                        ),
                        call: name,
                    });
                }
            }
            Callee::External(_) | Callee::Method { .. } | Callee::Closure(_) => {}
        }
    }

    /// Notes the effects that a call is by itself; true if it is one, and is not followed.
    fn effects(
        &mut self,
        call: &'a Call,
        callee: &Callee<'a>,
        frame: &Frame<'a, '_>,
        sureness: Sureness,
    ) -> bool {
        if let Callee::Functions(ids, sure) = callee
            && let Some(event) = ids.iter().find_map(|id| self.buses.dispatching.get(id))
        {
            let target = event.and_then(|at| call.args.get(at)).map_or_else(
                || "in-process bus".to_owned(),
                |arg| {
                    let texts = self.analysis.texts(arg, frame);
                    let names: Vec<String> =
                        texts.options.iter().map(|text| text.shown()).collect();
                    names.join(" | ")
                },
            );
            let found = Found {
                kind: EffectKind::Publish,
                target,
                sql: None,
            };
            self.add(found, call, frame, sureness.min(*sure), &Arc::from(BUS));
            return true;
        }
        let Effects {
            found,
            in_sql,
            rule,
            sure,
        } = match self.analysis.effects_of(call, callee, frame) {
            Some(effects) => effects,
            None => return false,
        };
        let before = self.reach.effects.len();
        for found in found {
            self.add(found, call, frame, sureness.min(sure), &rule);
        }
        for (source, what) in in_sql {
            let place = frame.file.place(call.at);
            let drawn = MappedDraw {
                source,
                what: what.as_str().into(),
                place,
            };
            for effect in self.reach.effects.iter_mut().skip(before) {
                if !effect.draws.contains(&drawn) {
                    effect.draws.push(drawn.clone());
                }
            }
        }
        // A name alone may be somebody else's: the functions of the tree count as well.
        sure != Sureness::Low
    }

    fn add(
        &mut self,
        found: Found,
        call: &'a Call,
        frame: &Frame<'a, '_>,
        sureness: Sureness,
        rule: &Arc<str>,
    ) {
        let Found { kind, target, sql } = found;
        let place = frame.file.place(call.at);
        if !self.known.insert((place.clone(), kind, target.clone())) {
            let mut others = self.reach.effects.iter_mut();
            let same = |other: &&mut Reached| {
                other.place == place && other.kind == kind && other.target == target
            };
            if let Some(other) = others.find(same)
                && other.sql != sql
            {
                // Which of several texts runs is not told.
                other.sql = None;
            }
            return;
        }
        self.reach.effects.push(Reached {
            kind,
            target,
            place,
            path: self.path.clone(),
            sureness,
            draws: self.analysis.draws_of(call, frame),
            guards: Vec::new(),
            notes: Vec::new(),
            key: None,
            rule: Arc::clone(rule),
            sql,
            in_process: &**rule == BUS,
        });
    }

    /// A function of the tree that is given away by name may be run too.
    fn given(&mut self, arg: &'a Expr, call: &'a Call, frame: &Frame<'a, '_>, sureness: Sureness) {
        if !matches!(arg.kind, ExprKind::Name(_) | ExprKind::Field { .. }) {
            return;
        }
        if let Callee::Functions(ids, sure) = self.analysis.resolve_callee(arg, usize::MAX, frame) {
            for id in ids {
                self.run(
                    id,
                    call,
                    None,
                    frame,
                    sureness.min(sure).min(Sureness::Medium),
                );
            }
        }
    }

    /// Goes through functions with what a call gives them.
    fn enter(&mut self, ids: Vec<FnId>, call: &'a Call, frame: &Frame<'a, '_>, sureness: Sureness) {
        let mut ids = ids
            .into_iter()
            .filter(|id| self.calls.can_reach(*id))
            .peekable();
        if ids.peek().is_none() {
            return;
        }
        let given = if self.bodies < MANY_BODIES {
            Some(self.analysis.signature(call, frame))
        } else {
            None
        };
        let ids: Vec<FnId> = ids.collect();
        for id in ids {
            let entry = given.as_deref().map(|given| (call, given));
            self.run(id, call, entry, frame, sureness);
        }
    }

    fn run(
        &mut self,
        id: FnId,
        at: &'a Call,
        entry: Option<(&'a Call, &str)>,
        frame: &Frame<'a, '_>,
        sureness: Sureness,
    ) {
        if !self.calls.can_reach(id) {
            return;
        }
        let decorating = std::mem::take(&mut self.decorating);
        let place = frame.file.place(at.at);
        if self.path.len() >= MAX_CALLS || self.bodies >= MAX_BODIES {
            self.lose(Lost {
                place,
                call: called_name(at),
                why: "the chain of calls is longer than is followed".to_owned(),
            });
            return;
        }
        let ways = self.ways.entry(id).or_default();
        // Once there are too many ways, it is gone through a last time for all the others.
        let entry = entry.filter(|(_, given)| ways.len() < MAX_WAYS || ways.contains(*given));
        let given = entry.map_or(ANYTHING, |(_, given)| given);
        if ways.contains(given) {
            return;
        }
        ways.insert(given.to_owned());
        self.bodies += 1;
        let within = frame
            .function(self.analysis)
            .map_or_else(|| Arc::from(""), title);
        self.path.push(CallHop {
            function: within,
            place,
        });
        let entered = Frame {
            id: Some(id),
            file: self.analysis.program.file(id),
            entry: entry.map(|(call, _)| (call, frame)),
            depth: 0,
        };
        self.decorating = decorating;
        self.block(&self.analysis.program.function(id).body, &entered, sureness);
        self.decorating = false;
        self.around(id, sureness);
        self.path.pop();
    }

    fn lose(&mut self, lost: Lost) {
        if self.gone.insert(lost.clone()) {
            self.reach.lost.push(lost);
        }
    }
}
