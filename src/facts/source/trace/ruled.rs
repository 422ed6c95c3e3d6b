//! Calls of which a rule of the queue says what they do.

use crate::model::source::{Call, Expr, ExprKind};
use crate::rules::{QueueRule, QueueWord};

use super::super::frame::Frame;
use super::super::resolve::Callee;
use super::statements::{Walk, assign};
use super::value::{Env, Kind, Val};
use super::{Inside, What};

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
            Kind::Tx(tx) => Some(tx),
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
                let at = self.step(place, What::Commit(tx));
                one(Val::about((at, at + 1)))
            }
            QueueWord::Rollback => {
                let at = self.step(place, What::Rollback(tx));
                one(Val::about((at, at + 1)))
            }
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
                self.step(place, What::Tick);
                one(Val::default())
            }
            QueueWord::Wait => {
                self.step(place, What::Wait);
                one(Val::default())
            }
            QueueWord::Hash => {
                self.step(place, What::Hash);
                one(Val::default())
            }
            QueueWord::Spawn => {
                let number = self.number();
                let run = named.and_then(|at| call.args.get(at));
                self.inside(Inside::Spawn(number), |walk| {
                    walk.given(run, arg, call, frame, &mut env.clone());
                });
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
                one(Val {
                    kind: Kind::Unknown,
                    ..error
                })
            }
            QueueWord::Carries => {
                let mut val = args.first().cloned().unwrap_or_default();
                if let Some(arg) = arg {
                    for tx in arg.transactions() {
                        if !val.carries.contains(&tx) {
                            val.carries.push(tx);
                        }
                    }
                }
                one(val)
            }
            QueueWord::Carried => {
                let kind = match on.carries[..] {
                    [tx] => Kind::Tx(tx),
                    _ => Kind::Unknown,
                };
                one(Val::of(kind))
            }
            QueueWord::Clock => one(Val::of(Kind::Now)),
        }
    }

    /// Runs a function that is given away.
    fn given(
        &mut self,
        run: Option<&'a Expr>,
        val: Option<&Val<'a>>,
        call: &'a Call,
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
    ) {
        let from = self.next();
        if let Some(Kind::Closure(closure, inner, id)) = val.map(|val| &val.kind) {
            self.closure(closure, inner.clone(), *id, &[], from);
            return;
        }
        let Some(run) = run else { return };
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
                self.enter(id, call, &on, &[], frame);
            }
        }
    }
}
