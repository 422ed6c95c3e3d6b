//! Types of Go as written, and the declarations of them.

use std::sync::Arc;

use tree_sitter::Node;

use super::Lower;
use crate::input::source::syntax::{children, fields, plain};
use crate::model::source::{Field, Param, Pattern, Signature, TypeDecl, TypeKind, TypeRef};

impl<'t> Lower<'t> {
    /// A type. Pointers are dropped, names qualified by the imports.
    pub(super) fn type_ref(&mut self, node: Node<'t>) -> TypeRef {
        if !self.read.enter(node) {
            return plain("?");
        }
        let out = self.type_inside(node);
        self.read.leave();
        out
    }

    fn type_inside(&mut self, node: Node<'t>) -> TypeRef {
        match node.kind() {
            "type_identifier" | "identifier" => plain(self.read.name(node)),
            "qualified_type" => self.qualified(node, "package", "name"),
            "selector_expression" => self.qualified(node, "operand", "field"),
            "pointer_type"
            | "parenthesized_type"
            | "negated_type"
            | "unary_expression"
            | "parenthesized_expression" => self.first_type(node),
            "type_elem" | "type_constraint" => match children(node).as_slice() {
                [one] => self.type_ref(*one),
                _ => plain("?"),
            },
            "generic_type" | "type_instantiation_expression" => {
                let mut of = match node.child_by_field_name("type") {
                    Some(of) => self.type_ref(of),
                    None => plain("?"),
                };
                let arguments = node.child_by_field_name("type_arguments");
                of.args = match arguments {
                    Some(arguments) => self.types_of(arguments),
                    None => {
                        let rest = children(node).into_iter().skip(1);
                        rest.map(|of| self.type_ref(of)).collect()
                    }
                };
                of
            }
            "slice_type" | "array_type" | "implicit_length_array_type" => {
                self.word("[]", node, &["element"])
            }
            "map_type" => self.word("map", node, &["key", "value"]),
            "channel_type" => self.word("chan", node, &["value"]),
            "function_type" | "func_literal" => TypeRef {
                name: "func".into(),
                args: self.parameter_types(node.child_by_field_name("parameters")),
                returns: self.result_types(node),
            },
            "interface_type" if node.named_child_count() == 0 => plain("any"),
            "interface_type" | "struct_type" => self.nameless(node),
            _ => plain("?"),
        }
    }

    fn first_type(&mut self, node: Node<'t>) -> TypeRef {
        match children(node).first() {
            Some(inner) => self.type_ref(*inner),
            None => plain("?"),
        }
    }

    fn word(&mut self, word: &str, node: Node<'t>, parts: &[&str]) -> TypeRef {
        let mut of = plain(word);
        for part in parts {
            let part = node.child_by_field_name(part);
            of.args
                .push(part.map_or_else(|| plain("?"), |part| self.type_ref(part)));
        }
        of
    }

    /// `package.Name`, by what the file imports under that name.
    fn qualified(&mut self, node: Node<'t>, package: &str, name: &str) -> TypeRef {
        let part = |field| node.child_by_field_name(field);
        let (Some(package), Some(name)) = (part(package), part(name)) else {
            return plain("?");
        };
        let package = self.read.text(package);
        let target = self.imported(package).unwrap_or_else(|| package.into());
        plain(format!("{target}.{}", self.read.text(name)))
    }

    /// The types that stand in a list of them.
    pub(super) fn types_of(&mut self, list: Node<'t>) -> Vec<TypeRef> {
        let all = children(list).into_iter();
        all.map(|of| self.type_ref(of)).collect()
    }

    /// A struct or interface without a name gets one from its place: `struct@12:5`.
    fn nameless(&mut self, node: Node<'t>) -> TypeRef {
        let at = self.read.at(node);
        let word = node.kind().trim_end_matches("_type");
        let name: Arc<str> = format!("{word}@{}:{}", at.line, at.column).into();
        let made = self.declared(Arc::clone(&name), node, node);
        self.types.push(made);
        plain(name)
    }

    /// `type Name …`, of each name of a declaration.
    pub(super) fn type_declaration(&mut self, node: Node<'t>) {
        for spec in children(node) {
            let part = |field| spec.child_by_field_name(field);
            let (Some(name), Some(of)) = (part("name"), part("type")) else {
                continue;
            };
            let called = self.read.name(name);
            let decl = self.declared(called, name, of);
            self.types.push(decl);
        }
    }

