//! Classes: bases, attributes, methods.

use std::sync::Arc;

use tree_sitter::Node;

use super::{Class, Lower};
use crate::input::source::syntax::{children, expression, plain};
use crate::model::source::{
    Call, Expr, ExprKind, Field, Stmt, StmtKind, TypeDecl, TypeKind, TypeRef, ValueDecl,
};

impl<'t> Lower<'t, '_> {
    /// A class with its decorators. Gives what runs when it is made.
    pub(super) fn class_decl(&mut self, node: Node<'t>, decorators: &[Node<'t>]) -> Vec<Stmt> {
        let Some(name_node) = node.child_by_field_name("name") else {
            return Vec::new();
        };
        let at = self.read.at(name_node);
        let mut name = self.read.name(name_node);
        if let Some(outer) = self.class() {
            name = format!("{}.{name}", outer.name).into();
        }
        let decorated = Expr {
            at,
            kind: ExprKind::Name(Arc::clone(&name)),
        };
        let mut bases = Vec::new();
        let mut stmts = Vec::new();
        let list = node.child_by_field_name("superclasses");
        for base in list.map(children).unwrap_or_default() {
            match base.kind() {
                "keyword_argument" | "list_splat" | "dictionary_splat" => continue,
                "call" => {
                    let made = self.expr(base);
                    bases.push(result_of(&made));
                    stmts.push(expression(made));
                }
                _ => {
                    bases.push(self.type_of(base));
                    stmts.push(self.made_of(base, &decorated));
                }
            }
        }
        self.types.push(TypeDecl {
            name: Arc::clone(&name),
            kind: TypeKind::Struct,
            fields: bases
                .iter()
                .map(|of| Field {
                    name: of.name.rsplit('.').next().unwrap_or_default().into(),
                    of: of.clone(),
                    embedded: true,
                })
                .collect(),
            methods: Vec::new(),
            variants: Vec::new(),
            of: Vec::new(),
            at,
        });
        self.classes.push(Class {
            name,
            bases,
            decl: self.types.len() - 1,
            depth: self.within.len(),
        });
        if let Some(body) = node.child_by_field_name("body") {
            stmts.extend(self.statements(body));
        }
        self.classes.pop();
        for decorator in decorators {
            stmts.extend(self.decorator(*decorator, &decorated));
        }
        stmts
    }

    /// `Base.__init_subclass__`, which is run for a class that is made of it.
    fn made_of(&mut self, base: Node<'t>, class: &Expr) -> Stmt {
        let base = match base.kind() {
            "subscript" => base.child_by_field_name("value").unwrap_or(base),
            _ => base,
        };
        let at = self.at_of_name(base);
        let end = self.read.end(base);
        let callee = Expr {
            at: self.read.at(base),
            kind: ExprKind::Field {
                of: Box::new(self.expr(base)),
                name: "__init_subclass__".into(),
                at,
            },
        };
        expression(Expr {
            at: callee.at,
            kind: ExprKind::Call(Box::new(Call {
                callee,
                at,
                end,
                generics: Vec::new(),
                args: Vec::new(),
                named: Vec::new(),
                decorates: Some(Box::new(class.clone())),
                is_macro: false,
                tried: false,
            })),
        })
    }

    /// An attribute of the class around: `name = value`, `name: T = value`.
    pub(super) fn attribute(&mut self, name: Node<'t>, of: Option<TypeRef>, value: Option<&Expr>) {
        let Some(class) = self.class() else {
            return;
        };
        let full: Arc<str> = format!("{}.{}", class.name, self.read.text(name)).into();
        let decl = class.decl;
        let field = self.read.name(name);
        let at = self.read.at(name);
        if of.is_some() {
            self.field(decl, field, of.as_ref(), None);
        }
        self.values.push(ValueDecl {
            name: full,
            constant: true,
            of,
            value: value.cloned(),
            at,
        });
    }

    /// `self.name = value` in a method: a field of its class.
    pub(super) fn given_to_receiver(
        &mut self,
        target: Node<'t>,
        of: Option<&TypeRef>,
        value: Option<&Expr>,
    ) {
        let object = target.child_by_field_name("object");
        let (Some(object), Some(name), Some(class)) = (
            object,
            target.child_by_field_name("attribute"),
            self.classes.last(),
        ) else {
            return;
        };
        let receiver = self.receiver();
        if object.kind() != "identifier" || receiver.as_deref() != Some(self.read.text(object)) {
            return;
        }
        let decl = class.decl;
        let field = self.read.name(name);
        self.field(decl, field, of, value);
    }

    fn field(&mut self, decl: usize, name: Arc<str>, of: Option<&TypeRef>, value: Option<&Expr>) {
        let of = match (of, value) {
            (Some(of), _) => of.clone(),
            (None, Some(value)) => made_type(value),
            (None, None) => return,
        };
        let Some(decl) = self.types.get_mut(decl) else {
            return;
        };
        let fields = decl.fields.iter_mut();
        let mut fields = fields.filter(|field| !field.embedded);
        match fields.find(|field| field.name == name) {
            Some(known) if &*known.of.name == "?" => known.of = of,
            Some(_) => {}
            None => decl.fields.push(Field {
                name,
                of,
                embedded: false,
            }),
        }
    }

    /// Notes the types of parameters that a method only keeps: `self.store = store`.
    pub(super) fn type_of_param(&self, value: Node<'t>) -> Option<TypeRef> {
        if value.kind() != "identifier" {
            return None;
        }
        let name = self.read.text(value);
        let mut at = value.parent();
        while let Some(node) = at {
            if node.kind() == "function_definition" {
                let list = node.child_by_field_name("parameters")?;
                let mut typed = children(list).into_iter().filter(|param| {
                    let named = param.child_by_field_name("name");
                    let named = named.or_else(|| children(*param).first().copied());
                    named.is_some_and(|named| self.read.text(named) == name)
                });
                return typed
                    .find_map(|param| Some(self.type_of(param.child_by_field_name("type")?)));
            }
            at = node.parent();
        }
        None
    }
}

/// The type of what a value is, as far as its text shows it: what a call gives.
fn made_type(value: &Expr) -> TypeRef {
    match &value.kind {
        ExprKind::Call(call) => result_of_callee(&call.callee),
        ExprKind::Text(_) => plain("string"),
        // `given or Default()`.
        ExprKind::Binary { right, .. } if matches!(right.kind, ExprKind::Call(_)) => {
            made_type(right)
        }
        ExprKind::Block(block) => match block.stmts.last().map(|last| &last.kind) {
            Some(StmtKind::Expr(last)) => made_type(last),
            _ => plain("?"),
        },
        _ => plain("?"),
    }
}

fn result_of(value: &Expr) -> TypeRef {
    match &value.kind {
        ExprKind::Call(call) => result_of_callee(&call.callee),
        _ => plain("?"),
    }
}

/// What a call of a path gives: the class itself, or the result of the function. The names that the
/// arguments are come behind it.
fn result_of_callee(callee: &Expr) -> TypeRef {
    match dotted(callee) {
        Some(path) => TypeRef {
            args: vec![plain(path)],
            ..plain("result")
        },
        None => plain("?"),
    }
}

/// `a.b.c` as one text.
pub(super) fn dotted(expr: &Expr) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    let mut at = expr;
    loop {
        match &at.kind {
            ExprKind::Name(name) => {
                parts.push(name);
                break;
            }
            ExprKind::Field { of, name, .. } => {
                parts.push(name);
                at = of;
            }
            _ => return None,
        }
    }
    parts.reverse();
    Some(parts.join("."))
}
