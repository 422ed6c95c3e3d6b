//! Ways through the tree: the children of one node, and all nodes, in the order they were written.

use super::ast::{Expr, ExprKind};

impl Expr {
    /// The direct children in written order (a piped value before the function it is piped into).
    pub fn children(&self) -> Vec<&Expr> {
        let mut found = Vec::new();
        visit_children(&self.kind, &mut |child| found.push(child));
        found
    }

    /// This node and everything below it, each node before its children, in written order.
    pub fn walk(&self) -> Walk<'_> {
        Walk {
            pending: vec![self],
        }
    }
}

/// Iterator over a tree; see [`Expr::walk`].
#[derive(Debug, Clone)]
pub struct Walk<'a> {
    pending: Vec<&'a Expr>,
}

impl<'a> Iterator for Walk<'a> {
    type Item = &'a Expr;

    fn next(&mut self) -> Option<Self::Item> {
        let node = self.pending.pop()?;
        let first = self.pending.len();
        visit_children(&node.kind, &mut |child| self.pending.push(child));
        if let Some(added) = self.pending.get_mut(first..) {
            added.reverse();
        }
        Some(node)
    }
}

/// Height of the highest child, 0 where there is none.
pub(super) fn height_of_children(kind: &ExprKind) -> u32 {
    let mut height = 0;
    visit_children(kind, &mut |child| height = height.max(child.height()));
    height
}

fn visit_children<'a>(kind: &'a ExprKind, visit: &mut dyn FnMut(&'a Expr)) {
    match kind {
        ExprKind::Nil
        | ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Str(_)
        | ExprKind::Bytes(_)
        | ExprKind::Ident(_)
        | ExprKind::Pointer(_) => {}
        ExprKind::Array(items) | ExprKind::Sequence(items) => items.iter().for_each(visit),
        ExprKind::Map(entries) => {
            for entry in entries {
                visit(&entry.key);
                visit(&entry.value);
            }
        }
        ExprKind::Member {
            object, property, ..
        } => {
            visit(object);
            visit(property);
        }
        ExprKind::Slice { object, from, to } => {
            visit(object);
            from.iter().for_each(|bound| visit(bound));
            to.iter().for_each(|bound| visit(bound));
        }
        ExprKind::Unary { operand, .. } => visit(operand),
        ExprKind::Binary { left, right, .. } | ExprKind::Coalesce { left, right } => {
            visit(left);
            visit(right);
        }
        ExprKind::Comparison { first, rest } => {
            visit(first);
            rest.iter().for_each(|step| visit(&step.operand));
        }
        ExprKind::Range { from, to } => {
            visit(from);
            visit(to);
        }
        ExprKind::Conditional {
            condition,
            then,
            otherwise,
            ..
        } => {
            visit(condition);
            then.iter().for_each(|branch| visit(branch));
            visit(otherwise);
        }
        ExprKind::Let { value, body, .. } => {
            visit(value);
            visit(body);
        }
        ExprKind::Call { callee, args, .. } => {
            visit(callee);
            args.iter().for_each(visit);
        }
        ExprKind::Builtin { args, .. } => args.iter().for_each(visit),
        ExprKind::Closure { body } => visit(body),
        ExprKind::Chain(inner) => visit(inner),
    }
}
