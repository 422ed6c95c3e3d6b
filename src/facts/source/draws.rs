//! Where what an effect is given comes from, as far as it differs from one delivery to the next: a
//! clock, a random source, the deployment.

use std::collections::HashSet;
use std::sync::Arc;

use crate::model::map::MappedDraw;
use crate::model::source::{Call, Expr, ExprKind};
use crate::model::value::ValueSource;
use crate::rules::DrawRule;
use crate::sql::statement::{DrawSource, Expression, Rows, Statement};

use super::frame::{Analysis, Frame};
use super::origins::{Returned, returned};
use super::resolve::Callee;
use super::scope::Bound;
use super::text::Text;
use super::texts::MAX_IMPLEMENTATIONS;
use super::walk::{self, Part};

/// Calls that a value is followed into.
const MAX_CALLS: usize = 16;

/// What was found, and what was gone through already.
struct Search<'s> {
    found: &'s mut Vec<MappedDraw>,
    seen: HashSet<(usize, *const Expr)>,
}

impl<'a> Analysis<'a> {
    /// The sources that reach the arguments of a call.
    pub(super) fn draws_of(&self, call: &'a Call, frame: &Frame<'a, '_>) -> Vec<MappedDraw> {
        let mut found = Vec::new();
        let mut search = Search {
            found: &mut found,
            seen: HashSet::new(),
        };
        self.refuel();
        for arg in &call.args {
            self.follow(arg, frame, 0, &mut search);
        }
        // What a chain was given before: `query("…").bind(now)` and `client.post(url).body(x)`.
        if let ExprKind::Field { of, .. } = &call.callee.kind {
            self.follow(of, frame, 0, &mut search);
        }
        found.sort_by(|a, b| (&a.place, a.source).cmp(&(&b.place, b.source)));
        found.dedup_by(|a, b| a.place == b.place && a.source == b.source);
        found
    }

    /// The sources that reach a value.
    pub(super) fn draws_of_value(&self, value: &'a Expr, frame: &Frame<'a, '_>) -> Vec<MappedDraw> {
        let mut found = Vec::new();
        let mut search = Search {
            found: &mut found,
            seen: HashSet::new(),
        };
        self.follow(value, frame, 0, &mut search);
        found
    }

    fn follow(&self, expr: &'a Expr, frame: &Frame<'a, '_>, calls: usize, search: &mut Search<'_>) {
        let way = frame
            .entry
            .map_or(0, |(call, _)| std::ptr::from_ref(call) as usize);
        if !self.burns() || !search.seen.insert((way, std::ptr::from_ref(expr))) {
            return;
        }
        match &expr.kind {
            ExprKind::Name(name) => self.follow_name(expr, name, frame, calls, search),
            ExprKind::Call(call) => self.follow_call(call, frame, calls, search),
            _ => {}
        }
        walk::parts(expr, &mut |part| match part {
            // The name of what is called is no value.
            Part::Expr(inner) if !is_callee(expr, inner) => {
                self.follow(inner, frame, calls, search);
            }
            _ => {}
        });
    }

    fn follow_name(
        &self,
        expr: &'a Expr,
        name: &str,
        frame: &Frame<'a, '_>,
        calls: usize,
        search: &mut Search<'_>,
    ) {
        let Some(id) = frame.id else {
            return;
        };
        let scope = self.scope(id);
        for binding in scope.until(name, expr.at) {
            match binding.is {
                Bound::Param(at, _) => {
                    if let Some((arg, caller)) = frame.argument(self, at) {
                        self.follow(arg, caller, calls, search);
                    }
                }
                Bound::Value {
                    value: Some(value), ..
                } => self.follow(value, frame, calls, search),
                Bound::Each(list, _) => self.follow(list, frame, calls, search),
                _ => {}
            }
        }
        for part in scope.parts_until(name, expr.at) {
            self.follow(part, frame, calls, search);
        }
    }

    fn follow_call(
        &self,
        call: &'a Call,
        frame: &Frame<'a, '_>,
        calls: usize,
        search: &mut Search<'_>,
    ) {
        let callee = self.resolve(call, frame);
        if let Some(rule) = self.draw_rule(call, &callee, frame) {
            for source in &rule.draws {
                search.found.push(MappedDraw {
                    source: *source,
                    what: Arc::clone(&rule.id),
                    place: frame.file.place(call.at),
                });
            }
            return;
        }
        let Callee::Functions(ids, _) = callee else {
            return;
        };
        if ids.len() > MAX_IMPLEMENTATIONS || calls >= MAX_CALLS {
            return;
        }
        for id in ids {
            let mut inner = frame.enter(self, id, call);
            inner.depth = 0;
            for value in returned(self.program.function(id), 0) {
                let (Returned::Value(value) | Returned::All(value)) = value;
                self.follow(value, &inner, calls + 1, search);
            }
        }
    }

    /// The rule that says what a call draws from.
    pub(super) fn draw_rule(
        &self,
        call: &'a Call,
        callee: &Callee<'a>,
        frame: &Frame<'a, '_>,
    ) -> Option<&'a DrawRule> {
        self.rules.draws.iter().find(|rule| {
            rule.language == frame.file.language
                && self.fits(&rule.call, call, callee, frame).is_some()
        })
    }
}

fn is_callee(expr: &Expr, inner: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call(call) => {
            std::ptr::eq(&call.callee, inner) && matches!(inner.kind, ExprKind::Name(_))
        }
        _ => false,
    }
}

/// What the SQL text of a write draws from by itself: `NOW()`, `gen_random_uuid()`.
pub(super) fn of_sql(text: &Text) -> Vec<(ValueSource, String)> {
    let sql = text.as_sql();
    let Ok(statement) = crate::sql::statement::parse(&sql, super::effects::dialect(&sql)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for expression in expressions(&statement) {
        for draw in &expression.draws {
            let source = match draw.source {
                DrawSource::Clock => ValueSource::Clock,
                DrawSource::Random => ValueSource::Random,
                _ => continue,
            };
            let one = (source, draw.text.to_string());
            if !found.contains(&one) {
                found.push(one);
            }
        }
    }
    found
}

fn expressions(statement: &Statement) -> Vec<&Expression> {
    match statement {
        Statement::Insert(insert) => match &insert.rows {
            Rows::Values(rows) => rows.iter().flatten().collect(),
            Rows::IfAbsent(values, _) => values.iter().collect(),
            Rows::Query(query) => vec![query],
            Rows::Defaults => Vec::new(),
        },
        Statement::Update(update) => update.set.iter().map(|set| &set.value).collect(),
        Statement::With(queries, inner) => {
            let mut all: Vec<&Expression> = queries.iter().collect();
            all.extend(expressions(inner));
            all
        }
        Statement::Delete(_) | Statement::Merge(_) => Vec::new(),
    }
}
