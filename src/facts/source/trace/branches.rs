//! Conditions: both arms are gone through, and what stands behind knows which of them goes on.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use crate::model::source::{Arm, Block, Expr, Language, Operator, Pattern, Stmt};

use super::super::frame::Frame;
use super::errors;
use super::fits::fit;
use super::logic::{asked, holds, is_off, named};
use super::statements::Flow;
use super::value::{Env, Kind, Val};
use super::walk::Walk;
use super::{Branch, End, Inside};

impl<'a> Walk<'a, '_> {
    pub(super) fn branch(
        &mut self,
        condition: &'a Expr,
        then: &'a Block,
        otherwise: &'a Block,
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
    ) -> Flow {
        let val = self.eval(condition, frame, env);
        match val.kind {
            Kind::Bool(true) => return self.block(then, frame, env),
            Kind::Bool(false) => return self.block(otherwise, frame, env),
            _ => {}
        }
        let branch = self.condition(&val);
        self.trace.branches[branch].place = Some(frame.file.place(condition.at));
        let mut other = env.clone();
        let (first, mut passed) =
            self.arm(Inside::Then(branch), |walk| walk.block(then, frame, env));
        let (second, more) = self.arm(Inside::Else(branch), |walk| {
            walk.block(otherwise, frame, &mut other)
        });
        passed.extend(more);
        match (first, second) {
            (Flow::Ends, Flow::Ends) => Flow::Ends,
            (Flow::Ends, Flow::On) => {
                *env = other;
                self.within.push(Inside::Else(branch));
                Flow::On
            }
            (Flow::On, Flow::Ends) => {
                self.within.push(Inside::Then(branch));
                Flow::On
            }
            (Flow::On, Flow::On) => {
                *env = merged(env, &other);
                self.within.extend(passed);
                Flow::On
            }
        }
    }

    /// Goes through one arm; with the conditions on errors that held where it came to its end.
    pub(super) fn arm<T>(
        &mut self,
        inside: Inside,
        run: impl FnOnce(&mut Self) -> T,
    ) -> (T, Vec<Inside>) {
        let depth = self.within.len();
        self.within.push(inside);
        let result = run(self);
        let passed = self.passed_since(depth + 1);
        self.within.truncate(depth);
        (result, passed)
    }

    /// The conditions on errors and row counts that hold here, and are not around what stood at a depth.
    fn passed_since(&self, depth: usize) -> Vec<Inside> {
        let own = self.within.get(depth..).unwrap_or_default();
        let passed = own.iter().filter_map(|inside| match inside {
            Inside::Then(at) | Inside::Past(at, true) => Some((*at, true)),
            Inside::Else(at) | Inside::Past(at, false) => Some((*at, false)),
            _ => None,
        });
        passed
            .filter(|(at, _)| {
                let branch = self.trace.branches.get(*at);
                branch.is_some_and(|branch| branch.failed.is_some() || branch.hit.is_some())
            })
            .map(|(at, arm)| Inside::Past(at, arm))
            .collect()
    }

    /// Notes that nobody looks at the errors of the steps since one.
    pub(super) fn drops(&mut self, from: usize, stmt: &'a Stmt, frame: &Frame<'a, '_>) {
        if frame.file.language != Language::Python && from < self.next() {
            let place = frame.file.place(stmt.at);
            self.trace.dropped.push(((from, self.next()), place));
        }
    }

    /// Notes a condition, and gives its number.
    pub(super) fn condition(&mut self, val: &Val<'a>) -> usize {
        let mut branch = Branch {
            about: val.about.clone(),
            codes: val.codes.iter().cloned().collect(),
            bound: val.bound.clone(),
            at: self.next(),
            ..Branch::default()
        };
        let own = &self.within[self.floor.min(self.within.len())..];
        branch.inside = own.iter().rev().find_map(|inside| match inside {
            Inside::Loop(number) => Some(*number),
            _ => None,
        });
        match &val.kind {
            Kind::Failed(_) | Kind::Coded(..) => {
                if let Some((codes, truth)) = errors::said(val) {
                    branch.failed = truth.failing_arm();
                    branch.error = Some((codes.iter().cloned().collect(), truth));
                }
            }
            Kind::Hit(step, hit) => branch.hit = Some((*step, *hit)),
            Kind::Flag(set) => {
                branch.flag = Some(*set);
                branch.missing = val.missing;
            }
            _ => {}
        }
        self.trace.branches.push(branch);
        self.trace.branches.len() - 1
    }

    /// What constants say that a function gives where a statement changed a row, or where a step failed.
    pub(super) fn told(&self, given: &mut [Val<'a>], end: End) {
        let own = &self.within[self.floor.min(self.within.len())..];
        let around = own.iter().rev().filter_map(|inside| match inside {
            Inside::Then(at) => Some((self.trace.branches.get(*at)?, true)),
            Inside::Else(at) => Some((self.trace.branches.get(*at)?, false)),
            _ => None,
        });
        let failed = given.len() > 1
            && end == End::Fails
            && around
                .clone()
                .any(|(branch, arm)| branch.failed == Some(arm));
        let hit = around.clone().find_map(|(branch, arm)| {
            let (step, hit) = branch.hit?;
            Some((step, hit == arm))
        });
        let of = around.clone().find_map(|(branch, arm)| {
            let (codes, truth) = branch.error.as_ref()?;
            let codes: BTreeSet<Arc<str>> = codes.iter().cloned().collect();
            let about = branch.about.clone();
            (!codes.is_empty()).then(|| (Rc::new(codes), *truth, arm, about))
        });
        for val in given.iter_mut() {
            // An error that is nil may be of another way out: only what is there tells.
            if let Some((step, true)) = hit {
                val.nil_tells = match val.kind {
                    Kind::Made(_) | Kind::Row(..) => Some((step, false)),
                    _ => None,
                };
            }
            let kind = val.kind.clone();
            val.kind = match (&kind, hit) {
                (Kind::Bool(_) | Kind::Text(_), _) if failed => Kind::Moot,
                (Kind::Bool(is), Some((step, hit))) => Kind::Told(step, hit, *is),
                (Kind::Bool(is), None) => match &of {
                    Some((codes, truth, arm, about)) => {
                        val.about.clone_from(about);
                        Kind::ToldOf(Rc::clone(codes), *truth, *arm, *is)
                    }
                    None => continue,
                },
                _ => continue,
            };
        }
    }

    pub(super) fn arms(
        &mut self,
        of: Option<&'a Expr>,
        arms: &'a [Arm],
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
    ) -> Flow {
        let looked_at = of.map(|of| self.eval(of, frame, env));
        let depth = self.within.len();
        let start = env.clone();
        let mut after: Option<Env<'a>> = None;
        let mut ends = !arms.is_empty();
        let mut decided = false;
        let mut has_default = false;
        let mut passed = Vec::new();
        let mut on = Vec::new();
        let mut default_ends = false;
        let mut behind = Vec::new();
        let is_rust = frame.file.language == Language::Rust;
        for arm in arms {
            let mut val = looked_at.clone().unwrap_or_default();
            let mut fits = None;
            let mut texts = Vec::new();
            let fitted = looked_at
                .as_ref()
                .filter(|_| is_rust && !arm.patterns.is_empty());
            let fitted = fitted.and_then(|of| fit(&arm.patterns, of));
            let is_fitted = fitted.is_some();
            if let Some(fitted) = fitted {
                val = fitted;
            }
            for pattern in arm.patterns.iter().filter(|_| !is_fitted) {
                if let Pattern::Value(value) = pattern {
                    let wanted = self.eval(value, frame, &mut start.clone());
                    if let Some(text) = wanted.text() {
                        val.codes.insert(Arc::clone(text));
                        texts.push(Arc::clone(text));
                        if let Some(is) = val.text() {
                            fits = Some(fits.unwrap_or(false) || is == text);
                        }
                    }
                }
            }
            if !arm.patterns.is_empty() && texts.len() == arm.patterns.len() {
                val.kind = among(&val, &texts);
            }
            let mut inner = start.clone();
            if let Some(guard) = &arm.guard {
                val = self.eval(guard, frame, &mut inner);
                if let Kind::Bool(is) = val.kind {
                    fits = Some(is);
                }
            }
            has_default |= arm.patterns.is_empty() && arm.guard.is_none();
            if fits == Some(false) || decided {
                continue;
            }
            decided = fits == Some(true);
            let branch = self.condition(&val);
            self.trace.branches[branch].place =
                of.or(arm.guard.as_ref()).map(|at| frame.file.place(at.at));
            self.bind_arm(arm, is_fitted, looked_at.as_ref(), &val, &mut inner);
            let is_default = arm.patterns.is_empty() && arm.guard.is_none();
            let own = self.within.len();
            let (flow, past) = match is_default {
                true => {
                    let flow = self.block(&arm.body, frame, &mut inner);
                    let past = self.passed_since(own);
                    self.within.truncate(own);
                    (flow, past)
                }
                false => self.arm(Inside::Then(branch), |walk| {
                    walk.block(&arm.body, frame, &mut inner)
                }),
            };
            if flow == Flow::On {
                behind.extend(past);
            }
            match flow {
                Flow::Ends if is_default => default_ends = true,
                Flow::Ends => passed.push(Inside::Else(branch)),
                Flow::On => on.push(Inside::Then(branch)),
            }
            if flow == Flow::On {
                ends = false;
                after = Some(match after {
                    Some(before) => merged(&before, &inner),
                    None => inner,
                });
            }
            if !is_default {
                self.within.push(Inside::Else(branch));
            }
        }
        self.within.truncate(depth);
        // What stands behind runs where no arm held that leaves.
        self.within.extend(passed);
        if default_ends && on.len() == 1 {
            self.within.extend(on);
        }
        self.within.extend(behind);
        // In Rust one arm always fits.
        has_default |= is_rust && of.is_some();
        if let Some(after) = after {
            *env = if has_default || decided {
                after
            } else {
                merged(&after, &start)
            };
        }
        match ends && (has_default || decided) {
            true => Flow::Ends,
            false => Flow::On,
        }
    }
}

