//! Calls: what a rule says of them, and the functions of the tree that they run.

use std::rc::Rc;
use std::sync::Arc;

use crate::model::effect::EffectKind;
use crate::model::source::{Block, Call, Closure, Expr, ExprKind, Pattern};

use super::super::calls::Site;
use super::super::frame::Frame;
use super::super::program::FnId;
use super::super::resolve::Callee;
use super::super::texts::called_name;
use super::roots::hands_off;
use super::statements::{MAX_CALLS, Walk, assign, bind};
use super::value::{Env, Kind, Val};
use super::{Given, Runs, Statement, What};

/// A call with more implementations than this is not followed.
const MAX_IMPLEMENTATIONS: usize = 3;

impl<'a> Walk<'a, '_> {
    /// The results of a call; of any other expression, its value.
    pub(super) fn results(
        &mut self,
        expr: &'a Expr,
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
    ) -> Vec<Val<'a>> {
        let ExprKind::Call(call) = &expr.kind else {
            return vec![self.eval(expr, frame, env)];
        };
        let from = self.next();
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
        if let Kind::Closure(closure, inner, id) = self.held(call, frame, env).kind {
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
                for id in ids {
                    let results = self.enter(*id, call, &on, &args, frame);
                    all = Some(match all {
                        None => results,
                        Some(before) => either(before, results),
                    });
                }
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

    /// The function that a variable holds.
    fn held(&mut self, call: &'a Call, frame: &Frame<'a, '_>, env: &mut Env<'a>) -> Val<'a> {
        match &call.callee.kind {
            ExprKind::Name(name) => env.get(name).cloned().unwrap_or_default(),
            ExprKind::Field { of, .. } if self.analysis.package_of(of, frame).is_none() => {
                self.eval(&call.callee, frame, env)
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
        let id = frame.id?;
        let place = frame.file.place(call.at);
        let site = Site {
            call,
            callee: callee.clone(),
            within: id,
        };
        if hands_off(self.analysis, self.buses, &site) && self.map.core.contains(&id) {
            let mut carries: Vec<usize> = args.iter().flat_map(Val::transactions).collect();
            carries.sort_unstable();
            carries.dedup();
            let direct = args.iter().any(|arg| matches!(arg.kind, Kind::Tx(_)));
            let lost = !direct && !self.map.takes_out;
            let at = self.step(place, What::HandOff { carries, lost });
            return Some(vec![Val::about((at, at + 1))]);
        }
        let is_library = matches!(on.kind, Kind::Tx(_) | Kind::Pool);
        let sql = match is_library {
            true => self.analysis.sql_argument_of(call, frame),
            false => None,
        };
        let sql = sql.or_else(|| self.analysis.sql_argument(call, callee, frame));
        if let Some(sql) = sql {
            let at = self.statement(call, sql, on, args, frame, env)?;
            let val = Val {
                kind: Kind::Result(at),
                ..Val::about((at, at + 1))
            };
            return Some(vec![val, Val::about((at, at + 1))]);
        }
        let rule = self.analysis.queue_rule(call, callee, frame)?;
        self.ruled(rule, call, on, args, frame, env)
    }

    fn statement(
        &mut self,
        call: &'a Call,
        sql: usize,
        on: &Val<'a>,
        args: &[Val<'a>],
        frame: &Frame<'a, '_>,
        _env: &mut Env<'a>,
    ) -> Option<usize> {
        let expr = call.args.get(sql)?;
        let (text, shown) = match args.get(sql).and_then(Val::text) {
            Some(text) => (Some(text.to_string()), text.to_string()),
            None => {
                self.analysis.refuel();
                let texts = self.analysis.texts(expr, frame);
                let shown: Vec<String> = texts.options.iter().map(|text| text.shown()).collect();
                let one = match &texts.options[..] {
                    [one] if texts.complete && one.constant().is_some() => Some(one.as_sql()),
                    _ => None,
                };
                (one, shown.join(" | "))
            }
        };
        let mut given = Vec::new();
        for arg in args.iter().skip(sql + 1) {
            match &arg.kind {
                Kind::Made(parts) => {
                    let mut numbered: Vec<(usize, &Val<'a>)> = parts
                        .iter()
                        .filter_map(|(name, val)| Some((name.parse().ok()?, val)))
                        .collect();
                    numbered.sort_by_key(|(at, _)| *at);
                    given.extend(numbered.into_iter().map(|(_, val)| given_of(val)));
                }
                _ => given.push(given_of(arg)),
            }
        }
        let on = match on.kind {
            Kind::Tx(tx) => Runs::Within(tx),
            Kind::Pool => Runs::Alone,
            _ => match &call.callee.kind {
                ExprKind::Field { of, .. } => {
                    self.analysis.refuel();
                    let ty = self.analysis.type_of(of, frame);
                    let names = ty.map_or_else(Vec::new, |ty| self.analysis.names_of(&ty));
                    match self.analysis.begins(&names) {
                        true => Runs::Alone,
                        false => Runs::Unknown,
                    }
                }
                _ => Runs::Unknown,
            },
        };
        let statement = Statement {
            sql: text,
            shown,
            on,
            given,
        };
        let place = frame.file.place(call.at);
        Some(self.step(place, What::Statement(Box::new(statement))))
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
        let kind = match on.kind {
            _ if args.iter().any(|arg| matches!(arg.kind, Kind::FlagText)) => Kind::Flag(true),
            Kind::Now | Kind::OfClock => Kind::OfClock,
            _ => Kind::Unknown,
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
        let results = self.body(&function.body, &entered, env, from);
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
        self.body(&closure.body, &frame, env, from)
    }

    fn body(
        &mut self,
        body: &'a Block,
        frame: &Frame<'a, '_>,
        mut env: Env<'a>,
        from: usize,
    ) -> Vec<Val<'a>> {
        let depth = self.within.len();
        let floor = std::mem::replace(&mut self.floor, depth);
        self.returned.push(Vec::new());
        self.block(body, frame, &mut env);
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

fn given_of(val: &Val<'_>) -> Given {
    match &val.kind {
        Kind::Text(text) => Given::Text(Arc::clone(text)),
        Kind::Now => Given::Now,
        Kind::OfClock => Given::OfClock,
        Kind::Raised => Given::Raised,
        _ => Given::Other,
    }
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
