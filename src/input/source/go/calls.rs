//! Calls of Go, and the conversions and sends that look like none.

use tree_sitter::Node;

use super::Lower;
use crate::input::source::syntax::{children, other};
use crate::model::place::Pos;
use crate::model::source::{Call, Expr, ExprKind, TypeRef};

/// Types that the language declares; called, they convert.
const BUILT_IN: &[&str] = &[
    "any",
    "bool",
    "byte",
    "complex128",
    "complex64",
    "error",
    "float32",
    "float64",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "rune",
    "string",
    "uint",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uintptr",
];

impl<'t> Lower<'t> {
    /// A call, or a conversion to a type that the language or this file declares.
    pub(super) fn call(&mut self, node: Node<'t>) -> Expr {
        let at = self.at(node);
        let part = |field| node.child_by_field_name(field);
        let Some(function) = part("function") else {
            return other(at, self.arguments(node));
        };
        let arguments = part("arguments");
        if let Some(cast) = self.conversion(function, arguments, at) {
            return cast;
        }
        let generics = part("type_arguments").map(|list| self.types_of(list));
        let (callee, more) = self.callee(function);
        let call = Call {
            at: name_of(&callee),
            end: self.read.end(node),
            generics: generics.or(more).unwrap_or_default(),
            args: arguments
                .map(|list| self.arguments(list))
                .unwrap_or_default(),
            named: Vec::new(),
            is_macro: false,
            tried: false,
            callee,
        };
        let kind = ExprKind::Call(Box::new(call));
        Expr { at, kind }
    }

    /// What is called, and the type arguments that stand with it.
    fn callee(&mut self, function: Node<'t>) -> (Expr, Option<Vec<TypeRef>>) {
        if function.kind() == "type_instantiation_expression" {
            let all = children(function);
            if let Some((first, rest)) = all.split_first() {
                let callee = self.type_as_value(*first);
                let rest = rest.iter().map(|of| self.type_ref(*of)).collect();
                return (callee, Some(rest));
            }
        }
        (self.expr(function), None)
    }

    /// `pkg.Name` as an expression where the grammar took it for a type.
    fn type_as_value(&mut self, node: Node<'t>) -> Expr {
        let part = |field| node.child_by_field_name(field);
        let (Some(package), Some(name)) = (part("package"), part("name")) else {
            let kind = ExprKind::Name(self.read.name(node));
            return Expr {
                at: self.at(node),
                kind,
            };
        };
        let of = Expr {
            at: self.at(package),
            kind: ExprKind::Name(self.read.name(package)),
        };
        Expr {
            at: of.at,
            kind: ExprKind::Field {
                of: Box::new(of),
                name: self.read.name(name),
                at: self.at(name),
            },
        }
    }

    fn arguments(&mut self, list: Node<'t>) -> Vec<Expr> {
        let all = children(list).into_iter();
        all.map(|argument| self.expr(argument)).collect()
    }

    /// `string(x)`, `Status(x)` with a type of this file, `(*T)(nil)`.
    fn conversion(
        &mut self,
        function: Node<'t>,
        arguments: Option<Node<'t>>,
        at: Pos,
    ) -> Option<Expr> {
        let arguments = children(arguments?);
        let [value] = arguments.as_slice() else {
            return None;
        };
        let is_type = match function.kind() {
            "identifier" => {
                let name = self.read.text(function);
                BUILT_IN.binary_search(&name).is_ok() || self.own_types.contains(name)
            }
            "parenthesized_expression" => match children(function).as_slice() {
                // `(*f)(x)` calls what `f` points to.
                [inner] => {
                    let pointer = inner.kind() == "unary_expression"
                        && self.read.text(*inner).starts_with('*');
                    let named = self.read.text(*inner).trim_start_matches('*');
                    inner.kind().ends_with("_type")
                        || (pointer && (value.kind() == "nil" || self.own_types.contains(named)))
                }
                _ => false,
            },
            kind => kind.ends_with("_type"),
        };
        is_type.then(|| Expr {
            at,
            kind: ExprKind::Cast {
                to: self.type_ref(function),
                value: Box::new(self.expr(*value)),
            },
        })
    }

    /// A send or receive, as a call of the method `<-` of the channel.
    pub(super) fn channel_call(
        &mut self,
        node: Node<'t>,
        channel: Node<'t>,
        value: Option<Node<'t>>,
    ) -> Expr {
        let at = self.at(node);
        let mut cursor = node.walk();
        let arrow = node.children(&mut cursor).find(|part| part.kind() == "<-");
        let arrow = self.at(arrow.unwrap_or(node));
        let of = self.expr(channel);
        let callee = Expr {
            at,
            kind: ExprKind::Field {
                of: Box::new(of),
                name: "<-".into(),
                at: arrow,
            },
        };
        let call = Call {
            callee,
            at: arrow,
            end: self.read.end(node),
            generics: Vec::new(),
            args: value.map(|value| self.expr(value)).into_iter().collect(),
            named: Vec::new(),
            is_macro: false,
            tried: false,
        };
        let kind = ExprKind::Call(Box::new(call));
        Expr { at, kind }
    }
}

/// Where the called name stands.
fn name_of(callee: &Expr) -> Pos {
    match &callee.kind {
        ExprKind::Field { at, .. } => *at,
        ExprKind::Index { of, .. } => name_of(of),
        _ => callee.at,
    }
}
