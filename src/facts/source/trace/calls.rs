//! Calls: what a rule says of them, and the functions of the tree that they run.

use std::rc::Rc;
use std::sync::Arc;

use crate::model::effect::EffectKind;
use crate::model::place::Place;
use crate::model::source::{Call, Expr, ExprKind, Language};
use crate::rules::QueueWord;

use super::super::calls::Site;
use super::super::frame::Frame;
use super::super::resolve::{Callee, is_builtin};
use super::super::texts::called_name;
use super::bound::assign;
use super::enter::either;
use super::hands::hands_off;
use super::rows::{appended, column_of, columns};
use super::value::{Env, Kind, Val};
use super::walk::Walk;
use super::{Carried, Inside, Statement, What};

/// A call with more implementations than this is not followed.
pub(super) const MAX_IMPLEMENTATIONS: usize = 3;
/// Nor one with more than this, of a handler.
const MAX_OF_HANDLERS: usize = 24;

impl<'a> Walk<'a, '_> {
    /// What a call gives.
    pub(super) fn called(
        &mut self,
        expr: &'a Expr,
        call: &'a Call,
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
        from: usize,
    ) -> Vec<Val<'a>> {
        let on = match &call.callee.kind {
            ExprKind::Field { of, .. } if self.analysis.package_of(of, frame).is_none() => {
                self.eval(of, frame, env)
            }
            _ => Val::default(),
        };
        let args: Vec<Val<'a>> = call
            .args
            .iter()
            .map(|arg| self.eval(arg, frame, env))
            .collect();
        // A function that a variable holds knows the names of where it was made.
        let held = self.held(call, &on, frame, env).kind;
        if let Some(results) = self.run_held(held, &args, from, frame.file.place(call.at)) {
            return results;
        }
        self.analysis.refuel();
        let callee = self.analysis.resolve(call, frame);
        if let Some(results) = self.known(call, &callee, &on, &args, frame, env) {
            return results;
        }
        if let Some(val) = self.signalled(call, &callee, &on, &args, frame) {
            return vec![val];
        }
        match &callee {
            Callee::Functions(ids, _) if ids.len() <= self.implementations() => {
                let mut all: Option<Vec<Val<'a>>> = None;
                let depth = self.within.len();
                for (at, id) in ids.iter().enumerate() {
                    // Of several implementations one runs.
                    let results = match at + 1 == ids.len() {
                        true => self.enter(*id, call, &on, &args, frame, env),
                        false => {
                            let branch = self.condition(&Val::default());
                            let one = Inside::Then(branch);
                            let results = self
                                .inside(one, |walk| walk.enter(*id, call, &on, &args, frame, env));
                            self.within.push(Inside::Else(branch));
                            results
                        }
                    };
                    all = Some(match all {
                        None => results,
                        Some(before) => either(before, results),
                    });
                }
                self.within.truncate(depth);
                all.unwrap_or_default()
            }
            Callee::Closure(closure) => {
                let Some(id) = frame.id else {
                    return Vec::new();
                };
                let inner = env.clone();
                self.closure(closure, inner, id, &args, from)
            }
            _ => vec![self.outer(expr, call, &callee, &on, &args, frame, env, from)],
        }
    }

    /// Runs a function that a variable holds.
    pub(super) fn run_held(
        &mut self,
        held: Kind<'a>,
        args: &[Val<'a>],
        from: usize,
        place: Place,
    ) -> Option<Vec<Val<'a>>> {
        match held {
            Kind::Closure(closure, inner, id) => Some(self.closure(closure, inner, id, args, from)),
            Kind::Ends(number) => {
                self.step(place, What::Signal(number));
                Some(Vec::new())
            }
            _ => None,
        }
    }

    fn implementations(&self) -> usize {
        match self.everywhere {
            true => MAX_OF_HANDLERS,
            false => MAX_IMPLEMENTATIONS,
        }
    }

    /// The function that a variable holds.
    fn held(
        &mut self,
        call: &'a Call,
        on: &Val<'a>,
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
    ) -> Val<'a> {
        match &call.callee.kind {
            // `start()()`
            ExprKind::Call(_) => self.eval(&call.callee, frame, env),
            ExprKind::Name(name) => env.get(name).cloned().unwrap_or_default(),
            ExprKind::Field { of, name, .. } if self.analysis.package_of(of, frame).is_none() => {
                self.part(&call.callee, name, on.clone(), frame)
            }
            _ => Val::default(),
        }
    }

    /// A call of which a rule, or the outbox, says what it is.
    fn known(
        &mut self,
        call: &'a Call,
        callee: &Callee<'a>,
        on: &Val<'a>,
        args: &[Val<'a>],
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
    ) -> Option<Vec<Val<'a>>> {
        let place = frame.file.place(call.at);
        let site = |within| Site {
            call,
            callee: callee.clone(),
            within,
        };
        if let Some(id) = frame.id
            && self.map.core.contains(&id)
            && hands_off(self.analysis, self.buses, &self.map.working, &site(id))
        {
            let carried = args.iter().flat_map(Val::transactions);
            let lasting = carried.map(|carried| Carried {
                tx: self.lasting(carried.tx),
                ..carried
            });
            let mut carries: Vec<Carried> = lasting.collect();
            carries.sort_unstable();
            carries.dedup();
            let direct = args
                .iter()
                .any(|arg| matches!(arg.kind, Kind::Tx(_) | Kind::Nested(..)));
            let lost = !direct && !self.map.takes_out;
            let mut of = Vec::new();
            args.iter().for_each(|arg| columns(arg, &mut of, 4));
            let ends = args.iter().flat_map(|arg| arg.ends.clone()).collect();
            let hand = What::HandOff {
                of,
                ends,
                carries,
                lost,
            };
            let at = self.step(place, hand);
            return Some(vec![Val::about((at, at + 1))]);
        }
        match &on.kind {
            Kind::Query(query) => {
                let query = Rc::clone(query);
                if let Some(results) = self.of_query(&query, call, args, frame) {
                    return Some(results);
                }
            }
            Kind::Job(job)
                if self
                    .rule_by_name(call, frame, &[QueueWord::Start])
                    .is_some() =>
            {
                let job = Rc::clone(job);
                return Some(vec![self.start(&job)]);
            }
            Kind::Started(_) | Kind::Channel(_) | Kind::Ticker(_) => {
                let words = [QueueWord::Stop, QueueWord::Ended, QueueWord::Tick];
                if let Some(rule) = self.rule_by_name(call, frame, &words) {
                    return self.ruled(rule, call, on, args, frame, env);
                }
            }
            Kind::Result(_) => {
                let count = self.rule_by_name(call, frame, &[QueueWord::RowCount]);
                if let Some(rule) = count {
                    return self.ruled(rule, call, on, args, frame, env);
                }
            }
            _ => {}
        }
        let rule = self.analysis.queue_rule(call, callee, frame);
        if let Some(rule) =
            rule.filter(|rule| matches!(rule.means, QueueWord::Query | QueueWord::Pieces))
        {
            return self.ruled(rule, call, on, args, frame, env);
        }
        let is_library = matches!(on.kind, Kind::Tx(_) | Kind::Nested(..) | Kind::Pool);
        let sql = match is_library {
            true => self.analysis.sql_argument_of(call, frame),
            false => None,
        };
        let sql = sql.or_else(|| self.analysis.sql_argument(call, callee, frame));
        if let Some(sql) = sql {
            let mut statement = self.built(call, sql, args, frame)?;
            statement.on = self.runs_on(on, call, frame);
            let mut results = self.run(statement, place);
            if let Some(first) = results.first_mut()
                && let Kind::Result(at) = first.kind
                && self.gives_count(call, callee, frame)
            {
                first.kind = Kind::Count(at);
            }
            return Some(results);
        }
        self.ruled(rule?, call, on, args, frame, env)
    }

    /// A call that leads out of the tree, or nowhere that is known.
    #[allow(clippy::too_many_arguments, reason = "all of it is what the call is")]
    fn outer(
        &mut self,
        expr: &'a Expr,
        call: &'a Call,
        callee: &Callee<'a>,
        on: &Val<'a>,
        args: &[Val<'a>],
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
        from: usize,
    ) -> Val<'a> {
        let outside = self.analysis.effects_of(call, callee, frame);
        for found in outside.into_iter().flat_map(|effects| effects.found) {
            let out = matches!(
                found.kind,
                EffectKind::Http | EffectKind::Mail | EffectKind::Publish
            );
            if out {
                self.step(frame.file.place(call.at), What::Outside);
            }
            // What no text of SQL tells: a call of a library that maps rows.
            if self.everywhere && found.sql.is_none() && found.kind.changes_rows() {
                let statement = Statement {
                    sql: None,
                    shown: format!("call of {}", called_name(call)),
                    on: self.runs_on(on, call, frame),
                    given: Vec::new(),
                    named: Vec::new(),
                    built: None,
                };
                let place = frame.file.place(call.at);
                self.step(place, What::Statement(Box::new(statement)));
            }
        }
        // Whoever is given a function may run it.
        for arg in args {
            if let Kind::Closure(closure, inner, id) = &arg.kind {
                self.closure(closure, inner.clone(), *id, &[], from);
            }
        }
        let name = called_name(call);
        let all = args.iter().fold(on.clone(), |all, arg| all.taking(arg));
        let kind = match on.kind {
            _ if args.iter().any(|arg| matches!(arg.kind, Kind::FlagText)) => Kind::Flag(true),
            // `now.UTC()` is the same moment.
            Kind::Now(_) | Kind::OfClock(..) if args.is_empty() => on.kind.clone(),
            Kind::Now(ref loops) | Kind::OfClock(_, ref loops) => {
                Kind::OfClock(None, Arc::clone(loops))
            }
            Kind::Row(of, ref row) => match args {
                [by] => column_of(of, row, by).kind,
                _ => Kind::Row(of, row.clone()),
            },
            // A chain of calls that ends in a statement: `tx.Model(…).Update(…)`.
            Kind::Tx(tx) if self.everywhere => Kind::Tx(tx),
            // A chain of calls that ends in the rows: `query(…).fetch_all(…)`.
            Kind::Result(of) if frame.file.language != Language::Go => Kind::Result(of),
            // A conversion.
            _ if matches!(callee, Callee::Type(_)) && args.len() == 1 => {
                args.first().map(|arg| arg.kind.clone()).unwrap_or_default()
            }
            _ => self.passed(&name, call, on, args, frame),
        };
        let mut val = Val { kind, ..all }.taking(&Val::about((from, self.next())));
        // What a library fills: `rows.Scan(&id)`.
        if !on.about.is_empty() {
            for arg in &call.args {
                if let ExprKind::Name(_) = &arg.kind
                    && !matches!(self.eval(arg, frame, env).kind, Kind::Closure(..))
                {
                    let now = self.eval(arg, frame, env);
                    if now.about.is_empty() && matches!(now.kind, Kind::Unknown | Kind::Nil) {
                        assign(arg, now.taking(&Val::default()).taking(on), env);
                    }
                }
            }
        }
        if name == "append" && is_language_own(call, callee) {
            let number = self.number();
            return appended(args, number);
        }
        if matches!(val.kind, Kind::Unknown) {
            self.analysis.refuel();
            let texts = self.analysis.texts(expr, frame);
            if let ([text], 1) = (&texts.constants()[..], texts.options.len())
                && texts.complete
            {
                val.kind = Kind::Text((*text).into());
            }
        }
        val
    }
}

/// True of a function that the language itself has, and that nothing of the tree hides.
pub(super) fn is_language_own(call: &Call, callee: &Callee<'_>) -> bool {
    let by_name = matches!(&call.callee.kind, ExprKind::Name(name) if is_builtin(name));
    by_name
        && !matches!(
            callee,
            Callee::Functions(..) | Callee::Closure(_) | Callee::Type(_)
        )
}
