//! Texts for the tests of the grammar: trees written back with every operation in parentheses, and generated ones.

pub(crate) mod generated;

use outbox_audit::expr::{
    BinaryOp, ComparisonStep, ConditionalForm, Expr, ExprKind, MapEntry, UnaryOp,
};

/// The fully parenthesised text of `expr`; parsing it gives the same tree but for places.
///
/// Pipes become plain calls.
pub(crate) fn parenthesised(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Nil => "nil".to_owned(),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Float(value) => format!("{value:e}").replace("e0", "e+0"),
        ExprKind::Str(value) => quoted(value),
        ExprKind::Bytes(value) => {
            let escapes: String = value.iter().map(|byte| format!("\\x{byte:02x}")).collect();
            format!("b\"{escapes}\"")
        }
        ExprKind::Ident(name) => name.clone(),
        ExprKind::Pointer(name) => format!("#{name}"),
        ExprKind::Array(items) => format!("[{}]", listed(items)),
        ExprKind::Map(entries) => {
            let pairs: Vec<String> = entries.iter().map(entry).collect();
            format!("{{{}}}", pairs.join(", "))
        }
        ExprKind::Member {
            object,
            property,
            optional,
            computed,
        } => {
            let object = operand(object);
            let sign = if *optional { "?." } else { "." };
            match &property.kind {
                ExprKind::Str(name) if !computed => format!("{object}{sign}{name}"),
                _ if *optional => format!("{object}?.[{}]", parenthesised(property)),
                _ => format!("{object}[{}]", parenthesised(property)),
            }
        }
        ExprKind::Slice { object, from, to } => {
            let bound =
                |side: &Option<Box<Expr>>| side.as_deref().map(parenthesised).unwrap_or_default();
            format!("{}[{}:{}]", operand(object), bound(from), bound(to))
        }
        ExprKind::Unary { op, operand } => {
            let sign = match op {
                UnaryOp::Not => "not ",
                UnaryOp::Neg => "-",
                UnaryOp::Plus => "+",
            };
            format!("({sign}{})", in_operation(operand))
        }
        ExprKind::Binary { op, left, right } => {
            format!(
                "({} {} {})",
                in_operation(left),
                written(*op),
                in_operation(right)
            )
        }
        ExprKind::Comparison { first, rest } => {
            let steps: String = rest.iter().map(step).collect();
            format!("({}{steps})", in_operation(first))
        }
        ExprKind::Range { from, to } => format!("({} .. {})", in_operation(from), in_operation(to)),
        ExprKind::Coalesce { left, right } => {
            format!("({} ?? {})", in_operation(left), in_operation(right))
        }
        ExprKind::Conditional {
            form,
            condition,
            then,
            otherwise,
        } => {
            let then = then.as_deref().map(parenthesised).unwrap_or_default();
            let (condition, otherwise) = (parenthesised(condition), parenthesised(otherwise));
            match form {
                ConditionalForm::Ternary => format!("(({condition}) ? {then} : {otherwise})"),
                ConditionalForm::Elvis => format!("(({condition}) ?: {otherwise})"),
                ConditionalForm::If => {
                    format!("(if {condition} {{ {then} }} else {{ {otherwise} }})")
                }
            }
        }
        ExprKind::Let {
            name, value, body, ..
        } => {
            format!(
                "let {name} = {}; {}",
                in_operation(value),
                parenthesised(body)
            )
        }
        ExprKind::Sequence(items) => {
            let items: Vec<String> = items.iter().map(in_operation).collect();
            format!("({})", items.join("; "))
        }
        ExprKind::Call { callee, args, .. } => format!("{}({})", operand(callee), listed(args)),
        ExprKind::Builtin { name, args, .. } => format!("{name}({})", listed(args)),
        ExprKind::Closure { body } => format!("{{ {} }}", parenthesised(body)),
        ExprKind::Chain(inner) => parenthesised(inner),
    }
}

fn listed(items: &[Expr]) -> String {
    items
        .iter()
        .map(parenthesised)
        .collect::<Vec<_>>()
        .join(", ")
}

fn entry(entry: &MapEntry) -> String {
    let key = match &entry.key.kind {
        ExprKind::Str(name) => quoted(name),
        _ => format!("({})", parenthesised(&entry.key)),
    };
    format!("{key}: {}", parenthesised(&entry.value))
}

fn step(step: &ComparisonStep) -> String {
    format!(" {} {}", written(step.op), in_operation(&step.operand))
}

/// As an operand of an operator: a `let` needs parentheses there.
fn in_operation(expr: &Expr) -> String {
    match expr.kind {
        ExprKind::Let { .. } => format!("({})", parenthesised(expr)),
        _ => parenthesised(expr),
    }
}

/// As what a member is taken of: a number or word literal takes none.
fn operand(expr: &Expr) -> String {
    match expr.kind {
        ExprKind::Let { .. }
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Bool(_)
        | ExprKind::Nil => {
            format!("({})", parenthesised(expr))
        }
        _ => parenthesised(expr),
    }
}

fn quoted(value: &str) -> String {
    let mut text = String::from("\"");
    for c in value.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            _ => text.push(c),
        }
    }
    text.push('"');
    text
}

fn written(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Or => "or",
        BinaryOp::And => "and",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Gt => ">",
        BinaryOp::Le => "<=",
        BinaryOp::Ge => ">=",
        BinaryOp::In => "in",
        BinaryOp::Matches => "matches",
        BinaryOp::Contains => "contains",
        BinaryOp::StartsWith => "startsWith",
        BinaryOp::EndsWith => "endsWith",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Pow => "**",
    }
}
