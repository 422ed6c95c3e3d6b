//! Expressions of Go.

use std::sync::Arc;

use tree_sitter::Node;

use super::{Lower, literals};
use crate::input::source::syntax::{children, join, levels, operator, other};
use crate::model::place::Pos;
use crate::model::source::{Closure, Expr, ExprKind, MadeField, Operator, TypeRef};

impl<'t> Lower<'t> {
    /// An expression.
    pub(super) fn expr(&mut self, node: Node<'t>) -> Expr {
        if !self.read.enter(node) {
            return other(self.at(node), Vec::new());
        }
        let out = self.expr_inside(node);
        self.read.leave();
        out
    }

    fn expr_inside(&mut self, node: Node<'t>) -> Expr {
        let at = self.at(node);
        let part = |field| node.child_by_field_name(field);
        let kind = match node.kind() {
            "identifier" | "iota" | "field_identifier" | "type_identifier"
            | "package_identifier" => ExprKind::Name(self.read.name(node)),
            "nil" => ExprKind::Nil,
            "true" => ExprKind::Bool(true),
            "false" => ExprKind::Bool(false),
            "int_literal" | "float_literal" | "imaginary_literal" | "rune_literal" => {
                ExprKind::Number(self.read.name(node))
            }
            "interpreted_string_literal" | "raw_string_literal" => {
                ExprKind::Text(literals::decode(self.read.text(node)).into())
            }
            "parenthesized_expression" | "expression_statement" => {
                match children(node).as_slice() {
                    [inner] => return self.expr(*inner),
                    _ => return self.parts(node),
                }
            }
            "selector_expression" => match (part("operand"), part("field")) {
                (Some(of), Some(name)) => ExprKind::Field {
                    of: Box::new(self.expr(of)),
                    name: self.read.name(name),
                    at: self.at(name),
                },
                _ => return self.parts(node),
            },
            "call_expression" => return self.call(node),
            "unary_expression" => return self.unary(node),
            "binary_expression" => return self.binary(node),
            "index_expression" => match (part("operand"), part("index")) {
                (Some(of), Some(by)) => ExprKind::Index {
                    of: Box::new(self.expr(of)),
                    by: Box::new(self.expr(by)),
                },
                _ => return self.parts(node),
            },
            "slice_expression" => return self.slice(node),
            "type_conversion_expression" if self.is_bracket_call(node) => {
                return self.bracket_call(node);
            }
            "type_assertion_expression" | "type_conversion_expression" => {
                match (part("type"), part("operand")) {
                    (Some(to), Some(value)) => ExprKind::Cast {
                        to: self.type_ref(to),
                        value: Box::new(self.expr(value)),
                    },
                    _ => return self.parts(node),
                }
            }
            "composite_literal" => {
                let of = part("type").map(|of| self.type_ref(of));
                match part("body") {
                    Some(body) => return self.made(at, of, body),
                    None => ExprKind::Make {
                        of,
                        fields: Vec::new(),
                    },
                }
            }
            "literal_value" => return self.made(at, None, node),
            "literal_element" | "variadic_argument" => match children(node).as_slice() {
                [inner] => return self.expr(*inner),
                _ => return self.parts(node),
            },
            "func_literal" => ExprKind::Closure(Arc::new(Closure {
                params: self.params(part("parameters")),
                returns: self.result_types(node),
                body: self.body(node),
                at,
                end: self.read.end(node),
            })),
            kind if kind.ends_with("_type") || kind == "type_instantiation_expression" => {
                ExprKind::Type(self.type_ref(node))
            }
            _ => return self.parts(node),
        };
        Expr { at, kind }
    }

    /// What is not modelled, with its parts.
    fn parts(&mut self, node: Node<'t>) -> Expr {
        let parts = children(node).into_iter();
        let parts = parts.map(|part| self.expr(part)).collect();
        other(self.at(node), parts)
    }

