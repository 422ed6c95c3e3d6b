//! Expressions of Rust.

use std::sync::Arc;

use tree_sitter::Node;

use super::patterns::name_or_none;
use super::statements::unit;
use super::{Lower, literals};
use crate::input::source::syntax::{block_of, children, join, levels, operator, other, plain};
use crate::model::place::Pos;
use crate::model::source::{Call, Closure, Expr, ExprKind, MadeField, Operator, Stmt, TypeRef};

impl Lower<'_> {
    /// An expression.
    pub(super) fn expr(&mut self, node: Node<'_>) -> Expr {
        if !self.read.enter(node) {
            return other(self.read.at(node), Vec::new());
        }
        let out = self.expr_inside(node);
        self.read.leave();
        out
    }

    fn expr_inside(&mut self, node: Node<'_>) -> Expr {
        let at = self.read.at(node);
        let part = |field| node.child_by_field_name(field);
        let kind = match node.kind() {
            "identifier" | "self" | "crate" | "super" | "metavariable" | "field_identifier" => {
                name_or_none(self.read.name(node))
            }
            "scoped_identifier"
            | "generic_function"
            | "scoped_type_identifier"
            | "type_identifier"
            | "generic_pattern" => {
                let path = self.path_text(node);
                name_or_none(path.into())
            }
            "string_literal" | "raw_string_literal" => {
                ExprKind::Text(literals::decode(self.read.text(node)).into())
            }
            "boolean_literal" => ExprKind::Bool(self.read.text(node) == "true"),
            "integer_literal" | "float_literal" | "char_literal" | "negative_literal" => {
                ExprKind::Number(self.read.name(node))
            }
            "parenthesized_expression" | "await_expression" | "expression_statement" => {
                match children(node).first() {
                    Some(inner) => return self.expr(*inner),
                    None => return self.all_parts(node),
                }
            }
            "reference_expression" => match part("value") {
                Some(value) => return self.expr(value),
                None => return self.all_parts(node),
            },
            "try_expression" => return self.tried(node),
            "unary_expression" => return self.unary(node),
            "binary_expression" => return self.binary(node),
            "field_expression" => match (part("value"), part("field")) {
                (Some(of), Some(name)) => ExprKind::Field {
                    of: Box::new(self.expr(of)),
                    name: self.read.name(name),
                    at: self.read.at(name),
                },
                _ => return self.all_parts(node),
            },
            "call_expression" => return self.call(node),
            "macro_invocation" => return self.macro_call(node),
            "index_expression" => match children(node).as_slice() {
                [of, by] => ExprKind::Index {
                    of: Box::new(self.expr(*of)),
                    by: Box::new(self.expr(*by)),
                },
                _ => return self.all_parts(node),
            },
            "type_cast_expression" => match (part("type"), part("value")) {
                (Some(to), Some(value)) => ExprKind::Cast {
                    to: self.type_ref(to),
                    value: Box::new(self.expr(value)),
                },
                _ => return self.all_parts(node),
            },
            "unit_expression" => return unit(at),
            "tuple_expression" => self.list("tuple", children(node)),
            "array_expression" => {
                let length = part("length");
                let all = children(node).into_iter();
                let all = all.filter(|part| Some(*part) != length);
                self.list("[]", all.collect())
            }
            "struct_expression" => self.made(node),
            "closure_expression" => ExprKind::Closure(Arc::new(Closure {
                params: self.closure_params(part("parameters")),
                returns: part("return_type")
                    .map(|of| self.type_ref(of))
                    .into_iter()
                    .collect(),
                body: part("body")
                    .map(|body| self.body_of(body))
                    .unwrap_or_default(),
                at,
                end: self.read.end(node),
            })),
            "block" => ExprKind::Block(Box::new(self.value_block(node))),
            "async_block" | "unsafe_block" | "const_block" | "try_block" | "gen_block" => {
                let all = children(node).into_iter();
                let inner = all.into_iter().find(|part| part.kind() == "block");
                let block = inner.map(|inner| self.value_block(inner));
                ExprKind::Block(Box::new(block.unwrap_or_default()))
            }
            _ => match self.stmt_kind(node) {
                Some(kind) => ExprKind::Block(Box::new(block_of(Stmt { at, kind }))),
                None => return self.all_parts(node),
            },
        };
        Expr { at, kind }
    }

    /// What is not modelled, with its parts.
    pub(super) fn all_parts(&mut self, node: Node<'_>) -> Expr {
        let parts = children(node).into_iter();
        let parts = parts.map(|part| self.expr(part)).collect();
        other(self.read.at(node), parts)
    }

    fn list(&mut self, word: &str, parts: Vec<Node<'_>>) -> ExprKind {
        let parts = parts.into_iter();
        let parts = parts.filter(|part| part.kind() != "attribute_item");
        let parts = parts.map(|part| MadeField {
            name: None,
            key: None,
            value: self.expr(part),
        });
        ExprKind::Make {
            fields: parts.collect(),
            of: Some(plain(word)),
        }
    }

    /// `Type { … }`; what follows `..` is a part of that name.
    fn made(&mut self, node: Node<'_>) -> ExprKind {
        let part = |field| node.child_by_field_name(field);
        let of = part("name").map(|name| self.type_ref(name));
        let mut fields = Vec::new();
        for field in part("body").map(children).unwrap_or_default() {
            let inner = children(field).into_iter();
            let inner = inner
                .into_iter()
                .rfind(|part| part.kind() != "attribute_item");
            let Some(inner) = inner else {
                continue;
            };
            let (name, value) = match field.kind() {
                "field_initializer" => match field.child_by_field_name("field") {
                    Some(name) => (self.read.name(name), self.expr(inner)),
                    None => continue,
                },
                "shorthand_field_initializer" => (self.read.name(inner), self.expr(inner)),
                "base_field_initializer" => ("..".into(), self.expr(inner)),
                _ => continue,
            };
            let name = Some(name);
            let key = None;
            fields.push(MadeField { name, key, value });
        }
        ExprKind::Make { of, fields }
    }

    fn tried(&mut self, node: Node<'_>) -> Expr {
        let Some(inner) = children(node).into_iter().next() else {
            return self.all_parts(node);
        };
        let mut out = self.expr(inner);
        if let ExprKind::Call(call) = &mut out.kind {
            call.tried = true;
        }
        out
    }

    fn unary(&mut self, node: Node<'_>) -> Expr {
        let at = self.read.at(node);
        let Some(of) = children(node).into_iter().next() else {
            return self.all_parts(node);
        };
        match self.read.text(node).chars().next() {
            Some('*') => self.expr(of),
            Some('!') => {
                let kind = ExprKind::Not(Box::new(self.expr(of)));
                Expr { at, kind }
            }
            Some('-') if of.kind().ends_with("_literal") => {
                let number = format!("-{}", self.read.text(of));
                let kind = ExprKind::Number(number.into());
                Expr { at, kind }
            }
            _ => self.all_parts(node),
        }
    }

    /// A run of operators is read from its left end, so that a long sum is not a deep one.
    fn binary(&mut self, node: Node<'_>) -> Expr {
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
            return self.all_parts(node);
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

    fn call(&mut self, node: Node<'_>) -> Expr {
        let at = self.read.at(node);
        let part = |field| node.child_by_field_name(field);
        let Some(function) = part("function") else {
            return self.all_parts(node);
        };
        let (callee, generics) = self.callee(function);
        let args = part("arguments").map(children).unwrap_or_default();
        let args = args.into_iter();
        let args = args.filter(|argument| argument.kind() != "attribute_item");
        let args = args.map(|argument| self.expr(argument)).collect();
        let call = Call {
            at: self.name_of(function),
            end: self.read.end(node),
            generics,
            args,
            named: Vec::new(),
            decorates: None,
            is_macro: false,
            tried: false,
            callee,
        };
        let kind = ExprKind::Call(Box::new(call));
        Expr { at, kind }
    }

    /// What is called, and the generic arguments of the name or of the type before it.
    fn callee(&mut self, function: Node<'_>) -> (Expr, Vec<TypeRef>) {
        let part = |field| function.child_by_field_name(field);
        match function.kind() {
            "generic_function" => {
                let generics = self.type_arguments(part("type_arguments"));
                match part("function") {
                    Some(name) => (self.expr(name), generics),
                    None => (self.expr(function), generics),
                }
            }
            "scoped_identifier" => {
                let of = part("path").filter(|path| path.kind() == "generic_type");
                let list = of.and_then(|of| of.child_by_field_name("type_arguments"));
                let generics = self.type_arguments(list);
                (self.expr(function), generics)
            }
            _ => (self.expr(function), Vec::new()),
        }
    }

    /// Where the called name stands.
    pub(super) fn name_of(&self, function: Node<'_>) -> Pos {
        let mut name = function;
        for field in ["function", "field", "name"] {
            name = name.child_by_field_name(field).unwrap_or(name);
        }
        self.read.at(name)
    }
}
