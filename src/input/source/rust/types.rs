//! Types of Rust as written.

use std::sync::Arc;

use tree_sitter::Node;

use super::Lower;
use crate::input::source::syntax::{children, plain};
use crate::model::source::{Param, Pattern, TypeRef};

impl Lower<'_> {
    /// A type. References and pointers are dropped, names qualified by the imports; `Fn(A) -> B`
    /// is a `func`, `Item = T` an argument.
    pub(super) fn type_ref(&mut self, node: Node<'_>) -> TypeRef {
        if !self.read.enter(node) {
            return plain("?");
        }
        let out = self.type_inside(node);
        self.read.leave();
        out
    }

    fn type_inside(&mut self, node: Node<'_>) -> TypeRef {
        let part = |field| node.child_by_field_name(field);
        match node.kind() {
            "type_identifier"
            | "identifier"
            | "primitive_type"
            | "scoped_type_identifier"
            | "scoped_identifier"
            | "metavariable" => {
                let path = self.path_text(node);
                let mut of = plain(self.qualify(&path));
                // `Vec::<T>::new`: the arguments stand in the path.
                if let Some(inner) = part("path").filter(|path| path.kind() == "generic_type") {
                    of.args = self.type_ref(inner).args;
                }
                of
            }
            "generic_type" | "generic_type_with_turbofish" => {
                let mut of = part("type").map_or_else(|| plain("?"), |of| self.type_ref(of));
                of.args = self.type_arguments(part("type_arguments"));
                of
            }
            "reference_type" | "pointer_type" => match part("type") {
                Some(of) => self.type_ref(of),
                None => plain("?"),
            },
            "array_type" => self.word("[]", part("element").into_iter().collect()),
            "tuple_type" => self.word("tuple", children(node)),
            "unit_type" | "never_type" => plain("tuple"),
            "dynamic_type" => self.word("dyn", part("trait").into_iter().collect()),
            "abstract_type" => self.word("impl", part("trait").into_iter().collect()),
            "bounded_type" => match children(node).as_slice() {
                // A lifetime or an auto trait beside the type.
                [first, ..] if first.kind() != "lifetime" => self.type_ref(*first),
                [_, second, ..] => self.type_ref(*second),
                _ => plain("?"),
            },
            "higher_ranked_trait_bound" | "type_binding" => match part("type") {
                Some(of) => self.type_ref(of),
                None => plain("?"),
            },
            "removed_trait_bound" => plain("?"),
            "qualified_type" | "bracketed_type" => match children(node).first() {
                Some(of) => self.type_ref(*of),
                None => plain("?"),
            },
            "function_type" => TypeRef {
                name: "func".into(),
                args: self.parameter_types(part("parameters")),
                returns: part("return_type")
                    .map(|of| self.type_ref(of))
                    .into_iter()
                    .collect(),
            },
            _ => plain("?"),
        }
    }

    fn word(&mut self, word: &str, parts: Vec<Node<'_>>) -> TypeRef {
        let mut of = plain(word);
        of.args = parts.into_iter().map(|part| self.type_ref(part)).collect();
        of
    }

    /// Generic arguments that are types.
    pub(super) fn type_arguments(&mut self, list: Option<Node<'_>>) -> Vec<TypeRef> {
        let all = list.map(children).unwrap_or_default().into_iter();
        all.filter(|of| !of.kind().ends_with("_literal"))
            .filter(|of| !matches!(of.kind(), "lifetime" | "block" | "trait_bounds"))
            .map(|of| self.type_ref(of))
            .collect()
    }

    fn parameter_types(&mut self, list: Option<Node<'_>>) -> Vec<TypeRef> {
        let params = self.params(list);
        params.into_iter().map(|param| param.of).collect()
    }

    /// Parameters, without a receiver.
    pub(super) fn params(&mut self, list: Option<Node<'_>>) -> Vec<Param> {
        let mut out = Vec::new();
        for node in list.map(children).unwrap_or_default() {
            let part = |field| node.child_by_field_name(field);
            let rest = false;
            match node.kind() {
                "self_parameter" | "attribute_item" | "variadic_parameter" => {}
                "parameter" => {
                    let (Some(pattern), Some(of)) = (part("pattern"), part("type")) else {
                        continue;
                    };
                    // `self: Arc<Self>` is a receiver too.
                    if pattern.kind() != "self" {
                        let pattern = self.pattern(pattern);
                        let of = self.type_ref(of);
                        out.push(Param {
                            pattern,
                            of,
                            default: None,
                            rest,
                        });
                    }
                }
                _ => {
                    let pattern = Pattern::Ignore;
                    let of = self.type_ref(node);
                    out.push(Param {
                        pattern,
                        of,
                        default: None,
                        rest,
                    });
                }
            }
        }
        out
    }

    /// Parameters of a closure; those without a type have `?`.
    pub(super) fn closure_params(&mut self, list: Option<Node<'_>>) -> Vec<Param> {
        let mut out = Vec::new();
        for node in list.map(super::patterns::parts).unwrap_or_default() {
            let typed = (node.kind() == "parameter").then_some(node);
            let part = |field| typed.and_then(|node| node.child_by_field_name(field));
            let pattern = self.pattern(part("pattern").unwrap_or(node));
            let of = part("type").map_or_else(|| plain("?"), |of| self.type_ref(of));
            let rest = false;
            out.push(Param {
                pattern,
                of,
                default: None,
                rest,
            });
        }
        out
    }

    /// Type parameters with their bounds, those of a `where` clause too.
    pub(super) fn generics(&mut self, node: Node<'_>) -> Vec<(Arc<str>, Vec<TypeRef>)> {
        let mut out: Vec<(Arc<str>, Vec<TypeRef>)> = Vec::new();
        let list = node.child_by_field_name("type_parameters");
        for param in list.map(children).unwrap_or_default() {
            let name = param.child_by_field_name("name");
            if let ("type_parameter" | "const_parameter", Some(name)) = (param.kind(), name) {
                let bounds = self.bounds(param.child_by_field_name("bounds"));
                out.push((self.read.name(name), bounds));
            }
        }
        let parts = children(node).into_iter();
        let clauses = parts.filter(|part| part.kind() == "where_clause");
        for predicate in clauses.flat_map(children) {
            let part = |field| predicate.child_by_field_name(field);
            let Some(left) = part("left") else {
                continue;
            };
            let name = self.type_ref(left).name;
            let bounds = self.bounds(part("bounds"));
            match out.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => known.extend(bounds),
                None => out.push((name, bounds)),
            }
        }
        out
    }

    /// The traits of `: A + B`, lifetimes left out.
    pub(super) fn bounds(&mut self, node: Option<Node<'_>>) -> Vec<TypeRef> {
        let all = node.map(children).unwrap_or_default().into_iter();
        all.filter(|bound| !matches!(bound.kind(), "lifetime" | "removed_trait_bound"))
            .map(|bound| self.type_ref(bound))
            .collect()
    }
}
