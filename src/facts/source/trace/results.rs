//! Results that are one value with the error in it, and errors that are thrown: what Rust and Python
//! have where Go gives an error beside the value.

use std::rc::Rc;

use crate::model::place::Place;
use crate::model::source::{Arm, Block, Call, Expr, ExprKind, Language, Pattern, Stmt, StmtKind};

use super::super::frame::Frame;
use super::super::wrappers::PASSING;
use super::bound::bind;
use super::fits::fit;
use super::statements::Flow;
use super::value::{Env, Kind, Val};
use super::walk::Walk;
use super::{End, Inside};

/// What the last expression of a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gives {
    /// An expression whose value nobody takes.
    Nothing,
    /// What the function gives.
    Function,
    /// The value of the block.
    Block,
}

impl<'a> Walk<'a, '_> {
    /// A call: what it gives, where `?` stands behind it only if there was no error.
    pub(super) fn results(
        &mut self,
        expr: &'a Expr,
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
    ) -> Vec<Val<'a>> {
        let ExprKind::Call(call) = &expr.kind else {
            return vec![self.eval(expr, frame, env)];
        };
        if let Some(beside) = self.beside(call, frame, env) {
            return beside;
        }
        if let (Some(good), [of]) = (made(expr, frame), &call.args[..]) {
            let val = self.eval(of, frame, env);
            return vec![match good {
                true => val,
                false => Val {
                    kind: Kind::Moot,
                    ..val
                },
            }];
        }
        let from = self.next();
        let given = self.called(expr, call, frame, env, from);
        let ends = || matches!(&call.callee.kind, ExprKind::Field { name, .. } if matches!(&**name, "unwrap" | "expect"));
        if call.tried || (frame.file.language == Language::Rust && ends()) {
            self.goes_on_without_error(from, frame.file.place(call.at));
        }
        given
    }

    /// What stands behind runs only where the steps since one did not fail; else the function gives
    /// the error.
    fn goes_on_without_error(&mut self, from: usize, place: Place) {
        if from == self.next() {
            return;
        }
        let branch = self.condition(&Val {
            kind: Kind::Failed(true),
            ..Val::about((from, self.next()))
        });
        self.trace.branches[branch].place = Some(place.clone());
        self.inside(Inside::Then(branch), |walk| {
            walk.leaves(place);
            walk.ends(End::Fails);
        });
        self.within.push(Inside::Else(branch));
    }

    /// Notes a way out of the function.
    fn ends(&mut self, end: End) {
        for inside in &self.within[self.floor.min(self.within.len())..] {
            let (at, arm) = match inside {
                Inside::Then(at) => (*at, true),
                Inside::Else(at) => (*at, false),
                _ => continue,
            };
            if let Some(branch) = self.trace.branches.get_mut(at) {
                branch.ends.push((arm, end));
            }
        }
    }

    /// What a function gives, by `return` or as its last expression.
    pub(super) fn returns(
        &mut self,
        values: &'a [Expr],
        stmt: &'a Stmt,
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
    ) -> Flow {
        let gives = std::mem::replace(&mut self.gives, Gives::Nothing);
        let mut given = match values {
            [] => Vec::new(),
            [one] => self.results(one, frame, env),
            _ => self.values(values, values.len(), frame, env),
        };
        self.gives = gives;
        let end = match (values.last(), frame.file.language) {
            (Some(last), Language::Rust) => end_in_rust(self, last, frame),
            _ => end_of(given.last(), frame.file.language),
        };
        self.told(&mut given, end);
        self.leaves(frame.file.place(stmt.at));
        self.ends(end);
        if let Some(returned) = self.returned.last_mut() {
            returned.push(given);
        }
        Flow::Ends
    }

    /// An expression that stands as a statement; what it gives where it is the last one of a block.
    pub(super) fn alone(
        &mut self,
        expr: &'a Expr,
        stmt: &'a Stmt,
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
    ) -> Flow {
        match self.gives {
            Gives::Function => return self.returns(std::slice::from_ref(expr), stmt, frame, env),
            Gives::Block => {
                let val = self.eval(expr, frame, env);
                if let Some(tails) = self.tails.last_mut() {
                    tails.push(val);
                }
                return Flow::On;
            }
            Gives::Nothing => {}
        }
        let from = self.next();
        let val = self.eval(expr, frame, env);
        let ExprKind::Call(call) = &expr.kind else {
            self.drops(from, stmt, frame);
            return Flow::On;
        };
        if !call.tried && !matches!(val.kind, Kind::Started(_)) {
            self.drops(from, stmt, frame);
        }
        match (&call.callee.kind, frame.file.language) {
            (ExprKind::Name(name), _) if &**name == "panic" => Flow::Ends,
            (ExprKind::Name(name), Language::Python) if &**name == "raise" => {
                self.leaves(frame.file.place(stmt.at));
                self.ends(End::Fails);
                Flow::Ends
            }
            _ => Flow::On,
        }
    }

    /// The value of a block.
    pub(super) fn block_value(
        &mut self,
        block: &'a Block,
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
    ) -> Val<'a> {
        let own = match frame.file.language {
            Language::Rust | Language::Python => Gives::Block,
            _ => Gives::Nothing,
        };
        let is_list = frame.file.language == Language::Python
            && matches!(&block.stmts[..], [stmt] if matches!(stmt.kind, StmtKind::Loop { .. }));
        let gives = std::mem::replace(&mut self.gives, own);
        self.tails.push(Vec::new());
        self.block(block, frame, env);
        self.gives = gives;
        let tails = self.tails.pop().unwrap_or_default();
        let all = tails.into_iter().reduce(Val::or).unwrap_or_default();
        match is_list {
            true => {
                let element = match &all.kind {
                    Kind::List(_, inner) => Rc::clone(inner),
                    _ => Rc::new(all.clone()),
                };
                let kind = Kind::List(self.number(), element);
                Val { kind, ..all }
            }
            false => all,
        }
    }

    /// What a method of a library gives of what it is called on, where that is the same in other words.
    pub(super) fn passed(
        &mut self,
        name: &str,
        call: &'a Call,
        on: &Val<'a>,
        args: &[Val<'a>],
        frame: &Frame<'a, '_>,
    ) -> Kind<'a> {
        match &on.kind {
            Kind::Hit(step, hit) if matches!(name, "is_some" | "is_none") => {
                Kind::Hit(*step, *hit == (name == "is_some"))
            }
            Kind::FlagText | Kind::Flag(_) => {
                let asks = args.iter().find_map(|arg| match &arg.kind {
                    Kind::Closure(closure, env, id) => Some((*closure, env.clone(), *id)),
                    _ => None,
                });
                if let Some((closure, env, id)) = asks {
                    let from = self.next();
                    let given = std::slice::from_ref(on);
                    let told = self.closure(closure, env, id, given, from);
                    return told.into_iter().next().unwrap_or_default().kind;
                }
                match args.iter().any(|arg| matches!(arg.kind, Kind::Bool(true))) {
                    true => Kind::Unknown,
                    false => on.kind.clone(),
                }
            }
            _ if frame.file.language != Language::Rust || !PASSING.contains(&name) => Kind::Unknown,
            // `Arc::clone(&x)`.
            Kind::Unknown if matches!(call.callee.kind, ExprKind::Name(_)) => {
                let [arg] = args else {
                    return Kind::Unknown;
                };
                arg.kind.clone()
            }
            kind => kind.clone(),
        }
    }

    /// What runs where a pattern of `let … else` does not fit.
    pub(super) fn or_else(
        &mut self,
        pattern: &'a Pattern,
        val: &Val<'a>,
        otherwise: &'a Block,
        frame: &Frame<'a, '_>,
        env: &Env<'a>,
    ) {
        let Some(first) = otherwise.stmts.first() else {
            return;
        };
        let patterns = std::slice::from_ref(pattern);
        let fits = fit(patterns, val).unwrap_or_else(|| Val::default().taking(val));
        let branch = self.condition(&fits);
        self.trace.branches[branch].place = Some(frame.file.place(first.at));
        let mut inner = env.clone();
        let gives = std::mem::replace(&mut self.gives, Gives::Nothing);
        let flow = self.inside(Inside::Else(branch), |walk| {
            walk.block(otherwise, frame, &mut inner)
        });
        self.gives = gives;
        if flow == Flow::Ends {
            self.within.push(Inside::Then(branch));
        }
    }

    /// Binds what the patterns of an arm name.
    pub(super) fn bind_arm(
        &mut self,
        arm: &'a Arm,
        fitted: bool,
        looked_at: Option<&Val<'a>>,
        val: &Val<'a>,
        env: &mut Env<'a>,
    ) {
        let val = match (fitted, looked_at) {
            (true, Some(of)) => of,
            _ => val,
        };
        for pattern in &arm.patterns {
            bind(pattern, val.clone(), env);
        }
    }
}

