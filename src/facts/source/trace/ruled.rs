//! Calls of which a rule of the queue says what they do.

use std::rc::Rc;
use std::sync::Arc;

use crate::model::source::{Call, Expr, ExprKind};
use crate::rules::{QueueRule, QueueWord};

use super::super::frame::Frame;
use super::super::resolve::Callee;
use super::bound::assign;
use super::logic;
use super::signals::numbers;
use super::value::{Env, Kind, Query, Val};
use super::walk::Walk;
use super::{ANY_CODE, Carried, Inside, What};

impl<'a> Walk<'a, '_> {
    pub(super) fn ruled(
        &mut self,
        rule: &'a QueueRule,
        call: &'a Call,
        on: &Val<'a>,
        args: &[Val<'a>],
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
    ) -> Option<Vec<Val<'a>>> {
        let place = frame.file.place(call.at);
        let named = rule.arg.and_then(|at| at.checked_sub(1));
        let arg = named.and_then(|at| args.get(at));
        let tx = match on.kind {
            Kind::Tx(tx) => Some(self.lasting(tx)),
            _ => None,
        };
        let one = |val: Val<'a>| Some(vec![val]);
        match rule.means {
            QueueWord::Begin => {
                let at = self.step(place, What::Begin);
                let val = Val {
                    kind: Kind::Tx(at),
                    ..Val::about((at, at + 1))
                };
                Some(vec![val, Val::about((at, at + 1))])
            }
            QueueWord::Transaction => {
                let at = self.step(place.clone(), What::Begin);
                let mut val = Val::default();
                if let Some(Kind::Closure(closure, inner, id)) = arg.map(|arg| &arg.kind) {
                    let given = [Val::of(Kind::Tx(at))];
                    val = self
                        .closure(closure, inner.clone(), *id, &given, at)
                        .pop()
                        .unwrap_or_default();
                }
                let end = self.step(place, What::Commit(Some(at)));
                one(val.taking(&Val::about((at, end + 1))))
            }
            QueueWord::Commit => {
                if let Kind::Nested(..) = on.kind {
                    return one(Val::default().taking(on));
                }
                let at = self.ends_transaction(tx, What::Commit(tx), place);
                one(Val::about((at, at + 1)))
            }
            QueueWord::Rollback => {
                let at = match on.kind {
                    Kind::Nested(tx, number) => {
                        self.marks(tx, number, "ROLLBACK TO SAVEPOINT", place)
                    }
                    _ => self.ends_transaction(tx, What::Rollback(tx), place),
                };
                one(Val::about((at, at + 1)))
            }
            QueueWord::Savepoint => {
                let tx = tx.or(match on.kind {
                    Kind::Nested(tx, _) => Some(tx),
                    _ => None,
                })?;
                let number = self.number();
                let at = self.marks(tx, number, "SAVEPOINT", place);
                let kind = Kind::Nested(tx, number);
                one(Val {
                    kind,
                    ..Val::about((at, at + 1))
                })
            }
            QueueWord::Query | QueueWord::Pieces => {
                let mut statement = self.built(call, named?, args, frame)?;
                if rule.means == QueueWord::Pieces {
                    statement.sql = None;
                    statement.shown = format!("${}", statement.shown);
                }
                one(Val::of(Kind::Query(Rc::new(Query { statement, place }))))
            }
            QueueWord::Same => one(match arg {
                Some(arg) => arg.clone(),
                None => on.clone(),
            }),
            QueueWord::RowCount => {
                let kind = match on.kind {
                    Kind::Result(at) => Kind::Count(at),
                    _ => Kind::Unknown,
                };
                let rest = Val::default().taking(on);
                Some(vec![
                    Val {
                        kind,
                        ..rest.clone()
                    },
                    rest,
                ])
            }
            QueueWord::Tick => {
                let nanos = match arg.map(|arg| &arg.kind) {
                    Some(Kind::Span(nanos)) => Some(*nanos),
                    // In a language whose libraries count in one unit.
                    Some(Kind::Text(text)) => rule.nanos.and_then(|unit| many(text, unit)),
                    _ => None,
                };
                match on.kind {
                    // `ticks.tick()` waits for what ticks already.
                    Kind::Ticker(number) => {
                        self.step(place, What::Receive(vec![number]));
                        return one(Val::default());
                    }
                    // `stop.wait(15)`.
                    Kind::Channel(number) => {
                        self.step(place.clone(), What::Receive(vec![number]));
                    }
                    _ => {}
                }
                let number = self.number();
                self.step(place, What::Tick { nanos, number });
                one(Val::of(Kind::Ticker(number)))
            }
            QueueWord::Scan => {
                self.scanned(&call.args, on, env);
                one(Val::default().taking(on))
            }
            QueueWord::Span => {
                let nanos = rule.nanos?;
                let kind = match arg.map(|arg| &arg.kind) {
                    Some(Kind::Span(of)) => of.checked_mul(nanos).map(Kind::Span),
                    Some(Kind::Text(text)) => {
                        let number = text.parse::<i64>().ok();
                        number
                            .and_then(|number| number.checked_mul(nanos))
                            .map(Kind::Span)
                    }
                    _ => None,
                };
                one(Val::of(kind.unwrap_or_default()))
            }
            QueueWord::Amount => {
                let kind = match (&on.kind, rule.nanos) {
                    (Kind::Span(span), Some(nanos)) => {
                        let count = span.checked_div(nanos);
                        count.map(|count| Kind::Text(count.to_string().into()))
                    }
                    _ => None,
                };
                one(Val::of(kind.unwrap_or_default()))
            }
            QueueWord::Later => {
                let kind = match (&on.kind, arg.map(|arg| &arg.kind)) {
                    (Kind::Now(loops), Some(Kind::Span(nanos))) => {
                        Kind::OfClock(Some(nanos / 1_000), Arc::clone(loops))
                    }
                    (Kind::Now(loops) | Kind::OfClock(_, loops), _) => {
                        Kind::OfClock(None, Arc::clone(loops))
                    }
                    _ => Kind::Unknown,
                };
                one(Val::of(kind))
            }
            QueueWord::Cancellable | QueueWord::Timed => {
                let number = self.number();
                if rule.means == QueueWord::Timed {
                    self.trace.timed.push(number);
                }
                let mut val = args.first().cloned().unwrap_or_default();
                val.ends.push(number);
                Some(vec![val, Val::of(Kind::Ends(number))])
            }
            QueueWord::Ended => {
                self.step(place, What::Receive(numbers(on)));
                let mut val = Val::default();
                val.ends.clone_from(&on.ends);
                one(val)
            }
            QueueWord::Stop => {
                if let Kind::Ticker(number) | Kind::Channel(number) | Kind::Started(number) =
                    on.kind
                {
                    self.step(place, What::Signal(number));
                }
                one(Val::default())
            }
            QueueWord::Signal => one(Val::of(Kind::Channel(self.number()))),
            QueueWord::Wraps => one(arg.cloned().unwrap_or_default()),
            QueueWord::ErrorIs => {
                let error = args.first().cloned().unwrap_or_default();
                let codes = arg.map(|arg| arg.codes.clone()).unwrap_or_default();
                let kind = match codes.is_empty() || error.about.is_empty() {
                    true => Kind::Unknown,
                    false => logic::named(codes, true),
                };
                one(Val { kind, ..error }.taking(arg?))
            }
            QueueWord::Wait => {
                self.step(place, What::Wait);
                one(Val::default())
            }
            QueueWord::Hash => {
                self.step(place, What::Hash);
                one(Val::default())
            }
            QueueWord::Setting => {
                let is_flag = arg.and_then(Val::text).map(|text| &**text) == self.wanted.flag
                    && self.wanted.flag.is_some();
                let kind = if is_flag {
                    Kind::FlagText
                } else {
                    Kind::Unknown
                };
                one(Val::of(kind))
            }
            QueueWord::ErrorAs => {
                let error = args.first().cloned().unwrap_or_default();
                if let Some(target) = named.and_then(|at| call.args.get(at)) {
                    assign(target, Val::default().taking(&error), env);
                }
                let kind = match error.about.is_empty() {
                    true => Kind::Unknown,
                    false => logic::named([ANY_CODE.into()], true),
                };
                one(Val { kind, ..error })
            }
            QueueWord::Carries => {
                let mut val = args.first().cloned().unwrap_or_default();
                let key = call.args.get(1).and_then(|key| self.key(key, frame));
                for Carried { tx, .. } in arg.map(Val::transactions).unwrap_or_default() {
                    let key = key.clone();
                    let carried = Carried { tx, key };
                    if !val.carries.contains(&carried) {
                        val.carries.push(carried);
                    }
                }
                one(val)
            }
            QueueWord::Carried => {
                let key = call.args.first().and_then(|key| self.key(key, frame));
                let fits = |carried: &&Carried| match (&carried.key, &key) {
                    (Some(one), Some(two)) => one == two,
                    _ => true,
                };
                let found: Vec<&Carried> = on.carries.iter().filter(fits).collect();
                let kind = match (&found[..], on.carries.is_empty()) {
                    ([carried], _) => Kind::Tx(carried.tx),
                    // It carries others under other keys.
                    ([], false) => Kind::Nil,
                    _ => Kind::Unknown,
                };
                one(Val::of(kind))
            }
            QueueWord::Clock => {
                let loops = self.within.iter().filter_map(|inside| match inside {
                    Inside::Loop(number) => Some(*number),
                    _ => None,
                });
                one(Val::of(Kind::Now(loops.collect())))
            }
            // Asked for where the call, or the block around it, is gone through.
            QueueWord::Spawn
            | QueueWord::Job
            | QueueWord::Start
            | QueueWord::Bind
            | QueueWord::Run
            | QueueWord::RunForRow
            | QueueWord::Scope
            | QueueWord::OwnScope
            | QueueWord::Connection
            | QueueWord::Autocommit => None,
        }
    }

    /// The key of a context: a text, or a value of a type that is there for nothing else.
    fn key(&self, expr: &'a Expr, frame: &Frame<'a, '_>) -> Option<Arc<str>> {
        if let ExprKind::Make { of: Some(of), .. } = &expr.kind {
            return Some(self.analysis.program.type_name(frame.file, of).into());
        }
        self.analysis.refuel();
        let texts = self.analysis.texts(expr, frame);
        match (&texts.constants()[..], texts.options.len(), texts.complete) {
            ([one], 1, true) => Some(Arc::from(*one)),
            _ => match &expr.kind {
                ExprKind::Name(name) => Some(self.analysis.program.named(frame.file, name).into()),
                _ => None,
            },
        }
    }

    /// True of the name of a method that ends what ticks.
    pub(super) fn stops(&self, name: &str) -> bool {
        let mut rules = self.analysis.rules.queue.iter();
        rules.any(|rule| {
            rule.means == QueueWord::Stop && rule.call.method.iter().any(|method| **method == *name)
        })
    }

    /// Runs a function that is given away.
    pub(super) fn given(
        &mut self,
        run: &'a Expr,
        val: &Val<'a>,
        args: &[Val<'a>],
        call: &'a Call,
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
    ) {
        let from = self.next();
        if let Kind::Closure(closure, inner, id) = &val.kind {
            self.closure(closure, inner.clone(), *id, args, from);
            return;
        }
        if !matches!(run.kind, ExprKind::Name(_) | ExprKind::Field { .. }) {
            return;
        }
        self.analysis.refuel();
        if let Callee::Functions(ids, _) = self.analysis.resolve_callee(run, usize::MAX, frame) {
            let on = match &run.kind {
                ExprKind::Field { of, .. } => self.eval(of, frame, env),
                _ => Val::default(),
            };
            for id in ids {
                self.enter(id, call, &on, args, frame, env);
            }
        }
    }
}

/// So many units, in nanoseconds: `15`, `0.5`.
fn many(text: &str, unit: i64) -> Option<i64> {
    let whole = text.parse::<i64>().ok();
    match whole {
        Some(whole) => whole.checked_mul(unit),
        None => {
            let (whole, part) = text.split_once('.')?;
            let tenths = 10_i64.checked_pow(part.len().try_into().ok()?)?;
            let all = format!("{whole}{part}").parse::<i64>().ok()?;
            all.checked_mul(unit)?.checked_div(tenths)
        }
    }
}
