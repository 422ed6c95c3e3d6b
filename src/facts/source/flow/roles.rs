//! Which calls, fields and types play a role, by the rules about guards.

use crate::model::source::{Call, Expr, ExprKind, Language, SourceFile, TypeRef};
use crate::rules::{GuardRole, GuardRule};

use super::super::calls::Calls;
use super::super::frame::{Analysis, Frame};
use super::super::matching::unversioned;
use super::super::program::FnId;
use super::super::resolve::Callee;
use super::super::texts::called_name;
use super::super::walk;
use super::Flow;

impl<'a> Analysis<'a> {
    /// The rule that a call fits. A method of whatever a statement gave fits only where the value
    /// is such a result.
    pub(in crate::facts::source) fn guard_rule(
        &self,
        call: &'a Call,
        callee: &Callee<'a>,
        on_result: bool,
        frame: &Frame<'a, '_>,
    ) -> Option<&'a GuardRule> {
        let name = called_name(call);
        self.rules.guards.iter().find(|rule| {
            let Some(pattern) = &rule.call else {
                return false;
            };
            if rule.language != frame.file.language {
                return false;
            }
            if pattern.receiver.is_empty() && !pattern.method.is_empty() {
                let args = call.args.len();
                let fits = pattern.method.iter().any(|method| **method == *name)
                    && args >= pattern.min_args
                    && pattern.max_args.is_none_or(|most| args <= most);
                if fits && on_result {
                    return true;
                }
                if pattern.function.is_empty() {
                    return false;
                }
            }
            self.fits(pattern, call, callee, frame).is_some() && self.is_asked(rule, call, frame)
        })
    }

    /// True if the argument that decides it is one of the texts of the rule.
    fn is_asked(&self, rule: &GuardRule, call: &'a Call, frame: &Frame<'a, '_>) -> bool {
        let Some(arg) = rule.arg else {
            return true;
        };
        let Some(arg) = arg.checked_sub(1).and_then(|at| call.args.get(at)) else {
            return false;
        };
        if let ExprKind::Field { of, name, .. } = &arg.kind
            && let Some(package) = self.package_of(of, frame)
        {
            let full = unversioned(&format!("{package}.{name}"));
            return rule.values.iter().any(|value| **value == *full);
        }
        let texts = self.texts(arg, frame);
        texts.constants().iter().any(|text| {
            let mut values = rule.values.iter();
            values.any(|value| value.eq_ignore_ascii_case(text))
        })
    }

    /// The rule of a field of a type.
    fn field_rule(
        &self,
        types: &[String],
        name: &str,
        language: Language,
        wants: impl Fn(GuardRole) -> bool,
    ) -> Option<&'a GuardRule> {
        self.rules.guards.iter().find(|rule| {
            rule.language == language
                && wants(rule.role)
                && rule.fields.iter().any(|field| **field == *name)
                && (rule.of.is_empty()
                    || rule.of.iter().any(|wanted| {
                        let wanted = unversioned(wanted);
                        types.iter().any(|found| unversioned(found) == wanted)
                    }))
        })
    }

    /// The role of a field of an expression.
    pub(super) fn guard_field(
        &self,
        of: &'a Expr,
        name: &str,
        frame: &Frame<'a, '_>,
        wants: impl Fn(GuardRole) -> bool,
    ) -> Option<&'a GuardRule> {
        let known = self
            .rules
            .guards
            .iter()
            .any(|rule| wants(rule.role) && rule.fields.iter().any(|field| **field == *name));
        // `request.retries` is the field of a field.
        if let ExprKind::Field { name: outer, .. } = &of.kind {
            let path = format!("{outer}.{name}");
            let mut rules = self.rules.guards.iter();
            let by_path = rules.find(|rule| {
                rule.language == frame.file.language
                    && wants(rule.role)
                    && rule.fields.iter().any(|field| **field == *path)
            });
            if by_path.is_some() {
                return by_path;
            }
        }
        if !known {
            return None;
        }
        self.refuel();
        let types = self.type_of(of, frame);
        let types = types.map_or_else(Vec::new, |of| self.names_of(&of));
        self.field_rule(&types, name, frame.file.language, wants)
    }

    /// The role of a part of a value that is made.
    pub(super) fn guard_part(
        &self,
        of: Option<&TypeRef>,
        name: &str,
        file: &SourceFile,
        wants: impl Fn(GuardRole) -> bool,
    ) -> Option<&'a GuardRule> {
        let types: Vec<String> = of
            .map(|of| self.program.type_name(file, of))
            .into_iter()
            .collect();
        self.field_rule(&types, name, file.language, wants)
    }
}

