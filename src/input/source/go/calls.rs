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
        let (callee, generics) = match part("type_arguments") {
            Some(list) => self.bracketed(function, list),
            None => self.callee(function),
        };
        let args = arguments.map(|list| self.arguments(list));
        self.called(node, callee, generics, args.unwrap_or_default())
    }

    /// What is called, and the type arguments that stand with it.
    fn callee(&mut self, function: Node<'t>) -> (Expr, Vec<TypeRef>) {
        if function.kind() == "type_instantiation_expression" {
            let all = children(function);
            if let Some((first, rest)) = all.split_first() {
                let callee = self.type_as_value(*first);
                let rest = rest.iter().map(|of| self.type_ref(*of)).collect();
                return (callee, rest);
            }
        }
        let part = |field| function.child_by_field_name(field);
        if let (Some(of), Some(by), "index_expression") =
            (part("operand"), part("index"), function.kind())
        {
            let callee = self.expr(of);
            if self.is_generic(&callee, &[by]) {
                return (callee, vec![self.type_ref(by)]);
            }
        }
        (self.expr(function), Vec::new())
    }

    /// `pkg.Name` as an expression where the grammar took it for a type.
    fn type_as_value(&mut self, node: Node<'t>) -> Expr {
        let part = |field| node.child_by_field_name(field);
        let (Some(package), Some(name)) = (part("package"), part("name")) else {
            if !matches!(node.kind(), "type_identifier" | "identifier") {
                return self.expr(node);
            }
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

    /// The grammar takes `f[T](x)` for a conversion; it is one only to a type that is known.
    pub(super) fn is_bracket_call(&self, node: Node<'t>) -> bool {
        let of = node.child_by_field_name("type");
        let of = of.filter(|of| of.kind() == "generic_type");
        let name = of.and_then(|of| of.child_by_field_name("type"));
        name.is_some_and(|name| !self.own_types.contains(self.read.text(name)))
    }

    /// Such a call.
    pub(super) fn bracket_call(&mut self, node: Node<'t>) -> Expr {
        let part = |field| node.child_by_field_name(field);
        let of = part("type");
        let name = of.and_then(|of| of.child_by_field_name("type"));
        let list = of.and_then(|of| of.child_by_field_name("type_arguments"));
        let (Some(name), Some(list)) = (name, list) else {
            return other(self.at(node), self.arguments(node));
        };
        let (callee, generics) = self.bracketed(name, list);
        let args = part("operand").into_iter();
        let args = args.map(|value| self.expr(value)).collect();
        self.called(node, callee, generics, args)
    }

    /// `f[x]` where it is called: a generic function, or a list or map of functions.
    fn bracketed(&mut self, name: Node<'t>, list: Node<'t>) -> (Expr, Vec<TypeRef>) {
        let of = self.type_as_value(name);
        let all = children(list);
        if let ([one], false) = (all.as_slice(), self.is_generic(&of, &all)) {
            let inner = children(*one);
            let by = match (one.kind(), inner.as_slice()) {
                ("type_elem", [inner]) => self.type_as_value(*inner),
                _ => self.type_as_value(*one),
            };
            let kind = ExprKind::Index {
                of: Box::new(of.clone()),
                by: Box::new(by),
            };
            return (Expr { at: of.at, kind }, Vec::new());
        }
        (of, self.types_of(list))
    }

    /// True if only a function of type parameters can be meant. Where the file alone leaves it
    /// open, a name that it declares as a variable is one.
    fn is_generic(&self, of: &Expr, list: &[Node<'t>]) -> bool {
        let [one] = list else {
            return true;
        };
        let argument = self.read.text(*one);
        let is_type = !argument
            .chars()
            .all(|c| c == '_' || c == '.' || c.is_alphanumeric())
            || BUILT_IN.binary_search(&argument).is_ok()
            || self.own_types.contains(argument)
            || self.type_params.iter().any(|param| **param == *argument);
        match &of.kind {
            _ if is_type => true,
            // Methods have no type parameters of their own.
            ExprKind::Field { of, .. } => {
                matches!(&of.kind, ExprKind::Name(name) if self.by_name.contains_key(name))
            }
            ExprKind::Name(name) => !self.is_variable(name),
            _ => false,
        }
    }

    /// True if the file declares a variable or parameter of that name, as far as its words show.
    fn is_variable(&self, name: &str) -> bool {
        let text = self.read.whole();
        memchr::memmem::find_iter(text.as_bytes(), name.as_bytes()).any(|at| {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let after = text.get(at + name.len()..).unwrap_or_default();
            let after = after.trim_start_matches([' ', '\t']);
            !before.is_some_and(|c| c == '_' || c == '.' || c.is_alphanumeric())
                && [":=", "map[", "[]", "= "]
                    .iter()
                    .any(|sign| after.starts_with(sign))
        })
    }

    fn called(
        &mut self,
        node: Node<'t>,
        callee: Expr,
        generics: Vec<TypeRef>,
        args: Vec<Expr>,
    ) -> Expr {
        let call = Call {
            at: name_of(&callee),
            end: self.read.end(node),
            generics,
            args,
            named: Vec::new(),
            decorates: None,
            is_macro: false,
            tried: false,
            callee,
        };
        Expr {
            at: self.at(node),
            kind: ExprKind::Call(Box::new(call)),
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
        let kind = ExprKind::Field {
            of: Box::new(self.expr(channel)),
            name: "<-".into(),
            at: self.at(arrow.unwrap_or(node)),
        };
        let args = value.map(|value| self.expr(value)).into_iter().collect();
        self.called(node, Expr { at, kind }, Vec::new(), args)
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
