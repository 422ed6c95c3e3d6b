//! Subscriptions whose events count as done before the handler runs: by an option of the call, by the
//! library's default, by a setting of the tree.

use crate::model::place::Place;
use crate::model::source::{Call, Expr, ExprKind, StmtKind};
use crate::rules::EarlyAcknowledge;

use super::frame::{Analysis, Frame};
use super::matching::argument;
use super::subscriptions::Subscription;
use super::text::Texts;
use super::walk;

impl<'a> Analysis<'a> {
    /// Where a subscription acknowledges its events before the handler runs; none if it does not.
    pub(super) fn acknowledged(&self, subscription: &Subscription<'a>) -> Option<Place> {
        let early = subscription.by?.acknowledges.as_ref()?;
        let frame = self.frame(subscription.within);
        let call = subscription.asked;
        self.refuel();
        let says = self.is_early(early, call, &frame);
        says.then(|| frame.file.place(call.at))
    }

    fn is_early(&self, early: &EarlyAcknowledge, call: &'a Call, frame: &Frame<'a, '_>) -> bool {
        let by_name = argument(call, None, &early.unless);
        if let Some(unless) = by_name {
            return !self.is_true(unless, frame);
        }
        if !early.part.is_empty() {
            return !self.parts_of_receiver(&early.part, call, frame).is_empty();
        }
        if let Some(arg) = argument(call, early.arg, &early.named) {
            return match &arg.kind {
                ExprKind::Make { fields, .. } => fields.iter().any(|field| {
                    let name = field.name.as_ref();
                    name.is_some_and(|name| early.named.contains(name))
                        && self.is_true(&field.value, frame)
                }),
                _ => self.is_true(arg, frame),
            };
        }
        early.always && !self.has_attribute(early, call, frame) && !self.has_setting(early)
    }

    fn is_true(&self, expr: &'a Expr, frame: &Frame<'a, '_>) -> bool {
        self.texts(expr, frame).constants() == ["true"]
    }

    /// True of a class, the one that is decorated or a base that is named, with the attribute.
    fn has_attribute(
        &self,
        early: &EarlyAcknowledge,
        call: &'a Call,
        frame: &Frame<'a, '_>,
    ) -> bool {
        let base = call.named.iter().find(|(_, name)| &**name == "base");
        let base = base.and_then(|(at, _)| call.args.get(*at));
        let classes = call.decorates.as_deref().into_iter().chain(base);
        let paths = classes.filter_map(|class| self.path_to_class(class, frame));
        let mut names = paths.flat_map(|class| {
            let unless = early.unless.iter();
            unless
                .map(move |name| format!("{class}.{name}"))
                .collect::<Vec<_>>()
        });
        names.any(|name| {
            let value = self.program.value_named(&name);
            let value = value.and_then(|(_, value)| value.value.as_ref());
            matches!(value.map(|value| &value.kind), Some(ExprKind::Bool(true)))
        })
    }

    /// True if the tree sets one of the settings to true: as a value of a module, an attribute that
    /// is assigned, or an argument that is given by name.
    fn has_setting(&self, early: &EarlyAcknowledge) -> bool {
        if early.settings.is_empty() {
            return false;
        }
        let key = std::ptr::from_ref(early).addr();
        if let Some(known) = self.declared.settings.borrow().get(&key) {
            return *known;
        }
        let found = self.sets_one(early);
        self.declared.settings.borrow_mut().insert(key, found);
        found
    }

    fn sets_one(&self, early: &EarlyAcknowledge) -> bool {
        let is_it = |name: &str| early.settings.iter().any(|setting| **setting == *name);
        let is_true = |value: Option<&Expr>| {
            matches!(value.map(|value| &value.kind), Some(ExprKind::Bool(true)))
        };
        let files = self.program.files.iter();
        let mut values = files.flat_map(|file| &file.values);
        if values.any(|value| {
            let name = value.name.rsplit('.').next().unwrap_or_default();
            is_it(name) && is_true(value.value.as_ref())
        }) {
            return true;
        }
        self.program.functions().any(|id| {
            let mut found = false;
            let mut open = vec![&self.program.function(id).body];
            while let Some(block) = open.pop() {
                for stmt in &block.stmts {
                    if let StmtKind::Assign {
                        targets, values, ..
                    } = &stmt.kind
                    {
                        for (target, value) in targets.iter().zip(values) {
                            let name = match &target.kind {
                                ExprKind::Field { name, .. } => Some(name),
                                ExprKind::Index { by, .. } => match &by.kind {
                                    ExprKind::Text(name) => Some(name),
                                    _ => None,
                                },
                                _ => None,
                            };
                            found |= name.is_some_and(|name| is_it(name)) && is_true(Some(value));
                        }
                    }
                    walk::stmt_parts(stmt, &mut |part| {
                        if let walk::Part::Block(block) = part {
                            open.push(block);
                        }
                    });
                }
            }
            walk::each_expr(&self.program.function(id).body, &mut |expr| {
                if let ExprKind::Call(call) = &expr.kind {
                    let mut named = call.named.iter();
                    found |= named.any(|(at, name)| is_it(name) && is_true(call.args.get(*at)));
                }
            });
            found
        })
    }

    /// The parts of some names of what the receiver of a call is made with.
    fn parts_of_receiver(
        &self,
        names: &[std::sync::Arc<str>],
        call: &'a Call,
        frame: &Frame<'a, '_>,
    ) -> Vec<Texts> {
        let ExprKind::Field { of, .. } = &call.callee.kind else {
            return Vec::new();
        };
        let mut found = Vec::new();
        self.origins(of, 0, frame, &mut |made, inner| {
            let given: Vec<&'a Expr> = match &made.kind {
                ExprKind::Call(call) => call.args.iter().collect(),
                _ => vec![made],
            };
            for arg in given {
                self.origins(arg, 0, inner, &mut |part, at| {
                    let ExprKind::Make { fields, .. } = &part.kind else {
                        return;
                    };
                    for field in fields {
                        let is_it = field.name.as_ref().is_some_and(|name| names.contains(name));
                        if is_it {
                            let items = self.item_texts(&field.value, at);
                            found.push(items.unwrap_or_else(|| self.texts(&field.value, at)));
                        }
                    }
                });
            }
        });
        found
    }

    /// The events that the receiver of a call is made for, or that a call beside it asks for.
    pub(super) fn events_of_receiver(
        &self,
        (part, beside): (&[std::sync::Arc<str>], &[std::sync::Arc<str>]),
        call: &'a Call,
        frame: &Frame<'a, '_>,
    ) -> Option<Texts> {
        let mut all: Option<Texts> = None;
        let mut add = |texts: Texts| match &mut all {
            Some(known) => known.or(texts),
            None => all = Some(texts),
        };
        self.parts_of_receiver(part, call, frame)
            .into_iter()
            .for_each(&mut add);
        if let (ExprKind::Field { of, .. }, Some(function), false) =
            (&call.callee.kind, frame.function(self), beside.is_empty())
            && let Some(name) = walk::whole(of)
        {
            walk::each_expr(&function.body, &mut |expr| {
                if let ExprKind::Call(other) = &expr.kind
                    && let ExprKind::Field {
                        of, name: method, ..
                    } = &other.callee.kind
                    && beside.contains(method)
                    && walk::whole(of) == Some(name)
                    && let Some(topic) = other.args.first()
                {
                    let items = self.item_texts(topic, frame);
                    add(items.unwrap_or_else(|| self.texts(topic, frame)));
                }
            });
        }
        all
    }
}
