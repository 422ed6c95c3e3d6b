//! The names inside one function: what each is bound to, and where.

use std::collections::HashMap;

use crate::model::place::Pos;
use crate::model::source::{
    AssignOp, Block, Closure, Expr, ExprKind, Function, Pattern, Stmt, StmtKind, TypeRef,
};

use super::walk;

/// What a name is bound to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Bound<'a> {
    /// A parameter, by its number.
    Param(usize, &'a TypeRef),
    /// The receiver.
    Receiver,
    /// A parameter of a closure, or a name of a type switch.
    Typed(&'a TypeRef),
    /// A value; with the number of the result, where one call binds several names.
    Value {
        /// Type, where one is written.
        of: Option<&'a TypeRef>,
        /// The value, where one is given.
        value: Option<&'a Expr>,
        /// Which result of the value it is.
        result: usize,
        /// How it is assigned.
        op: AssignOp,
        /// True of the declaration, false of a later assignment.
        declares: bool,
    },
    /// What each round of a loop binds: the list, and the number of the name.
    Each(&'a Expr, usize),
    /// A part of a struct or variant: its name as written, and the part.
    Part(&'a str, &'a str),
    /// Something of which nothing is known.
    Opaque,
}

/// A binding.
#[derive(Debug, Clone, Copy)]
pub(super) struct Binding<'a> {
    /// Where it stands.
    pub(super) at: Pos,
    /// How many blocks it stands in.
    pub(super) depth: usize,
    /// What it is.
    pub(super) is: Bound<'a>,
    /// The arm of a match in which it stands, by its number.
    pub(super) under: Option<usize>,
}

/// An arm of a match on a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Condition<'a> {
    /// The value looked at.
    pub(super) of: &'a Expr,
    /// What it is compared with.
    pub(super) arm: &'a [Pattern],
    /// The arm around it.
    pub(super) outer: Option<usize>,
}

/// All bindings of a function and its closures, by name, in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Scope<'a> {
    names: HashMap<&'a str, Vec<Binding<'a>>>,
    /// Values given to parts of a name: `x.at = now`, `x[k] = v`.
    parts: HashMap<&'a str, Vec<(Pos, &'a Expr)>>,
    conditions: Vec<Condition<'a>>,
    depth: usize,
    under: Option<usize>,
}

impl<'a> Scope<'a> {
    /// Reads a function.
    pub(super) fn of(function: &'a Function) -> Self {
        let mut scope = Self::default();
        if let Some(receiver) = &function.receiver {
            scope.bind(receiver, function.at, Bound::Receiver);
        }
        for (at, param) in function.params.iter().enumerate() {
            match &param.pattern {
                Pattern::Name(name, _) => {
                    scope.bind(name, function.at, Bound::Param(at, &param.of));
                }
                pattern => scope.pattern(pattern, function.at, Bound::Opaque),
            }
        }
        scope.block(&function.body);
        scope
    }

