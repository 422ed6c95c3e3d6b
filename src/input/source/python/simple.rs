//! Statements that hold no others: assignments, returns, imports.

use tree_sitter::Node;

use super::Lower;
use crate::input::source::syntax::{children, expression, other};
use crate::model::place::Pos;
use crate::model::source::{
    AssignOp, Block, Call, Expr, ExprKind, Leaves, Stmt, StmtKind, TypeRef, ValueDecl,
};

impl<'t> Lower<'t, '_> {
    pub(super) fn simple(&mut self, node: Node<'t>, out: &mut Vec<Stmt>) {
        let at = self.read.at(node);
        let kind = match node.kind() {
            "expression_statement" => {
                for inner in children(node) {
                    match inner.kind() {
                        "assignment" => self.assignment(inner, out),
                        "augmented_assignment" => self.augmented(inner, out),
                        "yield" if self.gives() => {
                            let values = self.values(inner);
                            out.push(Stmt {
                                at,
                                kind: StmtKind::Return(values),
                            });
                        }
                        // A text by itself is a comment.
                        "string" | "concatenated_string" | "ellipsis" => {}
                        _ => self.run(inner, out),
                    }
                }
                return;
            }
            "return_statement" => StmtKind::Return(self.results(node)),
            "raise_statement" => {
                let raised = self.raise(node);
                out.push(expression(raised));
                StmtKind::Leave(Leaves::Raised)
            }
            "break_statement" => StmtKind::Leave(Leaves::Inner),
            "continue_statement" => StmtKind::Leave(Leaves::Round),
            "import_statement" => return self.import(node),
            "import_from_statement" => return self.import_from(node),
            // It shows where a block is that does nothing.
            "pass_statement" => StmtKind::Block(Block::default()),
            "global_statement"
            | "nonlocal_statement"
            | "future_import_statement"
            | "type_alias_statement"
            | "comment" => return,
            "assert_statement" => StmtKind::Expr(self.assertion(node)),
            // `del`, and what Python 2 had: `print`, `exec`.
            _ => {
                let parts = self.values(node);
                StmtKind::Expr(other(at, parts))
            }
        };
        out.push(Stmt { at, kind });
    }

    /// `assert a == b`, as a call that no function of the tree can be: a macro.
    fn assertion(&mut self, node: Node<'t>) -> Expr {
        let at = self.read.at(node);
        let args = self.values(node);
        let call = Call {
            callee: Expr {
                at,
                kind: ExprKind::Name("assert".into()),
            },
            at,
            end: self.read.end(node),
            generics: Vec::new(),
            args,
            named: Vec::new(),
            decorates: None,
            is_macro: true,
            tried: false,
        };
        Expr {
            at,
            kind: ExprKind::Call(Box::new(call)),
        }
    }

    fn gives(&self) -> bool {
        self.within.last().is_some_and(|names| names.gives)
    }

    /// The values that stand in a statement; a tuple without brackets is one.
    fn values(&mut self, node: Node<'t>) -> Vec<Expr> {
        let inner = children(node).into_iter();
        inner.map(|value| self.expr(value)).collect()
    }

    /// The values of a tuple that is returned are the results of the function.
    fn results(&mut self, node: Node<'t>) -> Vec<Expr> {
        match children(node)[..] {
            [tuple] if matches!(tuple.kind(), "expression_list" | "tuple") => self.values(tuple),
            _ => self.values(node),
        }
    }

    fn raise(&mut self, node: Node<'t>) -> Expr {
        let at = self.read.at(node);
        let args = self.values(node);
        Expr {
            at,
            kind: ExprKind::Call(Box::new(Call {
                callee: Expr {
                    at,
                    kind: ExprKind::Name("raise".into()),
                },
                at,
                end: self.read.end(node),
                generics: Vec::new(),
                args,
                named: Vec::new(),
                decorates: None,
                is_macro: false,
                tried: false,
            })),
        }
    }

    /// `a = b = value`, `a, b = values`, `a: T = value`.
    fn assignment(&mut self, node: Node<'t>, out: &mut Vec<Stmt>) {
        let at = self.read.at(node);
        let mut lefts = Vec::new();
        let mut right = Some(node);
        let mut of = None;
        while let Some(part) = right.filter(|part| part.kind() == "assignment") {
            lefts.extend(part.child_by_field_name("left"));
            of = of.or_else(|| part.child_by_field_name("type"));
            right = part.child_by_field_name("right");
        }
        let of = of.map(|of| self.type_of(of));
        let kept = right.and_then(|right| self.type_of_param(right));
        let values: Vec<Expr> = match right {
            Some(right) if matches!(right.kind(), "expression_list" | "pattern_list") => {
                let parts = children(right).into_iter();
                parts.map(|part| self.expr(part)).collect()
            }
            Some(right) if right.kind() == "augmented_assignment" => {
                self.augmented(right, out);
                Vec::new()
            }
            Some(right) => vec![self.expr(right)],
            None => Vec::new(),
        };
        let types = Types { of, kept };
        let last = lefts.pop();
        for left in lefts {
            self.assign(left, &types, values.clone(), at, out);
        }
        match last {
            Some(left) => self.assign(left, &types, values, at, out),
            None => out.extend(values.into_iter().map(expression)),
        }
    }

    fn assign(
        &mut self,
        left: Node<'t>,
        types: &Types,
        values: Vec<Expr>,
        at: Pos,
        out: &mut Vec<Stmt>,
    ) {
        let value = match &values[..] {
            [one] => Some(one),
            _ => None,
        };
        let of = types.of.clone();
        match left.kind() {
            "identifier" if self.class().is_some() => {
                return self.attribute(left, of, value);
            }
            "attribute" => {
                let kept = types.of.as_ref().or(types.kept.as_ref());
                self.given_to_receiver(left, kept, value);
            }
            "identifier" if self.within.is_empty() => {
                let decl = ValueDecl {
                    name: self.read.name(left),
                    constant: false,
                    of: of.clone(),
                    value: value.cloned(),
                    at,
                };
                self.values.push(decl);
            }
            _ => {}
        }
        // `x: T` by itself gives no value.
        if values.is_empty() && left.kind() != "identifier" {
            return;
        }
        let names = self.names_of(left);
        let declares = match (&names, self.within.last()) {
            (Some(names), Some(within)) => names.iter().all(|name| within.once(name)),
            (Some(_), None) => true,
            (None, _) => false,
        };
        let parts = match left.kind() {
            "pattern_list" | "tuple_pattern" | "list_pattern" => children(left),
            _ => vec![left],
        };
        let kind = if declares {
            StmtKind::Let {
                patterns: parts.into_iter().map(|part| self.pattern(part)).collect(),
                of,
                values,
                otherwise: Block::default(),
            }
        } else if values.is_empty() {
            return;
        } else {
            StmtKind::Assign {
                targets: parts.into_iter().map(|part| self.expr(part)).collect(),
                op: AssignOp::Set,
                values,
            }
        };
        out.push(Stmt { at, kind });
    }

    /// The names that a target is made of; none where it is a part of a value as well.
    fn names_of(&self, left: Node<'t>) -> Option<Vec<&'t str>> {
        let mut names = Vec::new();
        let mut open = vec![left];
        while let Some(node) = open.pop() {
            match node.kind() {
                "identifier" => names.push(self.read.text(node)),
                "attribute" | "subscript" => return None,
                _ => open.extend(children(node)),
            }
        }
        Some(names)
    }

    fn augmented(&mut self, node: Node<'t>, out: &mut Vec<Stmt>) {
        let at = self.read.at(node);
        let operator = node.child_by_field_name("operator");
        let op = match operator.map(|op| self.read.text(op)) {
            Some("+=") => AssignOp::Add,
            _ => AssignOp::Change,
        };
        let target = self.field_expr(node, "left");
        let value = self.field_expr(node, "right");
        out.push(Stmt {
            at,
            kind: StmtKind::Assign {
                targets: vec![target],
                op,
                values: vec![value],
            },
        });
    }
}

/// What is known of the type of an assignment.
struct Types {
    /// As it is written.
    of: Option<TypeRef>,
    /// The type of the parameter that is kept.
    kept: Option<TypeRef>,
}
