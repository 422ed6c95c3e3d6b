//! What a function gives back on one way.

use crate::model::source::{Expr, ExprKind, Language};

use super::super::frame::Frame;
use super::Flow;
use super::run::Given;
use super::state::{Set, State, Val};

impl<'a> Flow<'a, '_> {
    /// The results of a function, each with the expression that gives it.
    pub(super) fn results(
        &mut self,
        values: &'a [Expr],
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) -> Vec<(&'a Expr, Val)> {
        let count = match (values, frame.function(self.analysis)) {
            ([_], Some(function)) => function.returns.len().max(1),
            _ => values.len(),
        };
        let vals = self.values(values, count, frame, state);
        let last = values.last();
        vals.into_iter()
            .enumerate()
            .filter_map(|(at, val)| Some((values.get(at).or(last)?, val)))
            .collect()
    }

    /// Gives results back from the function that runs.
    pub(super) fn give(
        &mut self,
        results: Vec<(&'a Expr, Val)>,
        frame: &Frame<'a, '_>,
        state: &State<'a>,
    ) {
        let is_go = frame.file.language == Language::Go;
        let mut fails = false;
        let count = results.len();
        let results: Vec<Val> = results
            .into_iter()
            .enumerate()
            .map(|(at, (expr, val))| {
                let is_last = at + 1 == count;
                if is_go {
                    if is_last && val.is_open() && self.is_made_error(expr, frame) {
                        fails = true;
                        let made = Val::constant(true, &Set::new());
                        return Val {
                            errors: val.errors,
                            is_error: true,
                            ..made
                        };
                    }
                    if is_last && val.is_error && val.no.is_none() {
                        fails = true;
                    }
                } else if let ExprKind::Call(call) = &expr.kind
                    && matches!(&call.callee.kind, ExprKind::Name(name) if &**name == "Err")
                {
                    fails = true;
                }
                val
            })
            .map(|val| val.beside(&state.passed))
            .collect();
        if let Some(given) = self.given.last_mut() {
            given.push(Given {
                results,
                fails,
                state: state.clone(),
            });
        }
    }
}
