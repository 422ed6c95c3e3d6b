//! Walks one expression and finds everything it draws from.

use std::sync::Arc;

use crate::expr::{Expr, ExprKind, Span32};
use crate::model::value::{Draw, FieldRef, Root, ValueSource};
use crate::rules::{FunctionRule, NameKind};

use super::environment::Environment;
use super::locate::Locator;
use super::types::mismatch;

/// What the walk found.
#[derive(Debug, Default)]
pub(super) struct Drawn {
    /// Draws in order of position.
    pub(super) draws: Vec<Draw>,
    /// Why it fails on every delivery, when it does.
    pub(super) fails: Option<Arc<str>>,
}

/// Finds the draws of an expression. `base` is the offset of the expression in its string value.
pub(super) fn draws_of(
    expr: &Expr,
    text: &str,
    base: u32,
    locator: &Locator,
    environment: Environment<'_>,
) -> Drawn {
    let mut walker = Walker {
        text,
        base,
        locator,
        environment,
        bound: Vec::new(),
        found: Vec::new(),
        fails: None,
    };
    walker.walk(expr);
    Drawn {
        draws: walker.found.into_iter().map(|found| found.draw).collect(),
        fails: walker.fails,
    }
}

struct Found {
    draw: Draw,
    /// Only the order of a result differs, so that sorting it takes the difference away.
    order_only: bool,
}

struct Walker<'a> {
    text: &'a str,
    base: u32,
    locator: &'a Locator,
    environment: Environment<'a>,
    bound: Vec<&'a str>,
    found: Vec<Found>,
    fails: Option<Arc<str>>,
}

impl<'a> Walker<'a> {
    fn walk(&mut self, expr: &'a Expr) {
        if let Some(sentence) = mismatch(expr, self.text) {
            self.fail(sentence);
        }
        match &expr.kind {
            ExprKind::Ident(name) => self.identifier(name, expr.span),
            ExprKind::Member {
                object,
                property,
                computed,
                ..
            } => self.member(expr, object, property, *computed),
            ExprKind::Call { callee, args, .. } => self.call(expr, callee, args),
            ExprKind::Builtin {
                name,
                name_span,
                args,
                ..
            } => self.function(name, *name_span, expr.span, args),
            ExprKind::Let {
                name, value, body, ..
            } => {
                self.walk(value);
                self.bound.push(name);
                self.walk(body);
                self.bound.pop();
            }
            _ => {
                for child in expr.children() {
                    self.walk(child);
                }
            }
        }
    }

    fn is_bound(&self, name: &str) -> bool {
        self.bound.contains(&name)
    }

    /// What an unbound name at the top level stands for.
    fn name_of(&self, expr: &'a Expr) -> Option<NameKind> {
        match &expr.kind {
            ExprKind::Ident(name) if !self.is_bound(name) => self.environment.language.name(name),
            ExprKind::Chain(inner) => self.name_of(inner),
            _ => None,
        }
    }

    fn identifier(&mut self, name: &'a str, span: Span32) {
        if self.is_bound(name) {
            return;
        }
        if name == "$env" {
            let note = "the whole environment: what is taken from it does not show";
            return self.push(ValueSource::Unknown, span, None, Some(note.into()));
        }
        match self.environment.language.name(name) {
            Some(kind) => self.whole(kind, span),
            None => self.bare_field(name, span),
        }
    }

    fn whole(&mut self, kind: NameKind, span: Span32) {
        match kind {
            NameKind::Record => self.push(self.record_source(), span, None, None),
            NameKind::Prior => self.push(self.record_source(), span, None, None),
            NameKind::User => self.push(ValueSource::Snapshot, span, None, None),
            NameKind::Environment => self.push(ValueSource::Deployment, span, None, None),
            NameKind::Results => self.push(ValueSource::StepResult, span, None, None),
        }
    }

    /// A field of the record without the `record.` in front.
    fn bare_field(&mut self, name: &'a str, span: Span32) {
        let object = self.environment.object.unwrap_or("the record");
        match self.environment.fields {
            None => {
                let note = format!("nothing that was read declares the fields of {object}");
                self.push(ValueSource::Unknown, span, None, Some(note.into()));
            }
            Some(fields) if fields.get(name).is_some() => {
                self.field(self.environment.record, name, span);
            }
            Some(fields) if fields.complete => {
                self.fail(format!(
                    "`{name}` is no field of {object} and no known name"
                ));
            }
            Some(_) => {
                let note = format!(
                    "`{name}` is not among the fields that metadata lists for {object}, and its table was not read"
                );
                self.push(ValueSource::Unknown, span, None, Some(note.into()));
            }
        }
    }

    fn field(&mut self, root: Root, name: &str, span: Span32) {
        let source = match root {
            Root::Written => ValueSource::LiveState,
            // What a synchronous flow sees as the old record is the row as it stands.
            Root::Prior => self.record_source(),
            Root::Record | Root::User => ValueSource::Snapshot,
            Root::Step => ValueSource::StepResult,
        };
        let field = FieldRef {
            root,
            name: self.environment.language.share(name),
        };
        // A member that no record has is nil in every event.
        let absent = matches!(root, Root::Record)
            && self
                .environment
                .fields
                .is_some_and(|fields| fields.complete && fields.get(name).is_none());
        if absent {
            let note = format!("`{name}` is no field of the object: it is nil in every event");
            return self.push(ValueSource::Constant, span, Some(field), Some(note.into()));
        }
        self.push(source, span, Some(field), None);
    }

