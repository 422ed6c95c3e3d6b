//! Calls of which a rule of the queue says what they do.

use std::rc::Rc;

use crate::model::source::{Call, Expr, ExprKind};
use crate::rules::{QueueRule, QueueWord};

use super::super::frame::Frame;
use super::super::resolve::Callee;
use super::What;
use super::statements::{Walk, assign};
use super::value::{Env, Kind, Query, Val};

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
                self.enter(id, call, &on, args, frame);
            }
        }
    }
}
