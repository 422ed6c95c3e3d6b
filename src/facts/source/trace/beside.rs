//! What runs beside all else: tasks, and threads that are made first and started later.

use std::rc::Rc;

use crate::model::source::{Call, Expr, ExprKind};
use crate::rules::{QueueRule, QueueWord};

use super::super::frame::Frame;
use super::super::matching::argument;
use super::super::resolve::Callee;
use super::super::texts::called_name;
use super::Inside;
use super::value::{Env, Job, Kind, Val};
use super::walk::Walk;

impl<'a> Walk<'a, '_> {
    /// A call that runs something beside. What it is given runs there too: a future does nothing
    /// before it is waited for.
    pub(super) fn beside(
        &mut self,
        call: &'a Call,
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
    ) -> Option<Vec<Val<'a>>> {
        let rule = self.beside_rule(call, frame)?;
        let run = argument(call, rule.arg, &rule.arg_named)?;
        if rule.means == QueueWord::Job {
            return Some(vec![self.job(call, run, frame, env)]);
        }
        let number = self.number();
        let mut inner = env.clone();
        self.inside(Inside::Spawn(number), |walk| {
            let floor = std::mem::replace(&mut walk.floor, walk.within.len());
            match &run.kind {
                ExprKind::Name(_) | ExprKind::Field { .. } | ExprKind::Closure(_) => {
                    let val = walk.eval(run, frame, &mut inner);
                    let mut rest = Vec::new();
                    for arg in call.args.iter().filter(|arg| !std::ptr::eq(*arg, run)) {
                        rest.push(walk.eval(arg, frame, &mut inner));
                    }
                    walk.given(run, &val, &rest, call, frame, &mut inner);
                }
                _ => {
                    walk.returned.push(Vec::new());
                    walk.eval(run, frame, &mut inner);
                    walk.returned.pop();
                }
            }
            walk.floor = floor;
        });
        Some(vec![Val::of(Kind::Started(number))])
    }

    /// The rule for a call that runs something beside, or makes what will.
    fn beside_rule(&self, call: &'a Call, frame: &Frame<'a, '_>) -> Option<&'a QueueRule> {
        let name = called_name(call);
        let mut rules = self.analysis.rules.queue.iter();
        let likely = rules.any(|rule| {
            let mut names = rule.call.method.iter().chain(&rule.call.function);
            matches!(rule.means, QueueWord::Spawn | QueueWord::Job)
                && rule.language == frame.file.language
                && names.any(|full| full.rsplit(['.', ':']).next() == Some(&*name))
        });
        if !likely {
            return None;
        }
        self.analysis.refuel();
        let callee: Callee<'a> = self.analysis.resolve(call, frame);
        let rule = self.analysis.queue_rule(call, &callee, frame)?;
        matches!(rule.means, QueueWord::Spawn | QueueWord::Job).then_some(rule)
    }

    /// A thread that is made and does not run yet.
    fn job(
        &mut self,
        call: &'a Call,
        run: &'a Expr,
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
    ) -> Val<'a> {
        let Some(within) = frame.id else {
            return Val::default();
        };
        let on = match &run.kind {
            ExprKind::Field { of, .. } => self.eval(of, frame, env),
            _ => Val::default(),
        };
        let val = self.eval(run, frame, env);
        let mut args = Vec::new();
        for arg in call.args.iter().filter(|arg| !std::ptr::eq(*arg, run)) {
            let given = self.eval(arg, frame, env);
            if let (Kind::Made(parts), true) = (&given.kind, args.is_empty()) {
                let mut at = 0;
                while let Some(part) = parts.get(&*at.to_string()) {
                    args.push(part.clone());
                    at += 1;
                }
            }
        }
        Val::of(Kind::Job(Rc::new(Job {
            run,
            val,
            on,
            call,
            within,
            args,
        })))
    }

    /// Starts a thread that was made.
    pub(super) fn start(&mut self, job: &Job<'a>) -> Val<'a> {
        let number = self.number();
        let frame = self.analysis.frame(job.within);
        let run = job.run;
        self.inside(Inside::Spawn(number), |walk| {
            let floor = std::mem::replace(&mut walk.floor, walk.within.len());
            let from = walk.next();
            if let Kind::Closure(closure, inner, id) = &job.val.kind {
                walk.closure(closure, inner.clone(), *id, &job.args, from);
            } else if matches!(run.kind, ExprKind::Name(_) | ExprKind::Field { .. }) {
                walk.analysis.refuel();
                if let Callee::Functions(ids, _) =
                    walk.analysis.resolve_callee(run, usize::MAX, &frame)
                {
                    for id in ids {
                        walk.enter(
                            id,
                            job.call,
                            &job.on,
                            &job.args,
                            &frame,
                            &mut Env::default(),
                        );
                    }
                }
            }
            walk.floor = floor;
        });
        Val::of(Kind::Started(number))
    }
}
