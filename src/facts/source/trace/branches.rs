//! Conditions: both arms are gone through, and what stands behind knows which of them goes on.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::model::source::{Arm, Block, Expr, Pattern};

use super::super::frame::Frame;
use super::Inside;
use super::statements::{Flow, Walk, bind};
use super::value::{Env, Kind, Val};

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
        let first = self.inside(Inside::Then(branch), |walk| walk.block(then, frame, env));
        let second = self.inside(Inside::Else(branch), |walk| {
            walk.block(otherwise, frame, &mut other)
        });
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
                Flow::On
            }
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
        for arm in arms {
            let mut val = looked_at.clone().unwrap_or_default();
            let mut fits = None;
            for pattern in &arm.patterns {
                if let Pattern::Value(value) = pattern {
                    let wanted = self.eval(value, frame, &mut start.clone());
                    if let Some(text) = wanted.text() {
                        val.codes.insert(Arc::clone(text));
                        if let Some(is) = val.text() {
                            fits = Some(fits.unwrap_or(false) || is == text);
                        }
                    }
                }
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
            for pattern in &arm.patterns {
                bind(pattern, val.clone(), &mut inner);
            }
            let is_default = arm.patterns.is_empty() && arm.guard.is_none();
            let flow = match is_default {
                true => self.block(&arm.body, frame, &mut inner),
                false => self.inside(Inside::Then(branch), |walk| {
                    walk.block(&arm.body, frame, &mut inner)
                }),
            };
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

fn merged<'a>(one: &Env<'a>, two: &Env<'a>) -> Env<'a> {
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
