//! Loops: what each round binds, and what of the names from before holds in every round.

use crate::model::source::{Expr, ExprKind, Language, Pattern, Stmt, StmtKind};

use super::super::frame::Frame;
use super::bound::bind;
use super::rows::forget;
use super::statements::Flow;
use super::value::{Env, Kind, Val};
use super::walk::Walk;
use super::{Inside, What};

impl<'a> Walk<'a, '_> {
    /// Goes through a loop.
    pub(super) fn looped(
        &mut self,
        stmt: &'a Stmt,
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
    ) -> Flow {
        let StmtKind::Loop {
            patterns,
            over,
            each,
            body,
        } = &stmt.kind
        else {
            return Flow::On;
        };
        let number = self.number();
        if *each {
            self.trace.each.push(number);
        }
        forget(body, number, env);
        if over.as_ref().is_some_and(|over| counts(over, number, env)) {
            self.trace.each.push(number);
        }
        let in_choice = std::mem::replace(&mut self.in_choice, false);
        self.inside(Inside::Loop(number), |walk| {
            if let Some(over) = over {
                let val = walk.eval(over, frame, env);
                match each {
                    true => walk.binds(patterns, &val, number, stmt, frame, env),
                    false => {
                        for pattern in patterns {
                            bind(pattern, val.clone(), env);
                        }
                        walk.on_condition(&val, over, frame);
                    }
                }
            }
            walk.block(body, frame, env)
        });
        self.in_choice = in_choice;
        // A loop without a condition ends only from inside.
        Flow::On
    }

    /// The body of a loop runs where its condition holds; where it does not, the loop ends.
    fn on_condition(&mut self, val: &Val<'a>, over: &'a Expr, frame: &Frame<'a, '_>) {
        let place = frame.file.place(over.at);
        if matches!(&over.kind, ExprKind::Other(parts) if parts.is_empty())
            || matches!(val.kind, Kind::Bool(true))
        {
            return;
        }
        let branch = self.condition(val);
        self.trace.branches[branch].place = Some(place.clone());
        self.inside(Inside::Else(branch), |walk| walk.leaves(place));
        self.within.push(Inside::Then(branch));
    }

    /// Binds what each round of a loop over elements gives.
    fn binds(
        &mut self,
        patterns: &'a [Pattern],
        over: &Val<'a>,
        number: usize,
        stmt: &'a Stmt,
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
    ) {
        if let Kind::Channel(of) | Kind::Ticker(of) = over.kind {
            self.step(frame.file.place(stmt.at), What::Receive(vec![of]));
        }
        let element = self.element(over, number);
        let listed = matches!(over.kind, Kind::List(..) | Kind::Made(_) | Kind::Text(_));
        let round = Val::of(Kind::Round(number)).taking(over);
        match (frame.file.language, patterns) {
            (Language::Go, [at]) if listed => bind(at, round, env),
            (Language::Go, [at, value]) => {
                bind(at, round, env);
                bind(value, element, env);
            }
            _ => {
                for pattern in patterns {
                    bind(pattern, element.clone(), env);
                }
            }
        }
    }
}

/// True of a condition on the number of the round: `i < len(list)`.
fn counts(over: &Expr, number: usize, env: &Env<'_>) -> bool {
    let is = |side: &Expr| match &side.kind {
        ExprKind::Name(name) => {
            let kind = env.get(name).map(|val| &val.kind);
            matches!(kind, Some(Kind::Round(round)) if *round == number)
        }
        _ => false,
    };
    match &over.kind {
        ExprKind::Binary { left, right, .. } => is(left) || is(right),
        _ => false,
    }
}
