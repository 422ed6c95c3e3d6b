//! Patterns of Rust.

use std::sync::Arc;

use tree_sitter::Node;

use super::Lower;
use crate::input::source::syntax::{children, other};
use crate::model::source::{Expr, ExprKind, Pattern};

impl Lower<'_> {
    /// A pattern. A name that begins with a capital is a variant or a constant: the language warns
    /// of any other use.
    pub(super) fn pattern(&mut self, node: Node<'_>) -> Pattern {
        if !self.read.enter(node) {
            return Pattern::Ignore;
        }
        let out = self.pattern_inside(node);
        self.read.leave();
        out
    }

    fn pattern_inside(&mut self, node: Node<'_>) -> Pattern {
        let at = self.read.at(node);
        let part = |field| node.child_by_field_name(field);
        match node.kind() {
            "_" | "remaining_field_pattern" => Pattern::Ignore,
            "identifier" | "shorthand_field_identifier" | "self" => {
                let name = self.read.name(node);
                if name.starts_with(char::is_uppercase) {
                    let kind = name_or_none(name);
                    return Pattern::Value(Box::new(Expr { at, kind }));
                }
                Pattern::Name(name, None)
            }
            "scoped_identifier" | "generic_pattern" => Pattern::Value(Box::new(self.expr(node))),
            "ref_pattern" | "mut_pattern" | "reference_pattern" => self.last(node),
            "captured_pattern" => match parts(node).as_slice() {
                [name, inner] => Pattern::Parts {
                    of: "@".into(),
                    parts: vec![
                        ("@".into(), self.pattern(*name)),
                        ("".into(), self.pattern(*inner)),
                    ],
                },
                _ => Pattern::Ignore,
            },
            // Each alternative binds the same names.
            "or_pattern" => match parts(node).first() {
                Some(first) => self.pattern(*first),
                None => Pattern::Ignore,
            },
            "match_pattern" => {
                let condition = part("condition");
                let all = parts(node).into_iter();
                let mut all = all.filter(|inner| Some(*inner) != condition);
                match all.next() {
                    Some(inner) => self.pattern(inner),
                    None => Pattern::Ignore,
                }
            }
            "tuple_pattern" | "slice_pattern" => Pattern::Parts {
                of: "".into(),
                parts: self.by_position(&parts(node)),
            },
            "tuple_struct_pattern" => {
                let of = part("type");
                let all: Vec<Node<'_>> = parts(node).into_iter().skip(1).collect();
                Pattern::Parts {
                    of: of.map(|of| self.path_text(of)).unwrap_or_default().into(),
                    parts: self.by_position(&all),
                }
            }
            "struct_pattern" => {
                let of = part("type");
                let of = of.map(|of| self.path_text(of)).unwrap_or_default().into();
                let all = children(node).into_iter();
                let all = all.filter(|field| field.kind() == "field_pattern");
                let parts = all.filter_map(|field| self.field(field)).collect();
                Pattern::Parts { of, parts }
            }
            "range_pattern" | "macro_invocation" | "const_block" | "closure_expression" => {
                Pattern::Value(Box::new(other(at, Vec::new())))
            }
            kind if kind.ends_with("_literal") => Pattern::Value(Box::new(self.expr(node))),
            _ => Pattern::Ignore,
        }
    }

    fn last(&mut self, node: Node<'_>) -> Pattern {
        match parts(node).last() {
            Some(inner) => self.pattern(*inner),
            None => Pattern::Ignore,
        }
    }

    fn field(&mut self, node: Node<'_>) -> Option<(Arc<str>, Pattern)> {
        let name = node.child_by_field_name("name")?;
        let called = self.read.name(name);
        let pattern = match node.child_by_field_name("pattern") {
            Some(pattern) => self.pattern(pattern),
            None => Pattern::Name(Arc::clone(&called), None),
        };
        Some((called, pattern))
    }

    /// Parts by their position; those behind a `..` are counted as if nothing were left out.
    fn by_position(&mut self, all: &[Node<'_>]) -> Vec<(Arc<str>, Pattern)> {
        let all = all.iter().enumerate();
        all.filter(|(_, inner)| inner.kind() != "remaining_field_pattern")
            .map(|(at, inner)| (at.to_string().into(), self.pattern(*inner)))
            .collect()
    }

    /// The alternatives of the pattern of an arm.
    pub(super) fn alternatives(&mut self, node: Node<'_>) -> Vec<Pattern> {
        let condition = node.child_by_field_name("condition");
        let mut open: Vec<Node<'_>> = parts(node);
        open.retain(|inner| Some(*inner) != condition);
        open.truncate(1);
        let mut out = Vec::new();
        while let Some(inner) = open.pop() {
            match inner.kind() {
                "or_pattern" => open.extend(parts(inner).into_iter().rev()),
                _ => out.push(self.pattern(inner)),
            }
        }
        out
    }
}

/// The children that are patterns: what is named, and `_`.
pub(super) fn parts(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    let all = node.children(&mut cursor);
    all.filter(|part| (part.is_named() && !part.is_extra()) || part.kind() == "_")
        .filter(|part| part.kind() != "mutable_specifier")
        .collect()
}

/// `None` is nothing, any other name itself.
pub(super) fn name_or_none(name: Arc<str>) -> ExprKind {
    match &*name {
        "None" => ExprKind::Nil,
        _ => ExprKind::Name(name),
    }
}
