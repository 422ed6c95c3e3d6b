//! Blocks that are entered and left: transactions that end with a block, and errors that are caught.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::place::Place;
use crate::model::source::{Block, Expr, ExprKind, Handler, Pattern, Stmt};
use crate::rules::QueueWord;

use super::super::frame::Frame;
use super::bound::{assign, bind};
use super::branches::merged;
use super::logic;
use super::statements::Flow;
use super::value::{Env, Kind, Val};
use super::walk::Walk;
use super::{Inside, Runs, Statement, What};

/// Classes of errors that all others are made of.
const EVERY_ERROR: [&str; 2] = ["Exception", "BaseException"];

impl<'a> Walk<'a, '_> {
    /// `with of as name:`.
    pub(super) fn scope(
        &mut self,
        of: &'a Expr,
        name: Option<&'a Pattern>,
        body: &'a Block,
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
    ) -> Flow {
        let word = self.scope_word(of, frame);
        let (Some(word), ExprKind::Call(call)) = (word, &of.kind) else {
            let val = self.eval(of, frame, env);
            if let Some(name) = name {
                bind(name, val, env);
            }
            return self.block(body, frame, env);
        };
        let receiver = match &call.callee.kind {
            ExprKind::Field { of, .. } => Some(&**of),
            _ => None,
        };
        let on = receiver.map_or_else(Val::default, |of| self.eval(of, frame, env));
        let place = frame.file.place(call.at);
        let outer = match on.kind {
            Kind::Tx(tx) | Kind::Nested(tx, _) => Some(self.lasting(tx)),
            _ => None,
        };
        // On what a transaction has begun already, a further one is a savepoint.
        let inside = outer.filter(|tx| word == QueueWord::Savepoint || !self.fresh(*tx));
        if let Some(tx) = inside {
            return self.savepoint(tx, &on, name, body, place, frame, env);
        }
        if word == QueueWord::Savepoint
            || (self.map.autocommit.is_some() && word != QueueWord::OwnScope)
        {
            if let Some(name) = name {
                bind(name, Val::default(), env);
            }
            return self.block(body, frame, env);
        }
        let at = self.step(place.clone(), What::Begin);
        if word == QueueWord::Connection {
            self.connections.push(at);
        }
        let held = Val {
            kind: Kind::Tx(at),
            ..Val::about((at, at + 1))
        };
        if let Some(name) = name {
            bind(name, held.clone(), env);
        }
        // What is called on the connection itself is part of it too.
        let own = receiver.filter(|_| word == QueueWord::OwnScope);
        if let Some(of) = own {
            assign(of, held, env);
        }
        let flow = self.block(body, frame, env);
        if let Some(of) = own {
            assign(of, on, env);
        }
        let now = self.lasting(at);
        self.step(
            place,
            match word {
                QueueWord::Connection => What::Rollback(Some(now)),
                _ => What::Commit(Some(now)),
            },
        );
        flow
    }

    fn scope_word(&mut self, of: &'a Expr, frame: &Frame<'a, '_>) -> Option<QueueWord> {
        let ExprKind::Call(call) = &of.kind else {
            return None;
        };
        self.analysis.refuel();
        let callee = self.analysis.resolve(call, frame);
        let rule = self.analysis.queue_rule(call, &callee, frame)?;
        let opens = matches!(
            rule.means,
            QueueWord::Scope | QueueWord::OwnScope | QueueWord::Connection | QueueWord::Savepoint
        );
        opens.then_some(rule.means)
    }

    /// True of a transaction in which nothing has run yet.
    fn fresh(&self, tx: usize) -> bool {
        !self
            .trace
            .steps
            .iter()
            .skip(tx)
            .any(|step| matches!(&step.what, What::Statement(run) if run.on == Runs::Within(tx)))
    }

    /// A block inside a transaction, to whose begin an error goes back.
    #[allow(clippy::too_many_arguments, reason = "all of it is what the block is")]
    fn savepoint(
        &mut self,
        tx: usize,
        on: &Val<'a>,
        name: Option<&'a Pattern>,
        body: &'a Block,
        place: Place,
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
    ) -> Flow {
        let number = self.number();
        self.marks(tx, number, "SAVEPOINT", place.clone());
        if let Some(name) = name {
            let kind = Kind::Nested(tx, number);
            bind(name, Val { kind, ..on.clone() }, env);
        }
        let from = self.next();
        let flow = self.block(body, frame, env);
        let branch = self.condition(&Val {
            kind: Kind::Failed(true),
            ..Val::about((from, self.next()))
        });
        self.trace.branches[branch].place = Some(place.clone());
        self.inside(Inside::Then(branch), |walk| {
            walk.marks(tx, number, "ROLLBACK TO SAVEPOINT", place);
        });
        flow
    }

    /// Sets a savepoint of a library, or goes back to it.
    pub(super) fn marks(&mut self, tx: usize, number: usize, verb: &str, place: Place) -> usize {
        let sql = format!("{verb} nested_{number}");
        let statement = Statement {
            sql: Some(sql.clone()),
            shown: sql,
            on: Runs::Within(tx),
            given: Vec::new(),
            named: Vec::new(),
            built: None,
        };
        self.step(place, What::Statement(Box::new(statement)))
    }

    /// The transaction that is open on a connection on which another one began, since it was committed.
    pub(super) fn lasting(&self, tx: usize) -> usize {
        let mut tx = tx;
        while let Some(next) = self.renewed.get(&tx) {
            tx = *next;
        }
        tx
    }

    /// Commits; on a connection the next statement begins another transaction.
    pub(super) fn ends_transaction(
        &mut self,
        tx: Option<usize>,
        what: What,
        place: Place,
    ) -> usize {
        let at = self.step(place.clone(), what);
        if let Some(tx) = tx.filter(|tx| self.connections.contains(tx)) {
            let next = self.step(place, What::Begin);
            self.renewed.insert(tx, next);
            self.connections.push(next);
        }
        at
    }

    /// `try … except … finally`.
    pub(super) fn caught(
        &mut self,
        stmt: &'a Stmt,
        body: &'a Block,
        handlers: &'a [Handler],
        finally: &'a Block,
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
    ) -> Flow {
        let from = self.next();
        let depth = self.within.len();
        let start = env.clone();
        let mut flow = self.block(body, frame, env);
        self.within.truncate(depth);
        let about = Val::about((from, self.next()));
        let mut behind = Vec::new();
        let mut after = (flow == Flow::On).then(|| env.clone());
        for handler in handlers {
            let mut val = about.clone();
            let all =
                handler.takes.is_empty() || handler.takes.iter().any(|of| is_every_error(&of.name));
            match all {
                true => val.kind = Kind::Failed(true),
                false => {
                    let names = handler.takes.iter().map(|of| last(&of.name).into());
                    val.codes.extend(names);
                    val.kind = logic::named(val.codes.iter().cloned(), true);
                }
            }
            let branch = self.condition(&val);
            self.trace.branches[branch].place = Some(frame.file.place(stmt.at));
            let mut inner = start.clone();
            if let Some(name) = &handler.name {
                let mut names: BTreeMap<Arc<str>, Val<'a>> = (*inner).clone();
                names.insert(Arc::clone(name), about.clone());
                inner = names.into();
            }
            self.trace.branches[branch].caught = true;
            let (ends, past) = self.arm(Inside::Then(branch), |walk| {
                walk.block(&handler.body, frame, &mut inner)
            });
            match ends {
                Flow::Ends => behind.push(Inside::Else(branch)),
                Flow::On => {
                    behind.extend(past);
                    flow = Flow::On;
                    after = Some(match after {
                        Some(before) => merged(&before, &inner),
                        None => inner,
                    });
                }
            }
            self.within.push(Inside::Else(branch));
        }
        self.within.truncate(depth);
        if let Some(after) = after {
            *env = after;
        }
        let last = self.block(finally, frame, env);
        self.within.extend(behind);
        match last {
            Flow::Ends => Flow::Ends,
            Flow::On => flow,
        }
    }
}

fn is_every_error(name: &str) -> bool {
    EVERY_ERROR.contains(&last(name))
}

/// The last part of a qualified name.
fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}
