//! Statements of Rust, and the expressions that stand as some.

use std::mem;

use tree_sitter::Node;

use super::Lower;
use super::patterns::parts;
use crate::input::source::syntax::{children, expression, join, other, plain};
use crate::model::place::Pos;
use crate::model::source::{
    Arm, AssignOp, Block, Expr, ExprKind, Leaves, MadeField, Operator, Pattern, Stmt, StmtKind,
};

impl Lower<'_> {
    /// The statements of a block.
    pub(super) fn block(&mut self, node: Node<'_>) -> Block {
        let mut stmts = Vec::new();
        self.stmts(children(node), &mut stmts);
        Block { stmts }
    }

    /// Statements one after the other; items among them belong to the module.
    pub(super) fn stmts(&mut self, nodes: Vec<Node<'_>>, out: &mut Vec<Stmt>) {
        let mut attributes = Vec::new();
        for node in nodes {
            match node.kind() {
                "attribute_item" => attributes.push(self.attribute(node)),
                "label" | "inner_attribute_item" | "empty_statement" | "macro_definition" => {}
                _ => {
                    let around = node.kind().ends_with("_item").then(|| self.owner.take());
                    if !self.item(node, mem::take(&mut attributes)) {
                        self.stmt(node, out);
                    }
                    if let Some(owner) = around {
                        self.owner = owner;
                    }
                }
            }
        }
    }

    /// A block whose value is asked for: one that ends with `;` gives the empty tuple.
    pub(super) fn value_block(&mut self, node: Node<'_>) -> Block {
        let mut block = self.block(node);
        let last = children(node).pop();
        let cut = last.filter(|last| last.kind() == "expression_statement");
        let cut = cut.is_some_and(|last| self.read.text(last).ends_with(';'));
        let ends = block.stmts.last().map(|last| (last.at, &last.kind));
        if let (true, Some((at, StmtKind::Expr(_)))) = (cut, ends) {
            block.stmts.push(expression(unit(at)));
        }
        block
    }

    fn stmt(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        if !self.read.enter(node) {
            return;
        }
        match node.kind() {
            "expression_statement" => {
                for inner in children(node) {
                    self.stmt(inner, out);
                }
            }
            "ERROR" => self.stmts(children(node), out),
            _ => {
                let at = self.read.at(node);
                match self.stmt_kind(node) {
                    Some(kind) => out.push(Stmt { at, kind }),
                    None => out.push(expression(self.expr(node))),
                }
            }
        }
        self.read.leave();
    }

    /// The statement that a node is; none if it is an expression and no more.
    pub(super) fn stmt_kind(&mut self, node: Node<'_>) -> Option<StmtKind> {
        let part = |field| node.child_by_field_name(field);
        Some(match node.kind() {
            "let_declaration" => StmtKind::Let {
                patterns: vec![self.pattern(part("pattern")?)],
                of: part("type").map(|of| self.type_ref(of)),
                values: part("value")
                    .map(|value| self.expr(value))
                    .into_iter()
                    .collect(),
                otherwise: part("alternative")
                    .map(|block| self.block(block))
                    .unwrap_or_default(),
            },
            "assignment_expression" => StmtKind::Assign {
                targets: vec![self.expr(part("left")?)],
                op: AssignOp::Set,
                values: vec![self.expr(part("right")?)],
            },
            "compound_assignment_expr" => StmtKind::Assign {
                targets: vec![self.expr(part("left")?)],
                op: match part("operator").map(|op| op.kind()) {
                    Some("+=") => AssignOp::Add,
                    _ => AssignOp::Change,
                },
                values: vec![self.expr(part("right")?)],
            },
            "return_expression" => {
                let value = children(node).first().map(|value| self.expr(*value));
                StmtKind::Return(value.into_iter().collect())
            }
            "break_expression" | "continue_expression" => {
                let value = children(node)
                    .into_iter()
                    .find(|part| part.kind() != "label");
                let named = children(node).iter().any(|part| part.kind() == "label");
                let leaves = match (named, node.kind()) {
                    (true, _) => Leaves::Named,
                    (false, "continue_expression") => Leaves::Round,
                    _ => Leaves::Inner,
                };
                match value {
                    None => StmtKind::Leave(leaves),
                    Some(value) => {
                        let at = self.read.at(node);
                        let value = expression(self.expr(value));
                        let leave = Stmt {
                            at,
                            kind: StmtKind::Leave(leaves),
                        };
                        StmtKind::Block(Block {
                            stmts: vec![value, leave],
                        })
                    }
                }
            }
            "if_expression" => self.branch(node),
            "match_expression" => StmtKind::Match {
                of: part("value").map(|of| self.expr(of)),
                arms: self.arms(part("body")),
            },
            "while_expression" => self.while_loop(node)?,
            "loop_expression" => StmtKind::Loop {
                patterns: Vec::new(),
                over: None,
                each: false,
                body: self.block(part("body")?),
            },
            "for_expression" => StmtKind::Loop {
                patterns: vec![self.pattern(part("pattern")?)],
                over: part("value").map(|over| self.expr(over)),
                each: true,
                body: self.block(part("body")?),
            },
            "block" | "unsafe_block" => StmtKind::Block(self.inner_block(node)),
            _ => return None,
        })
    }

    /// `{ … }` of `unsafe { … }` and the like.
    pub(super) fn inner_block(&mut self, node: Node<'_>) -> Block {
        let inner = children(node)
            .into_iter()
            .find(|part| part.kind() == "block");
        self.block(inner.filter(|_| node.kind() != "block").unwrap_or(node))
    }

    fn branch(&mut self, node: Node<'_>) -> StmtKind {
        let part = |field| node.child_by_field_name(field);
        let mut otherwise = Vec::new();
        for inner in part("alternative").map(children).unwrap_or_default() {
            match inner.kind() {
                "block" => otherwise.extend(self.block(inner).stmts),
                _ => self.stmt(inner, &mut otherwise),
            }
        }
        let otherwise = Block { stmts: otherwise };
        let then = part("consequence")
            .map(|then| self.block(then))
            .unwrap_or_default();
        match part("condition") {
            Some(condition) => self.on_condition(condition, then, otherwise),
            None => StmtKind::Block(then),
        }
    }

    /// `then` where a condition holds: a branch, or a match where it binds names.
    fn on_condition(&mut self, condition: Node<'_>, then: Block, otherwise: Block) -> StmtKind {
        let (of, pattern, guard) = match condition.kind() {
            "let_condition" => match self.let_condition(condition) {
                Some((value, pattern)) => (value, pattern, None),
                None => (
                    other(self.read.at(condition), Vec::new()),
                    Pattern::Ignore,
                    None,
                ),
            },
            "let_chain" => self.let_chain(condition),
            _ => {
                let condition = self.expr(condition);
                return StmtKind::If {
                    condition,
                    then,
                    otherwise,
                };
            }
        };
        let fits = Arm {
            patterns: vec![pattern],
            guard,
            body: then,
        };
        let not = Arm {
            patterns: Vec::new(),
            guard: None,
            body: otherwise,
        };
        StmtKind::Match {
            of: Some(of),
            arms: vec![fits, not],
        }
    }

    fn let_condition(&mut self, node: Node<'_>) -> Option<(Expr, Pattern)> {
        let pattern = node.child_by_field_name("pattern")?;
        let value = node.child_by_field_name("value")?;
        Some((self.expr(value), self.pattern(pattern)))
    }

    /// Several of them, and conditions between: a match of a tuple.
    fn let_chain(&mut self, node: Node<'_>) -> (Expr, Pattern, Option<Expr>) {
        let mut links = Vec::new();
        let mut open = vec![node];
        while let Some(inner) = open.pop() {
            match inner.kind() {
                "let_chain" => open.extend(children(inner).into_iter().rev()),
                _ => links.push(inner),
            }
        }
        let mut fields = Vec::new();
        let mut patterns = Vec::new();
        let mut guards = Vec::new();
        for link in links {
            if link.kind() != "let_condition" {
                guards.push(self.expr(link));
            } else if let Some((value, pattern)) = self.let_condition(link) {
                patterns.push((patterns.len().to_string().into(), pattern));
                fields.push(MadeField {
                    name: None,
                    key: None,
                    value,
                });
            }
        }
        let at = self.read.at(node);
        let kind = ExprKind::Make {
            of: Some(plain("tuple")),
            fields,
        };
        let pattern = Pattern::Parts {
            of: "".into(),
            parts: patterns,
        };
        let mut guards = guards.into_iter();
        let first = guards.next();
        let guard = first.map(|first| {
            let rest = guards.map(|next| (Operator::And, next));
            join(first, rest.collect())
        });
        (Expr { at, kind }, pattern, guard)
    }

    fn while_loop(&mut self, node: Node<'_>) -> Option<StmtKind> {
        let condition = node.child_by_field_name("condition")?;
        let body = self.block(node.child_by_field_name("body")?);
        let looped = |over, body| StmtKind::Loop {
            patterns: Vec::new(),
            over,
            each: false,
            body,
        };
        if !matches!(condition.kind(), "let_condition" | "let_chain") {
            return Some(looped(Some(self.expr(condition)), body));
        }
        let at = self.read.at(condition);
        let leave = Stmt {
            at,
            kind: StmtKind::Leave(Leaves::Inner),
        };
        let kind = self.on_condition(condition, body, Block { stmts: vec![leave] });
        let stmts = vec![Stmt { at, kind }];
        Some(looped(None, Block { stmts }))
    }

    fn arms(&mut self, body: Option<Node<'_>>) -> Vec<Arm> {
        let mut out = Vec::new();
        for node in body.map(children).unwrap_or_default() {
            let part = |field| node.child_by_field_name(field);
            let (Some(pattern), Some(value)) = (part("pattern"), part("value")) else {
                continue;
            };
            let guard = pattern.child_by_field_name("condition");
            let mut patterns = self.alternatives(pattern);
            // `_` takes what is left; a name alone does too, and binds it.
            if matches!(patterns.as_slice(), [Pattern::Ignore]) {
                patterns.clear();
            }
            out.push(Arm {
                patterns,
                guard: guard.map(|guard| self.expr(guard)),
                body: self.body_of(value),
            });
        }
        out
    }

    /// An expression as the body of an arm or closure.
    pub(super) fn body_of(&mut self, value: Node<'_>) -> Block {
        match value.kind() {
            "block" if parts(value).iter().all(|part| part.kind() != "label") => {
                self.value_block(value)
            }
            _ => {
                let mut stmts = Vec::new();
                self.stmt(value, &mut stmts);
                Block { stmts }
            }
        }
    }
}

/// The empty tuple.
pub(super) fn unit(at: Pos) -> Expr {
    let kind = ExprKind::Make {
        of: Some(plain("tuple")),
        fields: Vec::new(),
    };
    Expr { at, kind }
}
