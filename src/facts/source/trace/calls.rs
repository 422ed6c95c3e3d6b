//! Calls: what a rule says of them, and the functions of the tree that they run.

use std::rc::Rc;
use std::sync::Arc;

use crate::model::effect::EffectKind;
use crate::model::source::{Block, Call, Closure, Expr, ExprKind, Language, Pattern};
use crate::rules::QueueWord;

use super::super::calls::Site;
use super::super::frame::Frame;
use super::super::program::FnId;
use super::super::resolve::Callee;
use super::super::texts::called_name;
use super::hands::hands_off;
use super::results::Gives;
use super::statements::{MAX_CALLS, Walk, assign, bind};
use super::value::{Env, Kind, Val};
use super::{Inside, What};

/// A call with more implementations than this is not followed.
pub(super) const MAX_IMPLEMENTATIONS: usize = 3;

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
        if let Kind::Closure(closure, inner, id) = self.held(call, &on, env).kind {
            return self.closure(closure, inner, id, &args, from);
        }
        self.analysis.refuel();
        let callee = self.analysis.resolve(call, frame);
        if let Some(results) = self.known(call, &callee, &on, &args, frame, env) {
            return results;
        }
        match &callee {
            Callee::Functions(ids, _) if ids.len() <= MAX_IMPLEMENTATIONS => {
                let mut all: Option<Vec<Val<'a>>> = None;
                let depth = self.within.len();
                for (at, id) in ids.iter().enumerate() {
                    // Of several implementations one runs.
                    let results = match at + 1 == ids.len() {
                        true => self.enter(*id, call, &on, &args, frame),
                        false => {
                            let branch = self.condition(&Val::default());
                            let one = Inside::Then(branch);
                            let results =
                                self.inside(one, |walk| walk.enter(*id, call, &on, &args, frame));
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

    /// The function that a variable, or a part of a value, holds.
    fn held(&self, call: &'a Call, on: &Val<'a>, env: &Env<'a>) -> Val<'a> {
        let held = match (&call.callee.kind, &on.kind) {
            (ExprKind::Name(name), _) => env.get(name),
            (ExprKind::Field { name, .. }, Kind::Made(parts)) => parts.get(name),
            _ => None,
        };
        held.cloned().unwrap_or_default()
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
        let id = frame.id?;
        let place = frame.file.place(call.at);
        let site = Site {
            call,
            callee: callee.clone(),
            within: id,
        };
        if hands_off(self.analysis, self.buses, &self.map.working, &site)
            && self.map.core.contains(&id)
        {
            let carried = args.iter().flat_map(Val::transactions);
            let mut carries: Vec<usize> = carried.map(|tx| self.lasting(tx)).collect();
            carries.sort_unstable();
            carries.dedup();
            let direct = args
                .iter()
                .any(|arg| matches!(arg.kind, Kind::Tx(_) | Kind::Nested(..)));
            let lost = !direct && !self.map.takes_out;
            let at = self.step(place, What::HandOff { carries, lost });
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
        }
        // Whoever is given a function may run it.
        for arg in args {
            if let Kind::Closure(closure, inner, id) = &arg.kind {
                self.closure(closure, inner.clone(), *id, &[], from);
            }
        }
        let name = called_name(call);
        let all = args.iter().fold(on.clone(), |all, arg| all.taking(arg));
        let kind = match &on.kind {
            _ if args.iter().any(|arg| matches!(arg.kind, Kind::FlagText)) => Kind::Flag(true),
            Kind::Now | Kind::OfClock => Kind::OfClock,
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
        if &*name == "append" && matches!(callee, Callee::Value(_)) {
            return appended(args);
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

    /// Goes through a function of the tree.
    pub(super) fn enter(
        &mut self,
        id: FnId,
        call: &'a Call,
        on: &Val<'a>,
        args: &[Val<'a>],
        frame: &Frame<'a, '_>,
    ) -> Vec<Val<'a>> {
        let from = self.next();
        let follows =
            self.at_work || self.map.spine.contains(&id) || self.map.settings.contains(&id);
        let function = self.analysis.program.function(id);
        let all = args.iter().fold(on.clone(), |all, arg| all.taking(arg));
        if !follows || self.open.contains(&id) || self.open.len() >= MAX_CALLS {
            return vec![Val {
                kind: Kind::Unknown,
                ..all
            }];
        }
        let mut env: Env<'a> = Rc::default();
        let names = Rc::make_mut(&mut env);
        if let Some(receiver) = &function.receiver {
            names.insert(Arc::clone(receiver), on.clone());
        }
        for (at, param) in function.params.iter().enumerate() {
            let val = match param.rest {
                true => {
                    let rest = args.iter().skip(at).enumerate();
                    let parts = rest.map(|(at, val)| (at.to_string().into(), val.clone()));
                    Val::of(Kind::Made(Rc::new(parts.collect())))
                }
                false => args.get(at).cloned().unwrap_or_default(),
            };
            bind(&param.pattern, val, &mut env);
        }
        let entered = frame.enter(self.analysis, id, call);
        let was = self.at_work;
        self.at_work |= self.map.core.contains(&id);
        self.open.push(id);
        let gives = match function.returns.is_empty() {
            true => Gives::Nothing,
            false => Gives::Function,
        };
        let results = self.body(&function.body, gives, &entered, env, from);
        self.open.pop();
        self.at_work = was;
        results
    }

    /// Goes through a function without a name.
    pub(super) fn closure(
        &mut self,
        closure: &'a Closure,
        mut env: Env<'a>,
        id: FnId,
        args: &[Val<'a>],
        from: usize,
    ) -> Vec<Val<'a>> {
        if self.returned.len() >= MAX_CALLS * 2 {
            self.trace.whole = false;
            return Vec::new();
        }
        for (at, param) in closure.params.iter().enumerate() {
            if let Pattern::Name(..) = param.pattern {
                bind(
                    &param.pattern,
                    args.get(at).cloned().unwrap_or_default(),
                    &mut env,
                );
            }
        }
        let frame = self.analysis.frame(id);
        self.body(&closure.body, Gives::Function, &frame, env, from)
    }

    fn body(
        &mut self,
        body: &'a Block,
        gives: Gives,
        frame: &Frame<'a, '_>,
        mut env: Env<'a>,
        from: usize,
    ) -> Vec<Val<'a>> {
        let depth = self.within.len();
        let floor = std::mem::replace(&mut self.floor, depth);
        // In Rust the last expression is what the function gives.
        let gives = match frame.file.language {
            Language::Rust => gives,
            _ => Gives::Nothing,
        };
        let gives = std::mem::replace(&mut self.gives, gives);
        self.returned.push(Vec::new());
        self.block(body, frame, &mut env);
        self.gives = gives;
        self.floor = floor;
        let returned = self.returned.pop().unwrap_or_default();
        self.within.truncate(depth);
        let about = Val::about((from, self.next()));
        let mut results = returned.into_iter().filter(|values| !values.is_empty());
        let first = results.next().unwrap_or_else(|| vec![Val::default()]);
        let all = results.fold(first, either);
        all.into_iter().map(|val| val.taking(&about)).collect()
    }
}

fn either<'a>(one: Vec<Val<'a>>, two: Vec<Val<'a>>) -> Vec<Val<'a>> {
    let count = one.len().max(two.len());
    let mut two = two.into_iter();
    let mut all: Vec<Val<'a>> = one
        .into_iter()
        .map(|val| match two.next() {
            Some(other) => val.or(other),
            None => val,
        })
        .collect();
    all.extend(two);
    all.truncate(count);
    all
}

fn appended<'a>(args: &[Val<'a>]) -> Val<'a> {
    let mut parts = match args.first().map(|first| &first.kind) {
        Some(Kind::Made(parts)) => (**parts).clone(),
        _ => return args.iter().fold(Val::default(), |all, arg| all.taking(arg)),
    };
    for arg in args.iter().skip(1) {
        parts.insert(parts.len().to_string().into(), arg.clone());
    }
    Val::of(Kind::Made(Rc::new(parts)))
}