impl<'a> Flow<'a, '_> {
    /// True of a call that plays a role.
    pub(super) fn has_role(&self, call: &'a Call, frame: &Frame<'a, '_>, role: GuardRole) -> bool {
        self.analysis.refuel();
        let callee = self.analysis.resolve(call, frame);
        let rule = self.analysis.guard_rule(call, &callee, false, frame);
        rule.is_some_and(|rule| rule.role == role)
    }

    /// The role of a field of what a statement gave.
    pub(super) fn field_role(
        &self,
        of: &'a Expr,
        name: &str,
        frame: &Frame<'a, '_>,
    ) -> Option<GuardRole> {
        let wants = |role| matches!(role, GuardRole::RowCount | GuardRole::ErrorOf);
        let rule = self.analysis.guard_field(of, name, frame, wants);
        rule.map(|rule| rule.role)
    }

    /// The role of a part of a value that is made.
    pub(super) fn part_role(
        &self,
        of: Option<&TypeRef>,
        name: &str,
        frame: &Frame<'a, '_>,
    ) -> Option<GuardRole> {
        let wants = |role| matches!(role, GuardRole::IgnoreConflict | GuardRole::LockRows);
        let rule = self.analysis.guard_part(of, name, frame.file, wants);
        rule.map(|rule| rule.role)
    }

    /// True of a type whose values are transactions.
    pub(super) fn is_transaction_type(&self, name: &str, frame: &Frame<'a, '_>) -> bool {
        self.analysis.rules.guards.iter().any(|rule| {
            rule.role == GuardRole::TransactionType
                && rule.language == frame.file.language
                && rule
                    .of
                    .iter()
                    .any(|of| unversioned(of) == unversioned(name))
        })
    }
}

/// Functions in which something stands that has to do with guards, or from which such a one is
/// called; by number.
pub(in super::super) fn matters<'a>(analysis: &Analysis<'a>, calls: &Calls<'a>) -> Vec<bool> {
    let count = analysis.program.functions().count();
    let mut found = vec![false; count];
    let mut open: Vec<FnId> = Vec::new();
    for site in &calls.sites {
        let frame = analysis.frame(site.within);
        analysis.refuel();
        // What only a result has counts where the statement is: in Python its names are everywhere.
        let on_result = frame.file.language != Language::Python;
        if analysis
            .guard_rule(site.call, &site.callee, on_result, &frame)
            .is_some()
        {
            open.push(site.within);
        }
    }
    for id in analysis.program.functions() {
        let mut asks = calls.can_reach(id);
        walk::each_expr(&analysis.program.function(id).body, &mut |expr| {
            asks |= matches!(&expr.kind, ExprKind::Index { of, .. } if matches!(of.kind, ExprKind::Field { .. }));
        });
        if asks {
            open.push(id);
        }
    }
    while let Some(id) = open.pop() {
        if !std::mem::replace(&mut found[id.index()], true) {
            open.extend(calls.callers(id).map(|site| site.within));
        }
    }
    found
}

/// True if an example holds what a rule speaks of.
pub(in super::super) fn fits_example<'a>(
    analysis: &Analysis<'a>,
    calls: &Calls<'a>,
    rule: &GuardRule,
) -> bool {
    let is_it = |found: &GuardRule| found.id == rule.id;
    let by_call = calls.sites.iter().any(|site| {
        let frame = analysis.frame(site.within);
        let found = analysis.guard_rule(site.call, &site.callee, true, &frame);
        found.is_some_and(is_it)
    });
    let mut by_value = false;
    for id in analysis.program.functions() {
        let frame = analysis.frame(id);
        for param in &analysis.program.function(id).params {
            let name = analysis.program.type_name(frame.file, &param.of);
            by_value |= rule.role == GuardRole::TransactionType
                && rule
                    .of
                    .iter()
                    .any(|of| unversioned(of) == unversioned(&name));
        }
        let body = &analysis.program.function(id).body;
        by_value |= rule.role == GuardRole::UniqueViolation
            && walk::each_handler(body).into_iter().any(|handler| {
                handler.takes.iter().any(|of| {
                    let name = analysis.program.type_name(frame.file, of);
                    rule.values.iter().any(|value| **value == *name)
                })
            });
        walk::each_expr(body, &mut |expr| {
            let wants = |role| role == rule.role;
            by_value |= match &expr.kind {
                ExprKind::Field { of, name, .. } => {
                    let found = analysis.guard_field(of, name, &frame, wants);
                    let marked = analysis.package_of(of, &frame).is_some_and(|package| {
                        let full = format!("{package}.{name}");
                        rule.arg.is_none() && rule.values.iter().any(|value| **value == *full)
                    });
                    marked || found.is_some_and(is_it)
                }
                ExprKind::Make { of, fields } => fields.iter().any(|field| {
                    let name = field.name.as_ref();
                    let found = name
                        .and_then(|name| analysis.guard_part(of.as_ref(), name, frame.file, wants));
                    found.is_some_and(is_it)
                }),
                ExprKind::Text(text) | ExprKind::Number(text) | ExprKind::Name(text) => {
                    let last = text.rsplit("::").next().unwrap_or(text);
                    rule.arg.is_none() && rule.values.iter().any(|value| **value == *last)
                }
                _ => false,
            };
        });
    }
    by_call || by_value
}