    fn declared(&mut self, name: Arc<str>, name_node: Node<'t>, of: Node<'t>) -> TypeDecl {
        let mut decl = TypeDecl {
            name,
            kind: TypeKind::Alias,
            fields: Vec::new(),
            methods: Vec::new(),
            variants: Vec::new(),
            of: Vec::new(),
            at: self.read.at(name_node),
        };
        match of.kind() {
            "struct_type" => {
                decl.kind = TypeKind::Struct;
                let lists = children(of);
                let all = lists.into_iter().flat_map(children);
                decl.fields = all.flat_map(|field| self.field(field)).collect();
            }
            "interface_type" => {
                decl.kind = TypeKind::Interface;
                for part in children(of) {
                    match part.kind() {
                        "method_elem" => decl.methods.extend(self.signature(part)),
                        "type_elem" => match children(part).as_slice() {
                            [one] => decl.of.push(self.type_ref(*one)),
                            _ => decl.of.push(plain("?")),
                        },
                        _ => {}
                    }
                }
            }
            _ => decl.of.push(self.type_ref(of)),
        }
        decl
    }

    fn field(&mut self, node: Node<'t>) -> Vec<Field> {
        let Some(of) = node.child_by_field_name("type") else {
            return Vec::new();
        };
        let of = self.type_ref(of);
        let names = fields(node, "name");
        if names.is_empty() {
            return vec![Field {
                name: last_part(&of.name).into(),
                of,
                embedded: true,
            }];
        }
        let field = |name| Field {
            name: self.read.name(name),
            of: of.clone(),
            embedded: false,
        };
        names.into_iter().map(field).collect()
    }

    fn signature(&mut self, node: Node<'t>) -> Option<Signature> {
        let name = node.child_by_field_name("name")?;
        Some(Signature {
            name: self.read.name(name),
            params: self.parameter_types(node.child_by_field_name("parameters")),
            returns: self.result_types(node),
        })
    }

    fn parameter_types(&mut self, list: Option<Node<'t>>) -> Vec<TypeRef> {
        let params = self.params(list);
        params.into_iter().map(|param| param.of).collect()
    }

    /// Types of the results of a function, method, literal or signature.
    pub(super) fn result_types(&mut self, node: Node<'t>) -> Vec<TypeRef> {
        match node.child_by_field_name("result") {
            Some(list) if list.kind() == "parameter_list" => self.parameter_types(Some(list)),
            Some(one) => vec![self.type_ref(one)],
            None => Vec::new(),
        }
    }

    /// Parameters, one for each name. A list of names alone is a list of types.
    pub(super) fn params(&mut self, list: Option<Node<'t>>) -> Vec<Param> {
        let mut out = Vec::new();
        for node in list.map(children).unwrap_or_default() {
            let Some(of) = node.child_by_field_name("type") else {
                continue;
            };
            let of = self.type_ref(of);
            let rest = node.kind() == "variadic_parameter_declaration";
            let names = fields(node, "name");
            if names.is_empty() {
                let pattern = Pattern::Ignore;
                out.push(Param {
                    pattern,
                    of,
                    default: None,
                    rest,
                });
                continue;
            }
            for name in names {
                let pattern = self.binding(name);
                let of = of.clone();
                out.push(Param {
                    pattern,
                    of,
                    default: None,
                    rest,
                });
            }
        }
        out
    }

    /// What a name binds; `_` binds nothing.
    pub(super) fn binding(&mut self, name: Node<'t>) -> Pattern {
        match self.read.text(name) {
            "_" => Pattern::Ignore,
            _ => Pattern::Name(self.read.name(name), None),
        }
    }

    /// Type parameters with what they are bound to.
    pub(super) fn type_params(&mut self, list: Option<Node<'t>>) -> Vec<(Arc<str>, Vec<TypeRef>)> {
        let mut out = Vec::new();
        for node in list.map(children).unwrap_or_default() {
            let bounds = match node.child_by_field_name("type") {
                Some(bound) => self.types_of(bound),
                None => Vec::new(),
            };
            for name in fields(node, "name") {
                out.push((self.read.name(name), bounds.clone()));
            }
        }
        out
    }
}

/// `Router` of `github.com/a/message.Router`.
pub(super) fn last_part(name: &str) -> &str {
    let tail = name.rsplit('/').next().unwrap_or(name);
    tail.rsplit('.').next().unwrap_or(tail)
}
