//! Statements of SQL: their text, what they run on, and what they are given.

use std::sync::Arc;

use crate::model::source::{Call, ExprKind};

use super::super::frame::Frame;
use super::rows::is_list;
use super::value::{Env, Kind, Val};
use super::walk::Walk;
use super::{Given, Runs, Statement, What};

impl<'a> Walk<'a, '_> {
    /// Notes a statement, and gives the number of its step.
    pub(super) fn statement(
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
                Kind::Made(parts) if is_list(parts) => {
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
        let on = self.runs_on(call, on, frame);
        let statement = Statement {
            sql: text,
            shown,
            on,
            given,
        };
        let place = frame.file.place(call.at);
        Some(self.step(place, What::Statement(Box::new(statement))))
    }

    /// What a statement runs on that a call of a method runs.
    pub(super) fn runs_on(&self, call: &'a Call, on: &Val<'a>, frame: &Frame<'a, '_>) -> Runs {
        match (&on.kind, &call.callee.kind) {
            (Kind::Tx(tx), _) => Runs::Within(*tx),
            (Kind::Pool, _) => Runs::Alone,
            (_, ExprKind::Field { of, .. }) => {
                self.analysis.refuel();
                let ty = self.analysis.type_of(of, frame);
                let names = ty.map_or_else(Vec::new, |ty| self.analysis.names_of(&ty));
                match self.analysis.begins(&names) {
                    true => Runs::Alone,
                    false => Runs::Unknown,
                }
            }
            _ => Runs::Unknown,
        }
    }
}

fn given_of(val: &Val<'_>) -> Given {
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