/// True of `Ok(…)` and `Some(…)`, false of `Err(…)`; nothing of all else.
fn made(expr: &Expr, frame: &Frame<'_, '_>) -> Option<bool> {
    let ExprKind::Call(call) = &expr.kind else {
        return None;
    };
    let ExprKind::Name(name) = &call.callee.kind else {
        return None;
    };
    match (&**name, frame.file.language) {
        ("Ok" | "Some", Language::Rust) => Some(true),
        ("Err", Language::Rust) => Some(false),
        _ => None,
    }
}

/// How a function of Rust ends that gives this.
fn end_in_rust(walk: &Walk<'_, '_>, last: &Expr, frame: &Frame<'_, '_>) -> End {
    if let Some(good) = made(last, frame) {
        return if good { End::Goes } else { End::Fails };
    }
    let returns = frame
        .id
        .map(|id| &walk.analysis.program.function(id).returns[..]);
    match returns {
        Some([of]) if of.name.ends_with("Result") => End::Fails,
        _ => End::Unknown,
    }
}

/// How a function ends that gives this last.
fn end_of(last: Option<&Val<'_>>, language: Language) -> End {
    match (last.map(|val| &val.kind), language) {
        (Some(Kind::Nil), Language::Go | Language::Python) | (None, Language::Python) => End::Goes,
        (Some(Kind::Bool(_) | Kind::Hit(..) | Kind::Coded(..)) | None, _) => End::Unknown,
        (Some(_), Language::Go) => End::Fails,
        (Some(_), _) => End::Unknown,
    }
}
