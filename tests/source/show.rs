//! The neutral tree as text, so that a test says in one line what it expects.

use outbox_audit::model::source::{
    AssignOp, Block, Closure, Expr, ExprKind, MadeField, Operator, Param, Pattern, Stmt, StmtKind,
    TypeRef,
};

/// `a, b` of a list.
fn list<T>(all: &[T], one: impl Fn(&T) -> String) -> String {
    all.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Statements, one after the other.
pub(crate) fn stmts(block: &Block) -> String {
    let all = block.stmts.iter().map(stmt);
    all.collect::<Vec<_>>().join("; ")
}

fn block(block: &Block) -> String {
    match block.stmts.is_empty() {
        true => "{}".to_owned(),
        false => format!("{{ {} }}", stmts(block)),
    }
}

/// One statement.
pub(crate) fn stmt(stmt: &Stmt) -> String {
    let unless_empty = |of: &Block| match of.stmts.is_empty() {
        true => String::new(),
        false => format!(" else {}", block(of)),
    };
    match &stmt.kind {
        StmtKind::Let {
            patterns,
            of,
            values,
            otherwise,
        } => {
            let of = of.as_ref().map(|of| format!(": {}", type_ref(of)));
            let values = match values.is_empty() {
                true => String::new(),
                false => format!(" = {}", list(values, expr)),
            };
            let names = list(patterns, pattern);
            let rest = unless_empty(otherwise);
            format!("let {names}{}{values}{rest}", of.unwrap_or_default())
        }
        StmtKind::Assign {
            targets,
            op,
            values,
        } => {
            let op = match op {
                AssignOp::Set => "=",
                AssignOp::Add => "+=",
                AssignOp::Change => "~=",
            };
            format!("{} {op} {}", list(targets, expr), list(values, expr))
        }
        StmtKind::Expr(value) => expr(value),
        StmtKind::If {
            condition,
            then,
            otherwise,
        } => {
            let rest = unless_empty(otherwise);
            format!("if {} {}{rest}", expr(condition), block(then))
        }
        StmtKind::Loop {
            patterns,
            over,
            each,
            body,
        } => {
            let word = if *each { "each" } else { "while" };
            let names = list(patterns, pattern);
            let over = over.as_ref().map(expr).unwrap_or_default();
            format!("{word} [{names}] {over} {}", block(body))
        }
        StmtKind::Match { of, arms } => {
            let of = of.as_ref().map(|of| format!("{} ", expr(of)));
            let arms = list(arms, |arm| {
                let patterns: Vec<String> = arm.patterns.iter().map(pattern).collect();
                let guard = arm
                    .guard
                    .as_ref()
                    .map(|guard| format!("if {} ", expr(guard)));
                let guard = guard.unwrap_or_default();
                let patterns = patterns.join(" | ");
                format!("[{patterns}] {guard}=> {}", block(&arm.body))
            });
            format!("match {}{{ {arms} }}", of.unwrap_or_default())
        }
        StmtKind::Return(values) => format!("return {}", list(values, expr))
            .trim_end()
            .to_owned(),
        StmtKind::Leave(_) => "leave".to_owned(),
        StmtKind::Defer(value) => format!("defer {}", expr(value)),
        StmtKind::Spawn(value) => format!("spawn {}", expr(value)),
        StmtKind::Block(inner) => block(inner),
        StmtKind::With { of, name, body } => {
            let name = name.as_ref().map(|name| format!(" as {}", pattern(name)));
            let name = name.unwrap_or_default();
            format!("with {}{name} {}", expr(of), block(body))
        }
        StmtKind::Try { body, .. } => format!("try {}", block(body)),
    }
}

/// An expression.
pub(crate) fn expr(of: &Expr) -> String {
    match &of.kind {
        ExprKind::Text(text) => format!("{text:?}"),
        ExprKind::Number(text) | ExprKind::Name(text) => text.to_string(),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Nil => "nil".to_owned(),
        ExprKind::Field { of, name, .. } => format!("{}.{name}", expr(of)),
        ExprKind::Index { of, by } => format!("{}[{}]", expr(of), expr(by)),
        ExprKind::Call(call) => {
            let generics = match call.generics.is_empty() {
                true => String::new(),
                false => format!("<{}>", list(&call.generics, type_ref)),
            };
            let bang = if call.is_macro { "!" } else { "" };
            let tried = if call.tried { "?" } else { "" };
            let callee = expr(&call.callee);
            format!(
                "{callee}{bang}{generics}({}){tried}",
                list(&call.args, expr)
            )
        }
        ExprKind::Closure(of) => closure(of),
        ExprKind::Make { of, fields } => {
            let of = of.as_ref().map(type_ref).unwrap_or_default();
            format!("{of}{{{}}}", list(fields, made))
        }
        ExprKind::Binary { op, left, right } => {
            let op = match op {
                Operator::Add => "+",
                Operator::Subtract => "-",
                Operator::Multiply => "*",
                Operator::Divide => "/",
                Operator::Equal => "==",
                Operator::NotEqual => "!=",
                Operator::Less | Operator::AtMost | Operator::More | Operator::AtLeast => "<>",
                Operator::And => "&&",
                Operator::Or => "||",
                Operator::Other => "%%",
            };
            format!("({} {op} {})", expr(left), expr(right))
        }
        ExprKind::Not(of) => format!("!{}", expr(of)),
        ExprKind::Cast { to, value } => format!("({} as {})", expr(value), type_ref(to)),
        ExprKind::Block(of) => block(of),
        ExprKind::Type(of) => format!("type {}", type_ref(of)),
        ExprKind::Other(parts) => format!("other({})", list(parts, expr)),
    }
}

fn made(field: &MadeField) -> String {
    match (&field.name, &field.key) {
        (Some(name), _) => format!("{name}: {}", expr(&field.value)),
        (None, Some(key)) => format!("[{}]: {}", expr(key), expr(&field.value)),
        (None, None) => expr(&field.value),
    }
}

fn closure(of: &Closure) -> String {
    let head = signature(&of.params, &of.returns);
    format!("fn{head} {}", block(&of.body))
}

/// `(a: T, rest…: U) -> R`.
pub(crate) fn signature(params: &[Param], returns: &[TypeRef]) -> String {
    let params = list(params, |param| {
        let rest = if param.rest { "…" } else { "" };
        format!("{}{rest}: {}", pattern(&param.pattern), type_ref(&param.of))
    });
    match returns.is_empty() {
        true => format!("({params})"),
        false => format!("({params}) -> {}", list(returns, type_ref)),
    }
}

/// A pattern.
pub(crate) fn pattern(of: &Pattern) -> String {
    match of {
        Pattern::Ignore => "_".to_owned(),
        Pattern::Name(name, None) => name.to_string(),
        Pattern::Name(name, Some(of)) => format!("{name}: {}", type_ref(of)),
        Pattern::Value(value) => format!("={}", expr(value)),
        Pattern::Type(of) => format!(":{}", type_ref(of)),
        Pattern::Parts { of, parts } => {
            let parts = list(parts, |(name, part)| format!("{name}: {}", pattern(part)));
            format!("{of}{{{parts}}}")
        }
    }
}

/// A type.
pub(crate) fn type_ref(of: &TypeRef) -> String {
    let args = match of.args.is_empty() {
        true => String::new(),
        false => format!("<{}>", list(&of.args, type_ref)),
    };
    let returns = match of.returns.is_empty() {
        true => String::new(),
        false => format!(" -> ({})", list(&of.returns, type_ref)),
    };
    format!("{}{args}{returns}", of.name)
}

/// `line:column name` of the calls of a chain of them, the last one first.
pub(crate) fn calls(block: &Block) -> Vec<String> {
    let mut out = Vec::new();
    let last = block.stmts.last().map(|stmt| &stmt.kind);
    let mut open = match last {
        Some(StmtKind::Expr(value)) => Some(value),
        _ => None,
    };
    while let Some(ExprKind::Call(call)) = open.map(|value| &value.kind) {
        let ExprKind::Field { of, name, .. } = &call.callee.kind else {
            break;
        };
        out.push(format!("{}:{} {name}", call.at.line, call.at.column));
        open = Some(of);
    }
    out
}
