//! Functions: declarations, lambdas, parameters, decorators.

use std::sync::Arc;

use tree_sitter::Node;

use super::{Lower, Names};
use crate::input::source::syntax::{children, expression, plain};
use crate::model::place::Pos;
use crate::model::source::{
    Block, Call, Closure, Expr, ExprKind, Function, Param, Pattern, Stmt, StmtKind, TypeRef,
};

/// Decorators of functions that are entered as contexts: what they yield is what they give.
const CONTEXTS: &[&str] = &["contextmanager", "asynccontextmanager", "fixture"];

impl<'t> Lower<'t, '_> {
    /// A function with its decorators: a declaration, or a closure with a name inside another
    /// function.
    pub(super) fn function(&mut self, node: Node<'t>, decorators: &[Node<'t>]) -> Vec<Stmt> {
        let Some(name_node) = node.child_by_field_name("name") else {
            return Vec::new();
        };
        let name = self.read.name(name_node);
        let at = self.read.at(name_node);
        let attributes: Vec<Arc<str>> = decorators
            .iter()
            .filter_map(|node| children(*node).first().copied())
            .map(|node| self.read.text(node).into())
            .collect();
        let owner = self.class().map(|class| Arc::clone(&class.name));
        let is_method = owner.is_some();
        let inner = !self.within.is_empty() && !is_method;
        let free = attributes.iter().any(|text| &**text == "staticmethod");
        let mut params = match node.child_by_field_name("parameters") {
            Some(list) => self.params(list),
            None => Vec::new(),
        };
        let mut receiver = None;
        if is_method && !free && !params.is_empty() {
            let first = params.remove(0);
            receiver = first.pattern.names().first().map(|name| Arc::clone(name));
        }
        let returns = node.child_by_field_name("return_type");
        let returns = match returns.map(|of| self.type_of(of)) {
            Some(of) if matches!(&*of.name, "None" | "?" | "NoReturn" | "Never") => Vec::new(),
            Some(of) if &*of.name == "tuple" && of.args.len() > 1 => of.args,
            of => of.into_iter().collect::<Vec<TypeRef>>(),
        };
        let gives = attributes
            .iter()
            .any(|text| CONTEXTS.iter().any(|context| text.contains(context)));
        let body_node = node.child_by_field_name("body");
        let body = self.body(body_node, receiver.clone(), gives);
        let end = self.read.end(node);
        let name_expr = |of: &Arc<str>| Expr {
            at,
            kind: ExprKind::Name(Arc::clone(of)),
        };
        let decorated = match &owner {
            Some(owner) => Expr {
                at,
                kind: ExprKind::Field {
                    of: Box::new(name_expr(owner)),
                    name: Arc::clone(&name),
                    at,
                },
            },
            None => name_expr(&name),
        };
        let mut out = Vec::new();
        if inner {
            let closure = Closure {
                params,
                returns,
                body,
                at,
                end,
            };
            out.push(Stmt {
                at,
                kind: StmtKind::Let {
                    patterns: vec![Pattern::Name(name, None)],
                    of: None,
                    values: vec![Expr {
                        at,
                        kind: ExprKind::Closure(Arc::new(closure)),
                    }],
                    otherwise: Block::default(),
                },
            });
        } else {
            self.functions.push(Function {
                name,
                owner,
                of_trait: None,
                receiver,
                generics: Vec::new(),
                params,
                returns,
                body,
                attributes,
                test: false,
                at,
                end,
            });
        }
        for decorator in decorators {
            out.extend(self.decorator(*decorator, &decorated));
        }
        out
    }

    /// A decorator as a call that says what it decorates; one without arguments is called too.
    pub(super) fn decorator(&mut self, node: Node<'t>, decorated: &Expr) -> Option<Stmt> {
        let inner = children(node).into_iter().next()?;
        let made = self.expr(inner);
        let decorates = Some(Box::new(decorated.clone()));
        let call = match made.kind {
            ExprKind::Call(mut call) => {
                call.decorates = decorates;
                *call
            }
            _ => Call {
                at: match &made.kind {
                    ExprKind::Field { at, .. } => *at,
                    _ => made.at,
                },
                end: self.read.end(inner),
                callee: made,
                generics: Vec::new(),
                args: Vec::new(),
                named: Vec::new(),
                decorates,
                is_macro: false,
                tried: false,
            },
        };
        Some(expression(Expr {
            at: self.read.at(inner),
            kind: ExprKind::Call(Box::new(call)),
        }))
    }

    /// The body of a function. What nothing returns is returned at its end, and names that are
    /// assigned to more than once are declared before it.
    fn body(&mut self, body: Option<Node<'t>>, receiver: Option<Arc<str>>, gives: bool) -> Block {
        let Some(body) = body else {
            return Block::default();
        };
        let names = Names {
            assigned: self.assigned(body),
            receiver,
            gives,
        };
        let start = self.read.at(body);
        let declared: Vec<Pattern> = names
            .often()
            .into_iter()
            .map(|name| Pattern::Name(name.into(), None))
            .collect();
        self.within.push(names);
        let mut stmts = Vec::new();
        if !declared.is_empty() {
            stmts.push(Stmt {
                at: start,
                kind: StmtKind::Let {
                    patterns: declared,
                    of: None,
                    values: Vec::new(),
                    otherwise: Block::default(),
                },
            });
        }
        stmts.extend(self.statements(body));
        self.within.pop();
        let ends = stmts
            .last()
            .is_some_and(|last| matches!(last.kind, StmtKind::Expr(_)));
        if ends {
            stmts.push(Stmt {
                at: self.read.end(body),
                kind: StmtKind::Return(Vec::new()),
            });
        }
        Block { stmts }
    }

    /// `lambda x: y`.
    pub(super) fn lambda(&mut self, node: Node<'t>) -> Expr {
        let at = self.read.at(node);
        let params = match node.child_by_field_name("parameters") {
            Some(list) => self.params(list),
            None => Vec::new(),
        };
        let mut body = Block::default();
        if let Some(value) = node.child_by_field_name("body") {
            self.within.push(Names {
                receiver: self.receiver(),
                ..Names::default()
            });
            let value = self.expr(value);
            self.within.pop();
            body.stmts.push(Stmt {
                at: value.at,
                kind: StmtKind::Return(vec![value]),
            });
        }
        Expr {
            at,
            kind: ExprKind::Closure(Arc::new(Closure {
                params,
                returns: Vec::new(),
                body,
                at,
                end: self.read.end(node),
            })),
        }
    }

    fn params(&mut self, list: Node<'t>) -> Vec<Param> {
        let mut out = Vec::new();
        for node in children(list) {
            let of = node
                .child_by_field_name("type")
                .map_or_else(|| plain("?"), |of| self.type_of(of));
            let default = node.child_by_field_name("value");
            let default = default.map(|value| Box::new(self.expr(value)));
            let named = match node.kind() {
                "typed_parameter" => children(node).into_iter().next(),
                "default_parameter" | "typed_default_parameter" => node.child_by_field_name("name"),
                "keyword_separator" | "positional_separator" => continue,
                _ => Some(node),
            };
            let Some(named) = named else {
                continue;
            };
            let rest = matches!(
                named.kind(),
                "list_splat_pattern" | "dictionary_splat_pattern"
            );
            let pattern = match (rest, children(named).first()) {
                (true, Some(inner)) => self.pattern(*inner),
                _ => self.pattern(named),
            };
            out.push(Param {
                pattern,
                of,
                default,
                rest,
            });
        }
        out
    }

    /// The receiver of the method around.
    pub(super) fn receiver(&self) -> Option<Arc<str>> {
        let mut around = self.within.iter().rev();
        around.find_map(|names| names.receiver.clone())
    }

    /// What a `for`, `with` or parameter binds.
    pub(super) fn pattern(&mut self, node: Node<'t>) -> Pattern {
        match node.kind() {
            "identifier" if self.read.text(node) == "_" => Pattern::Ignore,
            "identifier" | "keyword_identifier" => Pattern::Name(self.read.name(node), None),
            "list_splat_pattern"
            | "as_pattern_target"
            | "parenthesized_expression"
            | "list_splat" => match children(node).first() {
                Some(inner) => self.pattern(*inner),
                None => Pattern::Ignore,
            },
            "tuple_pattern" | "list_pattern" | "pattern_list" | "tuple" | "list"
            | "expression_list" => {
                if !self.read.enter(node) {
                    return Pattern::Ignore;
                }
                let parts = children(node);
                let parts = parts.into_iter().enumerate();
                let parts = parts
                    .map(|(at, part)| (Arc::from(at.to_string()), self.pattern(part)))
                    .collect();
                self.read.leave();
                Pattern::Parts {
                    of: "".into(),
                    parts,
                }
            }
            _ => Pattern::Ignore,
        }
    }

    /// The position just behind the name in `a.name`, else of the expression itself.
    pub(super) fn at_of_name(&self, node: Node<'t>) -> Pos {
        let name = node.child_by_field_name("attribute").unwrap_or(node);
        self.read.at(name)
    }
}