/// What it tells that a value is one of these texts.
fn among<'a>(val: &Val<'a>, texts: &[Arc<str>]) -> Kind<'a> {
    match &val.kind {
        Kind::Count(step) => asked(*step, |count| {
            let fits: Option<Vec<bool>> = texts
                .iter()
                .map(|text| holds(Operator::Equal, count, text))
                .collect();
            Some(fits?.contains(&true))
        }),
        Kind::FlagText => {
            let off = texts.iter().filter(|text| is_off(text)).count();
            match off {
                0 => Kind::Flag(true),
                all if all == texts.len() => Kind::Flag(false),
                _ => Kind::Unknown,
            }
        }
        Kind::Unknown if !val.about.is_empty() => named(texts.iter().cloned(), true),
        other => other.clone(),
    }
}

pub(super) fn merged<'a>(one: &Env<'a>, two: &Env<'a>) -> Env<'a> {
    if Rc::ptr_eq(one, two) {
        return one.clone();
    }
    let mut all: BTreeMap<Arc<str>, Val<'a>> = BTreeMap::new();
    for (name, val) in one.iter() {
        let val = match two.get(name) {
            Some(other) => val.clone().or(other.clone()),
            None => val.clone(),
        };
        all.insert(Arc::clone(name), val);
    }
    for (name, val) in two.iter() {
        all.entry(Arc::clone(name)).or_insert_with(|| val.clone());
    }
    Rc::new(all)
}
