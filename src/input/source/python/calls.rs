//! Calls.

use std::sync::Arc;

use tree_sitter::Node;

use super::Lower;
use crate::input::source::syntax::{children, other, plain};
use crate::model::source::{Call, Expr, ExprKind, TypeRef};

impl<'t> Lower<'t, '_> {
    pub(super) fn call(&mut self, node: Node<'t>) -> Expr {
        let Some(function) = node.child_by_field_name("function") else {
            return other(self.read.at(node), Vec::new());
        };
        if let Some(made) = self.super_call(node, function) {
            return made;
        }
        if let Some(made) = self.format_call(node, function) {
            return made;
        }
        let callee = self.expr(function);
        let mut args = Vec::new();
        let mut named: Vec<(usize, Arc<str>)> = Vec::new();
        let list = node.child_by_field_name("arguments");
        let nodes = match list {
            Some(list) if list.kind() == "argument_list" => children(list),
            Some(one) => vec![one],
            None => Vec::new(),
        };
        for arg in nodes {
            match arg.kind() {
                "keyword_argument" => {
                    if let Some(name) = arg.child_by_field_name("name") {
                        named.push((args.len(), self.read.name(name)));
                    }
                    args.push(self.field_expr(arg, "value"));
                }
                // How many these are, and of which names, is not known.
                "dictionary_splat" | "list_splat" => {
                    let stars = if arg.kind() == "list_splat" {
                        "*"
                    } else {
                        "**"
                    };
                    named.push((args.len(), stars.into()));
                    args.push(self.expr(arg));
                }
                _ => args.push(self.expr(arg)),
            }
        }
        Expr {
            at: self.read.at(node),
            kind: ExprKind::Call(Box::new(Call {
                callee,
                at: self.at_of_name(function),
                end: self.read.end(node),
                generics: Vec::new(),
                args,
                named,
                decorates: None,
                is_macro: false,
                tried: false,
            })),
        }
    }

    /// `super()`: the receiver, as one of the base classes.
    fn super_call(&mut self, node: Node<'t>, function: Node<'t>) -> Option<Expr> {
        if function.kind() != "identifier" || self.read.text(function) != "super" {
            return None;
        }
        let receiver = self.receiver()?;
        let class = self.classes.last()?;
        let at = self.read.at(node);
        let to = TypeRef {
            args: class.bases.clone(),
            ..plain("dyn")
        };
        Some(Expr {
            at,
            kind: ExprKind::Cast {
                to,
                value: Box::new(Expr {
                    at,
                    kind: ExprKind::Name(receiver),
                }),
            },
        })
    }
}