    fn unary(&mut self, node: Node<'t>) -> Expr {
        let at = self.at(node);
        let part = |field| node.child_by_field_name(field);
        let (Some(op), Some(of)) = (part("operator"), part("operand")) else {
            return self.parts(node);
        };
        match op.kind() {
            "&" | "*" | "+" => self.expr(of),
            "<-" => self.channel_call(node, of, None),
            "!" => {
                let kind = ExprKind::Not(Box::new(self.expr(of)));
                Expr { at, kind }
            }
            "-" if of.kind().ends_with("_literal") => {
                let number = format!("-{}", self.read.text(of));
                let kind = ExprKind::Number(number.into());
                Expr { at, kind }
            }
            "-" => {
                let none = ExprKind::Number("0".into());
                let kind = ExprKind::Binary {
                    op: Operator::Subtract,
                    left: Box::new(Expr { at, kind: none }),
                    right: Box::new(self.expr(of)),
                };
                Expr { at, kind }
            }
            _ => other(at, vec![self.expr(of)]),
        }
    }

    /// A run of operators is read from its left end, so that a long sum is not a deep one.
    fn binary(&mut self, node: Node<'t>) -> Expr {
        let mut rest = Vec::new();
        let mut first = node;
        while first.kind() == "binary_expression" {
            let part = |field| first.child_by_field_name(field);
            let (Some(left), Some(right)) = (part("left"), part("right")) else {
                break;
            };
            rest.push((part("operator").map_or("", |op| op.kind()), right));
            first = left;
        }
        if rest.is_empty() {
            return self.parts(node);
        }
        let first = self.expr(first);
        let rest = rest.into_iter().rev();
        let rest = rest.map(|(op, right)| (operator(op), self.expr(right)));
        let rest: Vec<(Operator, Expr)> = rest.collect();
        if levels(&rest) > self.read.room() {
            let all = rest.into_iter().map(|(_, right)| right);
            self.read.not_read(node);
            return other(first.at, std::iter::once(first).chain(all).collect());
        }
        join(first, rest)
    }

    fn slice(&mut self, node: Node<'t>) -> Expr {
        let at = self.at(node);
        let mut parts = children(node).into_iter();
        let Some(of) = parts.next() else {
            return self.parts(node);
        };
        let of = Box::new(self.expr(of));
        let bounds = parts.map(|bound| self.expr(bound)).collect();
        let by = Box::new(other(at, bounds));
        let kind = ExprKind::Index { of, by };
        Expr { at, kind }
    }

    /// A composite literal. Parts of a list or map whose own type is left out have the type of its
    /// elements.
    fn made(&mut self, at: Pos, of: Option<TypeRef>, body: Node<'t>) -> Expr {
        let is_map = of.as_ref().is_some_and(|of| &*of.name == "map");
        let is_list = of.as_ref().is_some_and(|of| &*of.name == "[]");
        let inner = |last: bool| -> Option<TypeRef> {
            let of = of.as_ref().filter(|_| is_map || is_list)?;
            let args = if last {
                of.args.last()
            } else {
                of.args.first()
            };
            args.cloned()
        };
        let mut fields = Vec::new();
        for part in children(body) {
            let sides = match part.kind() {
                "keyed_element" => (
                    part.child_by_field_name("key"),
                    part.child_by_field_name("value"),
                ),
                _ => (None, Some(part)),
            };
            let Some(value) = sides.1 else {
                continue;
            };
            let mut name = None;
            let mut key = None;
            match sides.0.map(|key| (key, self.plain_name(key))) {
                Some((_, Some(plain))) if !is_map && !is_list => name = Some(plain),
                Some((written, _)) => key = Some(self.element(written, inner(false))),
                None => {}
            }
            let value = self.element(value, inner(true));
            fields.push(MadeField { name, key, value });
        }
        let kind = ExprKind::Make { of, fields };
        Expr { at, kind }
    }

    fn element(&mut self, node: Node<'t>, of: Option<TypeRef>) -> Expr {
        let inner = match (node.kind(), children(node).as_slice()) {
            ("literal_element", [inner]) => *inner,
            _ => node,
        };
        if inner.kind() != "literal_value" {
            return self.expr(inner);
        }
        if !self.read.enter(inner) {
            return other(self.at(inner), Vec::new());
        }
        let out = self.made(self.at(inner), of, inner);
        self.read.leave();
        out
    }

    /// The name, where a key is one and no more.
    fn plain_name(&mut self, key: Node<'t>) -> Option<Arc<str>> {
        match (key.kind(), children(key).as_slice()) {
            ("literal_element", [inner]) if inner.kind() == "identifier" => {
                Some(self.read.name(*inner))
            }
            ("identifier" | "field_identifier", _) => Some(self.read.name(key)),
            _ => None,
        }
    }
}
