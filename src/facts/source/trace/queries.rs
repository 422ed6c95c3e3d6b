//! Statements: run where they are written, or built first and run later.

use std::rc::Rc;
use std::sync::Arc;

use crate::model::place::Place;
use crate::model::source::{Call, Expr, ExprKind, Language};
use crate::rules::{GuardRole, QueueRule, QueueWord};

use super::super::frame::Frame;
use super::super::resolve::Callee;
use super::super::scope::Bound;
use super::super::texts::called_name;
use super::rows::is_list;
use super::value::{Kind, Query, Val};
use super::walk::Walk;
use super::{Given, Runs, Statement, What};

impl<'a> Walk<'a, '_> {
    /// A statement that a call runs, or builds; what it runs on is not known yet.
    pub(super) fn built(
        &mut self,
        call: &'a Call,
        sql: usize,
        args: &[Val<'a>],
        frame: &Frame<'a, '_>,
    ) -> Option<Statement> {
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
        let mut statement = Statement {
            sql: text,
            shown,
            on: Runs::Unknown,
            given: Vec::new(),
            named: Vec::new(),
            built: None,
        };
        if statement.sql.is_none() {
            statement.built = Some(self.built_at(expr, frame));
        }
        for arg in args.iter().skip(sql + 1) {
            // A struct is one value; a dictionary gives values their names.
            let parts = match &arg.kind {
                Kind::Made(parts) if is_list(parts) => parts,
                Kind::Made(parts) if frame.file.language == Language::Python => parts,
                _ => {
                    statement.given.push(given_of(arg));
                    continue;
                }
            };
            let mut numbered: Vec<(usize, &Val<'a>)> = Vec::new();
            for (name, val) in parts.iter() {
                match name.parse() {
                    Ok(at) => numbered.push((at, val)),
                    Err(_) => statement.named.push((Arc::clone(name), given_of(val))),
                }
            }
            numbered.sort_by_key(|(at, _)| *at);
            let numbered = numbered.into_iter().map(|(_, val)| given_of(val));
            statement.given.extend(numbered);
        }
        Some(statement)
    }

    /// Where a text is built: where the name that holds it got its value.
    fn built_at(&self, expr: &'a Expr, frame: &Frame<'a, '_>) -> Place {
        let mut at = expr.at;
        if let ExprKind::Name(name) = &expr.kind
            && let Some(binding) = frame.binding(self.analysis, name, expr.at)
            && let Bound::Value {
                value: Some(value), ..
            } = binding.is
        {
            at = value.at;
        }
        frame.file.place(at)
    }

    /// What a call on a value runs on, by the value and else by its type.
    pub(super) fn runs_on(&self, on: &Val<'a>, call: &'a Call, frame: &Frame<'a, '_>) -> Runs {
        match on.kind {
            Kind::Tx(tx) | Kind::Nested(tx, _) => Runs::Within(self.lasting(tx)),
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
        }
    }

    /// Notes a statement as run; its result, and its error.
    pub(super) fn run(&mut self, statement: Statement, place: Place) -> Vec<Val<'a>> {
        let at = self.step(place, What::Statement(Box::new(statement)));
        let val = Val {
            kind: Kind::Result(at),
            ..Val::about((at, at + 1))
        };
        vec![val, Val::about((at, at + 1))]
    }

    /// A call on a statement that is built: it is given a value, or run.
    pub(super) fn of_query(
        &mut self,
        query: &Query,
        call: &'a Call,
        args: &[Val<'a>],
        frame: &Frame<'a, '_>,
    ) -> Option<Vec<Val<'a>>> {
        let words = [QueueWord::Bind, QueueWord::Run, QueueWord::RunForRow];
        let rule = self.rule_by_name(call, frame, &words)?;
        let arg = rule.arg.and_then(|at| args.get(at.checked_sub(1)?));
        let mut query = query.clone();
        if rule.means == QueueWord::Bind {
            query.statement.given.extend(arg.map(given_of));
            return Some(vec![Val::of(Kind::Query(Rc::new(query)))]);
        }
        query.statement.on = match arg.map(|arg| &arg.kind) {
            Some(Kind::Tx(tx) | Kind::Nested(tx, _)) => Runs::Within(self.lasting(*tx)),
            Some(Kind::Pool) => Runs::Alone,
            _ => Runs::Unknown,
        };
        let mut results = self.run(query.statement, query.place);
        if rule.means == QueueWord::RunForRow
            && let Some(first) = results.first_mut()
            && let Kind::Result(at) = first.kind
        {
            first.kind = Kind::Hit(at, true);
        }
        Some(results)
    }

    /// The rule for a method of this name, whatever it is called on.
    pub(super) fn rule_by_name(
        &self,
        call: &'a Call,
        frame: &Frame<'a, '_>,
        words: &[QueueWord],
    ) -> Option<&'a QueueRule> {
        let name = called_name(call);
        self.analysis.rules.queue.iter().find(|rule| {
            rule.language == frame.file.language
                && words.contains(&rule.means)
                && rule.call.method.iter().any(|method| **method == *name)
        })
    }

    /// True of a call that gives how many rows its statement changed: no further call asks for it.
    pub(super) fn gives_count(
        &self,
        call: &'a Call,
        callee: &Callee<'a>,
        frame: &Frame<'a, '_>,
    ) -> bool {
        let mut rules = self.analysis.rules.guards.iter();
        rules.any(|rule| {
            rule.role == GuardRole::RowCount
                && rule.language == frame.file.language
                && rule.call.as_ref().is_some_and(|pattern| {
                    self.analysis.fits(pattern, call, callee, frame).is_some()
                })
        })
    }

    /// True of a field that holds how many rows a statement changed.
    pub(super) fn holds_count(&self, field: &str, frame: &Frame<'a, '_>) -> bool {
        let mut rules = self.analysis.rules.guards.iter();
        rules.any(|rule| {
            rule.role == GuardRole::RowCount
                && rule.language == frame.file.language
                && rule.fields.iter().any(|name| **name == *field)
        })
    }
}

pub(super) fn given_of(val: &Val<'_>) -> Given {
    match &val.kind {
        Kind::Text(text) => Given::Text(Arc::clone(text)),
        Kind::Now(loops) => Given::Now(Arc::clone(loops)),
        Kind::OfClock(micros, loops) => Given::OfClock(*micros, Arc::clone(loops)),
        Kind::Span(nanos) => Given::Span(nanos / 1_000),
        Kind::Column(column) => Given::Column(column.clone()),
        Kind::Raised => Given::Raised,
        _ => Given::Other,
    }
}
