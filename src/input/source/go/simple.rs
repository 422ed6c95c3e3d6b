//! Statements of Go that stand on one line: declarations, assignments, sends, returns.

use std::sync::Arc;

use tree_sitter::Node;

use super::Lower;
use crate::input::source::syntax::{children, expression, fields, other};
use crate::model::place::Pos;
use crate::model::source::{
    AssignOp, Block, Expr, ExprKind, Leaves, Pattern, Stmt, StmtKind, TypeRef,
};

/// One line of a `const` or `var` declaration.
pub(super) struct ValueSpec {
    pub(super) names: Vec<(Arc<str>, Pos)>,
    pub(super) of: Option<TypeRef>,
    pub(super) values: Vec<Expr>,
    at: Pos,
}

impl<'t> Lower<'t> {
    /// The lines of a `const` or `var` declaration. A constant without a value repeats the line
    /// above, type included.
    pub(super) fn value_specs(&mut self, node: Node<'t>) -> Vec<ValueSpec> {
        let mut specs: Vec<ValueSpec> = Vec::new();
        let lines = children(node).into_iter().flat_map(|line| {
            if line.kind() == "var_spec_list" {
                children(line)
            } else {
                vec![line]
            }
        });
        for line in lines {
            let constant = line.kind() == "const_spec";
            if !constant && line.kind() != "var_spec" {
                continue;
            }
            let names = fields(line, "name");
            let names = names.into_iter();
            let names = names.map(|name| (self.read.name(name), self.at(name)));
            let names = names.collect();
            let of = line.child_by_field_name("type");
            let mut of = of.map(|of| self.type_ref(of));
            let mut values = self.list(line.child_by_field_name("value"));
            if constant
                && values.is_empty()
                && let Some(above) = specs.last()
            {
                of.clone_from(&above.of);
                values.clone_from(&above.values);
            }
            let at = self.at(line);
            specs.push(ValueSpec {
                names,
                of,
                values,
                at,
            });
        }
        specs
    }

    /// The expressions of a list.
    pub(super) fn list(&mut self, list: Option<Node<'t>>) -> Vec<Expr> {
        let all = list.map(children).unwrap_or_default().into_iter();
        all.map(|node| self.expr(node)).collect()
    }

    /// A simple statement; none if the node is none.
    pub(super) fn simple(&mut self, node: Node<'t>) -> Option<Vec<Stmt>> {
        let at = self.at(node);
        let part = |field| node.child_by_field_name(field);
        let kind = match node.kind() {
            "expression_statement" => {
                let inner = *children(node).first()?;
                StmtKind::Expr(self.expr(inner))
            }
            "short_var_declaration" => StmtKind::Let {
                patterns: self.patterns(part("left")),
                of: None,
                values: self.list(part("right")),
                otherwise: Block::default(),
            },
            "assignment_statement" => StmtKind::Assign {
                targets: self.list(part("left")),
                op: match part("operator").map(|op| op.kind()) {
                    Some("=") => AssignOp::Set,
                    Some("+=") => AssignOp::Add,
                    _ => AssignOp::Change,
                },
                values: self.list(part("right")),
            },
            "inc_statement" | "dec_statement" => StmtKind::Assign {
                targets: self.list(Some(node)),
                op: match node.kind() {
                    "inc_statement" => AssignOp::Add,
                    _ => AssignOp::Change,
                },
                values: vec![Expr {
                    at,
                    kind: ExprKind::Number("1".into()),
                }],
            },
            "send_statement" => {
                let (Some(channel), Some(value)) = (part("channel"), part("value")) else {
                    return None;
                };
                StmtKind::Expr(self.channel_call(node, channel, Some(value)))
            }
            "receive_statement" => return self.receive(node),
            "const_declaration" | "var_declaration" => {
                let specs = self.value_specs(node).into_iter();
                return Some(specs.map(declared).collect());
            }
            "return_statement" => {
                let values = self.list(children(node).first().copied());
                let named = self.results.last().filter(|_| values.is_empty());
                let named = named.into_iter().flatten();
                let named = named.map(|name| Expr {
                    at,
                    kind: ExprKind::Name(Arc::clone(name)),
                });
                let named: Vec<Expr> = named.collect();
                StmtKind::Return(if values.is_empty() { named } else { values })
            }
            "break_statement" | "continue_statement" | "goto_statement" => {
                StmtKind::Leave(match (children(node).is_empty(), node.kind()) {
                    (true, "continue_statement") => Leaves::Round,
                    (true, _) => Leaves::Inner,
                    (false, _) => Leaves::Named,
                })
            }
            // Where the next arm goes on is not told.
            "fallthrough_statement" => StmtKind::Expr(other(at, Vec::new())),
            "defer_statement" => StmtKind::Defer(self.expr(*children(node).first()?)),
            "go_statement" => StmtKind::Spawn(self.expr(*children(node).first()?)),
            "empty_statement" => return Some(Vec::new()),
            _ => return None,
        };
        Some(vec![Stmt { at, kind }])
    }

    /// The names on the left of `:=`.
    pub(super) fn patterns(&mut self, list: Option<Node<'t>>) -> Vec<Pattern> {
        let all = list.map(children).unwrap_or_default().into_iter();
        all.map(|name| match name.kind() {
            "identifier" => self.binding(name),
            _ => Pattern::Value(Box::new(self.expr(name))),
        })
        .collect()
    }

    /// `v, ok := <-ch` as a case of a `select`.
    fn receive(&mut self, node: Node<'t>) -> Option<Vec<Stmt>> {
        let at = self.at(node);
        let right = node.child_by_field_name("right")?;
        let value = self.expr(right);
        let Some(left) = node.child_by_field_name("left") else {
            return Some(vec![expression(value)]);
        };
        let mut cursor = node.walk();
        let declares = node.children(&mut cursor).any(|part| part.kind() == ":=");
        let kind = if declares {
            StmtKind::Let {
                patterns: self.patterns(Some(left)),
                of: None,
                values: vec![value],
                otherwise: Block::default(),
            }
        } else {
            StmtKind::Assign {
                targets: self.list(Some(left)),
                op: AssignOp::Set,
                values: vec![value],
            }
        };
        Some(vec![Stmt { at, kind }])
    }
}

/// One line of a declaration inside a function.
fn declared(spec: ValueSpec) -> Stmt {
    let pattern = |name: Arc<str>| match &*name {
        "_" => Pattern::Ignore,
        _ => Pattern::Name(name, None),
    };
    Stmt {
        at: spec.at,
        kind: StmtKind::Let {
            patterns: spec
                .names
                .into_iter()
                .map(|(name, _)| pattern(name))
                .collect(),
            of: spec.of,
            values: spec.values,
            otherwise: Block::default(),
        },
    }
}
