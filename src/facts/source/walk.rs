//! Going through the parts of an expression and of statements.

use crate::model::place::Pos;
use crate::model::source::{Block, Call, Closure, Expr, ExprKind, Handler, Stmt, StmtKind};

/// What an expression is made of.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part<'a> {
    /// An expression.
    Expr(&'a Expr),
    /// Statements.
    Block(&'a Block),
    /// A function without a name.
    Closure(&'a Closure),
}

/// The direct parts of an expression, in the order they are evaluated.
pub(super) fn parts<'a>(expr: &'a Expr, seen: &mut impl FnMut(Part<'a>)) {
    match &expr.kind {
        ExprKind::Field { of, .. } | ExprKind::Not(of) => seen(Part::Expr(of)),
        ExprKind::Index { of, by } => {
            seen(Part::Expr(of));
            seen(Part::Expr(by));
        }
        ExprKind::Call(call) => {
            seen(Part::Expr(&call.callee));
            call.args.iter().for_each(|arg| seen(Part::Expr(arg)));
        }
        ExprKind::Closure(closure) => seen(Part::Closure(closure)),
        ExprKind::Make { fields, .. } => {
            for field in fields {
                if let Some(key) = &field.key {
                    seen(Part::Expr(key));
                }
                seen(Part::Expr(&field.value));
            }
        }
        ExprKind::Binary { left, right, .. } => {
            seen(Part::Expr(left));
            seen(Part::Expr(right));
        }
        ExprKind::Cast { value, .. } => seen(Part::Expr(value)),
        ExprKind::Block(block) => seen(Part::Block(block)),
        ExprKind::Other(parts) => parts.iter().for_each(|part| seen(Part::Expr(part))),
        ExprKind::Text(_)
        | ExprKind::Number(_)
        | ExprKind::Bool(_)
        | ExprKind::Nil
        | ExprKind::Name(_)
        | ExprKind::Type(_) => {}
    }
}

/// The direct parts of a statement, in the order of the text.
pub(super) fn stmt_parts<'a>(stmt: &'a Stmt, seen: &mut impl FnMut(Part<'a>)) {
    let exprs = |list: &'a [Expr], seen: &mut dyn FnMut(Part<'a>)| {
        list.iter().for_each(|expr| seen(Part::Expr(expr)));
    };
    match &stmt.kind {
        StmtKind::Let {
            values, otherwise, ..
        } => {
            exprs(values, seen);
            seen(Part::Block(otherwise));
        }
        StmtKind::Assign {
            targets, values, ..
        } => {
            exprs(targets, seen);
            exprs(values, seen);
        }
        StmtKind::Expr(expr) | StmtKind::Defer(expr) | StmtKind::Spawn(expr) => {
            seen(Part::Expr(expr));
        }
        StmtKind::If {
            condition,
            then,
            otherwise,
        } => {
            seen(Part::Expr(condition));
            seen(Part::Block(then));
            seen(Part::Block(otherwise));
        }
        StmtKind::Loop { over, body, .. } => {
            if let Some(over) = over {
                seen(Part::Expr(over));
            }
            seen(Part::Block(body));
        }
        StmtKind::Match { of, arms } => {
            if let Some(of) = of {
                seen(Part::Expr(of));
            }
            for arm in arms {
                if let Some(guard) = &arm.guard {
                    seen(Part::Expr(guard));
                }
                seen(Part::Block(&arm.body));
            }
        }
        StmtKind::Return(values) => exprs(values, seen),
        StmtKind::Leave(_) => {}
        StmtKind::Block(block) => seen(Part::Block(block)),
        StmtKind::With { of, body, .. } => {
            seen(Part::Expr(of));
            seen(Part::Block(body));
        }
        StmtKind::Try {
            body,
            handlers,
            finally,
        } => {
            seen(Part::Block(body));
            for handler in handlers {
                seen(Part::Block(&handler.body));
            }
            seen(Part::Block(finally));
        }
    }
}

/// Every handler of exceptions of a block, closures left out.
pub(super) fn each_handler(block: &Block) -> Vec<&Handler> {
    let mut found = Vec::new();
    let mut open = vec![block];
    while let Some(block) = open.pop() {
        for stmt in &block.stmts {
            if let StmtKind::Try { handlers, .. } = &stmt.kind {
                found.extend(handlers);
            }
            stmt_parts(stmt, &mut |part| {
                if let Part::Block(block) = part {
                    open.push(block);
                }
            });
        }
    }
    found
}

/// Every expression of a block, outer ones first, closures included.
pub(super) fn each_expr<'a>(block: &'a Block, seen: &mut impl FnMut(&'a Expr)) {
    for stmt in &block.stmts {
        let mut open: Vec<Part<'a>> = Vec::new();
        stmt_parts(stmt, &mut |part| open.push(part));
        open.reverse();
        while let Some(part) = open.pop() {
            let mut inner: Vec<Part<'a>> = Vec::new();
            match part {
                Part::Expr(expr) => {
                    seen(expr);
                    parts(expr, &mut |part| inner.push(part));
                }
                Part::Block(block) => {
                    for stmt in &block.stmts {
                        stmt_parts(stmt, &mut |part| inner.push(part));
                    }
                }
                Part::Closure(closure) => inner.push(Part::Block(&closure.body)),
            }
            open.extend(inner.into_iter().rev());
        }
    }
}

/// The name whose part an expression is: `x` of `x.a.b` and `x[0]`.
pub(super) fn whole(mut expr: &Expr) -> Option<&str> {
    loop {
        match &expr.kind {
            ExprKind::Field { of, .. } | ExprKind::Index { of, .. } => expr = of,
            ExprKind::Name(name) => return Some(name),
            _ => return None,
        }
    }
}

/// The last position of a statement that is known: that of the last part of its values.
pub(super) fn end_of(start: Pos, values: &[Expr]) -> Pos {
    let mut last = start;
    let mut open: Vec<Part<'_>> = values.iter().map(Part::Expr).collect();
    while let Some(part) = open.pop() {
        match part {
            Part::Expr(expr) => {
                last = last.max(expr.at);
                if let ExprKind::Call(call) = &expr.kind {
                    last = last.max(call.at);
                }
                parts(expr, &mut |inner| open.push(inner));
            }
            Part::Block(block) => {
                for stmt in &block.stmts {
                    last = last.max(stmt.at);
                    stmt_parts(stmt, &mut |inner| open.push(inner));
                }
            }
            Part::Closure(closure) => {
                last = last.max(closure.end);
            }
        }
    }
    last
}

/// The last name of what is called.
pub(super) fn called_name(call: &Call) -> String {
    match &call.callee.kind {
        ExprKind::Name(name) => name.rsplit("::").next().unwrap_or(name).to_owned(),
        ExprKind::Field { name, .. } => name.to_string(),
        _ => String::new(),
    }
}

/// Names that stand in an expression, those of closures not.
pub(super) fn names_in(expr: &Expr) -> Vec<&str> {
    let mut names = Vec::new();
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        if let ExprKind::Name(name) = &expr.kind {
            names.push(&**name);
        }
        parts(expr, &mut |part| {
            if let Part::Expr(inner) = part {
                open.push(inner);
            }
        });
    }
    names
}

/// True if an expression speaks of a name.
pub(super) fn mentions(expr: &Expr, name: &str) -> bool {
    names_in(expr).contains(&name)
}