    fn member(&mut self, expr: &'a Expr, object: &'a Expr, property: &'a Expr, computed: bool) {
        let key = match &property.kind {
            ExprKind::Str(key) => Some(key.as_str()),
            _ => None,
        };
        if let (Some(kind), Some(key)) = (self.name_of(object), key) {
            return self.named_member(kind, key, expr.span);
        }
        if let Some(field) = self.reference_field(object) {
            let member = key.unwrap_or("…");
            self.fail(format!(
                "`{field}` holds an id: it has no member `{member}`"
            ));
        }
        if let (Some(step), Some(_)) = (self.result_step(object), key) {
            return self.step_result(step, expr.span);
        }
        self.walk(object);
        if computed {
            self.walk(property);
        }
    }

    fn named_member(&mut self, kind: NameKind, key: &str, span: Span32) {
        match kind {
            NameKind::Record => self.field(self.environment.record, key, span),
            NameKind::Prior => self.field(Root::Prior, key, span),
            NameKind::User => self.field(Root::User, key, span),
            NameKind::Environment => self.push(ValueSource::Deployment, span, None, None),
            NameKind::Results => self.step_result(key, span),
        }
    }

    fn step_result(&mut self, step: &str, span: Span32) {
        let field = FieldRef {
            root: Root::Step,
            name: step.into(),
        };
        let note = format!("the row that step `{step}` made");
        self.push(
            ValueSource::StepResult,
            span,
            Some(field),
            Some(note.into()),
        );
    }

    /// The step of `results.S`.
    fn result_step(&self, object: &'a Expr) -> Option<&'a str> {
        match &object.kind {
            ExprKind::Chain(inner) => self.result_step(inner),
            ExprKind::Member {
                object, property, ..
            } if self.name_of(object) == Some(NameKind::Results) => match &property.kind {
                ExprKind::Str(step) => Some(step),
                _ => None,
            },
            _ => None,
        }
    }

    /// The name of the field, when the object is a field of the record known to hold an id.
    fn reference_field(&self, object: &'a Expr) -> Option<&'a str> {
        let name = match &object.kind {
            ExprKind::Chain(inner) => return self.reference_field(inner),
            ExprKind::Ident(name) if !self.is_bound(name) => name.as_str(),
            ExprKind::Member {
                object, property, ..
            } if matches!(
                self.name_of(object),
                Some(NameKind::Record | NameKind::Prior)
            ) =>
            {
                match &property.kind {
                    ExprKind::Str(name) => name.as_str(),
                    _ => return None,
                }
            }
            _ => return None,
        };
        self.environment.is_reference(name).then_some(name)
    }

    fn call(&mut self, expr: &'a Expr, callee: &'a Expr, args: &'a [Expr]) {
        match &callee.kind {
            ExprKind::Ident(name) => self.function(name, callee.span, expr.span, args),
            ExprKind::Member {
                object, property, ..
            } => {
                self.walk(object);
                let name = match &property.kind {
                    ExprKind::Str(name) => name.as_str(),
                    _ => "",
                };
                let rule = self.environment.language.method(name);
                self.apply(rule, name, expr.span);
                for arg in args {
                    self.walk(arg);
                }
            }
            _ => {
                self.apply(None, "a computed function", expr.span);
                for child in expr.children() {
                    self.walk(child);
                }
            }
        }
    }

    fn function(&mut self, name: &str, _name_span: Span32, span: Span32, args: &'a [Expr]) {
        let rule = self.environment.language.function(name);
        let before = self.found.len();
        self.apply(rule, name, span);
        for arg in args {
            self.walk(arg);
        }
        if rule.is_some_and(|rule| rule.orders) {
            let mut at = 0;
            self.found.retain(|found| {
                at += 1;
                at <= before || !found.order_only
            });
        }
    }

    fn apply(&mut self, rule: Option<&FunctionRule>, name: &str, span: Span32) {
        let Some(rule) = rule else {
            let note = format!("function `{name}` is in no rule pack");
            return self.push(ValueSource::Unknown, span, None, Some(note.into()));
        };
        for source in &rule.draws {
            self.push(*source, span, None, rule.note.clone());
        }
        if rule.unordered {
            self.push(ValueSource::Random, span, None, rule.note.clone());
            if let Some(last) = self.found.last_mut() {
                last.order_only = true;
            }
        }
    }

    fn record_source(&self) -> ValueSource {
        match self.environment.record {
            Root::Written => ValueSource::LiveState,
            _ => ValueSource::Snapshot,
        }
    }

    fn push(
        &mut self,
        source: ValueSource,
        span: Span32,
        field: Option<FieldRef>,
        note: Option<Arc<str>>,
    ) {
        let draw = Draw {
            source,
            what: self.environment.language.share(span.slice(self.text)),
            place: self
                .locator
                .place(self.base + span.start, self.base + span.end),
            field,
            note,
        };
        self.found.push(Found {
            draw,
            order_only: false,
        });
    }

    fn fail(&mut self, sentence: String) {
        if self.fails.is_none() {
            self.fails = Some(sentence.into());
        }
    }
}