    /// The binding that a use at a position means.
    pub(super) fn at(&self, name: &str, at: Pos) -> Option<&Binding<'a>> {
        self.until(name, at).last()
    }

    /// All bindings of a name up to a position, from its last declaration on.
    pub(super) fn until(&self, name: &str, at: Pos) -> &[Binding<'a>] {
        let Some(all) = self.names.get(name) else {
            return &[];
        };
        let end = all.partition_point(|binding| binding.at < at);
        let known = &all[..end];
        let start = known
            .iter()
            .rposition(|binding| {
                !matches!(
                    binding.is,
                    Bound::Value {
                        declares: false,
                        ..
                    }
                )
            })
            .unwrap_or(0);
        &known[start..]
    }

    /// The values that parts of a name were given before a position.
    pub(super) fn parts_until(&self, name: &str, at: Pos) -> impl Iterator<Item = &'a Expr> {
        let parts = self.parts.get(name).map_or(&[][..], Vec::as_slice);
        let before = parts.iter().filter(move |(given, _)| *given < at);
        before.map(|(_, value)| *value)
    }

    /// An arm of a match, by its number.
    pub(super) fn condition(&self, at: usize) -> Option<&Condition<'a>> {
        self.conditions.get(at)
    }

    fn bind(&mut self, name: &'a str, at: Pos, is: Bound<'a>) {
        let (depth, under) = (self.depth, self.under);
        let list = self.names.entry(name).or_default();
        // Parts of a `for` header may come in another order than they are written.
        let place = list.partition_point(|binding| binding.at <= at);
        list.insert(
            place,
            Binding {
                at,
                depth,
                is,
                under,
            },
        );
    }

    fn pattern(&mut self, pattern: &'a Pattern, at: Pos, is: Bound<'a>) {
        let mut open = vec![(pattern, is)];
        while let Some((pattern, is)) = open.pop() {
            match pattern {
                Pattern::Name(name, Some(of)) => self.bind(name, at, Bound::Typed(of)),
                Pattern::Name(name, None) => self.bind(name, at, is),
                Pattern::Parts { of, parts } => {
                    for (part, inner) in parts {
                        let is = match (&**of, is) {
                            // `Ok(x)` and `Some(x)` bind what is inside.
                            ("Ok" | "Some" | "Err", is) => is,
                            (
                                "",
                                Bound::Value {
                                    of,
                                    value,
                                    op,
                                    declares,
                                    ..
                                },
                            ) => Bound::Value {
                                of,
                                value,
                                result: part.parse().unwrap_or(0),
                                op,
                                declares,
                            },
                            _ => Bound::Part(of, part),
                        };
                        open.push((inner, is));
                    }
                }
                Pattern::Ignore | Pattern::Value(_) | Pattern::Type(_) => {}
            }
        }
    }

    fn block(&mut self, block: &'a Block) {
        self.depth += 1;
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        self.depth -= 1;
    }

    fn stmt(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Let {
                patterns,
                of,
                values,
                otherwise,
            } => {
                self.exprs(values);
                // A name is not bound yet where its own value is made: `let x = f(x)`.
                let behind = walk::end_of(stmt.at, values);
                for (at, pattern) in patterns.iter().enumerate() {
                    let own = values.len() == patterns.len();
                    let is = Bound::Value {
                        of: of.as_ref(),
                        value: if own { values.get(at) } else { values.first() },
                        result: if own { 0 } else { at },
                        op: AssignOp::Set,
                        declares: true,
                    };
                    self.pattern(pattern, behind, is);
                }
                self.block(otherwise);
            }
            StmtKind::Assign {
                targets,
                op,
                values,
            } => {
                self.exprs(targets);
                self.exprs(values);
                for (at, target) in targets.iter().enumerate() {
                    let ExprKind::Name(name) = &target.kind else {
                        if let Some(name) = walk::whole(target) {
                            let given = values.iter().map(|value| (stmt.at, value));
                            self.parts.entry(name).or_default().extend(given);
                        }
                        continue;
                    };
                    let own = values.len() == targets.len();
                    let is = Bound::Value {
                        of: None,
                        value: if own { values.get(at) } else { values.first() },
                        result: if own { 0 } else { at },
                        op: *op,
                        declares: false,
                    };
                    self.bind(name, walk::end_of(stmt.at, values), is);
                }
            }
            StmtKind::Expr(expr) | StmtKind::Defer(expr) | StmtKind::Spawn(expr) => {
                self.expr(expr);
            }
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.expr(condition);
                self.block(then);
                self.block(otherwise);
            }
            StmtKind::Loop {
                patterns,
                over,
                each,
                body,
            } => {
                if let Some(over) = over {
                    self.expr(over);
                    for (at, pattern) in patterns.iter().enumerate() {
                        let is = if *each {
                            Bound::Each(over, if patterns.len() == 1 { usize::MAX } else { at })
                        } else {
                            Bound::Value {
                                of: None,
                                value: Some(over),
                                result: 0,
                                op: AssignOp::Set,
                                declares: true,
                            }
                        };
                        self.pattern(pattern, stmt.at, is);
                    }
                }
                self.block(body);
            }
            StmtKind::Match { of, arms } => {
                if let Some(of) = of {
                    self.expr(of);
                }
                for arm in arms {
                    let is = of.as_ref().map_or(Bound::Opaque, |of| Bound::Value {
                        of: None,
                        value: Some(of),
                        result: 0,
                        op: AssignOp::Set,
                        declares: true,
                    });
                    let at = arm.body.stmts.first().map_or(stmt.at, |first| first.at);
                    let at = arm.guard.as_ref().map_or(at, |guard| guard.at.min(at));
                    // The pattern stands before both.
                    let at = Pos {
                        column: at.column.saturating_sub(1),
                        ..at
                    };
                    for pattern in &arm.patterns {
                        self.pattern(pattern, at, is);
                    }
                    if let Some(guard) = &arm.guard {
                        self.expr(guard);
                    }
                    let outer = self.under;
                    if let Some(of) = of.as_ref().filter(|_| arm.guard.is_none()) {
                        self.under = Some(self.conditions.len());
                        self.conditions.push(Condition {
                            of,
                            arm: &arm.patterns,
                            outer,
                        });
                    }
                    self.block(&arm.body);
                    self.under = outer;
                }
            }
            StmtKind::Return(values) => self.exprs(values),
            StmtKind::Leave(_) => {}
            StmtKind::Block(block) => self.block(block),
            StmtKind::With { of, name, body } => {
                self.expr(of);
                if let Some(name) = name {
                    let is = Bound::Value {
                        of: None,
                        value: Some(of),
                        result: 0,
                        op: AssignOp::Set,
                        declares: true,
                    };
                    self.pattern(name, walk::end_of(stmt.at, std::slice::from_ref(of)), is);
                }
                self.block(body);
            }
            StmtKind::Try {
                body,
                handlers,
                finally,
            } => {
                self.block(body);
                for handler in handlers {
                    if let Some(name) = &handler.name {
                        self.bind(name, stmt.at, Bound::Opaque);
                    }
                    self.block(&handler.body);
                }
                self.block(finally);
            }
        }
    }

    fn exprs(&mut self, exprs: &'a [Expr]) {
        for expr in exprs {
            self.expr(expr);
        }
    }

    /// Closures and blocks inside an expression bind names too.
    fn expr(&mut self, expr: &'a Expr) {
        walk::parts(expr, &mut |part| match part {
            walk::Part::Expr(inner) => self.expr(inner),
            walk::Part::Block(block) => self.block(block),
            walk::Part::Closure(closure) => self.closure(closure),
        });
    }

    fn closure(&mut self, closure: &'a Closure) {
        for param in &closure.params {
            match &param.pattern {
                Pattern::Name(name, _) if &*param.of.name != "?" => {
                    self.bind(name, closure.at, Bound::Typed(&param.of));
                }
                pattern => self.pattern(pattern, closure.at, Bound::Opaque),
            }
        }
        self.block(&closure.body);
    }
}
