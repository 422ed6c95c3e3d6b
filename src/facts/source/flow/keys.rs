//! Idempotency keys: where a call is given one, and what it is made of.

use crate::model::place::Pos;
use crate::model::redelivery::{IdempotencyKey, KeySource};
use crate::model::source::{Call, Expr, ExprKind, TypeRef};
use crate::model::value::ValueSource;
use crate::rules::GuardRole;

use super::super::frame::{Frame, MAX_DEPTH};
use super::super::origins::{Returned, returned};
use super::super::program::FnId;
use super::super::resolve::Callee;
use super::super::scope::Bound;
use super::super::texts::MAX_IMPLEMENTATIONS;
use super::super::walk::{self, Part};
use super::Flow;
use super::state::State;

/// Expressions that one key is followed through.
const MAX_PARTS: usize = 400;

impl<'a> Flow<'a, '_> {
    /// The key that a field of this name holds, if it holds one.
    pub(super) fn key_field(
        &mut self,
        of: Option<&TypeRef>,
        name: &str,
        at: Pos,
        value: &'a Expr,
        frame: &Frame<'a, '_>,
    ) -> Option<usize> {
        let wants = |role| role == GuardRole::IdempotencyKey;
        self.analysis.guard_part(of, name, frame.file, wants)?;
        Some(self.key(value, at, frame))
    }

    /// The number of a key.
    pub(super) fn key(&mut self, value: &'a Expr, at: Pos, frame: &Frame<'a, '_>) -> usize {
        let key = IdempotencyKey {
            from: self.made_of(value, frame),
            place: frame.file.place(at),
        };
        let known = self.keys.iter().position(|known| *known == key);
        known.unwrap_or_else(|| {
            self.keys.push(key);
            self.keys.len() - 1
        })
    }

    /// The variable whose header or parameter is set holds the key.
    pub(super) fn hold_key(
        &self,
        call: &'a Call,
        key: usize,
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) {
        let ExprKind::Field { of, .. } = &call.callee.kind else {
            return;
        };
        if let (Some(name), Some(id)) = (walk::whole(of), frame.id) {
            let mut val = state.var((id, name));
            val.keys.insert(key);
            state.set((id, name), val);
        }
    }

    /// What a key is made of: the part that differs most.
    pub(super) fn made_of(&self, value: &'a Expr, frame: &Frame<'a, '_>) -> KeySource {
        self.analysis.refuel();
        let texts = self.analysis.texts(value, frame);
        if texts.complete && texts.options.iter().all(|text| text.constant().is_some()) {
            return KeySource::Constant;
        }
        self.analysis.refuel();
        let mut worst: Option<KeySource> = None;
        for draw in self.analysis.draws_of_value(value, frame) {
            let source = match draw.source {
                ValueSource::Random => KeySource::Random,
                ValueSource::Clock => KeySource::Clock,
                _ => continue,
            };
            worst = Some(worst.map_or(source, |known| known.min(source)));
        }
        if let Some(worst) = worst {
            return worst;
        }
        let mut found = Vec::new();
        let mut left = MAX_PARTS;
        self.analysis.refuel();
        self.parts_of(value, frame, &mut left, &mut found);
        let has = |source: KeySource| found.contains(&source);
        match () {
            () if left == 0 || has(KeySource::Unknown) => KeySource::Unknown,
            () if has(KeySource::Attempt) => KeySource::Attempt,
            () if has(KeySource::EventId) => KeySource::EventId,
            () if has(KeySource::Payload) => KeySource::Payload,
            () if has(KeySource::Snapshot) => KeySource::Snapshot,
            () => KeySource::Unknown,
        }
    }

    fn parts_of(
        &self,
        expr: &'a Expr,
        frame: &Frame<'a, '_>,
        left: &mut usize,
        found: &mut Vec<KeySource>,
    ) {
        if *left == 0 || !self.analysis.burns() {
            *left = 0;
            return;
        }
        *left -= 1;
        match &expr.kind {
            ExprKind::Text(_) | ExprKind::Number(_) | ExprKind::Bool(_) | ExprKind::Nil => {}
            ExprKind::Name(name) => self.name_parts(expr, name, frame, left, found),
            ExprKind::Field { of, name, .. } => {
                if self.analysis.package_of(of, frame).is_some() {
                    return;
                }
                let wants = |role| {
                    matches!(
                        role,
                        GuardRole::EventId | GuardRole::Payload | GuardRole::Attempt
                    )
                };
                let rule = self.analysis.guard_field(of, name, frame, wants);
                match rule.map(|rule| rule.role) {
                    Some(GuardRole::EventId) => found.push(KeySource::EventId),
                    Some(GuardRole::Attempt) => found.push(KeySource::Attempt),
                    Some(_) => found.push(KeySource::Payload),
                    None => self.part_of(of, frame, left, found),
                }
            }
            ExprKind::Index { of, .. } => self.part_of(of, frame, left, found),
            ExprKind::Call(call) => {
                let callee = self.analysis.resolve(call, frame);
                let rule = self.analysis.guard_rule(call, &callee, false, frame);
                // What a stream gives is the event.
                let mut streams = self.analysis.rules.subscriptions.iter();
                if streams.any(|rule| {
                    rule.handler.stream
                        && rule.language == frame.file.language
                        && self
                            .analysis
                            .fits(&rule.call, call, &callee, frame)
                            .is_some()
                }) {
                    return found.push(KeySource::Snapshot);
                }
                match rule.map(|rule| rule.role) {
                    Some(GuardRole::Attempt) => return found.push(KeySource::Attempt),
                    Some(GuardRole::Payload) => return found.push(KeySource::Payload),
                    Some(GuardRole::EventId) => return found.push(KeySource::EventId),
                    _ => {}
                }
                if let Callee::Functions(ids, _) = &callee
                    && ids.len() <= MAX_IMPLEMENTATIONS
                    && frame.depth < MAX_DEPTH
                {
                    let before = found.len();
                    self.returned_parts(ids, call, frame, left, found);
                    if found.len() > before {
                        return;
                    }
                }
                if let ExprKind::Field { of, .. } = &call.callee.kind
                    && self.analysis.package_of(of, frame).is_none()
                {
                    self.parts_of(of, frame, left, found);
                }
                for arg in &call.args {
                    self.parts_of(arg, frame, left, found);
                }
            }
            _ => {
                let mut inner = Vec::new();
                walk::parts(expr, &mut |part| inner.push(part));
                for part in inner {
                    if let Part::Expr(part) = part {
                        self.parts_of(part, frame, left, found);
                    }
                }
            }
        }
    }

    /// A part of the payload is the snapshot.
    fn part_of(
        &self,
        of: &'a Expr,
        frame: &Frame<'a, '_>,
        left: &mut usize,
        found: &mut Vec<KeySource>,
    ) {
        let mut inner = Vec::new();
        self.parts_of(of, frame, left, &mut inner);
        found.extend(inner.into_iter().map(|source| match source {
            KeySource::Payload => KeySource::Snapshot,
            other => other,
        }));
    }

    /// What functions of the tree give back.
    fn returned_parts(
        &self,
        ids: &[FnId],
        call: &'a Call,
        frame: &Frame<'a, '_>,
        left: &mut usize,
        found: &mut Vec<KeySource>,
    ) {
        for id in ids {
            let inner = frame.enter(self.analysis, *id, call);
            for value in returned(self.analysis.program.function(*id), 0) {
                let (Returned::Value(value) | Returned::All(value)) = value;
                self.parts_of(value, &inner, left, found);
            }
        }
    }

    fn name_parts(
        &self,
        expr: &'a Expr,
        name: &str,
        frame: &Frame<'a, '_>,
        left: &mut usize,
        found: &mut Vec<KeySource>,
    ) {
        let Some(binding) = frame.binding(self.analysis, name, expr.at).copied() else {
            return;
        };
        match binding.is {
            Bound::Param(at, _) => match frame.argument(self.analysis, at) {
                Some((arg, caller)) => self.parts_of(arg, caller, left, found),
                // What the handler is given is the event.
                None => found.push(KeySource::Snapshot),
            },
            Bound::Value {
                value: Some(value), ..
            } => self.parts_of(value, frame, left, found),
            // `var event Order; json.Unmarshal(payload, &event)`: filled from the event.
            Bound::Value { value: None, .. } | Bound::Typed(_) => found.push(KeySource::Snapshot),
            Bound::Each(list, _) => self.parts_of(list, frame, left, found),
            Bound::Part(..) | Bound::Opaque => found.push(KeySource::Snapshot),
            Bound::Receiver => found.push(KeySource::Unknown),
        }
    }
}
